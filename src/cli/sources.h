#pragma once

#include <string>
#include <vector>

#include "character/character.h"
#include "cli/common_options.h"
#include "motion/load.h"

// From what the user types to values: files and names.
namespace sinew::cli {

// A clip by file or by name (`sinew motions`), with the cut that the name stands for already made. Throws
// Error.
ImportedClip open_clip(const std::string& file_or_name, const ImportOptions& options);

// The part between --from and --to. Throws Error if nothing is left.
Clip cut_clip(const Clip& clip, const CutOptions& options);

// A character by MJCF file or by name (`sinew characters`). Throws Error.
Character open_character(const std::string& file_or_name);

// Whether a word of `sinew info` means a character: an .xml file or a character's name.
bool means_character(const std::string& file_or_name);

// The folders in which motions are looked up by name, first match first.
std::vector<std::filesystem::path> motion_folders();

}  // namespace sinew::cli
