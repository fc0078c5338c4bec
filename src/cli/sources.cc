#include "cli/sources.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "character/library.h"
#include "cli/assets.h"
#include "core/error.h"
#include "core/files.h"
#include "record/clip_export.h"
#include "world/library.h"

namespace sinew::cli {

namespace fs = std::filesystem;

namespace {

// Leaves a clip alone that is wanted whole.
Clip cut_or_whole(Clip clip, double from_s, double to_s) {
  return from_s <= 0 && to_s < 0 ? clip : cut(clip, from_s, to_s);
}

// Whether a file begins like a recording: the rest of what may be a large file of another kind is not read.
bool begins_like_recording(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string begin(8, '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return is_recording(begin);
}

// A file that is called a recording and is none.
void refuse_false_recording(const fs::path& file) {
  if (file.extension() == ".sinew" && !begins_like_recording(file))
    throw Error(file.string(), 0, "is no recording: it does not begin like one");
}

// The longest that can be made, an hour with many things in it, is read.
Recording read_recording(const fs::path& file) {
  return decode_recording(read_file(file, size_t{4} << 30), file.string());
}

// What the simulated character did, as a motion to begin from.
ImportedClip clip_of(const Recording& recording, const fs::path& file) {
  if (recording.frames.empty()) throw Error(file.string(), 0, "is a recording without frames");
  const double frame_time_s = recording.frame_time_s > 0 ? recording.frame_time_s : 0.01;
  ImportedClip imported;
  imported.clip =
      clip_from_motion(recording.character, coordinates(recording), frame_time_s, file.stem().string());
  imported.clip.source.format = "recording";
  imported.notes.push_back({"recording", "the motion of " + recording.character.name +
                                             " in a simulation of " + recording.clip + " by " +
                                             recording.engine});
  return imported;
}

}  // namespace

MotionFolders motion_folders() {
  const fs::path assets = assets_folder();
  return standard_motion_folders(assets.empty() ? assets : assets / "motions");
}

std::vector<std::string> character_folders() {
  const fs::path assets = assets_folder();
  if (assets.empty()) return {};
  return {(assets / "characters").string()};
}

ImportedClip open_clip(const std::string& file_or_name, const ImportOptions& options,
                       const CutOptions& part) {
  const MotionEntry entry = find_motion(file_or_name, motion_folders());
  refuse_false_recording(entry.file);
  ImportedClip imported = begins_like_recording(entry.file) ? clip_of(read_recording(entry.file), entry.file)
                                                            : load_clip(entry.file, options);
  imported.clip = cut_or_whole(std::move(imported.clip), entry.from_s, entry.to_s);
  imported.clip = cut_or_whole(std::move(imported.clip), part.from_s, part.to_s);
  return imported;
}

std::optional<Recording> open_recording(const std::string& file_or_name) {
  std::error_code ec;
  if (!fs::is_regular_file(file_or_name, ec) || !begins_like_recording(file_or_name)) return {};
  return read_recording(file_or_name);
}

std::optional<ControlFile> open_control(const std::string& file) {
  std::error_code ec;
  if (!fs::is_regular_file(file, ec)) return {};
  std::ifstream in(file, std::ios::binary);
  std::string begin(64, '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin.find("\"sinew_control\"") == std::string::npos) return {};
  return decode_control(read_file(file), file, character_folders());
}

World open_world(const SceneOptions& options) {
  World world = make_world(options.world);
  for (const std::string& text : options.throws) add_throw(world, parse_throw(text));
  for (const std::string& text : options.pushes) world.pushes.push_back(parse_push(text));
  return world;
}

Character open_character(const std::string& file_or_name) {
  return load_character(file_or_name, character_folders());
}

RideFile open_ride(const std::string& file) {
  return read_ride_file(file.empty() ? (assets_folder() / "behaviours" / "ride.json").string() : file);
}

bool means_character(const std::string& file_or_name) {
  if (fs::path(file_or_name).extension() == ".xml") return true;
  if (fs::exists(file_or_name)) return false;
  const auto names = character_names(character_folders());
  return std::find(names.begin(), names.end(), file_or_name) != names.end();
}

}  // namespace sinew::cli
