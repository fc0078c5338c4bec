#pragma once

#include <string>

#include "motion/clip.h"

namespace sinew {

// The clip as the text of a BVH file in its source's axes and unit, with its source's channels where they can
// express the motion. Reading it back gives the same clip, rotations to 1e-5 rad and places to 1e-5 m.
// A clip whose file began with its rest pose begins with it again. Throws Error if the clip has no bones,
// no frames or values that are not finite.
std::string write_bvh(const Clip& clip);

}  // namespace sinew
