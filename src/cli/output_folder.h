#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::cli {

// The folder that a command leaves its results in. Made, with its parents, when the object is: only once the
// input was found good. Throws Error if it cannot be made or written to.
class OutputFolder {
 public:
  explicit OutputFolder(const std::filesystem::path& folder);

  // Path of a file in it, which is remembered as written.
  std::filesystem::path add(const std::string& file);
  const std::filesystem::path& path() const { return folder_; }
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::filesystem::path folder_;
  std::vector<std::string> files_;
};

// Finds out before a long computation, and without making anything, what making the folder would. Throws
// Error.
void check_folder(const std::filesystem::path& folder);

// A name for a folder made of words that users typed: letters, digits, dot, dash and underscore only.
std::string folder_name(const std::string& words);

}  // namespace sinew::cli
