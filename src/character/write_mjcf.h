#pragma once

#include <string>

#include "character/character.h"

namespace sinew {

// A character as MJCF text: what read_mjcf makes a Character of again, with the same numbers. Opens in every
// program that reads MJCF.
std::string write_mjcf(const Character& character);

}  // namespace sinew
