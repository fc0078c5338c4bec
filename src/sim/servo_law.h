#pragma once

#include "character/state.h"

namespace sinew {

// What acts along one coordinate, as a straight line in the velocity v1 at the end of the step:
//   servo  s - S v1, cut to [-limit, limit];  passive  p - P v1.
// Taking v1 there is what makes the servo stable (stable PD, Tan et al. 2011).
struct AxisLaw {
  double servo_drive = 0;      // s = kp e + kd v_target + torque
  double servo_damping = 0;    // S = kd + h kp
  double passive_drive = 0;    // p: springs and stops
  double passive_damping = 0;  // P
};

// The laws of all coordinates of v at a state; the root's are zero. Stops are those of ball joints, as boxes
// of the rotation vector; those of hinges are the engine's.
void servo_laws(const Character& character, const State& state, const Command& command, double step_s,
                std::vector<AxisLaw>& out);

}  // namespace sinew
