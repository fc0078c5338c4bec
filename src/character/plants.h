#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "character/character.h"
#include "character/performance.h"

namespace sinew {

// Height of the ground at a place in the plane, m; an empty function is the floor z = 0.
using GroundHeight = std::function<double(double x, double y)>;

// The point of a shape that is nearest to the ground or deepest in it, and its height above the ground there.
// Over a floor it is the lowest point; over other ground the lowest of a few that are spread below the shape.
struct NearestPoint {
  Vec3 p_W;
  double height_m;
};
NearestPoint nearest_point(const Shape& shape, const Pose& X_WB, const GroundHeight& ground);

// The contact points of one foot with its toes, or of one hand.
struct ContactGroup {
  std::vector<size_t> points;  // of character.contact_points
  int body = 0;
  bool is_foot = false;
  int side = 0;  // 0 left, 1 right
};
std::vector<ContactGroup> contact_groups(const Character& character);

// Where and when feet and hands bear load, and the spot on the floor (z = 0) that each point should keep
// meanwhile.
struct Plants {
  std::vector<std::vector<char>> bears;  // [frame][character.contact_points]
  std::vector<std::vector<Vec3>>
      target;  // [frame][character.contact_points]: of the point's centre; valid where it bears
  // [frame][body]: of a leg whose foot was captured deep in the floor: its joints are anyone's guess. Empty:
  // none is.
  std::vector<std::vector<char>> guessed;

  bool is_guess(size_t frame, int body) const {
    return !guessed.empty() && guessed[frame][static_cast<size_t>(body)];
  }
  bool has_guess(size_t frame) const {
    return !guessed.empty() &&
           std::find(guessed[frame].begin(), guessed[frame].end(), char{1}) != guessed[frame].end();
  }
};

// Whether the character stands on its hands too, as quadrupeds do: both touch the floor at rest.
bool stands_on_all_fours(const Character& character);

// [character.contact_points]: whether the point is of what the character stands on, feet and toes, and the
// hands of one on all fours. These keep their place on the floor strictly.
std::vector<char> standing_points(const Character& character);

// [character.bodies]: whether a colliding shape of the body is lower than this in the rest stance.
std::vector<char> standing_bodies(const Character& character, double lower_than_m);

// Closes gaps shorter than `gap` frames, then drops runs shorter than `run` frames. What touches an end of
// the motion stays.
void close_flickers(std::vector<char>& on, size_t gap, size_t run);

// World positions of all contact points per frame.
std::vector<std::vector<Vec3>> contact_point_tracks(const Character& character, const std::vector<VecX>& q);

// Height of the floor under a motion that was carried over: where feet that stand still have their soles;
// where nobody stands, where the lowest body parts are.
double find_floor(const Character& character, const std::vector<VecX>& q, double frame_time_s);

// Finds the plants of a motion whose floor is z = 0. A point of a foot or hand bears load while it is low and
// slow (slow is said against the speed of the body: the feet of captured runs slide, and so do hands).
// Flickers are closed. All points of a foot share one placement per step, so that a rigid foot can keep them.
// A foot that passes through the floor for a while, deep in it, had its toes where it stands before or after.
Plants find_plants(const Character& character, const std::vector<VecX>& q, double frame_time_s);

// Which bodies rest on the ground, [frame][body]: any of their shapes within a centimetre of it; flickers
// closed.
std::vector<std::vector<char>> find_body_contacts(const Character& character, const std::vector<VecX>& q,
                                                  double frame_time_s, const GroundHeight& ground = {});

// Gives up plants that a corrected motion does not keep (a centimetre for feet, three for hands, on the mean,
// or 10 cm/s) and what is left of a stay shorter than a flicker; true if there were any.
bool release_missed(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                    Plants& plants);

}  // namespace sinew
