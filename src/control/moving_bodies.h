#pragma once

#include <vector>

#include "character/state.h"

namespace sinew {

// Where all bodies of a character are and how they move, for controllers that look at every step: one pass
// over the tree, no memory taken after the first. Takes free, hinge and slide joints.
class MovingBodies {
 public:
  // Throws Error for a character with ball joints.
  explicit MovingBodies(const Character& character);

  // `character` may be another one of the same topology each time.
  void update(const Character& character, const State& state);

  const Pose& X_WB(int body) const { return X_WB_[static_cast<size_t>(body)]; }
  // Angular velocity of a body in W, and the velocity of a point fixed to it, given in W.
  const Vec3& w_WB(int body) const { return w_WB_[static_cast<size_t>(body)]; }
  Vec3 velocity(int body, const Vec3& p_W) const;
  // The axis of a hinge in W.
  const Vec3& axis_W(int joint) const { return axis_W_[static_cast<size_t>(joint)]; }
  // Centre of mass of all bodies, and its velocity.
  const Vec3& p_WC() const { return p_WC_; }
  const Vec3& v_WC() const { return v_WC_; }

 private:
  std::vector<Pose> X_WB_;
  std::vector<Vec3> w_WB_, v_WB_, axis_W_;  // v_WB: of the body's origin
  Vec3 p_WC_ = Vec3::Zero(), v_WC_ = Vec3::Zero();
};

}  // namespace sinew
