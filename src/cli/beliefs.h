#pragma once

#include <optional>
#include <string>

#include "character/alter.h"
#include "world/world.h"

// What a user types after --alter and --believe: how a character differs from its file, and what its
// controller takes for true.
namespace sinew::cli {

// "left_leg=2,foot_length=-0.04": masses of groups of bodies multiplied, feet longer by so many metres.
// Empty: no change. Throws Error naming the word that is wrong.
Alteration parse_alteration(const std::string& text);

// Against what is simulated.
struct Belief {
  std::string file;  // a character of the same bodies and joints; empty: the simulated one, altered
  Alteration alteration;
  std::optional<double> friction;    // of all ground
  std::optional<double> softness_s;  // of all ground: World's meaning
};

// FILE.xml, or words as of an alteration and "friction=1.5", "softness=0". Throws Error.
Belief parse_belief(const std::string& text);

// The character and the world that are believed in. Throws Error for a file whose character has other bodies,
// joints or contact points.
Character believed(const Character& simulated, const Belief& belief);
World believed(World simulated, const Belief& belief);

}  // namespace sinew::cli
