#include "record/quality.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// Steps of the differences: shorter ones measure the noise of a capture, longer ones miss what is seen.
constexpr double kImpact_s = 0.03, kJerk_s = 0.02;
// A reference below this jerk, rad/s^3, stands still.
constexpr double kStill = 1e-3;

bool turns(const Joint& joint) { return joint.type == JointType::kBall || joint.type == JointType::kHinge; }

size_t frames_in(const Recording& recording, double seconds) {
  return static_cast<size_t>(std::max(1L, std::lround(seconds / recording.frame_time_s)));
}

bool has_reference(const RecordingFrame& frame) { return frame.q_reference.size() > 0; }

// The largest upward force by weight, from the heights of the centre of mass.
std::optional<double> largest_push(const Recording& recording, const std::vector<double>& height) {
  const size_t step = frames_in(recording, kImpact_s);
  const double g = recording.world.gravity.norm();
  if (height.size() < 2 * step + 1 || g == 0) return {};
  const double h = recording.frame_time_s * static_cast<double>(step);
  double largest = 0;
  for (size_t i = step; i + step < height.size(); ++i)
    largest = std::max(largest, 1 + (height[i - step] - 2 * height[i] + height[i + step]) / (h * h * g));
  return largest;
}

// Sum over the axes that turn of the squared third difference over four coordinates at equal distances: the
// ways between them, seen from the joints' own axes.
double squared_third_difference(const Character& character, const VecX& q0, const VecX& q1, const VecX& q2,
                                const VecX& q3) {
  const VecX third =
      difference(character, q0, q1) - 2 * difference(character, q1, q2) + difference(character, q2, q3);
  double sum = 0;
  for (const Joint& joint : character.joints)
    if (turns(joint)) sum += third.segment(joint.v, joint.v_size()).squaredNorm();
  return sum;
}

}  // namespace

std::optional<double> torque_peak_share(const Recording& recording) {
  std::optional<double> largest;
  for (const RecordingFrame& frame : recording.frames)
    for (const Joint& joint : recording.character.joints)
      for (int k = 0; turns(joint) && k < joint.v_size(); ++k) {
        if (joint.torque_limit[k] <= 0 || frame.torque.size() == 0) continue;
        largest = std::max(largest.value_or(0), std::abs(frame.torque[joint.v + k]) / joint.torque_limit[k]);
      }
  return largest;
}

std::optional<double> torque_rate(const Recording& recording) {
  double sum = 0;
  long count = 0;
  for (size_t i = 1; i < recording.frames.size(); ++i) {
    const VecX &before = recording.frames[i - 1].torque, &now = recording.frames[i].torque;
    if (before.size() == 0 || now.size() == 0) continue;
    for (const Joint& joint : recording.character.joints) {
      if (!turns(joint)) continue;
      sum += (now - before).segment(joint.v, joint.v_size()).squaredNorm();
      count += joint.v_size();
    }
  }
  if (count == 0) return {};
  return std::sqrt(sum / static_cast<double>(count)) / recording.frame_time_s;
}

std::optional<double> impact(const Recording& recording) {
  std::vector<double> height;
  for (const RecordingFrame& frame : recording.frames)
    height.push_back(centre_of_mass(recording.character, body_poses(recording.character, frame.q)).z());
  return largest_push(recording, height);
}

std::optional<double> reference_impact(const Recording& recording) {
  std::vector<double> height;
  for (const RecordingFrame& frame : recording.frames) {
    if (!has_reference(frame)) return {};
    height.push_back(
        centre_of_mass(recording.character, body_poses(recording.character, frame.q_reference)).z());
  }
  return largest_push(recording, height);
}

std::optional<double> jerk_ratio(const Recording& recording) {
  const size_t step = frames_in(recording, kJerk_s);
  const double h = recording.frame_time_s * static_cast<double>(step);
  double simulated = 0, reference = 0;
  long count = 0;
  const auto& frames = recording.frames;
  for (size_t i = 3 * step; i < frames.size(); ++i) {
    const RecordingFrame* at[4] = {&frames[i - 3 * step], &frames[i - 2 * step], &frames[i - step],
                                   &frames[i]};
    if (!std::all_of(at, at + 4, [](const RecordingFrame* frame) { return has_reference(*frame); })) continue;
    simulated += squared_third_difference(recording.character, at[0]->q, at[1]->q, at[2]->q, at[3]->q);
    reference += squared_third_difference(recording.character, at[0]->q_reference, at[1]->q_reference,
                                          at[2]->q_reference, at[3]->q_reference);
    ++count;
  }
  int axes = 0;
  for (const Joint& joint : recording.character.joints) axes += turns(joint) ? joint.v_size() : 0;
  if (count == 0 || std::sqrt(reference / static_cast<double>(count * axes)) / (h * h * h) < kStill)
    return {};
  return std::sqrt(simulated / reference);
}

}  // namespace sinew
