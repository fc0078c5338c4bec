#include "control/servo_tracker.h"

#include <cmath>

#include "control/joint_targets.h"

namespace sinew {

ServoTracker::ServoTracker(const Character& character, const Reference& reference,
                           const ServoTrackerOptions& options)
    : character_(character), reference_(reference), options_(options), gains_(rest_command(character)) {
  gains_.kp *= options.gain;
  gains_.kd *= std::sqrt(options.gain);
}

void ServoTracker::act(const Observation& now, Command& command) {
  const ReferenceSample target = sample(character_, reference_, options_.start_s + now.state.time_s);
  command = gains_;
  command.q_target = target.q;
  command.v_target = target.v;
  see_from_joints(character_, now.state.q, target.q, command.v_target);
}

void ServoTracker::target(double time_s, VecX& q) const {
  q = sample(character_, reference_, options_.start_s + time_s).q;
}

}  // namespace sinew
