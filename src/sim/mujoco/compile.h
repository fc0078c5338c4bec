#pragma once

#include <mujoco/mujoco.h>

#include <string>

namespace sinew {

// A model from MJCF text; the caller deletes it. `name` is what errors speak of. Throws Error.
mjModel* compile_mujoco(const std::string& text, const std::string& name);

}  // namespace sinew
