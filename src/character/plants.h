#pragma once

#include <vector>

#include "character/character.h"
#include "character/performance.h"

namespace sinew {

// Where and when feet and hands bear load, and the spot on the floor (z = 0) that each point should keep
// meanwhile.
struct Plants {
  std::vector<std::vector<char>> bears;  // [frame][character.contact_points]
  std::vector<std::vector<Vec3>>
      target;  // [frame][character.contact_points]: of the point's centre; valid where it bears
};

// World positions of all contact points per frame.
std::vector<std::vector<Vec3>> contact_point_tracks(const Character& character, const std::vector<VecX>& q);

// Height of the floor under a motion that was carried over: where feet that stand still have their soles;
// where nobody stands, where the lowest body parts are.
double find_floor(const Character& character, const std::vector<VecX>& q, double frame_time_s);

// Finds the plants of a motion whose floor is z = 0. A foot point bears load while it is low and slow (slow
// is said against the speed of the body: the feet of captured runs slide); a hand while the performer's hand,
// `hand_height_m` per frame and side above the floor, is. Flickers are closed. All points of a foot share one
// placement per step, so that a rigid foot can keep them.
Plants find_plants(const Character& character, const std::vector<VecX>& q,
                   const std::vector<std::array<double, 2>>& hand_height_m, double frame_time_s);

}  // namespace sinew
