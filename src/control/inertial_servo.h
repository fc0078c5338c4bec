#pragma once

#include "character/state.h"

namespace sinew {

// Gains for all joints of a body at once (Nunes et al. 2008, section 4): multiplied by the inertia of what
// hangs on a joint they are those of its servo.
struct InertialGains {
  double ks = 0;            // 1/s^2
  double kd = 0;            // 1/s
  double lambda_rad = 0.1;  // from this error on a servo stiffens,
  double stiffest = 5;      //   up to so many times: M
};

// Eq. 2: how many times as stiff a servo is at an error.
double stiffening(const InertialGains& gains, double error_rad);

// Eq. 1: sets kp and kd of all servos for the way from q to command.q_target. `outboard` is, per coordinate
// of v, the inertia about its axis of all that hangs on its joint: the diagonal of the mass matrix. A ball
// joint stiffens by the angle of its whole error.
void set_gains(const Character& character, const InertialGains& gains, const VecX& outboard, const VecX& q,
               Command& command);

}  // namespace sinew
