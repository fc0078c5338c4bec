#include "motion/frame_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace sinew {

namespace {

// The place of one bone over the clip, following only its own ancestors.
std::vector<Vec3> path_of(const Clip& clip, int bone, size_t frames) {
  std::vector<size_t> chain;
  for (int b = bone; b >= 0; b = clip.bones[static_cast<size_t>(b)].parent)
    chain.push_back(static_cast<size_t>(b));
  std::vector<Vec3> path(frames, Vec3::Zero());
  for (size_t f = 0; f < frames; ++f)
    for (const size_t b : chain) path[f] = clip.frames[f][b] * path[f];
  return path;
}

std::string in_words(double value) {
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

double percentile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(fraction * static_cast<double>(values.size() - 1))];
}

double leg_length(const Clip& clip, const SkeletonParts& parts) {
  const auto offset = [&](Part p) {
    return parts[p] < 0 ? 0.0 : clip.bones[static_cast<size_t>(parts[p])].X_PB.p.norm();
  };
  return offset(Part::kLeftShin) + offset(Part::kLeftFoot);
}

// The usual rate at which a step takes most nearly the natural 0.42 s; 0 if none comes near.
double natural_rate(double step_frames) {
  double best = 0;
  for (const double rate : {24.0, 30.0, 60.0, 120.0}) {
    const double seconds = step_frames / rate;
    if (seconds < 0.25 || seconds > 0.7) continue;
    if (best == 0 || std::abs(std::log(seconds / 0.42)) < std::abs(std::log(step_frames / best / 0.42)))
      best = rate;
  }
  return best;
}

}  // namespace

std::vector<double> step_durations(const Clip& clip, const SkeletonParts& parts) {
  const size_t frames = std::min<size_t>(clip.frames.size(), 3000);
  std::vector<double> durations;
  if (frames < 8) return durations;
  const double far = 0.33 * leg_length(clip, parts);
  for (const Part foot : {Part::kLeftFoot, Part::kRightFoot}) {
    if (parts[foot] < 0) continue;
    const std::vector<Vec3> path = path_of(clip, parts[foot], frames);
    std::vector<double> speed(frames - 1);
    for (size_t f = 0; f + 1 < frames; ++f) speed[f] = (path[f + 1] - path[f]).head<2>().norm();
    const double moving = 0.2 * percentile(speed, 0.95);
    // A step that the clip's ends cut off has no known duration.
    size_t begin = 0;
    for (size_t f = 0; f < speed.size(); ++f) {
      if (speed[f] > moving) continue;
      if (begin > 0 && f > begin && (path[f] - path[begin]).head<2>().norm() > far)
        durations.push_back(static_cast<double>(f - begin));
      begin = f + 1;
    }
  }
  std::sort(durations.begin(), durations.end());
  return durations;
}

void settle_frame_time(Clip& clip, const SkeletonParts* parts, const FileFacts& facts,
                       const ImportOptions& options, std::vector<ImportNote>& notes) {
  if (options.frame_rate_hz) {
    clip.frame_time_s = 1.0 / *options.frame_rate_hz;
    notes.push_back({"frame time", in_words(*options.frame_rate_hz) + " frames/s, because you said so"});
    return;
  }
  const double rate = 1.0 / clip.frame_time_s;
  const std::string said = in_words(rate) + " frames/s";
  const std::vector<double> steps =
      facts.frame_time_is_suspect && parts ? step_durations(clip, *parts) : std::vector<double>{};

  // Strong evidence only: several steps, each of which takes three times too long at a converter's default
  // rate or a third of what any runner needs at a capture rate.
  if (steps.size() >= 2) {
    const double median = steps[steps.size() / 2];
    const double seconds = median / rate;
    const double better = natural_rate(median);
    const bool too_slow = rate < 34 && seconds > 1.2;
    const bool too_fast = rate > 55 && seconds < 0.14;
    if (better > 0 && (too_slow || too_fast)) {
      clip.frame_time_s = 1.0 / better;
      notes.push_back({"frame time", "taken as " + in_words(better) + " frames/s although the file says " +
                                         said + ", because at that rate a step would take " +
                                         in_words(seconds) + " s; now it takes " + in_words(median / better) +
                                         " s (--fps overrides)"});
      return;
    }
  }
  notes.push_back({"frame time", said + ", " + facts.frame_time_reason + " (--fps overrides)"});
}

}  // namespace sinew
