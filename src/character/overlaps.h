#pragma once

#include <array>
#include <vector>

#include "character/reference.h"

namespace sinew {

// Pairs of bodies whose colliding shapes lie in each other by more than `depth_m` somewhere in a motion: a
// character that follows it faithfully must pass through itself there. Balls and rods are looked at; pairs
// that never touch (neighbours, Character::excluded) are not listed.
std::vector<std::array<int, 2>> overlapping_bodies(const Character& character, const Reference& reference,
                                                   double depth_m = 0.003);

}  // namespace sinew
