#pragma once

#include <vector>

#include "character/plants.h"

namespace sinew {

// A motion while it is laid onto a world.
struct Draft {
  double frame_time_s = 0;
  std::vector<VecX> q;
  Plants plants;
  std::vector<std::vector<char>> body_contact;  // [frame][body]
  std::vector<double> level_m;  // [frame]: height of the floor that the frame was performed on
  std::vector<char> falls;      // [frame]: in the air on the way down
};

// Something of the body that rests on the ground for a while.
struct Stay {
  size_t begin = 0, end = 0;  // frames
  int group = -1;             // of contact_groups, when its points keep one place; else -1
  int body = 0;
  bool foot = false;                                       // of a foot or its toes
  std::vector<std::vector<Eigen::Vector2d>> touches = {};  // [frame - begin]: where, in the plane
  // Of feet: the turn about the middle of their points, and the way, that bring them onto better ground.
  Eigen::Vector2d middle = Eigen::Vector2d::Zero(), way = Eigen::Vector2d::Zero();
  double turn_rad = 0;
  // The ground there: its height in the middle (after the way), and how it rises along x and y.
  double height_m = 0;
  Eigen::Vector2d rise = Eigen::Vector2d::Zero();

  Eigen::Vector2d moved(const Eigen::Vector2d& p) const {
    return middle + way + Eigen::Rotation2Dd(turn_rad) * (p - middle);
  }
  double ground_at(const Eigen::Vector2d& p) const { return height_m + rise.dot(p - middle - way); }
};

// Everything that rests on the ground, by when it begins. Feet are moved to where the ground carries their
// soles: sideways by up to 45 cm onto what is as high as the place they left (a beam), along the way by at
// most 15 cm off an edge. Nothing else is moved.
std::vector<Stay> find_stays(const Character& character, const Draft& draft, const GroundHeight& ground);

// How many touches of a stay lie within 5 cm of an edge of the ground or on both sides of one.
int straddles(const Stay& stay, const GroundHeight& ground);

}  // namespace sinew
