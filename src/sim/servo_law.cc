#include "sim/servo_law.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// A stop is so many times as stiff as the servo, and at least so stiff, N m/rad; its damping comes to rest
// within this time.
constexpr double kStopStiffness = 20;
constexpr double kStopLeast = 100;
constexpr double kStopTime_s = 0.01;

Quat ball_rotation(const VecX& q, int at) { return Quat(q[at], q[at + 1], q[at + 2], q[at + 3]); }

// Rotation vectors are found at every step: without branches for half turns that joints do not make.
Vec3 rotation_vector(const Quat& q) {
  const double sine = q.vec().norm();
  if (sine < 1e-9) return (q.w() < 0 ? -2.0 : 2.0) * q.vec();
  const double half = q.w() < 0 ? -std::atan2(sine, -q.w()) : std::atan2(sine, q.w());
  return (2 * half / sine) * q.vec();
}

void add_stop(const Joint& joint, int k, double x, double step_s, AxisLaw& law) {
  const double beyond = x - std::clamp(x, joint.lower[k], joint.upper[k]);
  if (beyond == 0) return;
  const double kp = std::max(kStopStiffness * joint.kp[k], kStopLeast);
  law.passive_drive -= kp * beyond;
  law.passive_damping += kp * (kStopTime_s + step_s);
}

}  // namespace

void servo_laws(const Character& character, const State& state, const Command& command, double step_s,
                std::vector<AxisLaw>& out) {
  out.assign(static_cast<size_t>(character.nv()), AxisLaw{});
  for (const Joint& joint : character.joints) {
    if (joint.type == JointType::kFree) continue;

    // The way to the target, and where the joint is from its zero.
    const bool ball = joint.type == JointType::kBall;
    Vec3 error = Vec3::Zero(), x = Vec3::Zero();
    if (ball) {
      const Quat now = ball_rotation(state.q, joint.q);
      error = rotation_vector(now.conjugate() * ball_rotation(command.q_target, joint.q));
      if (joint.limited || joint.stiffness != 0) x = rotation_vector(now);
    } else {
      error[0] = command.q_target[joint.q] - state.q[joint.q];
      x[0] = state.q[joint.q];
    }
    for (int k = 0; k < joint.v_size(); ++k) {
      const int i = joint.v + k;
      AxisLaw& law = out[static_cast<size_t>(i)];
      law.servo_drive = command.kp[i] * error[k] + command.kd[i] * command.v_target[i] + command.torque[i];
      law.servo_damping = command.kd[i] + step_s * command.kp[i];
      law.passive_drive = -joint.stiffness * x[k];
      law.passive_damping = joint.damping + step_s * joint.stiffness;
      if (ball && joint.limited) add_stop(joint, k, x[k], step_s, law);
    }
  }
}

}  // namespace sinew
