#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "control/controller.h"
#include "record/recording.h"
#include "sim/simulator.h"

namespace sinew {

struct RolloutOptions {
  double plan_hz = 100;    // how often Controller::plan is called; more than one a step is one a step
  double record_hz = 100;  // frames a second of the recording; 0: nothing is recorded
};

// The one loop in which a controller meets a simulator: plan, act, disturb, step, record. Live use calls
// advance() as the clock goes, commands call it to the end, searches save and restore it.
class Rollout {
 public:
  // The simulator stands where the rollout shall begin. All must outlive it.
  Rollout(Simulator& simulator, Controller& controller, const RolloutOptions& options = {});

  // One step of the simulator; does nothing once it has diverged.
  StepStatus advance();
  // As many steps as fit into the time; `keep_going` is asked after each frame of the recording and may end
  // it.
  StepStatus run(double seconds, const std::function<bool(double time_s)>& keep_going = {});

  // A force of the scene for the next step alone, beside its pushes and recorded like them: what a hand does.
  void push(const ExternalForce& force) { hands_.push_back(force); }

  double time_s() const { return simulator_.state().time_s; }
  // What was recorded so far: a frame every so many steps, each with the step that follows it.
  Recording& recording() { return recording_; }

  // The loop with simulator, controller and disturbances, not what was recorded.
  struct Saved {
    Snapshot simulator;
    std::vector<double> controller;
    std::vector<Contact> contacts;  // of the last step, which the controller may ask for
    Command command;
    long steps = 0;
  };
  void save(Saved& into) const;
  void restore(const Saved& from);

 private:
  void disturb();
  void plan();
  std::span<const Contact> last_contacts() const;
  void measure_depth();
  void begin_frame();
  void end_frame();

  Simulator& simulator_;
  Controller& controller_;
  Command command_;
  Recording recording_;
  std::vector<ExternalForce> hands_;   // of the step to come
  std::vector<ExternalForce> pushes_;  // of this step
  std::vector<Contact> contacts_;      // of the last step, where the simulator itself was set back
  bool went_back_ = false;
  long steps_ = 0;
  long plan_every_ = 1, record_every_ = 0;
  double max_depth_m_ = 0;
  StepStatus status_ = StepStatus::kOk;
};

// How long a ball flies before it hits.
double flight_s(const Throw& thrown);

// Where the balls of the throws start and how fast, so that they hit at their time: called by the rollout as
// the flight must begin.
PropState aim(const Throw& thrown, double ball_radius_m, const Character& character, const State& state,
              const Vec3& gravity, double flight_s);

}  // namespace sinew
