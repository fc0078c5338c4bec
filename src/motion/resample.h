#pragma once

#include <vector>

#include "motion/clip.h"

namespace sinew {

// Frames taken at `times` (rising from 0, seconds, one a frame) become evenly spaced. The new frame time is
// the median distance, kept between 1/240 and 1/10 s, and a little adapted so that the ends stay. Returns
// false and only sets the frame time where they were evenly spaced already, to 1 %.
bool resample_uniformly(Clip& clip, const std::vector<double>& times);

// Part-way from one frame to the next: places on the line, rotations on the arc.
Frame blend(const Frame& a, const Frame& b, double fraction);

}  // namespace sinew
