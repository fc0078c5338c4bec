#pragma once

#include <vector>

#include "character/character.h"
#include "character/reference.h"
#include "record/plot.h"

namespace sinew {

// What one looks at first in a motion on a character: height and speed of the root, heights of the feet with
// their contact phases, angles and speeds of hips, knees, ankles, shoulders and elbows where they are found.
std::vector<Plot> motion_plots(const Character& character, const Reference& reference);

// The phases in which any contact point of a body bears load, by the names of the bodies.
std::vector<PlotBand> contact_bands(const Character& character, const Reference& reference);

// The rotation of a turning joint from its zero pose as a rotation vector in its body's axes, rad.
Vec3 joint_rotation(const Joint& joint, const VecX& q);

}  // namespace sinew
