#include "control/open_loop.h"

#include <algorithm>
#include <cmath>

#include "character/into.h"
#include "control/joint_targets.h"

namespace sinew {

namespace {

// A contact that presses less than this bears no load.
constexpr double kLoad_N = 5;

// Samples of the reference that are remembered.
constexpr size_t kRemembered = 500;

// Where a time lies between the knots: the knot at or after it, and how much of the way from the one before.
struct Place {
  size_t next = 0;
  double share = 1;
};
Place place(const std::vector<double>& time_s, double t) {
  const auto it = std::lower_bound(time_s.begin(), time_s.end(), t - 1e-9);
  if (it == time_s.end()) return {time_s.size() - 1, 1};
  const auto next = static_cast<size_t>(it - time_s.begin());
  if (next == 0) return {0, 1};
  const double before = time_s[next - 1];
  return {next, (t - before) / (time_s[next] - before)};
}

// Whether `body` is `limb` or hangs on it.
bool belongs(const Character& character, int body, int limb) {
  while (body > limb) body = character.bodies[static_cast<size_t>(body)].parent;
  return body == limb;
}

}  // namespace

OpenLoop open_loop(const Character& character, double gain) {
  const Command rest = rest_command(character);
  OpenLoop control;
  control.kp = gain * rest.kp;
  control.kd = std::sqrt(gain) * rest.kd;
  control.limit = rest.limit;
  return control;
}

void stiffen(const Character& character, std::span<const Contact> contacts, Command& command) {
  for (const Joint& joint : character.joints) {
    if (joint.contact_scale == 1 || joint.type == JointType::kFree) continue;
    const bool bears = std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
      return contact.other_shape < 0 && contact.force_W.dot(contact.normal_W) > kLoad_N &&
             belongs(character, contact.body, joint.body);
    });
    if (!bears) continue;
    command.kp.segment(joint.v, joint.v_size()) *= joint.contact_scale;
    command.kd.segment(joint.v, joint.v_size()) *= joint.contact_scale;
  }
}

OpenLoopController::OpenLoopController(const Character& character, const Reference& reference,
                                       const OpenLoop& control, double start_s,
                                       const Feedforward* feedforward)
    : character_(character),
      reference_(reference),
      control_(control),
      start_s_(start_s),
      feedforward_(feedforward) {}

void OpenLoopController::act(const Observation& now, Command& command) {
  const double t = now.state.time_s;
  const bool hold = control_.between == Between::kHold;
  Place at;
  if (control_.time_s.empty()) {
    offset_.setZero(character_.nv());
  } else {
    // A knot ends the step before it: at its very time the next one counts.
    at = place(control_.time_s, hold ? t + 2e-9 : t);
    offset_ = control_.offset[at.next];
    if (!hold && at.share < 1) {
      const VecX& before = control_.offset[at.next - 1];
      offset_ = before + at.share * (offset_ - before);
    }
  }
  const double reference_s = hold && !control_.time_s.empty() ? control_.time_s[at.next] : t;
  const ReferenceSample& target = sampled(start_s_ + reference_s);

  command.kp = control_.kp;
  command.kd = control_.kd;
  command.limit = control_.limit;
  if (feedforward_)
    feedforward_->at(start_s_ + reference_s, command.torque);
  else
    command.torque.setZero(character_.nv());
  integrate(character_, target.q, offset_, command.q_target);
  if (hold) {
    command.v_target.setZero(character_.nv());
  } else {
    command.v_target = target.v;
    see_from_joints(character_, now.state.q, command.q_target, command.v_target);
  }
  if (control_.contact_scale) stiffen(character_, now.contacts, command);
}

const ReferenceSample& OpenLoopController::sampled(double time_s) {
  // From the same beginning the same times follow each other.
  if (!samples_.empty() && time_s == sampled_s_.front()) next_ = 0;
  const bool again = next_ < samples_.size() && time_s == sampled_s_[next_];
  const bool goes_on = !samples_.empty() && next_ == samples_.size() && time_s > sampled_s_.back();
  if (!again && (!goes_on || next_ == kRemembered)) {
    sampled_s_.clear();
    samples_.clear();
    next_ = 0;
  }
  if (!again) {
    sampled_s_.push_back(time_s);
    samples_.push_back(sample(character_, reference_, time_s));
  }
  return samples_[next_++];
}

void OpenLoopController::target(double time_s, VecX& q) const {
  q = sample(character_, reference_, start_s_ + time_s).q;
}

}  // namespace sinew
