#include "sim/couplings.h"

namespace sinew {

namespace {

Vec3 velocity_at(const BodyMotion& body, const Vec3& p_W) {
  return body.v_WB + body.w_WB.cross(p_W - body.X_WB.p);
}

// Both forces act at the middle between the points, and the damper feels how the bodies pass each other
// there: apart from the line between the points it would else turn the whole.
void add(const PointSpring& spring, const BodyMotion& a, const BodyMotion& b,
         std::vector<ExternalForce>& out) {
  const Vec3 p = a.X_WB * spring.p_AP, q = b.X_WB * spring.p_BQ, middle = 0.5 * (p + q);
  const Vec3 force =
      spring.stiffness * (q - p) + spring.damping * (velocity_at(b, middle) - velocity_at(a, middle));
  out.push_back({spring.body_a, force, middle, Vec3::Zero()});
  out.push_back({spring.body_b, -force, middle, Vec3::Zero()});
}

// A torque of a hinge turns its body one way and the parent the other.
void add_torque(const Character& character, const Joint& joint, double torque,
                const std::function<BodyMotion(int)>& motion_of, std::vector<ExternalForce>& out) {
  const Vec3 torque_W = torque * (motion_of(joint.body).X_WB.q * joint.axis_B);
  const int parent = character.bodies[static_cast<size_t>(joint.body)].parent;
  out.push_back({joint.body, Vec3::Zero(), Vec3::Zero(), torque_W});
  out.push_back({parent, Vec3::Zero(), Vec3::Zero(), -torque_W});
}

}  // namespace

void add_coupling_forces(const Character& character, const State& state,
                         const std::function<BodyMotion(int)>& motion_of, std::vector<ExternalForce>& out) {
  for (const PointSpring& spring : character.springs)
    add(spring, motion_of(spring.body_a), motion_of(spring.body_b), out);
  for (const Chain& chain : character.chains) {
    const Joint& a = character.joints[static_cast<size_t>(chain.joint_a)];
    const Joint& b = character.joints[static_cast<size_t>(chain.joint_b)];
    const double torque = chain.stiffness * (chain.ratio * state.q[a.q] - state.q[b.q]) +
                          chain.damping * (chain.ratio * state.v[a.v] - state.v[b.v]);
    add_torque(character, b, torque, motion_of, out);
    add_torque(character, a, -chain.ratio * torque, motion_of, out);
  }
}

}  // namespace sinew
