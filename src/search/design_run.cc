#include "search/design_run.h"

#include "core/error.h"
#include "rollout/rollout.h"

namespace sinew {

namespace {

constexpr double kSpeed_m_s = 4.4;
constexpr double kOther_s = 5.5;
constexpr double kAway = 0.02;  // where nothing else decides, what is near the first is better

// What runs of a character are judged by, begun as a run does.
RunTask trial_of(const DesignTask& task, const Character& character, const RunBehaviour& run) {
  RunTask trial;
  trial.character = character;
  trial.world = task.world;
  trial.engine = task.engine;
  trial.size = run_size(character);
  trial.step_s = run_step_s(character);
  trial.start = run.start;
  return trial;
}

// All bodies run all their scenes with the same parameters, scaled.
class DesignEvaluator : public Evaluator {
 public:
  explicit DesignEvaluator(const DesignTask& task) : task_(task), searched_(all_searched()) {
    add(task.character, task.from, design_scenes(task.stage));
    if (task.stage == DesignStage::kStraight) return;
    for (const DesignTask::Other& other : task.others) {
      const RunBehaviour run = scaled(task.from, task.character, other.character, Scaling::kByMass);
      add(other.character, run,
          {{.seconds = kOther_s, .speed_m_s = run.parameters.speed, .then_speed_m_s = other.speed_m_s}});
    }
  }

  void evaluate(const Numbers& job, Numbers& result) override {
    const RunParameters parameters = moved_by(task_.from.parameters, searched_, job);
    double cost = 0, away = 0;
    size_t scenes = 0;
    for (size_t i = 0; i < trials_.size(); ++i) {
      const RunTask& trial = trials_[i];
      const RunParameters own =
          i == 0 ? parameters : scaled(parameters, task_.character, trial.character, Scaling::kByMass);
      cost += static_cast<double>(trial.scenes.size()) * run_cost(trial, own, *simulators_[i]);
      scenes += trial.scenes.size();
    }
    for (const double x : job) away += x * x;
    result = {cost / static_cast<double>(scenes) + kAway * away};
  }

 private:
  void add(const Character& character, const RunBehaviour& run, const std::vector<RunScene>& scenes) {
    trials_.push_back(trial_of(task_, character, run));
    RunTask& trial = trials_.back();
    trial.scenes = scenes;
    simulators_.push_back(trial.engine(trial.character, trial.world, {.step_s = trial.step_s}));
  }

  DesignTask task_;
  std::vector<const ParameterInfo*> searched_;
  std::vector<RunTask> trials_;
  std::vector<std::unique_ptr<Simulator>> simulators_;
};

}  // namespace

std::vector<RunScene> design_scenes(DesignStage stage) {
  constexpr double kPush_Ns = 40, kRadius_m = 15;
  if (stage == DesignStage::kStraight) return {{.seconds = 6}};
  std::vector<RunScene> scenes{{.seconds = 7, .then_speed_m_s = 3}, {.seconds = 9, .then_speed_m_s = 5}};
  if (stage == DesignStage::kSpeeds) return scenes;
  // From all sides, at the pelvis and at the chest, at other moments of the stride.
  for (int i = 0; i < 8; ++i)
    scenes.push_back({.seconds = 5 + 0.09 * i,
                      .push_Ns = kPush_Ns,
                      .push_toward = exp_map(Vec3(0, 0, i * kPi / 4)) * Vec3::UnitX(),
                      .push_at = i % 2 == 0 ? Part::kThorax : Part::kPelvis});
  scenes.push_back({.seconds = 9, .turn_rate = kSpeed_m_s / kRadius_m});
  scenes.push_back({.seconds = 9, .then_speed_m_s = 3.2, .turn_rate = -3.2 / kRadius_m});
  return scenes;
}

State steady_state(const RunTask& task, const RunParameters& parameters, double settle_s) {
  const auto simulator = task.engine(task.character, task.world, {.step_s = task.step_s});
  Runner runner(task.character, parameters, {parameters.speed, 0});
  simulator->set_state(task.start);
  Rollout rollout(*simulator, runner, {.record_hz = 0});
  RunMeter meter(task.character);
  for (double rising = 0;;) {
    if (rollout.advance() != StepStatus::kOk || meter.fallen())
      throw Error("the run falls before it has settled");
    meter.look(*simulator, runner);
    const State& state = simulator->state();
    const double before = rising;
    rising = state.v[2];
    const bool top = before > 0 && rising <= 0 && runner.phase() == RunPhase::kFlight && runner.leg() == 0;
    if (state.time_s < settle_s || !top) continue;

    // Back to the origin, and along x.
    State out = state;
    out.time_s = 0;
    const Quat back = exp_map(Vec3(0, 0, -runner.heading()));
    const Quat turned = back * Quat(state.q[3], state.q[4], state.q[5], state.q[6]);
    out.q.head<2>().setZero();
    out.q.segment<4>(3) << turned.w(), turned.x(), turned.y(), turned.z();
    out.v.head<3>() = back * Vec3(state.v.head<3>());
    return out;
  }
}

DesignResult design_run(const DesignTask& task, const ExecutorFactory& executor,
                        const std::function<bool(const MinimiseReport&)>& progress) {
  const auto searched = all_searched();
  const auto workers = executor([task] { return std::make_unique<DesignEvaluator>(task); });
  DesignResult result;
  result.search =
      minimise(*workers, Numbers(searched.size(), 0.0), task.search,
               [&](const MinimiseReport& report, const auto&) { return !progress || progress(report); });
  result.behaviour = task.from;
  result.behaviour.parameters = moved_by(task.from.parameters, searched, result.search.x);
  try {
    const RunTask trial = trial_of(task, task.character, task.from);
    result.behaviour.start = steady_state(trial, result.behaviour.parameters);
  } catch (const Error&) {
    result.behaviour.start = task.from.start;
  }
  return result;
}

}  // namespace sinew
