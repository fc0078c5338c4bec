#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/simulation.h"
#include "control/mcsim.h"

// A character that follows a motion, by the words that `sinew track` knows.
namespace sinew::cli {

struct TrackerOptions {
  std::string method = "mcsim";    // or servo
  std::string recipe = "default";  // of mcsim, or paper
  McsimOptions mcsim;              // of the paper's recipe; its friction and start are found here
  std::string believe;             // --believe
  int seed = 1;
  int threads = 1;  // 0: one a core
};

// The paper's recipe, with its quadratic programs.
bool plans_forces(const TrackerOptions& options);

// Seconds: what the user wants, else the engine's own, which is too long for the paper's recipe: its servos
// follow up to ten times between two plans.
double step_of(const SceneOptions& scene, const TrackerOptions& options);

struct Tracked {
  Recording recording;
  std::optional<McsimCounts> counts;  // of the paper's recipe
};

// Simulates from a start, calling `Controller::plan` at the rate that the controller wants.
using Perform = std::function<Recording(Simulator&, Controller&, const State& start, double plan_hz)>;

// Builds simulator and controller and has them perform. Throws Error.
Tracked track(const Scenario& scenario, const SceneOptions& scene, const TrackerOptions& options,
              const Perform& perform);

}  // namespace sinew::cli
