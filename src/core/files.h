#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

// The whole file as text or bytes. Throws Error naming the file if it cannot be read or is larger than
// `limit`.
std::string read_file(const std::filesystem::path& path, size_t limit_bytes = size_t{1} << 30);

// Writes beside the target and renames, so that a reader sees the old file or the new one, never a part.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace sinew
