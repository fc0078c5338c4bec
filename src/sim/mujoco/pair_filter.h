#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "core/math.h"

namespace sinew {

// Spares MuJoCo the pairs of shapes that cannot touch: of each two bodies that are too far apart, all pairs
// at once. What is left stands in the model in its old order, so that contacts are the same as without it.
class PairFilter {
 public:
  // Takes over the model's list of pairs.
  explicit PairFilter(const mjModel& model);

  // Pairs of the whole list.
  int count() const { return static_cast<int>(dim_.size()); }
  // Measures the bodies again, after shapes changed.
  void measure(const mjModel& model);
  // Puts the pairs of bodies that are near each other first in the model's list, once it is known where they
  // are (mj_kinematics), and says how many these are.
  int apply(mjModel& model, const mjData& data);

 private:
  // A body's ball around all its shapes, or a fixed shape alone.
  struct Side {
    int body = 0;
    int geom = -1;  // a fixed shape
    bool plane = false;
    Vec3 p = Vec3::Zero();  // of the ball's middle, in the body
    double radius = 0;
  };
  // Pairs first ... first + count of the whole list, all between the same two sides.
  struct Group {
    int first = 0, count = 0;
    int a = 0, b = 0;  // sides
  };
  int side_of(const mjModel& model, int geom);
  void find_middles(const mjData& data);
  bool near(const Group& group, const mjData& data) const;

  std::vector<Side> sides_;
  std::vector<Group> groups_;
  std::vector<size_t> placed_;  // groups that stand in the model, in order
  std::vector<Vec3> middles_;   // of the sides, in the world
  // The whole list, as in mjModel.
  std::vector<int> dim_, geom1_, geom2_, signature_;
  std::vector<mjtNum> solref_, solimp_, margin_, gap_, friction_;
};

}  // namespace sinew
