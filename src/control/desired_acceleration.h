#pragma once

#include "character/reference.h"
#include "character/state.h"

namespace sinew {

// The accelerations that lead a character back to a motion, da Silva et al. 2008, Eq. 4, size nv:
//   a_r + k_os d(q, q_r) + 2 sqrt(k_os) (v_r - v),
// with d the way from q to q_r in the coordinates of v, and what the motion has along a joint's or the root's
// own axes turned to where these are now. Errors of the root's position count for nothing, those of its
// velocity do. k_os in 1/s^2. `out` keeps its memory.
void desired_acceleration(const Character& character, const State& state, const ReferenceSample& motion,
                          double k_os, VecX& out);

}  // namespace sinew
