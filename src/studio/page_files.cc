#include "studio/page_files.h"

#include "core/error.h"
#include "core/files.h"

namespace sinew::studio {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLargest_bytes = size_t{16} << 20;

std::string type_of(const fs::path& file) {
  static const std::map<std::string, std::string> kTypes = {{".html", "text/html; charset=utf-8"},
                                                            {".js", "text/javascript; charset=utf-8"},
                                                            {".css", "text/css; charset=utf-8"},
                                                            {".svg", "image/svg+xml"},
                                                            {".png", "image/png"},
                                                            {".jpg", "image/jpeg"},
                                                            {".json", "application/json"},
                                                            {".txt", "text/plain; charset=utf-8"}};
  const auto at = kTypes.find(file.extension().string());
  return at == kTypes.end() ? "application/octet-stream" : at->second;
}

}  // namespace

std::map<std::string, PageFile> read_page(const fs::path& folder) {
  std::map<std::string, PageFile> files;
  std::error_code ec;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ec)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = "/" + fs::relative(entry.path(), folder).generic_string();
    files[path] = {type_of(entry.path()),
                   std::make_shared<const std::string>(read_file(entry.path(), kLargest_bytes))};
  }
  if (!files.contains("/index.html")) throw Error(folder.string(), 0, "holds no page of the studio");
  return files;
}

}  // namespace sinew::studio
