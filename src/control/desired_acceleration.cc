#include "control/desired_acceleration.h"

#include <cmath>

namespace sinew {

VecX desired_acceleration(const Character& character, const State& state, const ReferenceSample& motion,
                          double k_os) {
  VecX way = difference(character, state.q, motion.q);
  VecX v = motion.v, a = motion.a;
  for (const Joint& joint : character.joints) {
    if (joint.type == JointType::kFree) way.segment<3>(joint.v).setZero();
    if (joint.type != JointType::kFree && joint.type != JointType::kBall) continue;
    const int turning = joint.v + joint.v_size() - 3;
    const Quat error = exp_map(way.segment<3>(turning));
    v.segment<3>(turning) = error * Vec3(v.segment<3>(turning));
    a.segment<3>(turning) = error * Vec3(a.segment<3>(turning));
  }
  return a + k_os * way + 2 * std::sqrt(k_os) * (v - state.v);
}

}  // namespace sinew
