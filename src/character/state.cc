#include "character/state.h"

#include <limits>

namespace sinew {

Command rest_command(const Character& character) {
  const int nv = character.nv();
  Command command;
  command.q_target = character.q_rest;
  command.v_target = command.kp = command.kd = command.torque = VecX::Zero(nv);
  command.limit = VecX::Constant(nv, std::numeric_limits<double>::infinity());
  for (const Joint& joint : character.joints) {
    if (joint.type == JointType::kFree) continue;
    for (int k = 0; k < joint.v_size(); ++k) {
      command.kp[joint.v + k] = joint.kp[k];
      command.kd[joint.v + k] = joint.kd[k];
      if (joint.torque_limit[k] > 0) command.limit[joint.v + k] = joint.torque_limit[k];
    }
  }
  return command;
}

}  // namespace sinew
