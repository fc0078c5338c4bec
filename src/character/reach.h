#pragma once

#include <vector>

#include "character/character.h"

namespace sinew {

// A point of a body and where it shall be, in W.
struct ReachTarget {
  int body = 0;
  Vec3 p_BP = Vec3::Zero();
  Vec3 p_WP = Vec3::Zero();
};

// The hinges and ball joints from `body` up to but without `above`, in the order of v.
std::vector<int> joints_between(const Character& character, int body, int above);

// A hinge of a few degrees, such as the sideways play of a knee: nothing is gained by correcting it.
bool hardly_moves(const Joint& joint);

// Coordinates that bring the points as near to their targets as these joints can, hinges within their limits;
// where they leave a choice, near those of `q`: a radian away from these counts as `posture_m` beside a
// target, as it stands enough to decide, too little to hold a hand off its grip. Damped least squares from
// `q`; the others stay.
VecX reach(const Character& character, const VecX& q, const std::vector<int>& joints,
           const std::vector<ReachTarget>& targets, double posture_m = 1e-3);

}  // namespace sinew
