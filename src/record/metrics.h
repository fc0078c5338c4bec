#pragma once

#include <optional>
#include <vector>

#include "record/recording.h"

namespace sinew {

// What counts as performed: never off by more than this for more than 0.1 s in a row, nearer at the end.
inline constexpr double kMaxHeightError_m = 0.30, kMaxEndHeightError_m = 0.15;
inline constexpr double kMaxTiltError_rad = radians(60), kMaxEndTiltError_rad = radians(30);
// Without a reference: the trunk never tilts more than kMaxTiltError_rad, the root never sinks below this
// share of its height in the rest stance.
inline constexpr double kMinStandingShare = 0.6;

// The figures of docs/interface.md that a recording gives. Those against the reference are 0 where it has
// none.
struct Metrics {
  double seconds = 0;
  bool completed = false;
  std::optional<double> failed_at_s;  // when that was first broken; the last frame if the engine diverged
  double pose_error_rad = 0;          // rms over time, ball joints and hinges
  double root_height_error_m = 0;     // rms
  double root_tilt_error_rad = 0;     // rms
  double root_drift_m = 0;            // horizontal, in the last frame
  double foot_slide_m_s = 0;     // mean over the contacts of feet and toes that press on ground by 5 N or
                                 //   more: speed in the plane of contact, against ground that moves itself
  double planted_slide_m_s = 0;  // the same of feet that bear load from 0.05 s before to 0.05 s after
  double torque_rms_Nm = 0;      // over time and the axes of ball joints and hinges
  double max_penetration_m = 0;  // deepest overlap with ground or prop, less what soft ones give
  double root_residual_N = 0;    // the largest force (N) or torque (N m) of residuals()
  // Quality, of record/quality.h. Empty where a recording cannot tell.
  std::optional<double> torque_peak_share;
  std::optional<double> torque_rate_Nm_s;
  std::optional<double> impact_bw;
  std::optional<double> impact_ratio;  // to the reference's
  std::optional<double> jerk_ratio;
};
Metrics measure(const Recording& recording);

// The rms over ball joints (angle of the relative rotation) and hinges (difference), rad.
double pose_error(const Character& character, const VecX& q, const VecX& q_reference);

// The same as functions of time, a value a frame; 0 in frames without a reference.
std::vector<double> pose_errors(const Recording& recording);
// Simulated less reference, m: each root above the ground under itself (the reference's: reference_ground).
// Where an edge lies between the roots (the ground rises by more than 0.6 of their distance) or within 15 cm
// of the simulated one the plain difference of their heights in the world counts, if it is smaller.
std::vector<double> root_height_errors(const Recording& recording);
// The angle between the roots' up axes once the simulated root is turned about the vertical, so that its
// heading is the reference's, rad.
std::vector<double> root_tilt_errors(const Recording& recording);

// The squared distance between simulated and reference state, as da Silva et al. 2008 plot it: angles of the
// joints, height and tilt of the root (rad, m), and all velocities (rad/s, m/s). Where the root is in the
// plane, and its heading, count for nothing. The reference's velocities are differences of its coordinates.
std::vector<double> squared_state_errors(const Recording& recording);

// Force and torque on the character, about its centre of mass, that neither gravity nor contact nor a push of
// the scene explains: the rate of its momentum less all of those. A value a frame.
std::vector<Momentum> residuals(const Recording& recording);

}  // namespace sinew
