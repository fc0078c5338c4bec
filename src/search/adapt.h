#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rollout/run_behaviour.h"
#include "search/minimise.h"
#include "search/run_trial.h"

// Fits the run of one character to another: scaling, then tuning of five parameters, over characters in
// between where the way is too far (Hodgins and Pollard 1997, section 4).
namespace sinew {

struct AdaptTask {
  Character from, to;
  RunBehaviour behaviour;  // of `from`
  World world;
  SimulatorFactory engine;
  Scaling scaling = Scaling::kByMass;
  Method method = Method::kCma;
  int evaluations = 120;  // for the last character; those in between get half
  double seconds = 15;    // of each evaluation
  double enough_s = 10;   // a scaled run that lasts so long can be tuned
  uint64_t seed = 1;
};

struct AdaptReport {
  double part = 0;      // of the way between the characters that is tuned now
  int evaluations = 0;  // in all
  MinimiseReport search;
  RunParameters best;  // where the least cost was seen, for the character there
};

struct AdaptResult {
  RunBehaviour behaviour;  // of `to`
  double cost_before = 0;  // of the run as it was scaled for `to`
  double cost_after = 0;
  int evaluations = 0;
  std::vector<double> intermediates;  // parts of the way that were tuned before
  bool found = false;                 // it does not fall in the time of an evaluation
  bool interrupted = false;
  std::vector<std::string> notes;  // in words
};

// One executor does all of it: a job is a character's part of the way and all parameters. `progress` is
// called after every generation: `save` makes a checkpoint with which `resume` goes on to the same end; false
// stops. Throws Error for a checkpoint of another search.
AdaptResult adapt_run(
    const AdaptTask& task, const ExecutorFactory& executor,
    const std::function<bool(const AdaptReport&, const std::function<Checkpoint()>& save)>& progress = {},
    const std::optional<Checkpoint>& resume = {});

// Who is tuned at a part of the way, and that one's run, from the one of `from`, scaled.
Character character_at(const AdaptTask& task, double part);
RunBehaviour scaled_part(const AdaptTask& task, const Character& character);

}  // namespace sinew
