#pragma once

#include <optional>
#include <vector>

#include "record/recording.h"

namespace sinew {

// The figures of docs/interface.md that a recording gives.
struct Metrics {
  double seconds = 0;
  bool completed = false;
  std::optional<double> failed_at_s;
  double pose_error_rad = 0;
  double root_height_error_m = 0;
  double root_tilt_error_rad = 0;
  double root_drift_m = 0;
  double foot_slide_m_s = 0;
  double torque_rms_Nm = 0;
  double max_penetration_m = 0;
  double root_residual_N = 0;
};
Metrics measure(const Recording& recording);

// The same as functions of time, a value a frame.
std::vector<double> pose_errors(const Recording& recording);         // rad, rms over joints
std::vector<double> root_height_errors(const Recording& recording);  // m, signed: simulated - reference
std::vector<double> root_tilt_errors(const Recording& recording);    // rad

// Force and torque on the character, about its centre of mass, that neither gravity nor contact nor a push of
// the scene explains: the rate of its momentum less all of those.
std::vector<Momentum> residuals(const Recording& recording);

}  // namespace sinew
