#pragma once

#include <memory>
#include <vector>

#include "control/goals.h"
#include "control/helping_hand.h"
#include "control/inertial_servo.h"
#include "rollout/rollout.h"

namespace sinew {

// One set of these serves all motions and characters.
struct AuxiliaryOptions {
  InertialGains high{.ks = 10000, .kd = 40};  // of the auxiliary simulation
  double low = 0.05;                          // ks of the main simulation, as a share of that; kd is the same
  bool feedforward = true;                    // false: the main simulation's own servos alone
  HelpingHandOptions hand;
};

// What an auxiliary simulation knows of a world: of thrown balls those that are expected, of pushes none. All
// things are still there, so that they keep their places.
World as_expected(World world);

// The character of an auxiliary simulation: it does not feel itself. A motion often puts a hand into the
// chest or an arm into the other; torques that press them against each other would be no feedforward for a
// body that gives way a little.
Character that_passes_itself(Character character);

// Feedforward from an auxiliary simulation (Nunes et al. 2008). Beside the main simulation, step by step,
// goes another of the same character: high-gain servos make it follow the goals faithfully. Its torques are
// the feedforward of the main one, and its velocities the desired ones, so that low gains follow there as
// well, and give way to whatever the auxiliary simulation did not foresee.
//
// Balance is kept either by helping forces on pelvis and feet in both simulations, or by a tracker without
// any: then the auxiliary simulation follows the tracker, and the main one the auxiliary. Whenever the
// tracker plans, it does so from where the main character is, and the auxiliary one's root and legs are put
// there: legs are as soft as that rate allows, the rest of the body stays as soft as its gains.
class AuxiliaryTracker : public Controller {
 public:
  // `auxiliary` is a simulator of its own: the character `that_passes_itself` in the world `as_expected`, at
  // the state where the main simulation begins, of the same step. Without a tracker, forces help.
  AuxiliaryTracker(std::unique_ptr<Simulator> auxiliary, Goals goals, const AuxiliaryOptions& options = {},
                   std::unique_ptr<Controller> tracker = nullptr);
  ~AuxiliaryTracker() override;

  // Keeps an eye on the balls that are expected: from now on they are in the auxiliary simulation where they
  // are in the main one, which must outlive this. Without it, a ball that bounced off both characters comes
  // back to them at different times.
  void watch(const Simulator& main) { main_ = &main; }

  void plan(const Observation& now) override;
  void act(const Observation& now, Command& command) override;
  void target(double time_s, VecX& q) const override;
  std::span<const ExternalForce> helping_forces() const override;
  void save(std::vector<double>& into) const override;
  void restore(const std::vector<double>& from) override;

  // Where the auxiliary simulation is.
  const State& auxiliary() const { return auxiliary_->state(); }

 private:
  class Follower;
  void meet(const State& main);
  void carry(const Observation& now, Command& command);

  void look_at_balls();
  void feel(const Observation& now);

  std::unique_ptr<Simulator> auxiliary_;
  const Simulator* main_ = nullptr;
  const Goals goals_;
  const AuxiliaryOptions options_;
  std::unique_ptr<Controller> tracker_;
  std::unique_ptr<Follower> high_, low_;
  Rollout loop_;  // of the auxiliary simulation
  VecX limit_;
  Command legs_;           // what the tracker wants of the main simulation's legs
  std::vector<char> leg_;  // per joint: it carries a foot
  std::vector<char> met_;  // per throw of the main world: it surprised a body already
};

}  // namespace sinew
