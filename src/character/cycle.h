#pragma once

#include <optional>
#include <vector>

#include "character/character.h"

namespace sinew {

// A stretch of a motion that can be repeated: frame `end` is like frame `begin`, moved on.
struct Cycle {
  size_t begin = 0;
  size_t end = 0;
  double mismatch_m = 0;  // rms distance of the joints between the two frames, velocities included
};

// The best cycle of a motion of at least `min_s` seconds, or none if nothing repeats within it.
std::optional<Cycle> find_cycle(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                                double min_s = 0.4);

// The frames [begin, end) of a cycle, bent near the seam so that pose and velocity go over it without a jump,
// and the transform X that moves one cycle onto the next. A drift of heading of up to `straighten_rad` is
// taken out.
struct CycleFrames {
  std::vector<VecX> q;
  Pose X_cycle;
};
CycleFrames close_cycle(const Character& character, const std::vector<VecX>& q, const Cycle& cycle,
                        double straighten_rad);

}  // namespace sinew
