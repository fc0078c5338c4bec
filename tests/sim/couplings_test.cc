#include "sim/couplings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/engines.h"
#include "sim/scenes.h"

namespace sinew {

namespace {

constexpr double kStep_s = 0.0005;

class Couplings : public ::testing::TestWithParam<const char*> {
 protected:
  static std::unique_ptr<Simulator> make(const Character& character) {
    return find_engine(GetParam())(character, scenes::empty_world(Vec3::Zero()), {.step_s = kStep_s});
  }
};

Command limp(const Character& character) {
  Command command = rest_command(character);
  command.kp.setZero();
  command.kd.setZero();
  return command;
}

// Two masses, one sliding along a line through the middles of both, and a spring between them.
Character spring_pair(double stiffness, double damping) {
  Character c = scenes::root_only(3, 0.2 * Mat3::Identity());
  scenes::add_hinged(c, 0, Vec3(0.4, 0, 0), Vec3::UnitX(), 2, Vec3::Zero(), 0.1 * Mat3::Identity());
  c.joints.back().type = JointType::kSlide;
  c.springs.push_back({"spring", 0, 1, Vec3(0.4, 0, 0), Vec3::Zero(), stiffness, damping});
  return c;
}

// Arms on two hinges with a spring between their ends: nothing is symmetric.
Character arms() {
  Character c = scenes::root_only(4, Vec3(0.2, 0.3, 0.25).asDiagonal());
  const Mat3 I = Vec3(0.02, 0.03, 0.01).asDiagonal();
  scenes::add_hinged(c, 0, Vec3(0.3, 0, 0), Vec3(0.6, 0.8, 0), 1, Vec3(0.2, 0.1, 0), I);
  scenes::add_hinged(c, 0, Vec3(-0.2, 0.1, 0), Vec3::UnitY(), 1.5, Vec3(0, 0.1, 0.2), I);
  c.springs.push_back({"spring", 1, 2, Vec3(0.3, 0.2, 0), Vec3(0, 0.1, 0.4), 150, 4});
  c.chains.push_back({"chain", 1, 2, -1.7, 3, 0.1});
  return c;
}

}  // namespace

// With the reduced mass m of both, x = x0 exp(-d t / 2 m) cos(w t) (for small d), w^2 = k / m - (d / 2 m)^2.
TEST_P(Couplings, SpringOscillatesAsInClosedForm) {
  const double k = 120, d = 0.8, reduced = 3.0 * 2 / (3 + 2), x0 = 0.05, t = 1.3;
  const Character c = spring_pair(k, d);
  const auto simulator = make(c);
  State start = simulator->state();
  start.q[7] = x0;
  simulator->set_state(start);
  const Command command = limp(c);
  for (long i = 0; i < std::lround(t / kStep_s); ++i) ASSERT_EQ(simulator->step(command), StepStatus::kOk);
  const double decay = d / (2 * reduced), w = std::sqrt(k / reduced - decay * decay);
  const double expected = x0 * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
  EXPECT_NEAR(simulator->state().q[7], expected, 0.02 * x0);
}

// Two discs on a heavy root: e = r q_a - q_b oscillates with w^2 = k (1 / I_b + r^2 / I_a).
TEST_P(Couplings, ChainOscillatesAsInClosedForm) {
  const double k = 40, ratio = 2.5, Ia = 0.3, Ib = 0.05, t = 0.7;
  Character c = scenes::root_only(1000, 1000 * Mat3::Identity());
  scenes::add_hinged(c, 0, Vec3(0.3, 0, 0), Vec3::UnitY(), 1, Vec3::Zero(), Ia * Mat3::Identity());
  scenes::add_hinged(c, 0, Vec3(-0.3, 0, 0), Vec3::UnitY(), 1, Vec3::Zero(), Ib * Mat3::Identity());
  c.chains.push_back({"chain", 1, 2, ratio, k, 0});
  const auto simulator = make(c);
  State start = simulator->state();
  start.q[8] = 0.1;
  simulator->set_state(start);
  const Command command = limp(c);
  for (long i = 0; i < std::lround(t / kStep_s); ++i) ASSERT_EQ(simulator->step(command), StepStatus::kOk);
  const VecX& q = simulator->state().q;
  const double w = std::sqrt(k * (1 / Ib + ratio * ratio / Ia));
  EXPECT_NEAR(ratio * q[7] - q[8], -0.1 * std::cos(w * t), 0.004);
  // What one disc gains the other loses, times the ratio.
  EXPECT_NEAR(Ia * q[7] + ratio * Ib * (q[8] - 0.1), 0, 1e-4);
}

// Springs and chains are internal: with nothing else around, no momentum comes or goes.
TEST_P(Couplings, KeepMomentum) {
  const Character c = arms();
  const auto simulator = make(c);
  State start = simulator->state();
  start.q[7] = 0.7;
  start.q[8] = -0.5;
  start.v << 0.3, -0.2, 0.1, 0.5, 0.4, -0.3, 1, -2;
  simulator->set_state(start);
  const Command command = limp(c);
  double largest_N = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(simulator->step(command), StepStatus::kOk);
    const Momentum rate = simulator->momentum_rate();
    largest_N = std::max({largest_N, rate.linear.norm(), rate.angular.norm()});
  }
  EXPECT_LT(largest_N, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Engines, Couplings, ::testing::Values("mujoco", "ode"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace sinew
