#pragma once

#include <memory>
#include <vector>

#include "search/executor.h"
#include "search/search.h"
#include "search/tracking.h"

namespace sinew {

// Offsets of successive knots of a control, nv each.
using Plan = std::vector<VecX>;

struct LookAheadOptions {
  double knot_s = 0.1;      // between the knots
  double step_s = 0.005;    // of the simulations that look ahead, whatever the engine's own
  int looks = 2;            // at the cost, a knot
  double last_weight = 2;   // of the last look
  double offset_rad = 0.4;  // units of offsets and of their changes from knot to knot
  double change_rad = 0.25;
  // Unit of pushes from the ground beyond the motion's own and of leg against leg, in weights; 0: they are
  // free.
  double push_bw = 0;
};

// All that those who look ahead share; a plain value that outlives them.
struct LookAheadTask {
  const SearchTask* task = nullptr;
  const Tracking* tracking = nullptr;
  OpenLoop gains;                  // without knots
  std::vector<Posture> reference;  // at each look from knot `first` on
  LookAheadOptions options;
  int first = 0;
  const Feedforward* feedforward = nullptr;  // what the servos are helped by; none: nothing

  const Posture& at(int knot, int look = 0) const;
};

// Of a simulation that looks ahead: twice as long as `step_s`, which is quick and good enough for what is
// easy, and as long.
enum class Steps { kLong, kUsual };

// Where a simulation is at a knot, to look ahead from there.
struct Outlook {
  int knot = 0;
  State state;
  std::vector<PropState> props;
  Steps steps = Steps::kUsual;
  int finely = 0;  // so many knots at first take steps half as long: for feet that hardly touch the ground
};

// What a simulation of a plan gave.
struct Outcome {
  double cost = 0;    // a knot
  double danger = 0;  // Tracking::danger, the largest
  std::vector<double>
      errors;  // [knot][nv - 6]: reference less simulated joints, rad, at the knots after the first
  std::vector<double> residuals;  // their squares are the cost of all knots
};

// A job: simulate the plan, of two knots or more, from the outlook. Its result is an Outcome.
Numbers pack(const Outlook& from, const Plan& plan);
Outcome unpack(const Numbers& result, int knots, int joints);

// Makes those that simulate plans, on models of their own: MuJoCo with steps of `step_s`. `shared` must
// outlive them.
EvaluatorFactory look_ahead(const LookAheadTask& shared);

}  // namespace sinew
