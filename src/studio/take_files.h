#pragma once

#include <string>

#include "record/recording.h"
#include "studio/stage.h"

namespace sinew::studio {

// A take as "bvh", "glb" or "mp4". Throws Error.
TakeFile take_file(const Recording& recording, const std::string& format);
// The control or run that was found for a role, as the file that `sinew replay` or `sinew run` takes.
TakeFile found_file(const Role& role);

}  // namespace sinew::studio
