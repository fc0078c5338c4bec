// Every simulator: states, snapshots, clones, reshaping, divergence. Contract tests live in all
// contract*_test.cc; the engines that they run for are listed at the end of this one.
#include "sim/contract.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

#include "core/error.h"
#include "sim/plugin.h"

namespace sinew {
namespace {

using namespace scenes;

constexpr double kG = 9.81;

bool same_bytes(const VecX& a, const VecX& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<size_t>(a.size()) * sizeof(double)) == 0;
}

// All that a simulator tells of itself, as one row of numbers.
VecX told(const Simulator& sim) {
  std::vector<double> row{sim.state().time_s};
  const auto add = [&](const auto& v) { row.insert(row.end(), v.data(), v.data() + v.size()); };
  add(sim.state().q);
  add(sim.state().v);
  add(sim.torques());
  add(sim.momentum_rate().linear);
  add(sim.momentum_rate().angular);
  for (const Contact& contact : sim.contacts()) {
    add(contact.p_W);
    add(contact.force_W);
    row.push_back(contact.depth_m);
  }
  for (size_t p = 0; p < sim.world().props.size(); ++p) {
    const PropState prop = sim.prop(static_cast<int>(p));
    add(prop.X_WP.p);
    add(prop.X_WP.q.coeffs());
    add(prop.v_WP);
    add(prop.w_WP);
  }
  return VecX::Map(row.data(), static_cast<Eigen::Index>(row.size()));
}

// A command that changes from step to step, with forces from outside now and then.
StepStatus varied_step(Simulator& sim, int i) {
  Command command = rest_command(sim.character());
  for (int k = 7; k < sim.character().nq(); ++k) {
    if (sim.character().q_rest[k] == 0) command.q_target[k] = 0.2 * std::sin(0.1 * i + k);
  }
  for (const Joint& joint : sim.character().joints)
    if (joint.type == JointType::kBall) command.q_target.segment<4>(joint.q).normalize();
  if (i % 7 == 0) sim.add_force({0, Vec3(50, 20, 0), sim.state().q.head<3>(), Vec3::Zero()});
  return sim.step(command);
}

std::vector<VecX> story(Simulator& sim, int steps) {
  std::vector<VecX> rows;
  for (int i = 0; i < steps; ++i) {
    EXPECT_EQ(varied_step(sim, i), StepStatus::kOk);
    rows.push_back(told(sim));
  }
  return rows;
}

void expect_same(const std::vector<VecX>& a, const std::vector<VecX>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE(same_bytes(a[i], b[i]))
        << what << ": step " << i << " differs" << (a[i].size() == b[i].size() ? "" : " in its contacts");
}

// A world with things that move: a ball in flight, a block, a swinging board, a platform.
World busy_world() {
  World world = flat_world();
  Prop ball = ball_prop(0.5, 0.06);
  ball.X_WP.p = Vec3(-1, 0, 1.2);
  add_prop(world, ball, ShapeType::kSphere, Vec3(0.06, 0, 0));
  Prop block;
  block.X_WP.p = Vec3(0.5, 0, 0.1);
  block.mass_kg = 3;
  block.I_C = box_inertia(3, Vec3(0.1, 0.1, 0.1));
  add_prop(world, block, ShapeType::kBox, Vec3(0.1, 0.1, 0.1));
  Prop board;
  board.drive = Drive::kHinge;
  board.X_WP.p = Vec3(-0.8, 0, 1);
  board.I_C = box_inertia(1, Vec3(0.05, 0.2, 0.3));
  board.p_PJ = Vec3(0, 0, 0.3);
  add_prop(world, board, ShapeType::kBox, Vec3(0.05, 0.2, 0.3));
  Prop platform;
  platform.drive = Drive::kMoved;
  platform.X_WP.p = Vec3(0, 2, 0);
  platform.sway_m = Vec3(0.1, 0, 0);
  add_prop(world, platform, ShapeType::kBox, Vec3(0.5, 0.5, 0.05));
  return world;
}

TEST_P(Contract, StatesComeBackAsTheyWereSet) {
  const Character c = shipped("human50");
  auto sim = make(c, flat_world());
  EXPECT_EQ(sim->state().q.size(), c.nq());
  EXPECT_EQ(sim->state().v.size(), c.nv());
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  State state = at_rest(c, c.q_rest);
  VecX dv(c.nv());
  for (double& x : dv) x = 0.3 * normal(random);
  state.q = integrate(c, c.q_rest, dv);
  for (double& x : state.v) x = normal(random);
  state.time_s = 1.25;
  sim->set_state(state);
  EXPECT_EQ(sim->state().time_s, 1.25);
  EXPECT_LT(difference(c, state.q, sim->state().q).norm(), 1e-12);
  EXPECT_LT((sim->state().v - state.v).norm(), 1e-12);
  EXPECT_TRUE(sim->contacts().empty());
}

TEST_P(Contract, RestoredItHasNothingToTellOfTheLastStep) {
  auto sim = make(shipped("human50"), flat_world());
  for (int i = 0; i < 20; ++i) ASSERT_EQ(varied_step(*sim, i), StepStatus::kOk);
  EXPECT_GT(sim->torques().norm(), 0);
  Snapshot saved;
  sim->save(saved);
  sim->restore(saved);
  EXPECT_TRUE(sim->contacts().empty());
  EXPECT_EQ(sim->torques().norm(), 0);
  EXPECT_EQ(sim->momentum_rate().linear.norm(), 0);
  EXPECT_TRUE(sim->clone()->contacts().empty());
}

TEST_P(Contract, WhatIsOfAnotherCharacterIsRefused) {
  const Character c = shipped("human50");
  auto sim = make(c, flat_world());
  const State good = sim->state();
  State state = good;
  state.v.conservativeResize(c.nv() - 1);
  EXPECT_THROW(sim->set_state(state), Error);
  state = good;
  state.q[8] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(sim->set_state(state), Error);
  Command command = rest_command(c);
  command.kp.conservativeResize(c.nv() - 1);
  EXPECT_THROW(sim->step(command), Error);
  command = rest_command(c);
  command.limit[10] = -1;
  EXPECT_THROW(sim->step(command), Error);
  EXPECT_TRUE(same_bytes(sim->state().q, good.q));
}

TEST_P(Contract, StandsOnTheGroundAtTheStart) {
  const Character c = shipped("human50");
  auto sim = make(c, flat_world());
  EXPECT_NEAR(lowest_point(c, body_poses(c, sim->state().q)), 0, 0.002);
  EXPECT_EQ(sim->state().time_s, 0);
  EXPECT_EQ(sim->state().v.norm(), 0);

  // On a slope the lower foot is in the air and the upper one on the ground.
  sim = make(c, sloping_world(radians(10)));
  const auto X_WB = body_poses(c, sim->state().q);
  const Vec3 normal = exp_map(Vec3(0, radians(10), 0)) * Vec3::UnitZ();
  double lowest = 1;
  for (const Shape& shape : c.shapes)
    if (shape.collides)
      lowest = std::min(lowest, normal.dot(support(shape, X_WB[static_cast<size_t>(shape.body)], -normal)));
  EXPECT_NEAR(lowest, 0, 0.002);
}

TEST_P(Contract, RestoredItGoesTheSameWay) {
  const Character c = shipped("human50");
  std::vector<World> worlds{flat_world()};
  if (GetParam().props) worlds.push_back(busy_world());
  for (const World& world : worlds) {
    auto sim = make(c, world);
    if (!world.props.empty()) {
      PropState thrown{world.props[0].X_WP, Vec3(6, 0, 1), Vec3(0, 5, 0)};
      sim->set_prop(0, thrown);
    }
    std::unique_ptr<Simulator> early = sim->clone();
    for (int i = 0; i < 60; ++i) ASSERT_EQ(varied_step(*sim, i), StepStatus::kOk);
    EXPECT_FALSE(sim->contacts().empty());
    Snapshot snapshot, again;
    sim->save(snapshot);
    std::unique_ptr<Simulator> clone = sim->clone();
    const auto first = story(*sim, 80);
    expect_same(first, story(*clone, 80), "a clone");
    sim->restore(snapshot);
    sim->save(again);
    EXPECT_EQ(snapshot, again);
    expect_same(first, story(*sim, 80), "restored");
    early->restore(snapshot);
    expect_same(first, story(*early, 80), "restored in a clone of before");
  }
}

TEST_P(Contract, TwoOfAKindGoTheSameWay) {
  const Character c = shipped("human50");
  auto a = make(c, flat_world()), b = make(c, flat_world());
  expect_same(story(*a, 400), story(*b, 400), "another simulator");
}

// Diverged: it says so, stays as it was, and a restored state goes on.
void expect_divergence(Simulator& sim, const Command& bad, const Command& good, const std::string& what) {
  Snapshot snapshot;
  sim.save(snapshot);
  StepStatus status = StepStatus::kOk;
  for (int i = 0; i < 50 && status == StepStatus::kOk; ++i) {
    status = sim.step(bad);
    EXPECT_TRUE(sim.state().q.allFinite() && sim.state().v.allFinite()) << what;
  }
  EXPECT_EQ(status, StepStatus::kDiverged) << what;
  const State last = sim.state();
  EXPECT_EQ(sim.step(good), StepStatus::kDiverged) << what << ": it stays so";
  EXPECT_TRUE(same_bytes(sim.state().q, last.q) && same_bytes(sim.state().v, last.v)) << what;
  EXPECT_EQ(sim.state().time_s, last.time_s) << what;
  EXPECT_TRUE(told(sim).allFinite()) << what;
  sim.restore(snapshot);
  EXPECT_EQ(sim.step(good), StepStatus::kOk) << what << ": a restored state goes on";
}

TEST_P(Contract, DivergenceIsReported) {
  std::filesystem::remove("MUJOCO_LOG.TXT");
  const Character c = shipped("human50");
  auto sim = make(c, flat_world());
  const Command good = rest_command(c);
  ASSERT_EQ(sim->step(good), StepStatus::kOk);

  Command strong = limp(c);
  strong.torque[10] = 1e12;
  expect_divergence(*sim, strong, good, "a torque of 1e12");
  Command nan = good;
  nan.q_target[12] = std::numeric_limits<double>::quiet_NaN();
  expect_divergence(*sim, nan, good, "NaN as a target");
  nan = good;
  nan.torque[9] = std::numeric_limits<double>::quiet_NaN();
  expect_divergence(*sim, nan, good, "NaN as a torque");
  Command infinite = good;
  infinite.torque[9] = std::numeric_limits<double>::infinity();
  infinite.limit.setConstant(std::numeric_limits<double>::infinity());
  expect_divergence(*sim, infinite, good, "an infinite torque");

  // A state set anew is a new beginning as well.
  EXPECT_EQ(sim->step(nan), StepStatus::kDiverged);
  sim->set_state(at_rest(c, c.q_rest));
  EXPECT_EQ(sim->step(good), StepStatus::kOk);
  EXPECT_FALSE(std::filesystem::exists("MUJOCO_LOG.TXT"));
}

TEST_P(Contract, AbsurdBodiesGiveAStatusNotNan) {
  std::filesystem::remove("MUJOCO_LOG.TXT");
  Character heavy = shipped("human50");
  heavy.bodies.back().mass_kg *= 1e9;
  heavy.bodies.back().I_C *= 1e9;
  Character light = shipped("human50");
  light.bodies.back().mass_kg *= 1e-9;
  light.bodies.back().I_C *= 1e-9;
  for (const Character& c : {heavy, light}) {
    auto sim = make(c, flat_world());
    for (int i = 0; i < 200; ++i) {
      if (varied_step(*sim, i) == StepStatus::kDiverged) break;
      ASSERT_TRUE(told(*sim).allFinite());
    }
    EXPECT_TRUE(told(*sim).allFinite());
  }
  EXPECT_FALSE(std::filesystem::exists("MUJOCO_LOG.TXT"));
}

TEST_P(Contract, TwiceTheMassFallsTheSame) {
  Character c = brick(3, Vec3(0.1, 0.2, 0.3));
  auto sim = make(c, empty_world());
  State start = at_rest(c, c.q_rest);
  start.v << 1, 0, 2, 0, 0, 3;
  sim->set_state(start);
  run(*sim, limp(c), 0.2);
  const State before = sim->state();
  c.bodies[0].mass_kg *= 2;
  c.bodies[0].I_C *= 2;
  sim->reshape(c);
  EXPECT_TRUE(same_bytes(before.q, sim->state().q) && same_bytes(before.v, sim->state().v));
  EXPECT_EQ(sim->character().bodies[0].mass_kg, 6);
  run(*sim, limp(c), 0.2);
  EXPECT_LT((sim->state().v.head<3>() - Vec3(1, 0, 2 - kG * 0.4)).norm(), 1e-6);
  // A force moves it half as much.
  const double h = sim->step_s();
  const VecX v = sim->state().v;
  sim->add_force({0, Vec3(12, 0, 0), sim->state().q.head<3>(), Vec3::Zero()});
  ASSERT_EQ(sim->step(limp(c)), StepStatus::kOk);
  EXPECT_NEAR(sim->state().v[0] - v[0], 2 * h, 1e-9);
}

TEST_P(Contract, TwiceTheMassWeighsTwice) {
  Character c = brick(5, Vec3(0.2, 0.15, 0.1));
  auto sim = make(c, flat_world());
  run(*sim, limp(c), 0.2);
  c.bodies[0].mass_kg *= 2;
  c.bodies[0].I_C *= 2;
  sim->reshape(c);
  run(*sim, limp(c), 0.4);
  EXPECT_NEAR(contact_force(*sim).z(), 10 * kG, 0.005 * 10 * kG);
}

TEST_P(Contract, AGrowingBoxStandsHigher) {
  Character c = brick(5, Vec3(0.2, 0.15, 0.1));
  auto sim = make(c, flat_world());
  for (int i = 0; i < 20; ++i) {
    c.shapes[0].size.z() += 0.002;
    sim->reshape(c);
    run(*sim, limp(c), 0.02);
  }
  run(*sim, limp(c), 0.3);
  EXPECT_NEAR(sim->state().q[2], 0.14, 0.003);
  EXPECT_NEAR(contact_force(*sim).z(), 5 * kG, 0.01 * 5 * kG);
}

TEST_P(Contract, LegsMayGrowWhileItStands) {
  Character c = shipped("human50");
  auto sim = make(c, flat_world());
  Command command = rest_command(c);
  command.kp *= 5;
  command.kd *= 5;
  run(*sim, command, 0.1);
  const double height = standing_height(c);
  for (int i = 0; i < 10; ++i) {
    // Shanks grow from the knee down; the root goes up with them.
    const double low = lowest_point(c, body_poses(c, sim->state().q));
    for (const Part foot : {Part::kLeftFoot, Part::kRightFoot})
      c.bodies[static_cast<size_t>(c.find(foot))].X_PB.p.z() -= 0.003;
    sim->reshape(c);
    State state = sim->state();
    state.q[2] += low - lowest_point(c, body_poses(c, state.q));
    sim->set_state(state);
    run(*sim, command, 0.02);
  }
  EXPECT_NEAR(standing_height(c), height + 0.03, 1e-9);
  EXPECT_NEAR(lowest_point(c, body_poses(c, sim->state().q)), 0, 0.01);
  EXPECT_NEAR(sim->state().q[2], c.q_rest[2] + 0.03, 0.02);
}

TEST_P(Contract, SnapshotsOutliveReshaping) {
  Character c = brick(5, Vec3(0.2, 0.15, 0.1));
  auto sim = make(c, flat_world());
  run(*sim, limp(c), 0.1);
  Snapshot snapshot;
  sim->save(snapshot);
  const State before = sim->state();
  c.bodies[0].mass_kg *= 1.5;
  sim->reshape(c);
  run(*sim, limp(c), 0.1);
  sim->restore(snapshot);
  EXPECT_TRUE(same_bytes(before.q, sim->state().q));
  EXPECT_EQ(sim->character().bodies[0].mass_kg, 7.5);
  run(*sim, limp(c), 0.4);
  EXPECT_NEAR(contact_force(*sim).z(), 7.5 * kG, 0.01 * 7.5 * kG);
}

TEST_P(Contract, AnotherTopologyIsRefused) {
  auto sim = make(brick(5, Vec3(0.2, 0.15, 0.1)), flat_world());
  EXPECT_THROW(sim->reshape(two_discs(1, 1)), Error);
}

INSTANTIATE_TEST_SUITE_P(Engines, Contract, ::testing::ValuesIn(engines_under_contract()), engine_name);

// What find_engine says to a mistake.
std::string sentence(const std::string& name) {
  try {
    find_engine(name);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Engines, AMistakeGetsASentence) {
  EXPECT_NE(sentence("bullet").find("mujoco, ode"), std::string::npos) << sentence("bullet");
  EXPECT_NE(sentence("bullet").find("bullet"), std::string::npos);
  EXPECT_NE(sentence("nowhere/lib.so").find("nowhere/lib.so: there is no such plug-in"), std::string::npos);
  EXPECT_EQ(engine_names(), (std::vector<std::string>{"mujoco", "ode"}));

  // A plug-in of another version, and a library that is none.
  EXPECT_NE(sentence(SINEW_OLD_PLUGIN).find("built for version 0"), std::string::npos)
      << sentence(SINEW_OLD_PLUGIN);
  const auto text = std::filesystem::temp_directory_path() / "sinew_no_library.so";
  std::filesystem::copy_file(SINEW_SOURCE_DIR "/LICENSE", text,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(sentence(text).find("cannot be loaded"), std::string::npos) << sentence(text);
  std::filesystem::remove(text);
}

TEST(Engines, APluginSaysWhatItCannotDo) {
  const SimulatorFactory make = load_plugin(SINEW_PLUGIN);
  try {
    make(brick(1, Vec3(0.1, 0.1, 0.1)), busy_world(), {});
    FAIL() << "it has no props";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("has no props"), std::string::npos) << error.what();
  }
}

TEST(Engines, APluginStaysLoadedWhileASimulatorLives) {
  std::unique_ptr<Simulator> sim;
  const Character c = brick(1, Vec3(0.1, 0.1, 0.1));
  {
    // By a name that counts from where we are, as a user types it.
    const SimulatorFactory make = find_engine(std::filesystem::relative(SINEW_PLUGIN));
    sim = make(c, flat_world(), {})->clone();
  }
  EXPECT_EQ(sim->engine(), "spring");
  EXPECT_EQ(sim->step(limp(c)), StepStatus::kOk);
}

}  // namespace
}  // namespace sinew
