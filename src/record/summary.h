#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/reaction.h"

namespace sinew {

// What the quadratic programs of a controller came to.
struct QpFigures {
  long plans = 0;
  long relaxed = 0;  // soft rows gave way
  long failed = 0;   // no usable solution
  double mean_iterations = 0;
  double worst_residual = 0;  // KKT, of what was used
  int most_variables = 0;
};

// What a gait amounts to.
struct Gait {
  double speed_m_s = 0;
  double steps_per_s = 0;
  double step_length_m = 0;
  double stance_fraction = 0;       // of a step, during which its foot is on the ground
  double peak_ground_force_bw = 0;  // body weights, of the mean over 10 ms
};

// What came of fitting a behaviour to another character.
struct AdaptFigures {
  int evaluations = 0;
  double cost_before = 0, cost_after = 0;  // scaled, and tuned
  std::vector<double> intermediates;       // parts of the way at which it was tuned before, between 0 and 1
};

// The figures of one run, as scripts read them from summary.json (docs/interface.md). What a command does not
// measure stays empty and is written as null.
struct Summary {
  std::string command;
  std::string clip;
  std::string character;
  std::string engine;  // empty: no simulation
  std::string world = "flat";
  int seed = 1;
  double seconds = 0;
  bool completed = false;
  std::optional<double> failed_at_s;
  std::optional<double> pose_error_rad;
  std::optional<double> root_height_error_m;
  std::optional<double> root_tilt_error_rad;
  std::optional<double> root_drift_m;
  std::optional<double> foot_slide_m_s;
  std::optional<double> planted_slide_m_s;  // written only of simulations
  std::optional<double> torque_rms_Nm;
  std::optional<double> max_penetration_m;
  std::optional<double> root_residual_N;
  std::optional<double> torque_peak_share;
  std::optional<double> torque_rate_Nm_s;
  std::optional<double> impact_bw;
  std::optional<double> impact_ratio;
  std::optional<double> jerk_ratio;
  std::optional<double> course_error_m;  // rms distance from a course; written only where there is one
  double cpu_s = 0;
  double wall_s = 0;
  std::optional<double> realtime_factor;
  std::optional<long> samples;
  std::optional<QpFigures> qp;  // written only where there is one; so the next ones
  std::optional<std::vector<Reaction>> reaction;
  std::optional<Gait> gait;
  std::optional<AdaptFigures> adapt;
};

// Takes over the figures that a recording gives.
struct Metrics;
void take(Summary& summary, const Metrics& metrics);

// JSON text, pretty-printed, fields in the order above after "sinew": version.
std::string to_json(const Summary& summary);

}  // namespace sinew
