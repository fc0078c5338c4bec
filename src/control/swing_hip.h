#pragma once

#include <array>

#include "character/reference.h"
#include "character/state.h"

namespace sinew {

// Balance by where the swinging foot goes, da Silva et al. 2008, Eq. 11: the swing hip's target is turned by
// c_d d + c_v v, with d the way from the support foot to the root and v the root's velocity, both horizontal
// and as they differ from the motion's own, so that a motion without errors is left as it is. In the
// direction of heading the thigh turns forward, across it to the side.
class SwingHip {
 public:
  // c_d in rad/m, c_v in rad s/m. The character must outlive it; without two legs it does nothing.
  SwingHip(const Character& character, double c_d, double c_v);

  // Which hip swings, by the motion's contacts, and how far it shall be turned: held until the next.
  void update(const State& state, const ReferenceSample& motion);
  // The motion's coordinates with the hip turned. `state` tells where the pelvis is.
  void apply(const State& state, VecX& q_target) const;

  // What `update` found: the turn of the thigh in W, and the leg (0 left, 1 right, -1 none).
  int leg() const { return leg_; }
  const Vec3& turn_W() const { return turn_W_; }
  void set(int leg, const Vec3& turn_W) { leg_ = leg, turn_W_ = turn_W; }

 private:
  struct Leg {
    int thigh = -1, foot = -1;
    std::vector<size_t> points;  // contact points of foot and toes
  };
  bool stands(const Leg& leg, const ReferenceSample& motion) const;

  const Character& character_;
  double c_d_, c_v_;
  std::array<Leg, 2> legs_;
  bool works_ = false;
  int leg_ = -1;
  Vec3 turn_W_ = Vec3::Zero();
};

}  // namespace sinew
