#include "cli/sources.h"

#include <algorithm>
#include <filesystem>

#include "character/library.h"
#include "cli/assets.h"
#include "world/library.h"

namespace sinew::cli {

namespace fs = std::filesystem;

namespace {

// Leaves a clip alone that is wanted whole.
Clip cut_or_whole(Clip clip, double from_s, double to_s) {
  return from_s <= 0 && to_s < 0 ? clip : cut(clip, from_s, to_s);
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
  ImportedClip imported = load_clip(entry.file, options);
  imported.clip = cut_or_whole(std::move(imported.clip), entry.from_s, entry.to_s);
  imported.clip = cut_or_whole(std::move(imported.clip), part.from_s, part.to_s);
  return imported;
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

bool means_character(const std::string& file_or_name) {
  if (fs::path(file_or_name).extension() == ".xml") return true;
  if (fs::exists(file_or_name)) return false;
  const auto names = character_names(character_folders());
  return std::find(names.begin(), names.end(), file_or_name) != names.end();
}

}  // namespace sinew::cli
