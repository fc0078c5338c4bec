#pragma once

#include <filesystem>

#include "world/world.h"

namespace sinew {

// A world from an MJCF file. What does not move becomes ground, but for what hangs (its lowest point more
// than 1 m above z = 0): that is bumped into, not stood on. A body with a free joint becomes a prop of its
// own, and so does one with a single hinge that hangs on nothing that moves; bodies welded to them belong to
// them. A surface whose solref gives way in more than 0.02 s is soft. Throws Error naming the file and what
// cannot be: a height field, another joint, a chain of moving bodies.
World load_world_file(const std::filesystem::path& path);

}  // namespace sinew
