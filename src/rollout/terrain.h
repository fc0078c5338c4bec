#pragma once

#include "character/reference.h"
#include "world/world.h"

namespace sinew {

// A reference that at_origin has placed, laid onto the ground of its world (docs/worlds.md): what bears load
// stands on the ground that is there, everything else is clear of it, the root's path follows, and where the
// ground falls away the motion falls and lasts longer. `start_s` keeps its meaning. Where the ground under
// the whole motion is z = 0, and in a world in which one stands on things that move, the reference is
// returned as it came. A cyclic one that is changed is written out for `seconds` from `start_s` on and cyclic
// no more.
Reference onto_world(const Character& character, Reference reference, const World& world, double start_s,
                     double seconds = 0);

}  // namespace sinew
