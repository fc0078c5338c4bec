#pragma once

#include "rollout/stays.h"

namespace sinew {

// The motion shifted along x, so that an edge of the ground lies between two of its stays and not under one,
// and an edge that it falls from just ahead of the feet that leave it: by at most a metre either way, not at
// all where no edge is in its way.
Draft shifted_to_edges(const Character& character, const Draft& draft, const GroundHeight& ground);

// Where the next stay is at least 25 cm lower than the last, the motion falls: the centre of mass goes its
// free way under `gravity_m_s2`, the poses meanwhile pass at a third of their pace, and the rest of the
// motion goes on from where that ends. In the air nothing bears load, and what was left up there no longer
// does. Falls before `first_frame` are not looked for.
Draft with_falls(const Character& character, Draft draft, const GroundHeight& ground, double gravity_m_s2,
                 size_t first_frame);

}  // namespace sinew
