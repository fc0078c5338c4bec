#include "rollout/ride.h"

#include <cmath>
#include <complex>

#include "character/bicycle.h"
#include "core/error.h"

namespace sinew {

namespace {

// Sums over the frames of a ride, which goes along the course from its beginning.
template <typename Each>
void along(const Recording& ride, const Course& course, Each each) {
  double s = 0;
  for (const RecordingFrame& frame : ride.frames) {
    const Vec3 p = rear_contact(ride.character, body_poses(ride.character, frame.q));
    s = course.nearest(p, s);
    each(frame, p, s);
  }
}

// The rates s_i of x = sum c_i exp(s_i t), given at even times: linear prediction (Prony's method).
std::vector<std::complex<double>> rates_of(const std::vector<double>& x, double dt, int order) {
  const auto rows = static_cast<Eigen::Index>(x.size()) - order;
  MatX A(rows, order);
  VecX b(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (int k = 0; k < order; ++k) A(i, k) = x[static_cast<size_t>(i + order - 1 - k)];
    b[i] = x[static_cast<size_t>(i + order)];
  }
  MatX companion = MatX::Zero(order, order);
  companion.row(0) = A.colPivHouseholderQr().solve(b).transpose();
  for (int k = 1; k < order; ++k) companion(k, k - 1) = 1;
  std::vector<std::complex<double>> out;
  for (const std::complex<double>& z : companion.eigenvalues()) out.push_back(std::log(z) / dt);
  return out;
}

// The benchmark bicycle rolling straight ahead, with a little roll.
State disturbed(const Character& bicycle, const State& standing, double speed_m_s) {
  const Bicycle measures = benchmark_bicycle();
  State state = standing;
  state.v = VecX::Zero(bicycle.nv());
  state.v[0] = speed_m_s;
  state.v[3] = 0.02;
  for (const Joint& joint : bicycle.joints) {
    if (joint.name == kFrontWheel) state.v[joint.v] = speed_m_s / measures.front.radius_m;
    if (joint.name == kRearWheel) state.v[joint.v] = speed_m_s / measures.rear.radius_m;
  }
  return state;
}

}  // namespace

double course_error(const Recording& ride, const Course& course) {
  double sum = 0;
  along(ride, course, [&](const RecordingFrame&, const Vec3& p, double s) {
    const double off = course.offset(p, s);
    sum += off * off;
  });
  return ride.frames.empty() ? 0 : std::sqrt(sum / static_cast<double>(ride.frames.size()));
}

double speed_error(const Recording& ride, const Course& course, double after_s) {
  double sum = 0;
  long count = 0;
  along(ride, course, [&](const RecordingFrame& frame, const Vec3&, double s) {
    if (frame.time_s < after_s) return;
    const double off = frame.v.head<2>().norm() - course.at(s).speed_m_s;
    sum += off * off;
    ++count;
  });
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

double weave_growth(const SimulatorFactory& engine, const World& world, double speed_m_s, double step_s) {
  const Character bicycle = make_character(benchmark_bicycle(), "benchmark");
  const auto simulator = engine(bicycle, world, {.step_s = step_s});
  simulator->set_state(disturbed(bicycle, simulator->state(), speed_m_s));
  Command command = rest_command(bicycle);
  command.kp.setZero();
  command.kd.setZero();

  // The rate of roll, once the fast modes have died away.
  constexpr double kSettled_s = 0.5, kEnd_s = 3.5, kSample_s = 0.06;
  const long every = std::lround(kSample_s / step_s);
  std::vector<double> roll_rate;
  for (long i = 0; static_cast<double>(i) * step_s < kEnd_s; ++i) {
    if (simulator->step(command) != StepStatus::kOk) throw Error("the bicycle without a rider diverged");
    if (i % every == 0 && static_cast<double>(i) * step_s > kSettled_s)
      roll_rate.push_back(simulator->state().v[3]);
  }

  // Weave, a pair, and two more that decay: the one that oscillates and lasts.
  double growth = -1e9;
  for (const std::complex<double>& s : rates_of(roll_rate, kSample_s, 4))
    if (s.imag() > 1 && s.imag() < 8) growth = std::max(growth, s.real());
  return growth;
}

double weave_speed(const SimulatorFactory& engine, const World& world, double step_s) {
  constexpr double kSlow_m_s = 4.2, kFast_m_s = 4.4;
  const double slow = weave_growth(engine, world, kSlow_m_s, step_s);
  const double fast = weave_growth(engine, world, kFast_m_s, step_s);
  return kSlow_m_s + (kFast_m_s - kSlow_m_s) * slow / (slow - fast);
}

}  // namespace sinew
