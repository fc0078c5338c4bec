#pragma once

#include <string>
#include <vector>

#include "character/reference.h"
#include "motion/clip.h"

namespace sinew {

struct RetargetOptions {
  double rate_hz = 60;     // frames per second of the reference
  double smooth_hz = 8;    // cut-off of the zero-phase smoothing, three times that on all fours; 0: none
  bool plant_feet = true;  // keep what bears load on its place and everything above the floor
  double clearance_m = 0;  // swinging feet keep this far above the floor: simulated ones must not scuff it
  bool loop = false;       // find the cycle, blend its seam
  bool loop_or_whole = false;  // find the cycle, but take the whole motion where there is none
};

// How well feet and floor agree, before and after.
struct ContactQuality {
  double foot_slide_m_s = 0;     // mean horizontal speed of foot points while they bear load
  double max_penetration_m = 0;  // deepest point of any colliding shape below the floor
};

struct RetargetReport {
  std::vector<std::string> notes;  // in words: what was matched, what was left out, what was concluded
  ContactQuality before, after;
  double pose_change_rad =
      0;               // rms over joints and time of what planting the feet and clearing the floor changed
  double scale = 1;    // leg length of the character by that of the performer
  double floor_m = 0;  // height of the floor in the clip
  double cycle_from_s = 0, cycle_to_s = 0;  // of the clip, when a loop was asked for
};

struct Retargeted {
  Reference reference;
  std::vector<std::vector<Pose>>
      source;  // world poses of the clip's bones, scaled and on the floor, beside each frame: the ghost
  RetargetReport report;
};

// Puts a clip onto a character. Throws Error when the clip has no body that fits.
Retargeted retarget(const Clip& clip, const Character& character, const RetargetOptions& options = {});

}  // namespace sinew
