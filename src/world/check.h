#pragma once

#include <string>

#include "world/world.h"

namespace sinew {

// Refuses numbers and counts with which nothing sensible can be computed: not finite, beyond 1e6, sizes and
// masses that are not positive, indices that point nowhere. Throws Error naming `where`.
void check_world(const World& world, const std::string& where);

}  // namespace sinew
