#pragma once

#include <vector>

#include "character/character.h"
#include "character/performance.h"
#include "character/plants.h"

namespace sinew {

// How far the body as a whole must be moved along the floor, frame by frame, so that the floor can carry its
// motion: where the ground force would have to act from (the zero-moment point) is above the feet that touch
// the floor, and in flight nothing pushes. Capture, other proportions and planted feet leave a centre of mass
// that is jerked by millimetres and leans off its feet by centimetres, which no controller can follow.
// Smooth, and as small as that allows; m, in W, z = 0.
// In frames that are not `grounded` (size of q) the character flies.
std::vector<Vec3> find_poise(const Character& character, const std::vector<VecX>& q,
                             const std::vector<char>& grounded, double frame_time_s,
                             const GroundHeight& ground = {});

// Moves the body so, but not its feet: returned is how far these are then from where they belong, in the
// root's frame, for `fit_footing` to bring them back; nothing for other limbs.
std::vector<PerPart<Vec3>> poise(const Character& character, const std::vector<char>& grounded,
                                 double frame_time_s, const GroundHeight& ground, std::vector<VecX>& q);

}  // namespace sinew
