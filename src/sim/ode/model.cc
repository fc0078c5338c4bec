#include "sim/ode/model.h"

#include "character/velocities.h"

namespace sinew::ode {

namespace {

// Farther apart than this, a joint is broken.
constexpr double kTornApart_m = 0.5;

// All coordinates 0: how joints are made.
VecX zero_coordinates(const Character& character) {
  VecX q = VecX::Zero(character.nq());
  for (const Joint& joint : character.joints) {
    if (joint.type == JointType::kFree) q[joint.q + 3] = 1;
    if (joint.type == JointType::kBall) q[joint.q] = 1;
  }
  return q;
}

std::vector<RigidBody> make_bodies(dWorldID world, const Links& links) {
  std::vector<RigidBody> out;
  out.reserve(links.links.size());
  for (const Link& link : links.links) out.emplace_back(world, link.mass);
  return out;
}

std::vector<Joint> joints_of(const Character& character, const Body& body) {
  const auto first = character.joints.begin() + body.first_joint;
  return {first, first + body.joint_count};
}

// The joints of all links but the root, made in the pose where all coordinates are 0.
std::vector<std::unique_ptr<LinkJoint>> make_joints(dWorldID world, const Character& character,
                                                    const Links& links, std::vector<RigidBody>& bodies) {
  const std::vector<Pose> X_WB = body_poses(character, zero_coordinates(character));
  for (size_t i = 0; i < bodies.size(); ++i)
    bodies[i].set_pose(X_WB[static_cast<size_t>(links.links[i].body)]);

  std::vector<std::unique_ptr<LinkJoint>> out;
  for (size_t i = 1; i < bodies.size(); ++i) {
    const Link& link = links.links[i];
    const Body& body = character.bodies[static_cast<size_t>(link.body)];
    const Pose X_PB = links.X_LB[static_cast<size_t>(body.parent)] * body.X_PB;
    out.push_back(make_link_joint(world, {&bodies[i], &bodies[static_cast<size_t>(link.parent)], X_PB},
                                  joints_of(character, body), body.name));
  }
  return out;
}

}  // namespace

Model::Model(const Character& character, const World& world, const std::vector<ShapePair>& self)
    : ode_(world.gravity),
      links_(find_links(character)),
      bodies_(make_bodies(ode_.id(), links_)),
      joints_(make_joints(ode_.id(), character, links_, bodies_)),
      props_(ode_, world),
      collider_(character, world, links_, bodies_, props_, self) {}

const RigidBody& Model::link_of(int body) const {
  return bodies_[static_cast<size_t>(links_.link_of[static_cast<size_t>(body)])];
}

void Model::place(const Character& character, const VecX& q, const VecX& v) {
  const Kinematics at = forward_kinematics(character, q);
  const std::vector<BodyVelocity> moving = body_velocities(character, at, v);
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const auto body = static_cast<size_t>(links_.links[i].body);
    bodies_[i].set_pose(at.X_WB[body]);
    bodies_[i].set_velocity(moving[body].v_WB, moving[body].w_WB);
  }
}

void Model::measure(double h, State& state) const {
  // The root's pose and velocity, its quaternion on the side of the last one.
  const RigidBody& root = bodies_.front();
  Pose X_WB = root.pose();
  const Quat last(state.q[3], state.q[4], state.q[5], state.q[6]);
  if (X_WB.q.dot(last) < 0) X_WB.q.coeffs() *= -1.0;
  state.q.head<7>() << X_WB.p, X_WB.q.w(), X_WB.q.vec();
  state.v.head<6>() << root.velocity_at(X_WB.p), X_WB.q.conjugate() * root.w();

  for (const auto& joint : joints_) joint->measure(h, state.q, state.v);
}

bool Model::sensible() const {
  for (const RigidBody& body : bodies_)
    if (!body.sensible()) return false;
  for (const auto& joint : joints_)
    if (!(joint->gap() < kTornApart_m)) return false;
  return props_.sensible();
}

}  // namespace sinew::ode
