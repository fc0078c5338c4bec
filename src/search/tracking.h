#pragma once

#include <array>
#include <vector>

#include "character/reference.h"
#include "core/polygon.h"

// How far a simulated motion is from its reference, as residuals whose squares are the cost.
namespace sinew {

// What is compared of a character in motion, beside its joints.
struct Posture {
  VecX q, v;
  Vec3 com = Vec3::Zero(), com_velocity = Vec3::Zero();  // m, m/s, in W
  Vec3 spin = Vec3::Zero();             // angular momentum about the centre of mass, kg m^2/s
  Vec3 root_rate = Vec3::Zero();        // rad/s, in W
  std::vector<Vec3> end, end_velocity;  // centres of feet and hands
  std::vector<char> planted;            // of a reference: which of them bear load
  Vec2 edge = Vec2::Zero();  // of a reference: 1 along x, y where what bears load stands beside one
  double leg_room_m = 0;     // how much is missing to legs that are apart; 0: nothing
};

// The units in which errors are counted: one of each costs the same. These are for a human.
struct TrackingUnits {
  double pose_rad = 0.07;
  double joint_rate = 2.0;
  double root_rad = 0.1;
  double root_rate = 1.8;
  double com_height_m = 0.03;
  double com_m = 0.14;
  double com_velocity = 0.21;  // along the ground
  double com_rise = 0.21;      //   and vertical: what landings are made of
  double spin = 3.6;
  double end_height_m = 0.03;
  double end_m = 0.05;
  double end_ahead_s = 0.25;  // ends are seen from where the centre of mass will be after this time
  double end_velocity = 0.6;
  double leg_room_m = 0.02;  // legs nearer to each other than they should be
  double beside_edge = 0.2;  // of com_m and com_velocity: across an edge beside which one stands
  double slide = 0.2;        // speed along the ground of an end that bears load
};

// For a character of another size and mass: lengths, speeds and momentum by the laws of similarity.
TrackingUnits sized(const TrackingUnits& human, const Character& character);

// Compares postures of one character, which must outlive it.
class Tracking {
 public:
  explicit Tracking(const Character& character, const TrackingUnits& units = {});

  Posture posture(const VecX& q, const VecX& v) const;
  // Of a reference at a time, with what bears load.
  Posture posture(const Reference& reference, double time_s) const;
  Posture posture(const ReferenceSample& at) const;

  // Whether a body is an end of a limb that bears load in a posture of the reference.
  bool bears(const Posture& reference, int body) const;

  // Appends `size()` residuals, each times `weight`. Beyond four units a residual's square grows only
  // linearly.
  void residuals(const Posture& now, const Posture& reference, double weight, std::vector<double>& out) const;
  int size() const;

  // How near the motion is to being lost: 1 where the root's height or tilt is as far off as it may ever be.
  double danger(const Posture& now, const Posture& reference) const;

 private:
  const Character& character_;
  TrackingUnits units_;
  std::vector<std::array<size_t, 2>> legs_;  // shapes
  std::vector<int> ends_;                    // bodies: feet and hands
  std::vector<std::vector<size_t>> points_;  // of each: Character::contact_points
  double joint_share_ = 1, end_share_ = 1;
};

}  // namespace sinew
