#include "character/bicycle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <iostream>

#include "sim/engines.h"
#include "sim/scenes.h"

namespace sinew {

namespace {

// The bicycle rolls straight ahead at a speed, disturbed by a small rate of roll.
State rolling(const Character& bicycle, const State& standing, double speed_m_s, double roll_rate) {
  State state = standing;
  state.v = VecX::Zero(bicycle.nv());
  state.v[0] = speed_m_s;
  state.v[3] = roll_rate;
  for (const Joint& joint : bicycle.joints)
    if (joint.name == kFrontWheel || joint.name == kRearWheel) {
      const Body& wheel = bicycle.bodies[static_cast<size_t>(joint.body)];
      const double radius =
          joint.name == kFrontWheel ? benchmark_bicycle().front.radius_m : benchmark_bicycle().rear.radius_m;
      state.v[joint.v] = speed_m_s / radius;
      (void)wheel;
    }
  return state;
}

// Rates of the modes x = sum c_i exp(s_i t) of a signal at even times, by linear prediction (Prony).
std::vector<std::complex<double>> modes(const std::vector<double>& x, double dt, int order) {
  const auto rows = static_cast<Eigen::Index>(x.size()) - order;
  MatX A(rows, order);
  VecX b(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (int k = 0; k < order; ++k) A(i, k) = x[static_cast<size_t>(i + order - 1 - k)];
    b[i] = x[static_cast<size_t>(i + order)];
  }
  const VecX a = A.colPivHouseholderQr().solve(b);
  MatX companion = MatX::Zero(order, order);
  companion.row(0) = a.transpose();
  for (int k = 1; k < order; ++k) companion(k, k - 1) = 1;
  std::vector<std::complex<double>> out;
  for (const auto& z : companion.eigenvalues()) out.push_back(std::log(z) / dt);
  return out;
}

// Growth of the slowest oscillation, the weave, at a speed; 1/s.
std::complex<double> weave(double speed_m_s, double step_s) {
  const Character bicycle = make_character(benchmark_bicycle(), "benchmark");
  const auto simulator = find_engine("mujoco")(bicycle, scenes::flat_world(), {.step_s = step_s});
  simulator->set_state(rolling(bicycle, simulator->state(), speed_m_s, 0.02));
  Command command = rest_command(bicycle);
  command.kp.setZero();
  command.kd.setZero();
  std::vector<double> roll;
  const double dt = 0.06;
  const int every = static_cast<int>(std::lround(dt / step_s));
  for (int i = 0; i < std::lround(3.5 / step_s); ++i) {
    EXPECT_EQ(simulator->step(command), StepStatus::kOk);
    if (i % every == 0 && i * step_s > 0.5) roll.push_back(simulator->state().v[3]);
  }
  std::complex<double> best(-1e9, 0);
  for (const auto& s : modes(roll, dt, 4)) {
    std::cout << "   " << s;
    if (s.imag() > 1 && s.imag() < 6 && s.real() > best.real()) best = s;
  }
  std::cout << std::endl;
  return best;
}

}  // namespace

TEST(Bicycle, WeavesAsTheBenchmark) {
  for (const double h : {0.002, 0.001, 0.0005})
    for (const double v : {3.5, 4.0, 4.3, 4.6, 5.0, 6.0})
      std::cout << h << " " << v << " " << weave(v, h) << std::endl;
}

}  // namespace sinew
