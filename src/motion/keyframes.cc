#include "core/error.h"
#include "motion/load.h"

namespace sinew {

ImportedClip read_keyframes(std::string_view, const std::string& name, const ImportOptions&) {
  throw Error(name, 0, "keyframe files are not supported by this build");
}

}  // namespace sinew
