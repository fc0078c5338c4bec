#pragma once

#include "character/character.h"
#include "character/reference.h"

// Functions of character.h and reference.h that write into what keeps its memory, for loops that must not take
// any.
namespace sinew {

// `out` may be q itself.
void integrate(const Character& character, const VecX& q, const VecX& dv, VecX& out);
void difference(const Character& character, const VecX& q0, const VecX& q1, VecX& dv);

// X_WB of one body.
Pose body_pose(const Character& character, const VecX& q, int body);

void sample(const Character& character, const Reference& reference, double time_s, ReferenceSample& out);

}  // namespace sinew
