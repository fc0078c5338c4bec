#include <gtest/gtest.h>

#include <cmath>

#include "character/library.h"
#include "character/numbers.h"
#include "character/transfer.h"
#include "control/moving_bodies.h"
#include "core/error.h"
#include "core/files.h"
#include "rollout/rollout.h"
#include "rollout/run_behaviour.h"
#include "search/adapt.h"
#include "search/run_trial.h"
#include "sim/engines.h"
#include "world/library.h"

namespace sinew {
namespace {

const std::string kAssets = std::string(SINEW_SOURCE_DIR) + "/assets/";

Character load(const std::string& name) { return load_character(name, {kAssets + "characters"}); }
RunBehaviour the_run() { return decode_run(read_file(kAssets + "behaviours/run.json"), "run.json"); }

RunTask task_of(const Character& character, const RunBehaviour& behaviour) {
  RunTask task;
  task.character = character;
  task.world = make_world("flat");
  task.engine = find_engine("mujoco");
  task.start = behaviour.start;
  task.size = leg_length(character) / 0.75;
  task.step_s = 0.002 * std::sqrt(task.size);
  return task;
}

RunScore run_it(const RunTask& task, const RunParameters& parameters, const RunScene& scene) {
  const auto simulator = task.engine(task.character, task.world, {.step_s = task.step_s});
  return run_scene(task, scene, parameters, *simulator);
}

// Positions and velocities agree with forward kinematics and with differences along the motion.
TEST(MovingBodiesTest, AgreesWithKinematics) {
  const Character man = load("man");
  State state;
  state.q = man.q_rest;
  state.v = VecX::Zero(man.nv());
  for (int i = 0; i < man.nv(); ++i) state.v[i] = std::sin(1.0 + i);
  state.q = integrate(man, state.q, 0.3 * state.v);
  MovingBodies bodies(man);
  bodies.update(man, state);
  const double h = 1e-6;
  const auto before = body_poses(man, integrate(man, state.q, -h * state.v));
  const auto now = body_poses(man, state.q), after = body_poses(man, integrate(man, state.q, h * state.v));
  for (size_t b = 0; b < now.size(); ++b) {
    const int i = static_cast<int>(b);
    EXPECT_LT((bodies.X_WB(i).p - now[b].p).norm(), 1e-12);
    EXPECT_LT((bodies.velocity(i, now[b].p) - (after[b].p - before[b].p) / (2 * h)).norm(), 1e-6);
    const Vec3 w = log_map(after[b].q * before[b].q.conjugate()) / (2 * h);
    EXPECT_LT((bodies.w_WB(i) - w).norm(), 1e-6);
  }
  EXPECT_LT((bodies.p_WC() - centre_of_mass(man, now)).norm(), 1e-12);
  EXPECT_THROW(MovingBodies(load("human50")), Error);
}

TEST(RunParametersTest, ScaleByWhatTheyMove) {
  const Character man = load("man"), child = load("child");
  const RunParameters p = the_run().parameters;
  const RunParameters same = scaled(p, man, man, Scaling::kByMass);
  const RunParameters small = scaled(p, man, child, Scaling::kByMass);
  const double L = leg_length(child) / leg_length(man);
  for (const ParameterInfo& info : run_parameter_infos())
    EXPECT_NEAR(same.*info.member, p.*info.member, 1e-12) << info.name;
  EXPECT_NEAR(small.speed, p.speed * std::sqrt(L), 1e-12);
  EXPECT_NEAR(small.side, p.side * L, 1e-12);
  EXPECT_EQ(small.pitch, p.pitch);
  const double leg = hanging_inertia(child, find_joint(child, "left_hip")) /
                     hanging_inertia(man, find_joint(man, "left_hip"));
  EXPECT_NEAR(small.swing_hip_kp, p.swing_hip_kp * leg / L, 1e-9);
  EXPECT_NEAR(small.swing_hip_kd, p.swing_hip_kd * leg / std::sqrt(L), 1e-9);
}

TEST(RunBehaviourTest, ReadsWhatItWrites) {
  const RunBehaviour run = the_run();
  const std::string text = encode_run(run);
  EXPECT_EQ(encode_run(decode_run(text, "again")), text);
  EXPECT_THROW(decode_run("{}", "empty"), Error);
  EXPECT_THROW(decode_run(text.substr(0, text.size() / 2), "half"), Error);
}

TEST(RunTest, TheManRuns) {
  const RunBehaviour run = the_run();
  const RunScore score = run_it(task_of(load("man"), run), run.parameters, {.seconds = 12});
  EXPECT_FALSE(score.fell);
  EXPECT_NEAR(score.gait.speed_m_s, 4.4, 0.3);
  EXPECT_LE(score.gait.peak_ground_force_bw, 3.5);
  EXPECT_GT(score.gait.stance_fraction, 0.4);
  EXPECT_LT(score.gait.stance_fraction, 0.75);
  EXPECT_GT(score.style.most_knee, 1.0);  // feet lift
}

// Ground speed matching: the foot comes down far slower than the body goes, hardly skids, and clears the
// ground before.
TEST(RunTest, LandsWithTheGround) {
  const RunBehaviour run = the_run();
  const RunScore score = run_it(task_of(load("man"), run), run.parameters, {.seconds = 12});
  ASSERT_FALSE(score.fell);
  EXPECT_LT(score.style.landing_speed, 3.0);
  EXPECT_LT(score.style.skid, 0.06);
  EXPECT_LT(score.style.scuff, 0.001);
}

TEST(RunTest, FollowsSpeeds) {
  const RunBehaviour run = the_run();
  const RunTask task = task_of(load("man"), run);
  for (const double speed : {3.0, 5.0}) {
    const RunScore score = run_it(task, run.parameters, {.seconds = 20, .then_speed_m_s = speed});
    EXPECT_FALSE(score.fell) << speed;
    EXPECT_LT(score.style.speed_error2, 0.3 * 0.3) << speed;
  }
}

// Scaled and not tuned.
TEST(RunTest, CarriesOverToWomanAndChild) {
  for (const auto& [name, speed] : {std::pair("woman", 4.4), std::pair("child", 2.5)}) {
    const Character other = load(name);
    const RunBehaviour run = scaled(the_run(), load("man"), other, Scaling::kByMass);
    const RunScore score = run_it(task_of(other, run), run.parameters,
                                  {.seconds = 12, .speed_m_s = speed, .then_speed_m_s = speed});
    EXPECT_FALSE(score.fell) << name;
    EXPECT_NEAR(score.gait.speed_m_s, speed, 0.3) << name;
  }
}

TEST(RunTest, SurvivesPushesFromAllSides) {
  const RunBehaviour run = the_run();
  const RunTask task = task_of(load("man"), run);
  for (int i = 0; i < 8; ++i) {
    const Vec3 toward = exp_map(Vec3(0, 0, i * kPi / 4)) * Vec3::UnitX();
    const RunScore score = run_it(task, run.parameters, {.seconds = 6, .push_Ns = 40, .push_toward = toward});
    EXPECT_FALSE(score.fell) << toward.transpose();
  }
}

// To both sides, for longer than a whole circle; what it runs is a circle of that radius.
TEST(RunTest, HoldsBendsOf15Metres) {
  const RunBehaviour run = the_run();
  const Character man = load("man");
  for (const double radius_m : {15.0, -15.0}) {
    const auto simulator = find_engine("mujoco")(man, make_world("flat"), {});
    Runner runner(man, run.parameters, {4.4, 4.4 / radius_m});
    RunMeter meter(man);
    simulator->set_state(run.start);
    Rollout rollout(*simulator, runner, {.record_hz = 0});
    Vec3 low = Vec3::Constant(INFINITY), high = -low;
    while (simulator->state().time_s < 40 && !meter.fallen()) {
      ASSERT_EQ(rollout.advance(), StepStatus::kOk);
      meter.look(*simulator, runner);
      if (simulator->state().time_s < 10) continue;
      low = low.cwiseMin(Vec3(simulator->state().q.head<3>()));
      high = high.cwiseMax(Vec3(simulator->state().q.head<3>()));
    }
    EXPECT_FALSE(meter.fallen()) << radius_m << ", " << meter.seconds();
    EXPECT_NEAR((high - low).x(), 30, 3) << radius_m;
    EXPECT_NEAR((high - low).y(), 30, 3) << radius_m;
  }
}

// Slower, where legs in the air are long beside the one that stands, and faster than a bend allows.
TEST(RunTest, HoldsBendsAtOtherSpeeds) {
  const RunBehaviour run = the_run();
  const RunTask task = task_of(load("man"), run);
  for (const double speed : {3.0, 3.5, 5.0})
    for (const double radius_m : {15.0, -15.0}) {
      const RunScene scene{.seconds = 24, .then_speed_m_s = speed, .turn_rate = speed / radius_m};
      const RunScore score = run_it(task, run.parameters, scene);
      EXPECT_FALSE(score.fell) << speed << ", " << radius_m << ", " << score.seconds;
    }
}

// A man of four fifths the size, of the same flesh.
Character small_man() {
  const Character man = load("man");
  std::vector<double> values;
  for (const Number& number : character_numbers(man))
    values.push_back(number.value * geometric_factor(number.dimension, 0.8));
  return with_numbers(man, values);
}

// For bodies of the same shape both ways of scaling are the same, and the run carries over.
TEST(RunTest, CarriesOverToABodyOfTheSameShape) {
  const Character man = load("man"), small = small_man();
  const RunBehaviour run = scaled(the_run(), man, small, Scaling::kByMass);
  const RunBehaviour other = scaled(the_run(), man, small, Scaling::kGeometric);
  for (const ParameterInfo& info : run_parameter_infos())
    EXPECT_NEAR(run.parameters.*info.member, other.parameters.*info.member,
                1e-9 * std::abs(run.parameters.*info.member))
        << info.name;
  const double speed = run.parameters.speed;
  const RunScore score = run_it(task_of(small, run), run.parameters,
                                {.seconds = 4, .speed_m_s = speed, .then_speed_m_s = speed});
  EXPECT_FALSE(score.fell);
}

// Knees never bend backwards, torques stay within limits, and what was saved goes on to the same bytes.
TEST(RunTest, KeepsItsLimitsAndCanBeSetBack) {
  const Character man = load("man");
  const RunBehaviour run = the_run();
  const auto simulator = find_engine("mujoco")(man, make_world("flat"), {});
  Runner runner(man, run.parameters, {4.4, 0});
  simulator->set_state(run.start);
  Rollout rollout(*simulator, runner, {.record_hz = 0});
  Rollout::Saved saved;
  const int knee = man.joints[static_cast<size_t>(find_joint(man, "left_knee"))].q;
  VecX first;
  for (int i = 0; i < 1500; ++i) {
    if (i == 1000) rollout.save(saved);
    ASSERT_EQ(rollout.advance(), StepStatus::kOk);
    EXPECT_GT(simulator->state().q[knee], -0.05);
    for (const Joint& joint : man.joints)
      if (joint.type == JointType::kHinge) {
        EXPECT_LE(std::abs(simulator->torques()[joint.v]), joint.torque_limit[0] * 1.0001);
      }
  }
  first = simulator->state().q;
  rollout.restore(saved);
  for (int i = 1000; i < 1500; ++i) rollout.advance();
  EXPECT_EQ(first, simulator->state().q);
}

// The body changes at every step, and with it what its joints can do.
TEST(RunTest, BecomesAWomanWithinHerLimits) {
  const Character man = load("man"), woman = load("woman");
  const RunBehaviour run = the_run(), then = scaled(run, man, woman, Scaling::kByMass);
  const auto simulator = find_engine("mujoco")(man, make_world("flat"), {});
  Runner runner(man, run.parameters, {run.parameters.speed, 0});
  RunMeter meter(man);
  simulator->set_state(run.start);
  Rollout rollout(*simulator, runner, {.record_hz = 0});
  Character now = man;
  while (simulator->state().time_s < 6) {
    const double part = std::min(1.0, simulator->state().time_s);
    blend_into(man, woman, part, now);
    simulator->reshape(now);
    const RunParameters parameters = blend(run.parameters, then.parameters, part);
    runner.reshape(now, parameters);
    runner.set_command({parameters.speed, 0});
    ASSERT_EQ(rollout.advance(), StepStatus::kOk);
    meter.look(*simulator, runner);
    for (const Joint& joint : now.joints)
      if (joint.type == JointType::kHinge) {
        ASSERT_LE(std::abs(simulator->torques()[joint.v]), joint.torque_limit[0] * 1.0001) << joint.name;
      }
  }
  EXPECT_FALSE(meter.fallen());
}

TEST(RunTest, CharactersWithOtherJointsAreRefused) {
  const RunBehaviour run = the_run();
  EXPECT_THROW(Runner(load("human45"), run.parameters, {}), Error);
  EXPECT_THROW(scaled(run, load("man"), load("human50"), Scaling::kByMass), Error);
}

// Short, so that it stays a test: evaluations are counted, the cost does not rise.
TEST(AdaptTest, TunesFiveParametersAndIsTheSameOnTwoThreads) {
  AdaptTask task;
  task.from = load("man");
  task.to = load("woman");
  task.behaviour = the_run();
  task.world = make_world("flat");
  task.engine = find_engine("mujoco");
  task.evaluations = 9;
  task.seconds = 2.5;
  task.enough_s = 2;
  const AdaptResult one = adapt_run(task, on_threads(1)), two = adapt_run(task, on_threads(2));
  EXPECT_LE(one.cost_after, one.cost_before);
  EXPECT_GE(one.evaluations, 9);
  EXPECT_TRUE(one.found);
  EXPECT_EQ(encode_run(one.behaviour), encode_run(two.behaviour));
}

// By size alone the way from man to child is too far: characters on the way are tuned before. Cut off amid
// the second of them, it goes on to the same end.
TEST(AdaptTest, GoesOnFromACheckpoint) {
  AdaptTask task;
  task.from = load("man");
  task.to = blend(task.from, load("child"), 0.6);
  task.behaviour = the_run();
  task.world = make_world("flat");
  task.engine = find_engine("mujoco");
  task.scaling = Scaling::kGeometric;
  task.evaluations = 9;
  task.seconds = 1;
  task.enough_s = 0.9;
  const AdaptResult whole = adapt_run(task, on_threads(1));
  ASSERT_FALSE(whole.intermediates.empty());

  Checkpoint checkpoint;
  double first = -1;
  const AdaptResult part = adapt_run(task, on_threads(2), [&](const AdaptReport& report, const auto& save) {
    if (first < 0) first = report.part;
    if (report.part == first) return true;
    checkpoint = save();
    return false;
  });
  EXPECT_TRUE(part.interrupted);
  const AdaptResult rest = adapt_run(task, on_threads(2), {}, checkpoint);
  EXPECT_EQ(encode_run(rest.behaviour), encode_run(whole.behaviour));
  EXPECT_EQ(rest.evaluations, whole.evaluations);
  EXPECT_EQ(rest.intermediates, whole.intermediates);
  EXPECT_EQ(rest.cost_before, whole.cost_before);
  EXPECT_EQ(rest.cost_after, whole.cost_after);
  checkpoint.resize(50);
  EXPECT_THROW(adapt_run(task, on_threads(1), {}, checkpoint), Error);
}

}  // namespace
}  // namespace sinew
