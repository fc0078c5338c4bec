#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "character/reference.h"
#include "control/open_loop.h"
#include "search/executor.h"
#include "sim/simulator.h"
#include "world/world.h"

// What every search for an open-loop control is given, says while it works, and returns.
namespace sinew {

struct SearchTask {
  Character character;
  World world;
  Reference reference;  // placed in the world
  double start_s = 0;   // time in the reference at the simulation's beginning
  double seconds = 0;   // how long to perform
  State start;
  SimulatorFactory engine;
  double step_s = 0;  // 0: the engine's own choice
  uint64_t seed = 1;
};

// How far a search has come.
struct SearchReport {
  double time_s = 0;  // up to which the control is found
  double cost = 0;    // of the best candidate
  double root_height_m = 0, reference_height_m = 0;
  long samples = 0;  // simulated so far
  int rewinds = 0;
  const OpenLoop* control = nullptr;  // found so far, where the search can tell; valid during the call alone
};

// All that a search needs to go on later, bit for bit; means something only to the search that wrote it.
using Checkpoint = std::vector<double>;

struct SearchHooks {
  ExecutorFactory executor = on_threads(1);  // called once, and before anything depends on results
  // After every step of the search; `save` makes a checkpoint. False: stop here.
  std::function<bool(const SearchReport&, const std::function<Checkpoint()>& save)> progress;
  std::optional<Checkpoint> resume;
};

struct SearchResult {
  OpenLoop control;
  double reached_s = 0;  // up to which the search kept the motion; `seconds` if all of it
  bool interrupted = false;
  std::string lost;  // in words: what lost the track where, and what to try; empty if nothing did
  long samples = 0;  // rollouts that were simulated
  int rewinds = 0;
};

}  // namespace sinew
