#pragma once

#include <string>
#include <vector>

#include "character/character.h"

namespace sinew {

// The names of the characters in the folders (the .xml files, without their ending), sorted, each once.
// Folders that do not exist are passed over.
std::vector<std::string> character_names(const std::vector<std::string>& folders);

// A character by name, from the first folder that has it, or from a file (anything that ends in .xml or has a
// slash). Throws Error; for an unknown name it lists the known ones.
Character load_character(const std::string& name_or_file, const std::vector<std::string>& folders);

}  // namespace sinew
