#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace sinew::studio {

// A file of the page as it is sent.
struct PageFile {
  std::string type;
  std::shared_ptr<const std::string> bytes;
};

// All files of a built page by their path ("/index.html"): only what is here is ever sent, so that no request
// can name another file. Throws Error if the folder holds no page.
std::map<std::string, PageFile> read_page(const std::filesystem::path& folder);

}  // namespace sinew::studio
