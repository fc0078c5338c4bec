#pragma once

#include "character/bicycle.h"
#include "character/character.h"

namespace sinew {

// What of a bicycle does not follow from who rides it: Hodgins and Pollard 1997, Figure 3, the man's. Their
// "wheel radius" is evidently a diameter.
struct BicycleSizes {
  double wheel_radius_m = 0.333;
  double wheel_mass_kg = 1.117;
  double frame_mass_kg = 3.46;  // all but the wheels
};

// A bicycle that fits a rider: saddle, cranks and bars where legs, trunk and arms want them. Throws Error for
// a rider without thighs, feet, upper arms or hands.
Bicycle bicycle_for(const Character& rider, const BicycleSizes& sizes = {});

// The names of the springs that hold hands and feet.
inline constexpr const char* kLeftGrip = "left_grip";
inline constexpr const char* kRightGrip = "right_grip";
inline constexpr const char* kLeftPedal = "left_pedal";
inline constexpr const char* kRightPedal = "right_pedal";

// Rider and bicycle as one character, whose root is the frame: the pelvis sits firmly on the saddle, hands
// and feet are held by springs, which nothing drives. The rider's joints keep their names, limits and torque
// limits. The rest stance is the seat, with the left pedal down. Bodies pass through each other and touch
// the ground alone. Throws Error as bicycle_for does, and for joints that are no hinges.
Character mount(const Character& rider, const Bicycle& bicycle);

// Coordinates with hands and feet where cranks and bars are turned to, the rest as in `q`.
void seat(const Character& mounted, double crank_rad, double steer_rad, VecX& q);

}  // namespace sinew
