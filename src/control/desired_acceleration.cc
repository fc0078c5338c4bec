#include "control/desired_acceleration.h"

#include <cmath>

#include "character/into.h"

namespace sinew {

void desired_acceleration(const Character& character, const State& state, const ReferenceSample& motion,
                          double k_os, VecX& out) {
  const double k_od = 2 * std::sqrt(k_os);
  difference(character, state.q, motion.q, out);
  for (const Joint& joint : character.joints) {
    if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) {
      double& way = out[joint.v];
      way = motion.a[joint.v] + k_os * way + k_od * (motion.v[joint.v] - state.v[joint.v]);
      continue;
    }
    const int turning = joint.v + joint.v_size() - 3;
    const Vec3 way = out.segment<3>(turning);
    const Quat error = exp_map(way);
    out.segment<3>(turning) =
        error * Vec3(motion.a.segment<3>(turning)) + k_os * way +
        k_od * (error * Vec3(motion.v.segment<3>(turning)) - Vec3(state.v.segment<3>(turning)));
    if (joint.type == JointType::kFree)
      out.segment<3>(joint.v) =
          motion.a.segment<3>(joint.v) + k_od * (motion.v.segment<3>(joint.v) - state.v.segment<3>(joint.v));
  }
}

}  // namespace sinew
