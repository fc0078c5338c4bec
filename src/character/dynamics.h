#pragma once

#include "character/character.h"
#include "character/state.h"

// Masses in motion: what Newton and Euler say of a Character, without any engine. Joints' rotor inertias
// (`armature`) count; passive springs, dampers and limits are forces and do not.
namespace sinew {

// Of all bodies, angular about the world's origin; kg m/s and kg m^2/s. Rotors have none.
Momentum momentum(const Character& character, const VecX& q, const VecX& v);

// Generalized forces that make the accelerations `a` (the derivative of v, size nv) under gravity (in W,
// m/s^2), by recursive Newton-Euler: M a + bias. The root's rows are a force in W at the root's origin and a
// torque in B, as its rows of v are; the others N m (N for slides).
VecX inverse_dynamics(const Character& character, const VecX& q, const VecX& v, const VecX& a,
                      const Vec3& gravity);

// The nv x nv symmetric inertia matrix, by composite rigid bodies.
MatX mass_matrix(const Character& character, const VecX& q);

// Joules; potential energy is 0 with the centre of mass at the world's origin.
double kinetic_energy(const Character& character, const VecX& q, const VecX& v);
double potential_energy(const Character& character, const VecX& q, const Vec3& gravity);

}  // namespace sinew
