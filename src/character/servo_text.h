#pragma once

#include <optional>
#include <string>
#include <vector>

#include "character/character.h"

namespace sinew {

// One line of servo data: what the text for a joint says; what it leaves out is derived. Angles in rad.
struct ServoEntry {
  std::string joint;  // a joint's name; without left_/right_ it is written for the left and serves both
  std::optional<Vec3> kp, kd, strength, limit, window, lower, upper;
  std::optional<double> contact_scale;
};

// Reads "kp=300 kd=30 strength=1,0.2,1 limit=300 window=0.4,0.4,0.1 contact_scale=3 lower=-20,-30,-40 ...":
// one number stands for all three axes, lower and upper are degrees. Throws Error naming `file`.
ServoEntry parse_servo(const std::string& joint, const std::string& data, const std::string& file);

// Gives every joint its gains, torque limits and windows: from the entries, else derived from the inertia
// that hangs on the joint and the load that it carries at rest, with a note. Needs parts and q_rest. Throws
// Error if an entry names no joint.
void apply_servos(Character& character, const std::vector<ServoEntry>& entries, const std::string& file);

}  // namespace sinew
