#pragma once

#include <cstdint>
#include <map>

#include "core/random.h"
#include "search/look_ahead.h"

namespace sinew {

struct PlannerOptions {
  double noise = 0.35;          // of a sample: deviation of a joint's torque, of its limit
  double max_noise_rad = 0.15;  //   but not more than this
  double way_share = 0.4;       // of the noise, along the ways of feet and hands
  double joint_share = 0.02;    //   and of each joint for itself
  double correlation = 0.6;     // of the noise from knot to knot
  double shrink = 0.7;          // of the noise from generation to generation
  double learn = 0.6;           // of the joints' errors, that the offsets take over
  double damping = 0.05;        // of the Gauss-Newton step
  double max_offset_rad = 1.2;
  bool free_hands = true;    // hands that bear no load are moved too
  double good_cost = 0;      // Outcome::cost of a plan that one generation is enough for
  double poor_cost = 1e9;    // of a first plan that is worth as much as one in danger
  double in_danger = 0.6;    // Tracking::danger: from here on
  int hard_generations = 6;  //   up to so many generations
};

// How much a plan is worth.
struct Effort {
  int samples = 12;       // a generation
  int generations = 2;    // more where the plan is in danger
  double size = 1;        // of the noise, at first
  bool thorough = false;  // the first generation has a careful step, too
};

// Finds offsets of the coming knots whose simulation stays near the reference: samples of them are simulated
// ahead on a coarse model; their residuals tell how the tracking error depends on the offsets, so that a
// Gauss-Newton step among the samples improves them.
class Planner {
 public:
  // `shared` must outlive it; its reference may change between plans.
  Planner(const LookAheadTask& shared, const PlannerOptions& options, const ExecutorFactory& executor);

  // Improves a plan from here on; what is simulated of it then. Its first knot is settled unless it is free.
  // The same for a seed and round at any number of threads or ranks.
  Outcome improve(const Outlook& from, Plan& plan, bool first_is_free, const Effort& effort, uint64_t seed,
                  uint64_t round);

  long samples() const { return samples_; }  // simulated so far

 private:
  // What was simulated from one place so far.
  struct Seen {
    std::vector<Plan> plans;
    std::vector<Outcome> outcomes;
  };
  const MatX& ways(int knot);
  std::vector<Outcome> simulate(const Outlook& from, const std::vector<Plan>& plans);
  void try_out(const Outlook& from, const std::vector<Plan>& candidates, Seen& seen);
  void bound(Plan& plan) const;
  Plan learnt(const Plan& plan, const Outcome& outcome, bool first_is_free) const;
  Plan sampled(int knot, const Plan& plan, bool first_is_free, double size, Random random);
  std::vector<Plan> stepped(const Plan& plan, const Outcome& outcome, const Seen& seen) const;

  const LookAheadTask& shared_;
  const PlannerOptions options_;
  VecX noise_;                // nv, rad
  std::map<int, MatX> ways_;  // of knots not long ago and to come
  std::unique_ptr<Executor> executor_;
  long samples_ = 0;
};

}  // namespace sinew
