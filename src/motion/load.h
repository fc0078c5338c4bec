#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "motion/clip.h"

namespace sinew {

// What a user may say about a file when the conclusion drawn from it is wrong.
struct ImportOptions {
  std::optional<char> up = {};                   // 'x', 'y' or 'z': the file's vertical axis
  std::optional<double> unit_m = {};             // metres per file unit
  std::optional<double> frame_rate_hz = {};      // frames per second
  std::optional<bool> first_frame_is_rest = {};  // whether frame 0 is a T-pose that is no part of the motion
  std::string take = {};                         // which animation of a file with several; empty: the longest
};

// One conclusion that was drawn on import, in words: "unit: 0.0564 m, because ... (--unit overrides)".
struct ImportNote {
  std::string topic;  // "up axis", "unit", "rest pose", "frame time", ...
  std::string text;
};

struct ImportedClip {
  Clip clip;
  std::vector<ImportNote> notes;
};

// Loads any supported motion file by its content and ending. Throws Error.
ImportedClip load_clip(const std::filesystem::path& path, const ImportOptions& options = {});

// The same from text in memory, for the text formats; `name` is used in errors.
ImportedClip read_bvh(std::string_view text, const std::string& name, const ImportOptions& options = {});
ImportedClip read_asf_amc(std::string_view asf, const std::string& asf_name, std::string_view amc,
                          const std::string& amc_name, const ImportOptions& options = {});
ImportedClip read_deepmimic(std::string_view text, const std::string& name,
                            const ImportOptions& options = {});
// Our own keyframe format (assets/motions/*.json, docs/keyframes.md).
ImportedClip read_keyframes(std::string_view text, const std::string& name,
                            const ImportOptions& options = {});
// glTF, GLB, FBX and whatever else assimp reads with an animation in it.
ImportedClip read_scene(const std::filesystem::path& path, const ImportOptions& options = {});

}  // namespace sinew
