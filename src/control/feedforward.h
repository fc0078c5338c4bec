#pragma once

#include <vector>

#include "character/reference.h"

namespace sinew {

struct FeedforwardOptions {
  Vec3 gravity = Vec3(0, 0, -9.81);
  double friction = 0.8;  // of the ground
  double smooth_hz = 6;   // what changes quicker is left to the servos; 0: nothing is
};

// Torques that a motion itself asks of its joints, for servos that follow it to begin with: at each frame
// those of the quadratic program of da Silva et al. 2008 (Eq. 7) that give the motion's own accelerations,
// with contacts where its feet and hands bear load. The ground counts as level. Nothing where something else
// touches the ground: what carries then is not known.
class Feedforward {
 public:
  // Throws Error for a character that has no dynamics. Knows neither afterwards.
  Feedforward(const Character& character, const Reference& reference, const FeedforwardOptions& options = {});

  // At a time in the reference: nv, N m; the root's are 0. A reference that cycles goes on for ever.
  void at(double time_s, VecX& torque) const;

 private:
  double frame_time_s_;
  bool cyclic_;
  std::vector<VecX> torque_;  // per frame
};

}  // namespace sinew
