#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "character/mjcf_model.h"
#include "sim/mujoco/inertia.h"
#include "sim/mujoco/pair_filter.h"
#include "sim/servo_law.h"
#include "sim/simulator.h"

namespace sinew {

struct MjDataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

class MujocoSimulator : public Simulator {
 public:
  MujocoSimulator(const Character& character, const World& world, const SimulatorOptions& options);
  MujocoSimulator(const MujocoSimulator& other);
  MujocoSimulator& operator=(const MujocoSimulator&) = delete;

  std::string engine() const override { return "mujoco"; }
  const Character& character() const override { return character_; }
  const World& world() const override { return world_; }
  double step_s() const override { return model_->opt.timestep; }
  const State& state() const override { return state_; }
  void set_state(const State& state) override;
  StepStatus step(const Command& command) override;
  void add_force(const ExternalForce& force) override { forces_.push_back(force); }
  std::span<const Contact> contacts() const override;
  const VecX& torques() const override { return torques_; }
  Momentum momentum_rate() const override;
  PropState prop(int index) const override;
  void set_prop(int index, const PropState& state) override;
  void save(Snapshot& into) const override;
  void restore(const Snapshot& from) override;
  std::unique_ptr<Simulator> clone() const override;
  void reshape(const Character& character) override;

 private:
  void index_model();
  void read_state();
  void forget_last_step();
  void place_props();
  void apply_forces(const std::vector<ExternalForce>& forces);
  void apply_couplings();
  void apply_servos(const Command& command);
  void set_axis(int i, double share);
  void change_axis(int i, double share);
  double wanted(int i) const;
  void position();
  void velocity();
  void ease_sliding();
  bool let_grip();
  void solve();
  void solve_again();
  bool weaken(const Command& command);
  bool hold(const Command& command);
  bool finite() const;
  int prop_body(size_t index) const { return static_cast<int>(1 + character_.bodies.size() + index); }

  // A contact whose friction asks for less than it would.
  struct Slide {
    int contact, row;  // its number, and that of its first constraint
    Eigen::Vector2d wanted_m_s2;
  };

  Character character_;
  World world_;
  bool rough_ = false;  // SimulatorOptions::rough
  MjModel model_;
  std::unique_ptr<mjData, MjDataDeleter> data_;
  std::optional<PairFilter> pairs_;
  std::optional<Inertia> inertia_;
  // Of each geom: the character's shape, or the world's, else -1.
  std::vector<int> character_shape_, world_shape_;
  std::vector<int> shape_geom_;  // of each shape of the character: its geom, or -1
  std::vector<char> waiting_;    // props that are held until they are thrown

  State state_;
  VecX v_before_, torques_;
  std::vector<AxisLaw> laws_;
  VecX armature_;  // of each axis, as the character has it
  VecX share_;     // of each axis: the part of its servo's law that its limit lets through, 0 to 1
  std::vector<Slide> slides_;  // of this step
  std::vector<ExternalForce> forces_;
  std::vector<ExternalForce> couplings_;  // of the character's springs and chains, in the last step
  bool stepped_ = false;                  // there is a last step to tell of
  bool diverged_ = false;
  mutable std::vector<Contact> contacts_;
  mutable bool contacts_known_ = true;
};

}  // namespace sinew
