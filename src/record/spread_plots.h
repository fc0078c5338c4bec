#pragma once

#include <vector>

#include "record/plot.h"
#include "record/recording.h"

namespace sinew {

// How far performances of one motion lie apart.
struct Spread {
  double pose_rad = 0;  // rms over time and joint axes of the deviation from their mean
  double root_m = 0;    // the same of the root's position, horizontal
};
// The recordings are of one character, begin together and have frames at the same times; those that last
// longer count only as long as the shortest. 0 for fewer than two.
Spread spread_of(const std::vector<Recording>& recordings);

// The root's path from above and its height, and the joint axes in which they differ most, over time: a line
// each, their mean, and a shade of a standard deviation around it.
std::vector<Plot> spread_plots(const std::vector<Recording>& recordings);

}  // namespace sinew
