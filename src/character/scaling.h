#pragma once

#include <string>

#include "character/character.h"

// How numbers change with the size and the weight of a body: Hodgins and Pollard 1997, Figure 6. Gravity and
// the density of flesh do not scale, so that times go with the root of a length.
namespace sinew {

// The exponents of length, time and force in a quantity's unit; a torsional damping, N m s, is {1, 1, 1}.
struct Dimension {
  double length = 0, time = 0, force = 0;
};

inline constexpr Dimension kPure{0, 0, 0};
inline constexpr Dimension kLength{1, 0, 0};
inline constexpr Dimension kTime{0, 1, 0};
inline constexpr Dimension kSpeed{1, -1, 0};
inline constexpr Dimension kRate{0, -1, 0};
inline constexpr Dimension kForce{0, 0, 1};
inline constexpr Dimension kTorque{1, 0, 1};
inline constexpr Dimension kMass{-1, 2, 1};
inline constexpr Dimension kInertia{1, 2, 1};
inline constexpr Dimension kTorsionalStiffness = kTorque;
inline constexpr Dimension kTorsionalDamping{1, 1, 1};

// In words of the unit: "m", "N m s/rad" and so on, for those above; else the exponents.
std::string unit_name(const Dimension& dimension);

// How much larger one body is than another.
struct Ratios {
  double length = 1;   // L, of the legs
  double mass = 1;     // M, of the bodies that the quantity moves
  double inertia = 1;  // I, of those bodies about the joint that moves them
};

// What a quantity is multiplied with: for bodies of the same shape, who differ in size alone; and for bodies
// whose masses and inertias differ as well. Without a force in the dimension both are the same.
double geometric_factor(const Dimension& dimension, double length);
double mass_factor(const Dimension& dimension, const Ratios& ratios);

// Inertia, kg m^2, of all that hangs on a joint about its (first) axis, standing at rest; the joint's own
// rotor counts.
double hanging_inertia(const Character& character, int joint);

// Inertia of the whole character but what hangs on a joint, about that joint's axis: what a leg on the ground
// turns.
double carried_inertia(const Character& character, int joint);

// The joint of this name, or -1.
int find_joint(const Character& character, const std::string& name);

}  // namespace sinew
