#include "search/design_run.h"

#include "core/error.h"
#include "rollout/rollout.h"

namespace sinew {

std::vector<RunScene> design_scenes() {
  constexpr double kPush_Ns = 40, kRadius_m = 15, kSpeed_m_s = 4.4;
  return {{.seconds = 20},
          {.seconds = 6, .push_Ns = kPush_Ns, .push_toward = Vec3::UnitY()},
          {.seconds = 6, .push_Ns = kPush_Ns, .push_toward = -Vec3::UnitY()},
          {.seconds = 8, .then_speed_m_s = 3},
          {.seconds = 9, .turn_rate = kSpeed_m_s / kRadius_m},
          {.seconds = 8, .then_speed_m_s = 5},
          {.seconds = 6, .push_Ns = kPush_Ns, .push_toward = Vec3::UnitX()},
          {.seconds = 6, .push_Ns = kPush_Ns, .push_toward = -Vec3::UnitX()}};
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

    // Back to the origin.
    State out = state;
    out.time_s = 0;
    out.q.head<2>().setZero();
    return out;
  }
}

DesignResult design_run(const Character& character, const World& world, const SimulatorFactory& engine,
                        const RunBehaviour& from, const MinimiseOptions& options,
                        const ExecutorFactory& executor,
                        const std::function<bool(const MinimiseReport&)>& progress) {
  RunTask task;
  task.character = character;
  task.world = world;
  task.engine = engine;
  task.start = from.start;
  task.scenes = design_scenes();
  const auto searched = all_searched();
  const auto workers = executor(run_evaluator(task, from.parameters, searched));
  DesignResult result;
  result.search =
      minimise(*workers, Numbers(searched.size(), 0.0), options,
               [&](const MinimiseReport& report, const auto&) { return !progress || progress(report); });
  result.behaviour.character = character.name;
  result.behaviour.parameters = moved_by(from.parameters, searched, result.search.x);
  result.behaviour.start = steady_state(task, result.behaviour.parameters);
  return result;
}

}  // namespace sinew
