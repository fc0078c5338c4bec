#pragma once

#include <vector>

#include "character/character.h"
#include "character/performance.h"
#include "character/plants.h"

namespace sinew {

// What the corrected motion should keep. Standard deviations: a smaller one is kept more strictly.
struct FootingOptions {
  double knot_s = 1 / 30.0;  // spacing of the correction's spline knots
  double plant_m = 0.0005;   // planted points at their place
  double hand_plant_m = 0.01;
  double floor_m = 0.002;      // nothing below the floor
  double gap_m = 0.03;         // the lowest point on the floor, in frames that are grounded
  double leg_room_m = 0.025;   // legs that pass each other
  double leg_apart_m = 0.004;  //   are so far apart
  double clearance_m = 0;      // height of the soles of a foot that swings; 0: as the performer had it
  double foot_m = 0.04;        // free feet and hands where the performer had them
  double hand_m = 0.06;
  double pose_rad = 0.25;  // joints as they were
  double guess_rad = 2;  //   where they were no more than a guess: Plants::guessed
  double root_rad = 0.15;
  double root_m = 0.10;
  double limit_rad = 0.004;
  // rad/s^2 and, for the root, m/s^2: the correction is smooth. Strict, so that legs give way rather than the
  // whole body being jerked about, which no force could do.
  double acceleration_rad = 40;
  double acceleration_m = 0.3;
  double acceleration_z = 0.25;
  double acceleration_root_rad = 3;
  int iterations = 8;
  GroundHeight ground = {};          // what nothing sinks into; none: the floor z = 0
  std::vector<char> keep_path = {};  // [frame]: the root stays where it is, to a centimetre; empty: nowhere
};

// Corrects a motion so that planted points stay on their place, nothing sinks into the ground, legs do
// not run into each other, free feet and hands are where they should be, and joint limits hold. The
// correction is one cubic spline per coordinate over the whole motion, found by Gauss-Newton on all of it at
// once: smooth by construction, no pops where contacts begin and end. In `grounded` frames (size of q) the
// lowest point of the body is drawn onto the floor. Plants that cannot be kept are given up and taken out of
// `plants`.
std::vector<VecX> fit_footing(const Character& character, const std::vector<VecX>& q, Plants& plants,
                              const std::vector<PerPart<Vec3>>& end_offset, const std::vector<char>& grounded,
                              double frame_time_s, const FootingOptions& options = {});

}  // namespace sinew
