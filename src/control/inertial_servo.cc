#include "control/inertial_servo.h"

#include <algorithm>
#include <cmath>

namespace sinew {

double stiffening(const InertialGains& gains, double error_rad) {
  return std::clamp(std::abs(error_rad) / gains.lambda_rad, 1.0, gains.stiffest);
}

void set_gains(const Character& character, const InertialGains& gains, const VecX& outboard, const VecX& q,
               Command& command) {
  const VecX error = difference(character, q, command.q_target);
  for (const Joint& joint : character.joints) {
    if (joint.type == JointType::kFree) continue;
    const double ks = gains.ks * stiffening(gains, error.segment(joint.v, joint.v_size()).norm());
    command.kp.segment(joint.v, joint.v_size()) = ks * outboard.segment(joint.v, joint.v_size());
    command.kd.segment(joint.v, joint.v_size()) = gains.kd * outboard.segment(joint.v, joint.v_size());
  }
}

}  // namespace sinew
