#include "cli/output_folder.h"

#include <unistd.h>

#include <cctype>

#include "core/error.h"

namespace sinew::cli {

namespace fs = std::filesystem;

OutputFolder::OutputFolder(const fs::path& folder) : folder_(folder) {
  std::error_code ec;
  if (fs::exists(folder, ec) && !fs::is_directory(folder, ec))
    throw Error(folder.string(), 0, "is a file, not a folder to write results into");
  fs::create_directories(folder, ec);
  if (ec) throw Error(folder.string(), 0, "cannot be made: " + ec.message());
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw Error(folder.string(), 0, "may not be written to");
}

void check_folder(const fs::path& folder) {
  std::error_code ec;
  if (fs::exists(folder, ec) && !fs::is_directory(folder, ec))
    throw Error(folder.string(), 0, "is a file, not a folder to write results into");

  // The nearest folder above that is there, which the rest would be made in.
  fs::path above = fs::absolute(folder, ec).lexically_normal();
  while (!fs::exists(above, ec) && above.has_parent_path() && above != above.parent_path())
    above = above.parent_path();
  if (!fs::is_directory(above, ec))
    throw Error(folder.string(), 0, "cannot be made: " + above.string() + " is a file");
  if (::access(above.c_str(), W_OK | X_OK) != 0)
    throw Error(folder.string(), 0,
                above == fs::absolute(folder, ec).lexically_normal()
                    ? "may not be written to"
                    : "cannot be made: " + above.string() + " may not be written to");
}

fs::path OutputFolder::add(const std::string& file) {
  files_.push_back(file);
  return folder_ / file;
}

std::string folder_name(const std::string& words) {
  std::string name;
  for (const char c : words) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
    name += kept ? c : '-';
  }
  return name;
}

}  // namespace sinew::cli
