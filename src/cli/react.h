#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulation.h"
#include "control/goals.h"
#include "record/reaction.h"
#include "rollout/auxiliary.h"

// `sinew track --method auxiliary`.
namespace sinew::cli {

// --balance --no-feedforward --then --at --over.
struct ReactOptions {
  std::string balance = "forces";  // or "tracker"
  bool feedforward = true;
  std::string then;  // a clip to go on with; empty: none
  double at_s = -1;  // when; negative: as the first one ends
  double over_s = 0.4;
};
void add_react_options(CLI::App& command, ReactOptions& options);
// As they are typed, each with a blank before it; those at their default are left out.
std::string react_words(const ReactOptions& options);
// The names of all of them.
std::vector<std::string> react_option_names();

// Goals that a user asked for, with what they are made of.
struct ReactScene {
  Scenario scenario;
  std::optional<Reference> second;  // the clip to go on with
  ReactOptions options;
  AuxiliaryOptions method;
  std::vector<std::string> notes;  // in words: what a reader of the result must know

  // Of the motion; this must outlive them.
  Goals goals() const;
};

// The scenario with the clip that follows, if one is named: its length is then that of both. Throws Error.
ReactScene open_react(Scenario scenario, const ReactOptions& options, double seconds);

// How both simulations are made.
struct ReactEngine {
  SimulatorFactory factory;
  double step_s = 0;  // 0: the engine's own
  int seed = 1, threads = 0;
};

// The controller of the simulation `main`, which begins at `start`, and how often it plans. Scene and
// simulation must outlive it.
struct React {
  std::unique_ptr<Controller> controller;
  double plan_hz = 100;
};
React make_react(const ReactScene& scene, const Simulator& main, const State& start,
                 const ReactEngine& engine);

// A simulation of the scene in a world, recorded; the first so many seconds of it.
Recording simulate_react(const ReactScene& scene, const World& world, const State& start,
                         const ReactEngine& engine, double seconds);

// What the balls of a recording did, against the same simulation without any disturbance, which is made here.
// Empty without balls.
std::vector<Reaction> react_reactions(const ReactScene& scene, const Recording& recording, const State& start,
                                      const ReactEngine& engine);

}  // namespace sinew::cli
