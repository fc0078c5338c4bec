#pragma once

#include <functional>
#include <vector>

#include "character/reference.h"

// Motions that are asked for as time goes on, and may be made up on the way: nobody looks ahead.
namespace sinew {

// Where a character shall be: coordinates and velocities (docs/conventions.md).
struct Goal {
  VecX q, v;
};

// The goal at a time of the simulation.
using Goals = std::function<Goal(double time_s)>;

// Along a reference, which is at `start_s` when the simulation begins. Both must outlive the goals.
Goals along(const Character& character, const Reference& reference, double start_s = 0);

// From one motion into another: `first` alone up to `at_s`, `second` alone from `at_s + over_s` on, and both
// blended between. The second is given as from its own beginning, which comes at `at_s`; it is turned about
// the vertical and moved in the plane so that it goes on from where the first is then.
Goals transition(const Character& character, Goals first, Goals second, double at_s, double over_s);

// Goals that are known in advance, as a reference: sampled every `frame_time_s` up to `seconds`. A point
// bears load where it is near the ground (height at (x, y)) and slow.
Reference as_reference(const Character& character, const Goals& goals, double seconds, double frame_time_s,
                       const std::function<double(double, double)>& ground);

// A pose to be in at a time.
struct KeyPose {
  double time_s = 0;
  VecX q;
};

// From pose to pose, at rest in each. Before the first and after the last it stands still. There must be one;
// times ascend.
Goals through_poses(const Character& character, std::vector<KeyPose> poses);

// Goals that somebody sets while the simulation runs: a puppeteer, a sensor, a planner. Between settings the
// goal stays where it is, at rest.
class LiveGoal {
 public:
  LiveGoal(const Character& character, VecX q) : q_(std::move(q)), still_(VecX::Zero(character.nv())) {}
  void set(const VecX& q) { q_ = q; }
  // Must not outlive this.
  Goals goals() const;

 private:
  VecX q_, still_;
};

}  // namespace sinew
