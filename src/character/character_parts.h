#pragma once

#include <string>
#include <vector>

#include "character/character.h"

namespace sinew {

// Says for each body which part it is: by its name, and where names say nothing by where it hangs and
// whether it has a mirror image. Needs bodies, joints, shapes and q_rest (as drawn). Throws Error naming
// `file` if there are no two legs with feet.
void assign_parts(Character& character, const std::string& file);

// The part that a name means by itself ("LeftUpLeg", "l_thigh", "left_thigh"); kNone for what means none.
Part part_by_name(const std::string& name);

// The points of feet, toes and hands that can bear load, from their colliding shapes: a sphere's centre, both
// ends of a capsule, the four lowest corners of a box, four low extremes of what is round or a mesh.
std::vector<ContactPoint> find_contact_points(const Character& character);

}  // namespace sinew
