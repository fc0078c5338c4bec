#pragma once

#include <memory>
#include <vector>

#include "sim/ode/model.h"
#include "sim/simulator.h"

namespace sinew::ode {

// ODE 0.16 with its direct solver. Coordinates are read from the bodies after each step.
class OdeSimulator : public Simulator {
 public:
  // Throws Error for what ODE cannot do.
  OdeSimulator(const Character& character, const World& world, const SimulatorOptions& options);
  OdeSimulator(const OdeSimulator& other);
  OdeSimulator& operator=(const OdeSimulator&) = delete;

  std::string engine() const override { return "ode"; }
  const Character& character() const override { return character_; }
  const World& world() const override { return world_; }
  double step_s() const override { return step_s_; }
  const State& state() const override { return state_; }
  void set_state(const State& state) override;
  StepStatus step(const Command& command) override;
  void add_force(const ExternalForce& force) override { forces_.push_back(force); }
  std::span<const Contact> contacts() const override { return contacts_; }
  const VecX& torques() const override { return torques_; }
  Momentum momentum_rate() const override { return momentum_rate_; }
  PropState prop(int index) const override { return model_->props().state(index); }
  void set_prop(int index, const PropState& state) override { model_->props().set_state(index, state); }
  void save(Snapshot& into) const override;
  void restore(const Snapshot& from) override;
  std::unique_ptr<Simulator> clone() const override;
  void reshape(const Character& character) override;

 private:
  // How a link moved before the step, and the torque of its turning inertia in it.
  struct Before {
    Vec3 p, v, w, gyroscopic;
    Mat3 I;
  };

  void forget_last_step();
  bool sane(const Command& command) const;
  void prepare(const Command& command, bool again);
  std::vector<ExternalForce> all_forces() const;
  void remember_momentum();
  void measure_momentum();
  size_t snapshot_size() const;
  const double* load_links(const Snapshot& from);
  bool ease(const Command& command, const VecX& torques);
  bool solve(const Command& command, bool again);
  bool advance(const Command& command);

  Character character_;
  World world_;
  double step_s_;
  std::vector<ShapePair> self_;
  std::unique_ptr<Model> model_;
  double shape_key_ = 0;  // tells characters of different measures apart

  State state_;
  std::vector<ExternalForce> forces_;
  std::vector<Contact> contacts_;
  VecX torques_;
  VecX warm_torques_;  // those of the last step, also after restore(): which limits may be reached
  Command eased_;      // the command as ODE gets it: limits only where they may be reached
  Momentum momentum_rate_;
  std::vector<Before> before_;
  Snapshot last_good_;
  bool diverged_ = false;
};

}  // namespace sinew::ode
