#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "character/character.h"
#include "cli/common_options.h"
#include "motion/library.h"
#include "motion/load.h"
#include "record/recording.h"
#include "rollout/control_file.h"
#include "rollout/ride_file.h"
#include "world/world.h"

// From what the user types to values: files and names.
namespace sinew::cli {

// Where motions and characters are found by name.
MotionFolders motion_folders();
std::vector<std::string> character_folders();

// A clip by file or by name (`sinew motions`), or the motion of a recording by file. The cut that a name may
// stand for is made, and `options` are counted from its beginning. Throws Error.
ImportedClip open_clip(const std::string& file_or_name, const ImportOptions& options,
                       const CutOptions& cut = {});

// The recording that a word means; empty if it means something else. Throws Error for one that is damaged.
std::optional<Recording> open_recording(const std::string& file_or_name);

// The control file that a word means; empty if it means something else. Throws Error for one that is damaged.
std::optional<ControlFile> open_control(const std::string& file);

// A world with its disturbances. Throws Error.
World open_world(const SceneOptions& options);

// A character by MJCF file or by name (`sinew characters`). Throws Error.
Character open_character(const std::string& file_or_name);

// How a ride is tuned and who rides what: assets/behaviours/ride.json, or another file. Throws Error.
RideFile open_ride(const std::string& file = "");

// Whether a word of `sinew info` means a character: an .xml file or a character's name.
bool means_character(const std::string& file_or_name);

}  // namespace sinew::cli
