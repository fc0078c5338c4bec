#pragma once

#include <string>
#include <vector>

#include "character/character.h"

namespace sinew {

// A motion put onto a character: coordinates, velocities, accelerations and contacts as functions of time.
// The only thing that a controller knows of a motion.
struct Reference {
  std::string clip;  // name of the clip it was made from
  double frame_time_s = 0;
  std::vector<VecX> q;  // per frame
  std::vector<VecX> v;
  std::vector<VecX> a;
  std::vector<std::vector<char>> point_contact;  // [frame][character.contact_points]: bears load
  std::vector<std::vector<char>> body_contact;  // [frame][character.bodies]: any part of it touches the floor
  bool cyclic = false;  // frame 0 follows the last frame; the root then goes on from where it was
  Pose X_cycle;         // what moves one cycle onto the next: a turn about the vertical and a shift
  double duration_s() const { return frame_time_s * (static_cast<double>(q.size()) - (cyclic ? 0 : 1)); }
};

struct ReferenceSample {
  VecX q, v, a;
  const std::vector<char>* point_contact;  // of the nearest frame
  const std::vector<char>* body_contact;
};

// Velocities and accelerations of a motion from its coordinates by central differences; what is fed in is
// smooth already.
void differentiate(const Character& character, Reference& reference);

// Coordinates moved as a whole by a rigid transform of the world.
VecX moved(const VecX& q, const Pose& X);

// The reference at a time. Before the start and after the end of one that does not cycle it stands still.
// A cyclic one goes on for ever: the root's path and heading accumulate from cycle to cycle.
ReferenceSample sample(const Character& character, const Reference& reference, double time_s);

}  // namespace sinew
