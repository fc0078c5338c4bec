#include "record/reaction.h"

#include <algorithm>
#include <cmath>

#include "record/metrics.h"

namespace sinew {

namespace {

constexpr double kTurning_s = 1;     // how long after a hit a joint's turn is looked at
constexpr double kBackWithin = 1.5;  // times the calm error

// The angle between a joint in two poses, rad; 0 for slides and the root.
double turn_between(const Joint& joint, const VecX& a, const VecX& b) {
  const auto turn = [&](const VecX& q) {
    return Quat(q[joint.q], q[joint.q + 1], q[joint.q + 2], q[joint.q + 3]).normalized();
  };
  if (joint.type == JointType::kBall) return angle_between(turn(a), turn(b));
  return joint.type == JointType::kHinge ? std::abs(a[joint.q] - b[joint.q]) : 0;
}

// Of all hinges of one body together, or of one ball joint.
double turn_of(const Character& character, int body, const VecX& a, const VecX& b) {
  double squares = 0;
  for (const Joint& joint : character.joints)
    if (joint.body == body) squares += std::pow(turn_between(joint, a, b), 2);
  return std::sqrt(squares);
}

// The body itself, or what hangs on it if it is the root.
std::vector<int> bodies_turned(const Character& character, int body) {
  if (body > 0) return {body};
  std::vector<int> out;
  for (size_t b = 1; b < character.bodies.size(); ++b)
    if (character.bodies[b].parent == 0) out.push_back(static_cast<int>(b));
  return out;
}

bool touches(const Recording& recording, const RecordingFrame& frame, int prop) {
  return std::any_of(frame.contacts.begin(), frame.contacts.end(), [&](const Contact& contact) {
    return contact.world_shape >= 0 &&
           recording.world.shapes[static_cast<size_t>(contact.world_shape)].shape.body == prop;
  });
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(std::max<size_t>(values.size(), 1)));
}

}  // namespace

std::vector<Reaction> reactions(const Recording& recording, const Recording& calm) {
  const Character& character = recording.character;
  const std::vector<double> errors = pose_errors(recording), calm_errors = pose_errors(calm);
  const double calm_rms = rms(calm_errors);
  const size_t frames = std::min(errors.size(), calm_errors.size());

  std::vector<Reaction> out;
  for (const Throw& thrown : recording.world.throws) {
    if (frames == 0 || thrown.at_s >= recording.frames[frames - 1].time_s) continue;
    Reaction reaction{thrown.body, thrown.expected, 0, 0};
    const std::vector<int> turned = bodies_turned(character, character.body_of(thrown.part));
    bool back = false;
    double touched_s = 0;
    for (size_t i = 0; i < frames; ++i) {
      const RecordingFrame& frame = recording.frames[i];
      const double since = frame.time_s - thrown.at_s;
      if (since < 0 || since > kReaction_s) continue;
      for (const int body : turned)
        if (since <= kTurning_s)
          reaction.peak_rad =
              std::max(reaction.peak_rad, turn_of(character, body, frame.q, calm.frames[i].q));
      const bool touched = touches(recording, frame, thrown.prop);
      back = back || since - reaction.back_after_s > kBackFor_s ||
             (touched && since - std::max(reaction.back_after_s, touched_s) > kApart_s);
      if (touched) touched_s = since;
      if (!back && errors[i] > kBackWithin * std::max(calm_errors[i], calm_rms))
        reaction.back_after_s = since;
    }
    out.push_back(reaction);
  }
  return out;
}

}  // namespace sinew
