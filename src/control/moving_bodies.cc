#include "control/moving_bodies.h"

#include <cmath>

#include "core/error.h"

namespace sinew {

MovingBodies::MovingBodies(const Character& character)
    : X_WB_(character.bodies.size()),
      w_WB_(character.bodies.size(), Vec3::Zero()),
      v_WB_(character.bodies.size(), Vec3::Zero()),
      axis_W_(character.joints.size(), Vec3::Zero()) {
  for (const Joint& joint : character.joints)
    if (joint.type == JointType::kBall)
      throw Error("the joint " + joint.name + " of '" + character.name +
                  "' is a ball; this behaviour needs hinges");
}

void MovingBodies::update(const Character& character, const State& state) {
  Vec3 moment = Vec3::Zero(), momentum = Vec3::Zero();
  double mass = 0;
  for (size_t b = 0; b < character.bodies.size(); ++b) {
    const Body& body = character.bodies[b];
    const auto parent = static_cast<size_t>(std::max(body.parent, 0));
    Pose X = body.X_PB;
    Vec3 w = Vec3::Zero(), v = Vec3::Zero();
    if (body.parent >= 0) {
      X = {X_WB_[parent].p + X_WB_[parent].q * body.X_PB.p, X_WB_[parent].q * body.X_PB.q};
      w = w_WB_[parent];
      v = v_WB_[parent] + w.cross(X.p - X_WB_[parent].p);
    }

    // Joints in their order: each turns or shifts what the ones before have made.
    for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j) {
      const Joint& joint = character.joints[static_cast<size_t>(j)];
      if (joint.type == JointType::kFree) {
        X.p = state.q.segment<3>(joint.q);
        X.q = Quat(state.q[joint.q + 3], state.q[joint.q + 4], state.q[joint.q + 5], state.q[joint.q + 6]);
        v = state.v.segment<3>(joint.v);
        w = X.q * Vec3(state.v.segment<3>(joint.v + 3));
        continue;
      }
      const Vec3 axis = X.q * joint.axis_B;
      const double x = state.q[joint.q], rate = state.v[joint.v];
      axis_W_[static_cast<size_t>(j)] = axis;
      if (joint.type == JointType::kSlide) {
        X.p += x * axis;
        v += w.cross(x * axis) + rate * axis;
        continue;
      }
      const Vec3 anchor = X.q * joint.p_BJ;
      const double half = 0.5 * x, sine = std::sin(half);
      X.q = X.q *
            Quat(std::cos(half), sine * joint.axis_B.x(), sine * joint.axis_B.y(), sine * joint.axis_B.z());
      const Vec3 shift = anchor - X.q * joint.p_BJ;
      v += w.cross(anchor);
      w += rate * axis;
      v -= w.cross(anchor - shift);
      X.p += shift;
    }
    X_WB_[b] = X;
    w_WB_[b] = w;
    v_WB_[b] = v;

    const Vec3 to_centre = X.q * body.p_BC;
    mass += body.mass_kg;
    moment += body.mass_kg * (X.p + to_centre);
    momentum += body.mass_kg * (v + w.cross(to_centre));
  }
  p_WC_ = moment / mass;
  v_WC_ = momentum / mass;
}

Vec3 MovingBodies::velocity(int body, const Vec3& p_W) const {
  const auto b = static_cast<size_t>(body);
  return v_WB_[b] + w_WB_[b].cross(p_W - X_WB_[b].p);
}

}  // namespace sinew
