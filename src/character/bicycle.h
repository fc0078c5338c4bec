#pragma once

#include "character/character.h"

namespace sinew {

// A rigid piece of a bicycle.
struct BicyclePart {
  double mass_kg = 0;
  Vec3 p_C = Vec3::Zero();  // centre of mass, as positions of a Bicycle are given
  Mat3 I_C = Mat3::Zero();  // about it, in the same axes, kg m^2
};

struct BicycleWheel {
  double radius_m = 0;
  double mass_kg = 0;
  double across_kg_m2 = 0;  // inertia about a diameter
  double axle_kg_m2 = 0;    // inertia about the axle
};

// The measures of a bicycle. Positions in metres from the point where the rear wheel touches the ground, X
// forward, Y to the left, Z up, of the bicycle that stands upright with its bars straight.
struct Bicycle {
  double wheel_base_m = 0;
  double trail_m = 0;        // the front wheel touches so far behind the steering axis
  double head_tilt_rad = 0;  // of the steering axis, backwards from the vertical
  BicycleWheel rear, front;
  double tyre_m = 0.02;  // half the width of the ellipsoids that touch the ground
  BicyclePart frame, fork;
  Vec3 saddle = Vec3::Zero();   // its top: origin of the frame, the root of the character
  Vec3 bracket = Vec3::Zero();  // middle of the cranks' axle
  Vec3 grip = Vec3::Zero();     // the left one; the right one mirrors it
  double crank_m = 0;           // 0: without cranks
  double crank_mass_kg = 0;
  double pedal_m = 0;  // from the middle plane to a pedal
  double gear = 1;     // turns of the rear wheel a turn of the cranks
};

// The names of its bodies and of their hinges. The cranks turn as the wheels do: forward is positive.
inline constexpr const char* kFrame = "frame";
inline constexpr const char* kSteering = "fork";
inline constexpr const char* kFrontWheel = "front_wheel";
inline constexpr const char* kRearWheel = "rear_wheel";
inline constexpr const char* kCranks = "cranks";

// The benchmark bicycle of Meijaard et al. 2007 with its rigid rider, Table 1.
Bicycle benchmark_bicycle();

// A bicycle as a character: frame, fork, wheels and cranks, nothing driven. Only the wheels touch the ground.
Character make_character(const Bicycle& bicycle, const std::string& name);

// The lowest point of its rear wheel, where it touches the ground. Throws Error for what has none.
Vec3 rear_contact(const Character& bicycle, const std::vector<Pose>& X_WB);

}  // namespace sinew
