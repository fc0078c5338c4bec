#pragma once

#include <functional>
#include <vector>

#include "rollout/run_behaviour.h"
#include "search/minimise.h"
#include "search/run_trial.h"

namespace sinew {

// What a run must master that is designed from the ground up; each stage has the ones before in it.
enum class DesignStage {
  kStraight,  // straight on
  kSpeeds,    // slower and faster, and by other bodies, scaled
  kAll,       // pushes from all sides and bends as well
};
std::vector<RunScene> design_scenes(DesignStage stage);

// Improves all parameters of a run for the character that it is for, from where they are. It is judged by
// the runs of other bodies as well, for which it is scaled: what they share carries over.
struct DesignTask {
  // Another body and the speed at which it should run.
  struct Other {
    Character character;
    double speed_m_s = 0;
  };

  Character character;
  std::vector<Other> others;  // from DesignStage::kSpeeds on
  RunBehaviour from;          // of `character`
  World world;
  SimulatorFactory engine;
  DesignStage stage = DesignStage::kAll;
  MinimiseOptions search;
};

// The result begins amid the run that was found, where that lasts; else as the first did.
struct DesignResult {
  RunBehaviour behaviour;
  Minimum search;
};
DesignResult design_run(const DesignTask& task, const ExecutorFactory& executor,
                        const std::function<bool(const MinimiseReport&)>& progress = {});

// The state amid a run, at the top of a flight before the left leg lands, after it has settled; at the
// origin. Throws Error if it falls before.
State steady_state(const RunTask& task, const RunParameters& parameters, double settle_s = 20);

}  // namespace sinew
