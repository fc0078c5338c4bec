#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "character/state.h"
#include "world/world.h"

namespace sinew {

struct SimulatorOptions {
  double step_s = 0;   // 0: the engine's own choice
  bool rough = false;  // for looking ahead: the engine may save work where torque limits hold nearly as well
};

enum class StepStatus {
  kOk,
  kDiverged,  // no sense can be made of the state any more; it is the last good one and does not move again
};

// The bytes of a saved state. They mean something only to the simulator that saved them and its clones.
using Snapshot = std::vector<double>;

// A black box in which one character meets one world: takes a Command and makes the next State. Not to be
// used from two threads at once; clones may be used beside each other.
//
// contacts(), torques() and momentum_rate() tell of the last step; after set_state() or restore() there is
// none to tell of, and they are empty or zero.
class Simulator {
 public:
  virtual ~Simulator() = default;

  virtual std::string engine() const = 0;
  virtual const Character& character() const = 0;
  virtual const World& world() const = 0;
  virtual double step_s() const = 0;

  // The present state; valid until the next call that changes it.
  virtual const State& state() const = 0;
  // Puts the character somewhere, at rest or moving, and the clock to the state's time. Warm starts and
  // contacts of the past are forgotten. kMoved props go where they are at that time, others stay. Throws
  // Error for a state of another size or that is not finite.
  virtual void set_state(const State& state) = 0;

  // One step of step_s(). External forces added since the last step act in it and are then gone. Throws Error
  // for a command of another size or with a limit below 0.
  virtual StepStatus step(const Command& command) = 0;
  virtual void add_force(const ExternalForce& force) = 0;

  // Of the last step: what touched what, with the forces that acted.
  virtual std::span<const Contact> contacts() const = 0;
  // Of the last step: the torque of each servo, size nv, root 0; within the command's limits.
  virtual const VecX& torques() const = 0;
  // Of the last step: the rate of change of the character's momentum, measured on the velocities of its
  // bodies before and after, not on the forces. Its angular part is about the world's origin.
  virtual Momentum momentum_rate() const = 0;

  virtual PropState prop(int index) const = 0;
  virtual void set_prop(int index, const PropState& state) = 0;

  // Save, restore, step is byte-equal to step: warm starts are part of the snapshot; commands and external
  // forces are not, they are given again. `save` reuses the memory of `into`; `restore` throws Error for a
  // snapshot of another size.
  virtual void save(Snapshot& into) const = 0;
  virtual void restore(const Snapshot& from) = 0;
  // Another simulator in the same state.
  virtual std::unique_ptr<Simulator> clone() const = 0;

  // The same bodies, joints and shapes with other masses, inertias, sizes, offsets, gains and limits, from
  // the next step on. Coordinates and velocities stay; snapshots of before remain valid. Throws Error if the
  // topology differs.
  virtual void reshape(const Character& character) = 0;
};

// Builds a simulator. The character stands in its rest stance on the ground at the origin. Throws Error for
// what the engine cannot do.
using SimulatorFactory =
    std::function<std::unique_ptr<Simulator>(const Character&, const World&, const SimulatorOptions&)>;

}  // namespace sinew
