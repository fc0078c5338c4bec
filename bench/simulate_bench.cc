// What a step of the simulators costs, in CPU time and in one run: our MuJoCo step with servos against MuJoCo
// alone with the same model, settings and forces; both engines side by side; save and restore. Ends with a
// table that has the promised limits beside the figures.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>

#include "character/mjcf_model.h"
#include "clocks.h"
#include "sim/engines.h"
#include "sim/mujoco/model_text.h"
#include "sim/scenes.h"
#include "sim/servo_law.h"

namespace sinew {
namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

constexpr int kSteps = 150;   // of a measured stretch
constexpr int kRepeats = 31;  // of which the median counts

// A simulator where the measured stretch begins.
struct Scene {
  std::unique_ptr<Simulator> sim;
  Snapshot start;
  double contacts = 0;  // on average
};

Scene begin(const SimulatorFactory& make, const Character& c, bool lying, double step_s) {
  Scene scene{make(c, scenes::flat_world(), {.step_s = step_s}), {}, 0};
  const Command command = rest_command(c);
  if (lying) {
    State state{0, c.q_rest, VecX::Zero(c.nv())};
    state.q.segment<4>(3) << std::sqrt(0.5), 0, std::sqrt(0.5), 0;
    state.q[2] += 0.005 - lowest_point(c, body_poses(c, state.q));
    scene.sim->set_state(state);
  }
  const double settle_s = lying ? 1.0 : 0.05;
  for (long i = std::lround(settle_s / scene.sim->step_s()); i > 0; --i) scene.sim->step(command);
  scene.sim->save(scene.start);
  for (int i = 0; i < kSteps; ++i) {
    scene.sim->step(command);
    scene.contacts += static_cast<double>(scene.sim->contacts().size()) / kSteps;
  }
  return scene;
}

// CPU seconds of the stretch.
double stretch(Scene& scene, const Command& command) {
  scene.sim->restore(scene.start);
  const double from = cpu_s();
  for (int i = 0; i < kSteps; ++i) scene.sim->step(command);
  return cpu_s() - from;
}

// MuJoCo alone: mj_step with the armature and the applied forces that the servos amount to, step by step.
class Bare {
 public:
  Bare(Scene& scene, const Command& command) {
    const Character& c = scene.sim->character();
    const double h = scene.sim->step_s();
    model_ = compile_mjcf_text(mujoco_model_text(c, scene.sim->world(), h));
    data_.reset(mj_makeData(model_.get()));
    std::vector<AxisLaw> laws;
    scene.sim->restore(scene.start);
    start_ = scene.sim->state();
    for (int i = 0; i < kSteps; ++i) {
      const State& state = scene.sim->state();
      servo_laws(c, state, command, h, laws);
      VecX armature(c.nv()), applied(c.nv());
      for (int k = 0; k < c.nv(); ++k) {
        const AxisLaw& law = laws[static_cast<size_t>(k)];
        const double damping = law.servo_damping + law.passive_damping;
        armature[k] = h * damping;
        applied[k] = law.servo_drive + law.passive_drive - damping * state.v[k];
      }
      for (const Joint& joint : c.joints)
        if (joint.type != JointType::kFree)
          armature.segment(joint.v, joint.v_size()).array() += joint.armature;
      armature_.push_back(armature);
      applied_.push_back(applied);
      scene.sim->step(command);
    }
    end_ = scene.sim->state().q;
  }

  double stretch() {
    mj_resetData(model_.get(), data_.get());
    std::copy_n(start_.q.data(), model_->nq, data_->qpos);
    std::copy_n(start_.v.data(), model_->nv, data_->qvel);
    const double from = cpu_s();
    for (size_t i = 0; i < kSteps; ++i) {
      std::copy_n(armature_[i].data(), model_->nv, model_->dof_armature);
      std::copy_n(applied_[i].data(), model_->nv, data_->qfrc_applied);
      mj_step(model_.get(), data_.get());
    }
    return cpu_s() - from;
  }

