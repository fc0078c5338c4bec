#pragma once

#include "character/character.h"

namespace sinew {

// Joint velocities `v` of a motion that is at q_target, turned to the axes of the joints as they are at q: a
// ball joint's velocity is along the axes of its child, which is not quite where the motion has it.
void see_from_joints(const Character& character, const VecX& q, const VecX& q_target, VecX& v);

}  // namespace sinew
