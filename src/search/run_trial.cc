#include "search/run_trial.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "rollout/rollout.h"

namespace sinew {

namespace {

constexpr double kFallen = 100;
constexpr double kMostSpreads = 3;  // a parameter may go from its base

double over(double value, double limit) { return std::max(0.0, value - limit); }
double square(double x) { return x * x; }

// Centre of mass of a body, in W.
Vec3 middle_of(const Character& character, const VecX& q, int body) {
  const auto b = static_cast<size_t>(body);
  return body_poses(character, q)[b] * character.bodies[b].p_BC;
}

// Steadiness: errors of speed, deviations of roll, pitch and yaw, accelerations of the head.
double steadiness_cost(const RunMeter::Style& s, double size) {
  return 40 * s.speed_error2 / size + 20 * s.side_speed2 / size + 20 * s.tilt2 + 1e-3 * s.head_acceleration2;
}

// Looks: upright, arms that oppose legs, legs that stretch and fold, feet apart that land with the ground and
// clear it, gentle landings, little effort, and the cadence of people.
double looks_cost(const RunMeter::Style& s, const Gait& gait, double size) {
  double cost = 10 * s.effort + 20 * s.saturation;
  cost += 6 * square(s.slide) / size;
  cost += 2.5 * square(over(s.landing_speed / std::sqrt(size), 1.0)) + 300 * over(s.skid / size, 0.03);
  cost += 200 * s.scuff / std::sqrt(size);
  cost += 400 * square(over(0.94, s.height)) + 2000 * square(over(s.height, 0.97));
  cost += 5 * square(over(s.lift_off_knee, 0.45)) + 5 * square(over(0.3, s.lift_off_thigh));
  cost += 20 * square(over(0.05, s.pitch)) + 20 * square(over(0.3, s.arms));
  cost += 10 * square(over(1.7, s.most_knee)) + 300 * square(over(0.08, s.foot_gap / size)) +
          100 * square(over(s.foot_gap / size, 0.14));
  cost += 5 * square(over(s.peak_force, 2.7)) + 40 * square(over(gait.peak_ground_force_bw, 3.2));
  cost += 40 * square(gait.steps_per_s * std::sqrt(size) - 3.1) + 200 * square(gait.stance_fraction - 0.6);
  return cost;
}

}  // namespace

RunScore run_scene(const RunTask& task, const RunScene& scene, const RunParameters& parameters,
                   Simulator& simulator) {
  Runner runner(task.character, parameters, {scene.speed_m_s, 0});
  RunMeter meter(task.character, 1.0 * std::sqrt(task.size));
  simulator.set_state(task.start);
  Rollout rollout(simulator, runner, {.record_hz = 0});
  const double push_s = 0.1;
  const long steps = std::lround(scene.seconds / simulator.step_s());
  const int pushed = task.character.body_of(scene.push_at);
  bool fine = true;
  double asked_m = 0, went_m = 0;
  for (long i = 0; i < steps && fine && !meter.fallen(); ++i) {
    const double time_s = simulator.state().time_s - task.start.time_s;
    RunCommand order{time_s < scene.seconds / 6 ? scene.speed_m_s : scene.then_speed_m_s,
                     time_s < scene.seconds / 3 ? 0 : scene.turn_rate};
    runner.set_command(order);
    if (scene.push_Ns != 0 && time_s >= 0.5 * scene.seconds && time_s < 0.5 * scene.seconds + push_s) {
      const Vec3 force = scene.push_Ns / push_s * (exp_map(Vec3(0, 0, runner.heading())) * scene.push_toward);
      simulator.add_force(
          {pushed, force, middle_of(task.character, simulator.state().q, pushed), Vec3::Zero()});
    }
    fine = rollout.advance() == StepStatus::kOk;
    if (fine) meter.look(simulator, runner);
    asked_m += order.speed_m_s * simulator.step_s();
    went_m += simulator.state().v.head<2>().norm() * simulator.step_s();
  }
  RunScore score;
  score.fell = meter.fallen() || !fine;
  score.seconds = meter.seconds() - task.start.time_s;
  score.gait = meter.gait();
  score.style = meter.style();
  score.cost = steadiness_cost(score.style, task.size);
  if (task.looks) score.cost += looks_cost(score.style, score.gait, task.size);
  if (score.fell) {
    // What counts is the way that it got, or it would learn to stand.
    const double part = std::min(score.seconds / scene.seconds, 1.0) * std::min(went_m / asked_m, 1.0);
    score.cost = kFallen * (2 - part) + 0.1 * std::min(score.cost, kFallen);
  }
  return score;
}

double run_cost(const RunTask& task, const RunParameters& parameters, Simulator& simulator) {
  double cost = 0;
  for (const RunScene& scene : task.scenes) cost += run_scene(task, scene, parameters, simulator).cost;
  return cost / static_cast<double>(task.scenes.size());
}

RunParameters moved_by(const RunParameters& base, const std::vector<const ParameterInfo*>& searched,
                       const std::vector<double>& spreads) {
  RunParameters out = base;
  for (size_t i = 0; i < searched.size() && i < spreads.size(); ++i) {
    const ParameterInfo& info = *searched[i];
    double& value = out.*info.member;
    const double before = value;
    value += info.spread * std::clamp(spreads[i], -kMostSpreads, kMostSpreads);
    // Gains and times are positive.
    const bool positive = info.dimension.force > 0 || std::strstr(info.name, "_time") != nullptr;
    if (positive) value = std::max(value, 0.1 * std::abs(before));
  }
  return out;
}

std::vector<const ParameterInfo*> all_searched() {
  std::vector<const ParameterInfo*> out;
  for (const ParameterInfo& info : run_parameter_infos())
    if (info.spread > 0) out.push_back(&info);
  return out;
}

std::vector<const ParameterInfo*> tuned_five() {
  std::vector<const ParameterInfo*> out;
  for (const ParameterInfo& info : run_parameter_infos())
    for (const char* name : {"retraction", "pitch", "ankle_trigger", "ankle_thrust", "knee_thrust"})
      if (std::strcmp(info.name, name) == 0) out.push_back(&info);
  return out;
}

}  // namespace sinew
