#include "core/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.h"

namespace sinew {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path, size_t limit_bytes) {
  std::error_code ec;
  if (fs::is_directory(path, ec)) throw Error(path.string(), 0, "this is a folder, not a file");
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw Error(path.string(), 0, std::string("cannot be read: ") + std::strerror(errno));
  const auto size = static_cast<size_t>(std::max<std::streamoff>(in.tellg(), 0));
  if (size > limit_bytes)
    throw Error(path.string(), 0, "is larger than " + std::to_string(limit_bytes >> 20) + " MiB");
  std::string content(size, '\0');
  in.seekg(0);
  in.read(content.data(), static_cast<std::streamsize>(size));
  content.resize(static_cast<size_t>(in.gcount()));
  return content;
}

void write_file(const fs::path& path, std::string_view content) {
  const fs::path beside = path.string() + ".part" + std::to_string(::getpid());
  errno = 0;
  std::ofstream out(beside, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  std::error_code ec;
  if (out) fs::rename(beside, path, ec);
  if (!out || ec) {
    const std::string why = ec ? ec.message() : errno != 0 ? std::strerror(errno) : "";
    fs::remove(beside, ec);
    throw Error(path.string(), 0, "cannot be written" + (why.empty() ? "" : ": " + why));
  }
}

}  // namespace sinew
