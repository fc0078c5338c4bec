#pragma once

#include <array>
#include <string>
#include <vector>

#include "motion/clip.h"
#include "motion/part.h"

namespace sinew {

// Which bone of a clip plays which part of the body, found by names and topology.
struct SkeletonParts {
  std::array<int, kPartCount> bone;  // by Part; -1 where the skeleton lacks it
  std::vector<std::string> notes;    // in words: what was matched how, and which bones were left out
  int operator[](Part p) const { return bone[static_cast<size_t>(p)]; }
};

// Finds the parts. A bone's part is the segment that begins at its joint: the thigh is the bone whose origin
// is the hip. Throws Error if not even pelvis and two legs can be found.
SkeletonParts find_parts(const Clip& clip);

}  // namespace sinew
