#pragma once

#include <vector>

#include "character/reference.h"
#include "character/state.h"

// How far a simulated motion is from its reference, as a vector of residuals whose squares are the cost.
namespace sinew {

// What is compared beside the joints themselves.
struct Posture {
  VecX q, v;
  Vec3 com = Vec3::Zero(), com_velocity = Vec3::Zero();  // m, m/s, in W
  Vec3 spin = Vec3::Zero();                              // angular momentum about the centre of mass, kg m^2/s
  Vec3 root_rate = Vec3::Zero();                         // rad/s, in W
  std::vector<Vec3> end, end_velocity;                   // of feet and hands: lowest points of their bodies
};

// The units in which errors are counted: one of each costs the same, beyond four the cost grows only linearly.
struct TrackingUnits {
  double pose_rad = 0.07;
  double joint_rate = 2.0;
  double root_rad = 0.1;
  double root_rate = 1.8;
  double com_height_m = 0.03;
  double com_m = 0.14;
  double com_velocity = 0.21;
  double spin = 3.6;
  double end_height_m = 0.03;
  double end_m = 0.05;
  double end_ahead_s = 0.25;  // ends are seen from the centre of mass as it will be after this time
  double end_velocity = 0.6;
};

class Tracking {
 public:
  explicit Tracking(const Character& character, const TrackingUnits& units = {});

  Posture posture(const VecX& q, const VecX& v) const;
  // Appends the residuals of a posture, always the same number of them.
  void residuals(const Posture& now, const Posture& reference, double weight, std::vector<double>& out) const;
  int size() const;

 private:
  const Character& character_;
  TrackingUnits units_;
  std::vector<int> ends_;   // bodies
  VecX joint_weight_;       // nv
};

}  // namespace sinew
