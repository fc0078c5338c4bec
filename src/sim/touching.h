#pragma once

#include <vector>

#include "character/character.h"
#include "character/state.h"
#include "world/world.h"

// Which shapes may touch which, and how: the same for every engine.
namespace sinew {

struct ShapePair {
  int a = 0;  // Character::shapes
  int b = 0;  // Character::shapes or World::shapes
};

// Pairs of the character's own shapes that can touch: both collide, and their bodies are neither parent and
// child nor overlapping in the rest stance (shoulders, hips).
std::vector<ShapePair> self_pairs(const Character& character);

// Flesh gives way: where a character touches itself, it is pressed in and comes back within this time.
constexpr double kFlesh_s = 0.01;

// Friction coefficient between a shape of the character and one of the world, or between two of the
// character.
double friction(const Shape& character_shape, const WorldShape& world_shape);
double friction(const Shape& a, const Shape& b);

// The rest stance at the origin, at rest, lowered or lifted onto the ground: where every simulator begins.
State standing_state(const Character& character, const World& world);

// Throw Error for a state or a command whose sizes are not the character's, a state that is not finite, and
// a limit below 0.
void check_state(const Character& character, const State& state);
void check_command(const Character& character, const Command& command);

// Throws Error unless both have the same bodies, joints and shapes, whatever their numbers.
void check_same_topology(const Character& a, const Character& b);

}  // namespace sinew
