#include "cli/assets.h"

#include <cstdlib>

#include "core/error.h"

namespace sinew::cli {

namespace fs = std::filesystem;

fs::path assets_folder() {
  // What the user says goes first, and is never silently replaced.
  std::error_code ec;
  if (const char* chosen = std::getenv("SINEW_ASSETS"); chosen != nullptr && *chosen != '\0') {
    if (fs::is_directory(chosen, ec)) return chosen;
    throw Error(std::string("SINEW_ASSETS names ") + chosen + ", which is no folder");
  }

  // Then from where the program lies: prefix/bin, or build/PRESET in the source tree.
  const fs::path program = fs::read_symlink("/proc/self/exe", ec);
  const fs::path here = program.parent_path();
  for (const fs::path& folder :
       {here / "../share/sinew", here / "../../assets", fs::path(SINEW_SOURCE_ASSETS)})
    if (fs::is_directory(folder / "characters", ec)) return folder.lexically_normal();
  return {};
}

fs::path page_folder() {
  std::error_code ec;
  const fs::path here = fs::read_symlink("/proc/self/exe", ec).parent_path();
  for (const fs::path& folder : {here / "../share/sinew/page", here / "page"})
    if (fs::is_regular_file(folder / "index.html", ec)) return folder.lexically_normal();
  return {};
}

}  // namespace sinew::cli
