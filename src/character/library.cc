#include "character/library.h"

#include <filesystem>
#include <set>

#include "character/mjcf.h"
#include "core/error.h"

namespace sinew {

namespace fs = std::filesystem;

std::vector<std::string> character_names(const std::vector<std::string>& folders) {
  std::set<std::string> names;
  for (const std::string& folder : folders) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(folder, ec))
      if (entry.path().extension() == ".xml") names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

Character load_character(const std::string& name_or_file, const std::vector<std::string>& folders) {
  if (name_or_file.ends_with(".xml") || name_or_file.find('/') != std::string::npos)
    return load_character_file(name_or_file);
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder) / (name_or_file + ".xml");
    std::error_code ec;
    if (!name_or_file.empty() && fs::is_regular_file(path, ec)) return load_character_file(path);
  }
  std::string known;
  for (const std::string& name : character_names(folders)) known += (known.empty() ? "" : ", ") + name;
  throw Error("there is no character '" + name_or_file + "'; " +
              (known.empty() ? "no characters were found at all" : "known are " + known) +
              ", or give an MJCF file that ends in .xml");
}

}  // namespace sinew
