#pragma once

#include <span>
#include <string>

#include "character/reference.h"
#include "character/state.h"

namespace sinew {

// What a controller may know of the simulation.
struct Observation {
  const State& state;
  std::span<const Contact> contacts;      // of the last step
  std::span<const PropState> props = {};  // the world's things; for plans, else none
};

// State, contacts and Reference -> Command. Knows no engine, file or picture.
class Controller {
 public:
  virtual ~Controller() = default;
  // At the plan's rate, before `act` of the same time: whatever is too dear for every step.
  virtual void plan(const Observation&) {}
  // At every step: what the servos shall do. `command` still holds the last one, of the right sizes.
  virtual void act(const Observation& now, Command& command) = 0;
  // Where the character should be at a time of the simulation: what errors are measured against. Size nq.
  virtual void target(double time_s, VecX& q) const = 0;
  // Forces that a method puts on bodies beside its servos, for the next step: none, unless the method says
  // so. They show in `root_residual_N`.
  virtual std::span<const ExternalForce> helping_forces() const { return {}; }
  // What changes between steps, for rollouts that go back in time.
  virtual void save(std::vector<double>&) const {}
  virtual void restore(const std::vector<double>&) {}
};

}  // namespace sinew