  // How far it ended from where ours did: small, or it did other work.
  double apart() const { return (VecX::Map(data_->qpos, model_->nq) - end_).cwiseAbs().maxCoeff(); }

 private:
  struct Deleter {
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  MjModel model_;
  std::unique_ptr<mjData, Deleter> data_;
  State start_;
  VecX end_;
  std::vector<VecX> armature_, applied_;
};

struct Row {
  std::string what;
  double value = 0;
  std::string unit, limit;
  bool good = true;
};

void measure_mujoco(const Character& c, bool lying, std::vector<Row>& rows) {
  const std::string posture = lying ? "lying" : "standing";
  Scene scene = begin(make_mujoco, c, lying, 0.002);
  const Command command = rest_command(c);
  Bare bare(scene, command);
  // Turn by turn, so that both see the same machine.
  std::vector<double> ours, alone, ratio;
  for (int i = 0; i < kRepeats; ++i) {
    ours.push_back(stretch(scene, command));
    alone.push_back(bare.stretch());
    ratio.push_back(ours.back() / alone.back());
  }
  const double us = median(ours) / kSteps * 1e6, times = 2000 / us, share = median(ratio);
  const double least = lying ? 25 : 40;
  std::printf("%s: %.1f contacts; MuJoCo alone ended %.1e from ours\n", posture.c_str(), scene.contacts,
              bare.apart());
  rows.push_back({"mujoco 2 ms " + posture + ", a step", us, "us", "", true});
  rows.push_back({"  MuJoCo alone", median(alone) / kSteps * 1e6, "us", "", true});
  rows.push_back({"  ours / MuJoCo alone", share, "", "<= 1.15", share <= 1.15});
  rows.push_back({"  times real time", times, "x", lying ? ">= 25" : ">= 40", times >= least});
}

void measure_ode(const Character& c, bool lying, double step_s, std::vector<Row>& rows) {
  Scene scene = begin(make_ode, c, lying, step_s);
  const Command command = rest_command(c);
  std::vector<double> costs;
  for (int i = 0; i < kRepeats / 2; ++i) costs.push_back(stretch(scene, command));
  const double us = median(costs) / kSteps * 1e6;
  char name[80];
  std::snprintf(name, sizeof name, "ode %g ms %s, a step", step_s * 1e3, lying ? "lying" : "standing");
  rows.push_back({name, us, "us", "", true});
  rows.push_back({"  times real time", step_s * 1e6 / us, "x", "", true});
}

void measure_snapshots(const SimulatorFactory& make, const std::string& name, const Character& c,
                       std::vector<Row>& rows) {
  Scene scene = begin(make, c, false, 0);
  constexpr int kTimes = 20000;
  std::vector<double> costs;
  for (int i = 0; i < 9; ++i) {
    const double from = cpu_s();
    for (int k = 0; k < kTimes; ++k) {
      scene.sim->save(scene.start);
      scene.sim->restore(scene.start);
    }
    costs.push_back((cpu_s() - from) / kTimes);
  }
  const double ns = median(costs) * 1e9;
  rows.push_back({name + " save + restore", ns, "ns", "< 1000", ns < 1000});
}

}  // namespace
}  // namespace sinew

int main() {
  using namespace sinew;
  const Character c = scenes::shipped("human50");
  std::vector<Row> rows;
  for (const bool lying : {false, true}) measure_mujoco(c, lying, rows);
  for (const double step_s : {0.001, 0.0005})
    for (const bool lying : {false, true}) measure_ode(c, lying, step_s, rows);
  measure_snapshots(make_mujoco, "mujoco", c, rows);
  measure_snapshots(make_ode, "ode", c, rows);

  std::printf("\n%-36s %10s    %-8s\n", "human50, servos at its own gains", "measured", "limit");
  for (const Row& row : rows)
    std::printf("%-36s %10.2f %-3s%-8s %s\n", row.what.c_str(), row.value, row.unit.c_str(),
                row.limit.c_str(),
                row.limit.empty() ? ""
                : row.good        ? "ok"
                                  : "MISSED");
}
