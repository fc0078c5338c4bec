#include "motion/resample.h"

#include <algorithm>
#include <cmath>

namespace sinew {

Frame blend(const Frame& a, const Frame& b, double fraction) {
  Frame out(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    out[i] = {(1 - fraction) * a[i].p + fraction * b[i].p, a[i].q.slerp(fraction, b[i].q)};
  return out;
}

bool resample_uniformly(Clip& clip, const std::vector<double>& times) {
  if (times.size() < 2) return false;
  std::vector<double> steps;
  for (size_t i = 1; i < times.size(); ++i) steps.push_back(times[i] - times[i - 1]);
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
  const double duration = times.back();
  if (*most - *least < 0.01 * *most) {
    clip.frame_time_s = duration / static_cast<double>(steps.size());
    return false;
  }
  // The number of frames is bounded by the number that there were.
  std::nth_element(steps.begin(), steps.begin() + static_cast<long>(steps.size() / 2), steps.end());
  const double wanted = std::clamp(steps[steps.size() / 2], 1.0 / 240, 0.1);
  const double most_frames = 20.0 * static_cast<double>(times.size()) + 1000;
  const auto count = static_cast<size_t>(std::clamp(std::round(duration / wanted), 1.0, most_frames));
  clip.frame_time_s = duration / static_cast<double>(count);
  std::vector<Frame> frames;
  size_t at = 0;
  for (size_t k = 0; k <= count; ++k) {
    const double t = std::min(duration, static_cast<double>(k) * clip.frame_time_s);
    while (at + 2 < times.size() && times[at + 1] <= t) ++at;
    const double fraction = std::clamp((t - times[at]) / (times[at + 1] - times[at]), 0.0, 1.0);
    frames.push_back(blend(clip.frames[at], clip.frames[at + 1], fraction));
  }
  clip.frames = std::move(frames);
  return true;
}

}  // namespace sinew
