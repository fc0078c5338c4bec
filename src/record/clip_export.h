#pragma once

#include <string>
#include <vector>

#include "character/character.h"
#include "motion/clip.h"

namespace sinew {

// A character's motion as a Clip that any exporter of clips can write: one bone a body, its origin at the
// body's first joint, its axes along the world's in the rest stance, end sites on the bodies without
// children. The convention of its file is BVH's: Y up, faces +Z, centimetres.
Clip clip_from_motion(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                      const std::string& name = "motion");

// Coordinates smoothed over time without a shift, as `smooth` of core/smooth.h does. 0 or less: unchanged.
std::vector<VecX> smoothed(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                           double cutoff_hz);

// Frame of bone b of that clip in the frame of body b: X_WBone = X_WB * X_BBone.
std::vector<Pose> bone_frames(const Character& character);

// A table with one line a frame: time_s, the root's position (root.x y z, m) and quaternion (root.qw qx qy
// qz), each hinge's angle (rad) or slide's way (m) under its name, each ball joint's rotation vector as
// NAME.x y z (rad), and where torques are given (size nv each) torque.NAME likewise (N m).
std::string frames_csv(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                       const std::vector<VecX>& torques = {});

}  // namespace sinew
