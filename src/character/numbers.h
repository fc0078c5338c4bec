#pragma once

#include <span>
#include <string>
#include <vector>

#include "character/character.h"
#include "character/scaling.h"

// A character as a flat set of numbers: masses, centres, inertias, offsets, sizes, gains, limits and the rest
// stance. What remains are names and the tree. Numbers can be interpolated and varied, and made a character
// of again, which MJCF is made from (write_mjcf).
namespace sinew {

struct Number {
  std::string name;  // "left_thigh.mass", "left_hip.limit.0", ...
  Dimension dimension;
  double value = 0;
};

std::vector<Number> character_numbers(const Character& character);

// A character like another one, with these numbers in the same order; quaternions are made unit length.
// Throws Error if there are more or less of them.
Character with_numbers(const Character& like, std::span<const double> values);

// Part of the way from one character to another: 0 is `from`, 1 is `to`; all numbers on straight lines.
// Throws Error if their bodies, joints or shapes are not the same.
Character blend(const Character& from, const Character& to, double part);

// The same without names: into a character that already is a blend of the two. For every step of a
// simulation.
void blend_into(const Character& from, const Character& to, double part, Character& into);

// Why two characters cannot be blended, in words; empty if they can.
std::string topology_difference(const Character& a, const Character& b);

}  // namespace sinew
