#include "motion/clip.h"

#include <cmath>
#include <sstream>

#include "core/error.h"

namespace sinew {

namespace {

std::string seconds(double time_s) {
  std::ostringstream text;
  text << time_s << " s";
  return text.str();
}

}  // namespace

std::vector<Pose> world_poses(const Clip& clip, const Frame& frame) {
  std::vector<Pose> X_WB(frame.size());
  for (size_t i = 0; i < frame.size(); ++i) {
    const int parent = clip.bones[i].parent;
    X_WB[i] = parent < 0 ? frame[i] : X_WB[static_cast<size_t>(parent)] * frame[i];
  }
  return X_WB;
}

int find_bone(const Clip& clip, const std::string& name) {
  for (size_t i = 0; i < clip.bones.size(); ++i)
    if (clip.bones[i].name == name) return static_cast<int>(i);
  return -1;
}

Clip cut(const Clip& clip, double from_s, double to_s) {
  const double last = static_cast<double>(clip.frames.size()) - 1;
  const double from = std::max(0.0, std::round(from_s / clip.frame_time_s));
  const double to = to_s < 0 ? last : std::min(last, std::round(to_s / clip.frame_time_s));
  if (!(from <= to))
    throw Error(
        clip.name + ": nothing is left " +
        (to_s < 0 ? "after " + seconds(from_s) : "between " + seconds(from_s) + " and " + seconds(to_s)) +
        "; the clip is " + seconds(clip.duration_s()) + " long");
  Clip out = clip;
  out.frames.assign(clip.frames.begin() + static_cast<long>(from),
                    clip.frames.begin() + static_cast<long>(to) + 1);
  return out;
}

}  // namespace sinew
