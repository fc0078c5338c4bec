#pragma once

#include <memory>

#include "character/footfalls.h"
#include "control/controller.h"
#include "control/open_loop.h"
#include "search/planner.h"

namespace sinew {

// One set of these serves all motions and characters.
struct PreviewOptions {
  double start_s = 0;            // time in the reference at the simulation's beginning
  double full_torque_rad = 0.3;  // error at which a servo uses all that its joint has
  bool feedforward = true;       // the torques that the motion asks for are added to the servos'
  LookAheadOptions look{.push_bw = 0.2};
  // Heights and vertical speeds count for more than in a search: nothing mends a hard landing afterwards.
  TrackingUnits units{.com_height_m = 0.015,
                      .com_velocity = 0.15,
                      .com_rise = 0.08,
                      .end_height_m = 0.015,
                      .end_velocity = 0.4};
  PlannerOptions plan{.correlation = 0.85, .free_hands = false, .good_cost = 25, .in_danger = 0.2};
  // What a plan is worth after one that was good, looking ahead with long steps, and after a poor one.
  Effort easy{7, 2}, hard{11, 2};
  double hard_cost = 40;  // Outcome::cost of a poor one
  int horizon = 7;        // knots that are looked ahead
  double brief_s = 0.3;   // stances that are shorter are looked at finely,
  int fine_knots = 3;     // over so many knots
  // The reference follows a character that went astray, so that it is this near: in the plane, and about the
  // vertical.
  double astray_m = 0.3, astray_rad = 0.3;
  uint64_t seed = 1;
  ExecutorFactory executor = on_threads(1);
};

// Tracks a motion by a sampled preview: ten times a second, from where the character is, it improves its plan
// for the next 0.7 s on a model of its own (`Planner`); at every step servos follow the plan's targets,
// helped by the torques that the motion itself asks for. Knows the simulator by state alone, and sees where
// the things of the world are; thrown balls it does not see.
class PreviewTracker : public Controller {
 public:
  // The character and world as the controller believes them to be; thrown balls and pushes surprise it.
  PreviewTracker(const Character& believed, const World& world, const Reference& reference,
                 const PreviewOptions& options = {});
  ~PreviewTracker() override;

  double plan_hz() const { return 1 / options_.look.knot_s; }  // at which `plan` wants to be called
  void plan(const Observation& now) override;
  void act(const Observation& now, Command& command) override;
  void target(double time_s, VecX& q) const override;
  void save(std::vector<double>& into) const override;
  void restore(const std::vector<double>& from) override;

 private:
  void follow(const State& state);
  std::vector<PropState> seen(const Observation& now) const;
  void preview_reference(int knot, const std::vector<PropState>& props);

  const PreviewOptions options_;
  SearchTask task_;
  Tracking tracking_;
  Footfalls footfalls_;
  std::unique_ptr<const Feedforward> feedforward_;
  LookAheadTask shared_;
  std::unique_ptr<Planner> planner_;
  OpenLoop control_;
  OpenLoopController servo_;
  std::function<double(double, double)> ground_;
  double cost_ = 1e9;  // Outcome::cost of the last plan
  Pose X_astray_;      // what brings the reference near the character
};

}  // namespace sinew
