#include "studio/scratch_folder.h"

#include <stdlib.h>

#include <string>

#include "core/error.h"

namespace sinew::studio {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "sinew-studio-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw Error("no temporary folder can be made");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ec;
  fs::remove_all(path_, ec);
}

}  // namespace sinew::studio
