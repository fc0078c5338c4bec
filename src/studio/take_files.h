#pragma once

#include <string>

#include "record/recording.h"
#include "rollout/control_file.h"
#include "studio/stage.h"

namespace sinew::studio {

// A take as "bvh", "glb" or "mp4". Throws Error.
TakeFile take_file(const Recording& recording, const std::string& format);
// A control as its file.
TakeFile control_file(const ControlFile& control);

}  // namespace sinew::studio
