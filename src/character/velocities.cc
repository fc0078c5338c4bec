#include "character/velocities.h"

namespace sinew {

namespace {

// Adds what one joint does to the velocity of its body, whose frame is at X_WB. q_WJ and p_WJ: Kinematics.
void add_joint(const Joint& joint, const VecX& v, const Quat& q_WJ, const Vec3& p_WJ, const Pose& X_WB,
               BodyVelocity& moves) {
  switch (joint.type) {
    case JointType::kFree:
      moves.v_WB = v.segment<3>(joint.v);
      moves.w_WB = X_WB.q * v.segment<3>(joint.v + 3);
      break;
    case JointType::kSlide:
      moves.v_WB += q_WJ * (joint.axis_B * v[joint.v]);
      break;
    case JointType::kHinge:
    case JointType::kBall: {
      const Vec3 w_J =
          joint.type == JointType::kBall ? Vec3(v.segment<3>(joint.v)) : Vec3(joint.axis_B * v[joint.v]);
      const Vec3 w_W = q_WJ * w_J;
      moves.v_WB += w_W.cross(X_WB.p - p_WJ);
      moves.w_WB += w_W;
      break;
    }
  }
}

}  // namespace

std::vector<BodyVelocity> body_velocities(const Character& character, const Kinematics& at, const VecX& v) {
  std::vector<BodyVelocity> out(character.bodies.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const Body& body = character.bodies[i];

    // Carried along by the parent...
    if (body.parent >= 0) {
      const auto p = static_cast<size_t>(body.parent);
      out[i].w_WB = out[p].w_WB;
      out[i].v_WB = out[p].v_WB + out[p].w_WB.cross(at.X_WB[i].p - at.X_WB[p].p);
    }

    // ... and moved by its own joints.
    for (int k = body.first_joint; k < body.first_joint + body.joint_count; ++k) {
      const auto j = static_cast<size_t>(k);
      add_joint(character.joints[j], v, at.q_WJ[j], at.p_WJ[j], at.X_WB[i], out[i]);
    }
  }
  return out;
}

}  // namespace sinew
