#pragma once

#include "search/search.h"
#include "search/tracking.h"

namespace sinew {

struct ReconstructOptions {
  double gain = 3;             // on the character's kp (kd by its root)
  double knot_s = 0.1;
  int horizon = 6;             // knots that are looked ahead
  double plan_step_s = 0.004;  // step of the simulations that look ahead
  double cost_every_s = 0.05;
  int samples = 16;
  int generations = 1;
  double noise = 0.35;         // deviation of a sample's torque, of the joint's limit
  double max_noise_rad = 0.15;
  double way = 1, joint = 0.3;
  double correlation = 0.6;
  double learn = 0.6;
  double offset_unit_rad = 0.4;
  double bend_unit_rad = 0.25;
  double max_offset_rad = 1.2;
  double damping = 0.3;        // of the Gauss-Newton step
  int rewind = 5;
  int max_rewinds = 12;
  TrackingUnits units;
};

// Finds an open-loop control whose simulation performs the reference.
SearchResult reconstruct(const SearchTask& task, const ReconstructOptions& options, const SearchHooks& hooks);

}  // namespace sinew
