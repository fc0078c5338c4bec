#pragma once

#include <vector>

#include "world/world.h"

namespace sinew {

// How much higher a place of the character is than the same of its reference, m: each above the ground under
// itself (the reference's: reference_ground), for a character may drift along a slope. Where an edge lies
// between them (the ground rises by more than 0.6 of their distance) or within 15 cm of the character's the
// plain difference of their heights in the world counts, if it is smaller. The props are at X_WP.
double height_error(const World& world, const std::vector<Pose>& X_WP, const Vec3& p_W,
                    const Vec3& p_reference_W);

}  // namespace sinew
