#pragma once

#include <string>
#include <vector>

#include "character/character.h"

namespace sinew {

// A character and its motion as binary glTF 2.0, Y up, metres: a node a body in their hierarchy under the
// node "sinew", which stands the Z-up world upright; the shapes as one skinned mesh on those nodes; one
// animation with the coordinates `q` at even times. Opens in Blender (as an armature) and three.js.
std::string encode_glb(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                       const std::string& animation_name);

}  // namespace sinew
