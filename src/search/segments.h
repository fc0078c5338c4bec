#pragma once

#include <vector>

#include "character/reference.h"

// When a search samples: steps of 0.1 s that end where the motion has something to say (004, section 3.2.3).
namespace sinew {

// Kinematic Centroid Segmentation (Jenkins and Mataric 2003) of one limb: `centroid` is the path, a point a
// frame, of the middle of its bodies seen from its base. A segment ends where its distance from the segment's
// beginning peaks at `least_m` or more; these frames are returned, ascending.
std::vector<size_t> centroid_segments(const std::vector<Vec3>& centroid, double least_m);

// Times, from `start_s` of the reference, at which a foot comes down or leaves the floor or a limb turns
// back; ascending, inside (0, seconds), 0.05 s or more apart. None where more than feet touches the floor or
// is about to: rolling is sampled uniformly. Feet are what the character stands on at rest.
std::vector<double> critical_times(const Character& character, const Reference& reference, double start_s,
                                   double seconds);

// Ends of the sampling steps, counted in steps of the simulator, ascending; the last is the end of the
// motion. Steps are `sampling_s` long; the last few before a critical time share what is left up to it, and
// none is longer than 1.2 times that.
std::vector<long> sampling_steps(const std::vector<double>& critical_s, double seconds, double step_s,
                                 double sampling_s = 0.1);

}  // namespace sinew
