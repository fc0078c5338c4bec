#pragma once

#include <array>
#include <vector>

#include "character/character.h"

// Legs that pass each other without touching.
namespace sinew {

// Shapes of the left and of the right leg that could touch: round ones that collide and are apart at rest.
std::vector<std::array<size_t, 2>> leg_pairs(const Character& character);

// Two shapes that are too near each other.
struct NearLegs {
  int left = 0, right = 0;  // bodies
  Vec3 p_left, p_right;     // nearest points of their axes, in W
  Vec3 sideways;            // from the right one to the left, along the root's lateral axis
  double missing_m = 0;     // how much farther apart they should be that way
};

// Those that are nearer than `margin_m`. They part sideways, so that neither is early or late.
std::vector<NearLegs> find_near_legs(const Character& character,
                                     const std::vector<std::array<size_t, 2>>& pairs,
                                     const std::vector<Pose>& X_WB, double margin_m);

}  // namespace sinew
