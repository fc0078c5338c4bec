#pragma once

#include <string>
#include <vector>

#include "character/character.h"
#include "character/performance.h"

namespace sinew {

// A performance carried over to a character joint by joint: what retargeting starts from.
struct Transfer {
  std::vector<VecX> q;  // coordinates per frame; the floor is wherever the performer's was, scaled
  // How far feet (ankles) and hands (wrists) of a body of these proportions would be from where `q` has them,
  // in the root's frame; NaN where the performer or the character lacks them.
  std::vector<PerPart<Vec3>> end_offset;
  double scale = 1;  // leg length of the character by that of the performer
};

// Length of thigh and shin of a character, mean of both sides.
double leg_length(const Character& character);

// True if all joints but the root turn about the sideways axis: the figure can only move in its sagittal
// plane.
bool is_planar(const Character& character);

// Carries over rotations segment by segment, each against the parent as posed; feet are calibrated so that
// the soles are flat when the performer's are; joint limits are kept. The path is scaled by leg length.
Transfer transfer(const Performance& performance, const Character& character,
                  std::vector<std::string>& notes);

}  // namespace sinew
