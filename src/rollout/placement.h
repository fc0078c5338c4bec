#pragma once

#include "character/reference.h"
#include "character/state.h"
#include "world/world.h"

namespace sinew {

// The reference moved so that at `start_s` its root is above the origin and it travels along +X; one that
// stays where it is faces +X. Where a thing of the world stands there it begins a little ahead.
Reference at_origin(const Character& character, Reference reference, const World& world, double start_s);

// How the character begins in a world: as the reference has it at `start_s`, lifted out of the ground, or put
// down onto it where the reference has something on the floor.
State start_state(const Character& character, const Reference& reference, const World& world, double start_s);

// The same start with small random errors in all joints: 0.02 rad and 0.2 rad/s rms.
State perturbed(const Character& character, const State& state, int seed);

}  // namespace sinew
