#pragma once

#include <string>

#include "character/character.h"
#include "world/world.h"

namespace sinew {

// The model that MuJoCo simulates, as MJCF text: the character's bodies first, so that its coordinates are
// the first of qpos and qvel, then one body a prop. Shapes are named "c0", "c1", ... and "w0", ... by their
// index; only listed pairs collide. Servos, passive joints and stops of ball joints are not in it: they act
// through dof_armature and qfrc_applied.
std::string mujoco_model_text(const Character& character, const World& world, double step_s);

}  // namespace sinew
