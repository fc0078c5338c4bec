#pragma once

#include <vector>

#include "character/reference.h"

namespace sinew {

// How long feet stay on the ground in a motion.
class Footfalls {
 public:
  Footfalls(const Character& character, const Reference& reference);

  // Of the stances between two times, the duration of the shortest; infinite if there are none. A stance that
  // an end of the motion cuts off was longer than what is seen of it, and does not count.
  double shortest_s(double from_s, double to_s) const;

 private:
  double frame_time_s_;
  bool cyclic_;
  std::vector<double> shortest_s_;  // per frame: of the feet that stand
};

}  // namespace sinew
