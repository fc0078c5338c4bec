#pragma once

#include <string>
#include <vector>

#include "record/plot.h"
#include "record/recording.h"

namespace sinew {

// How far a simulation is from its reference over time, with the limits beyond which it fails: pose, height
// and tilt of the root. Pushes, balls and other events are marked. Empty without a reference.
std::vector<Plot> error_plots(const Recording& recording);

// What the character did for it: torques of its joints (rms over each limb) and the force of the ground on
// each foot, in body weights.
std::vector<Plot> effort_plots(const Recording& recording);

// When something happened to the character: pushes, and events for a moment.
std::vector<PlotBand> event_bands(const Recording& recording);

// A table with one line a contact: time_s, body, x, y, z (m), force_x, force_y, force_z (N, on the body),
// depth_m, what it touches (the name of the world's shape or prop, or of the character's own body), and the
// part of the force that presses (N), its share of the patch's area (m^2), and the patch's pressure (Pa), as
// in record/pressure.h.
std::string contacts_csv(const Recording& recording);

}  // namespace sinew
