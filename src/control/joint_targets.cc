#include "control/joint_targets.h"

namespace sinew {

void see_from_joints(const Character& character, const VecX& q, const VecX& q_target, VecX& v) {
  for (const Joint& joint : character.joints) {
    if (joint.type != JointType::kBall) continue;
    const auto turn = [&](const VecX& at) {
      return Quat(at[joint.q], at[joint.q + 1], at[joint.q + 2], at[joint.q + 3]);
    };
    const Quat error = turn(q).conjugate() * turn(q_target);
    v.segment<3>(joint.v) = error * Vec3(v.segment<3>(joint.v));
  }
}

}  // namespace sinew
