#include "cli/sources.h"

#include <filesystem>

#include "character/mjcf.h"
#include "cli/assets.h"
#include "core/error.h"

namespace sinew::cli {

namespace fs = std::filesystem;

ImportedClip open_clip(const std::string& file_or_name, const ImportOptions& options) {
  if (fs::exists(file_or_name)) return load_clip(file_or_name, options);
  const fs::path own = assets_folder() / "motions" / (file_or_name + ".json");
  if (!fs::exists(own)) throw Error(file_or_name + ": there is no such file and no motion of that name");
  return load_clip(own, options);
}

Clip cut_clip(const Clip& clip, const CutOptions& options) {
  return options.from_s == 0 && options.to_s < 0 ? clip : cut(clip, options.from_s, options.to_s);
}

Character open_character(const std::string& file_or_name) {
  if (fs::path(file_or_name).extension() == ".xml") return load_character_file(file_or_name);
  const fs::path own = assets_folder() / "characters" / (file_or_name + ".xml");
  if (!fs::exists(own)) throw Error("there is no character '" + file_or_name + "' (see `sinew characters`)");
  return load_character_file(own);
}

bool means_character(const std::string& file_or_name) {
  if (fs::path(file_or_name).extension() == ".xml") return true;
  return !fs::exists(file_or_name) && fs::exists(assets_folder() / "characters" / (file_or_name + ".xml"));
}

}  // namespace sinew::cli
