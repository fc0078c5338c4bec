#pragma once

#include <filesystem>
#include <string>

#include "character/character.h"

namespace sinew {

// Reads a character from an MJCF file: any tree of bodies whose root has a free joint. Servo gains, limits
// and windows come from <custom><text name="servo:JOINT" data="kp=300 kd=30 strength=1,0.2,1 limit=300
// ..."/>, where JOINT without its left_/right_ prefix serves both sides; what is missing is derived from the
// inertias and noted. Throws Error.
Character load_character_file(const std::filesystem::path& path);

// The same from MJCF text; `name` is used in errors and as the character's name.
Character read_mjcf(const std::string& xml, const std::string& name);

}  // namespace sinew
