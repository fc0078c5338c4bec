#pragma once

#include "search/planner.h"
#include "search/search.h"

namespace sinew {

// One set of these serves all motions and characters.
struct ReconstructOptions {
  double gain = 6;  // on the character's kp; kd by its root
  LookAheadOptions look;
  TrackingUnits units;
  int horizon = 5, far_horizon = 8;  // knots that are looked ahead; the second where it is hard:
                                     //   more than the feet touch, beside an edge, in danger,
  double hard_cost = 40;             //   or after a plan that costs more: Outcome::cost
  double brief_s = 0.15;             // stances that are shorter are looked at finely
  int back_horizon = 16;             // the most that is looked ahead after going back
  int samples = 13;                  // a generation: odd, since the plan or what was learnt is one more job
  int generations = 2;               // a knot
  PlannerOptions plan{.noise = 0.5, .max_noise_rad = 0.2, .good_cost = 20, .poor_cost = 60};
  double lost = 0.9, end_lost = 0.48;  // Tracking::danger
  double lost_pose_rad = 0.7;          //   a pose that is so far off is as bad as a danger of 1
  double hopeless = 2;                 // of a plan: it is better to go back at once
  double narrow_cost = 250;            //   likewise beside an edge: Outcome::cost
  double narrow_size = 0.7;            // of the noise beside an edge
  int max_rewinds = 6;
  double max_samples_per_s = 1500;  // of motion: more are not spent on going back
};

// Finds an open-loop control whose simulation performs the reference: sampling, first of its kind Liu et al.
// 2010, with a receding horizon. From where the simulation is, samples of the offsets at the next knots are
// simulated ahead on a coarse model; their residuals tell how the tracking error depends on the offsets, so
// that a Gauss-Newton step among the samples improves them; then one knot's time is simulated by the engine
// itself, and so on. Where the motion is lost, it goes back to where it was safe and tries harder. The same
// for a seed at any number of threads or ranks.
SearchResult reconstruct(const SearchTask& task, const ReconstructOptions& options, const SearchHooks& hooks);

}  // namespace sinew
