#pragma once

#include <vector>

#include "record/body_map.h"
#include "record/image.h"

namespace sinew {

// When the pressures on the bodies of two simulations differ most, all bodies together, knocks counted only
// up to the end of the scale. Seconds since the first frame; bodies are matched by name.
double telling_moment_s(const Recording& a, const Recording& b);

struct MomentOptions {
  double time_s = 0;  // since the first frame; a simulation that is shorter is shown at its end
  int width_px = 1600;
};

// Simulations side by side at one moment, seen from the same side: an arrow for each patch of touch, 1 m for
// 600 N, in the colours of the body map of the same entries. Throws Error when an entry has no frame or
// nothing can be drawn.
Image moment_picture(const std::vector<BodyMapEntry>& entries, const MomentOptions& options);

}  // namespace sinew
