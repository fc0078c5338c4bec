#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/common_options.h"
#include "cli/progress.h"
#include "record/recording.h"
#include "rollout/run_behaviour.h"
#include "rollout/run_meter.h"
#include "sim/simulator.h"

// What the commands about running have in common.
namespace sinew::cli {

// The run that comes with Sinew, assets/behaviours/run.json, or one from a file. Throws Error.
RunBehaviour open_run(const std::string& file = "");

// A run and whose it is.
struct Running {
  Character character;
  RunBehaviour behaviour;
  std::vector<std::string> notes;  // in words: what was scaled
};

// The run as a character can do it: scaled, where it is not the character's own. Throws Error.
Running run_of(const Character& character, const RunBehaviour& behaviour);

// The step of the simulator for a character: as asked, or its own where 0 is.
double run_step_s(const Character& character, double asked_ms);

// One run, recorded and measured at every step. `before` is called before each step and may change what is
// run; false ends it. One step of progress. A signal ends the program before anything is written.
struct RunResult {
  Recording recording;
  Gait gait;
  bool fell = false;
  double seconds = 0;  // until it fell
};
RunResult perform_run(Simulator& simulator, Runner& runner, const State& start, double seconds,
                      Progress& progress, const std::function<void(double time_s)>& before = {});

}  // namespace sinew::cli
