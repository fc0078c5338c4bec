#include "control/servo_tracker.h"

#include <cmath>

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

  // A ball joint's velocity is along the axes of its child, which is not quite where the reference has it.
  for (const Joint& joint : character_.joints) {
    if (joint.type != JointType::kBall) continue;
    const auto turn = [&](const VecX& q) {
      return Quat(q[joint.q], q[joint.q + 1], q[joint.q + 2], q[joint.q + 3]);
    };
    const Quat error = turn(now.state.q).conjugate() * turn(target.q);
    command.v_target.segment<3>(joint.v) = error * Vec3(target.v.segment<3>(joint.v));
  }
}

void ServoTracker::target(double time_s, VecX& q) const {
  q = sample(character_, reference_, options_.start_s + time_s).q;
}

}  // namespace sinew
