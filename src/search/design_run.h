#pragma once

#include <functional>
#include <vector>

#include "rollout/run_behaviour.h"
#include "search/minimise.h"
#include "search/run_trial.h"

namespace sinew {

// What a run must master that is designed from the ground up: straight on, pushes from all sides, slower,
// faster, round a bend.
std::vector<RunScene> design_scenes();

// Improves all parameters of a run for the character that it is for, from where they are. `start` is the
// state that scenes begin in. The result begins amid the run that was found.
struct DesignResult {
  RunBehaviour behaviour;
  Minimum search;
};
DesignResult design_run(const Character& character, const World& world, const SimulatorFactory& engine,
                        const RunBehaviour& from, const MinimiseOptions& options,
                        const ExecutorFactory& executor,
                        const std::function<bool(const MinimiseReport&)>& progress = {});

// The state amid a run, at the top of a flight before the left leg lands, after it has settled; at the
// origin. Throws Error if it falls before.
State steady_state(const RunTask& task, const RunParameters& parameters, double settle_s = 20);

}  // namespace sinew
