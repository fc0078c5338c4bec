#pragma once

#include "control/controller.h"

namespace sinew {

struct ServoTrackerOptions {
  double start_s = 0;  // time in the reference at the simulation's beginning
  double gain = 1;     // multiplies kp; kd by its root
};

// The plain baseline: every joint's servo is led along the reference, position and velocity; nothing
// balances.
class ServoTracker : public Controller {
 public:
  // Both must outlive it.
  ServoTracker(const Character& character, const Reference& reference,
               const ServoTrackerOptions& options = {});

  void act(const Observation& now, Command& command) override;
  void target(double time_s, VecX& q) const override;

 private:
  const Character& character_;
  const Reference& reference_;
  ServoTrackerOptions options_;
  Command gains_;
};

}  // namespace sinew
