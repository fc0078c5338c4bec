#include "motion/load.h"

#include "core/error.h"
#include "core/files.h"

namespace sinew {

ImportedClip load_clip(const std::filesystem::path& path, const ImportOptions& options) {
  return read_bvh(read_file(path), path.string(), options);
}

}  // namespace sinew
