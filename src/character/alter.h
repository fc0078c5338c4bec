#pragma once

#include <string>
#include <vector>

#include "character/character.h"

namespace sinew {

// Bodies that are spoken of together: "body" (all), "upper_body" (all but the legs), "lower_body" or "legs",
// "arms", "trunk" (all but arms and legs), "left_leg", "right_leg", "left_arm", "right_arm", "head" (with the
// neck), and each part of the body by its own name.
std::vector<std::string> body_groups();

// How a character differs from another of the same bodies and joints.
struct Alteration {
  struct Mass {
    std::string group;  // of body_groups()
    double factor = 1;  // of mass and inertia, greater than 0; those of several groups multiply
  };
  std::vector<Mass> masses = {};
  double foot_length_m =
      0;  // feet with their toes are longer by this, between their first and last contact points
};

// The character with other masses, and with feet that are stretched about the ankle along the way that it
// faces; heights, masses and joints of the feet stay. Throws Error for a group that it does not have, a foot
// that would be shorter than a quarter of what it was, or a character without feet to stretch.
Character altered(Character character, const Alteration& alteration);

}  // namespace sinew
