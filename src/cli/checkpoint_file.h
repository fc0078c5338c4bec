#pragma once

#include <filesystem>
#include <string>

#include "cli/stopwatch.h"
#include "search/search.h"

namespace sinew::cli {

// The file in which a search that was interrupted waits to go on.
inline constexpr const char* kCheckpointFile = "checkpoint.sinew";

struct SavedSearch {
  std::string inputs;  // fingerprint of all that the search was given
  double reached = 0;  // how far it had come
  Stopwatch::Times spent;
  Checkpoint checkpoint;
};

// Writes beside the target and renames. Throws Error.
void write_checkpoint(const std::filesystem::path& path, const SavedSearch& saved);

// Throws Error if there is none, if it was damaged, or if it is of another version or of other inputs.
SavedSearch read_checkpoint(const std::filesystem::path& path, const std::string& inputs);

}  // namespace sinew::cli
