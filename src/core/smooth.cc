#include "core/smooth.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

std::vector<double> gaussian_kernel(double frame_time_s, double cutoff_hz) {
  // |H(f)| = exp(-2 (pi sigma f)^2) is 1/sqrt(2) at the cut-off.
  const double sigma = std::sqrt(std::log(2.0) / 4.0) / (kPi * cutoff_hz) / frame_time_s;
  const int half = static_cast<int>(std::ceil(4.0 * sigma));
  std::vector<double> kernel(static_cast<size_t>(2 * half + 1));
  double sum = 0;
  for (int k = -half; k <= half; ++k)
    sum += kernel[static_cast<size_t>(k + half)] = std::exp(-0.5 * k * k / (sigma * sigma));
  for (double& w : kernel) w /= sum;
  return kernel;
}

// Convolves with the kernel; beyond an end the sequence goes on mirrored through the end point: 2 x_end - x.
template <typename T>
std::vector<T> convolve(const std::vector<T>& x, const std::vector<double>& kernel) {
  const int n = static_cast<int>(x.size());
  const int half = static_cast<int>(kernel.size()) / 2;
  const auto at = [&](int i) -> T {
    if (n == 1) return x[0];
    if (i < 0) return 2.0 * x[0] - x[static_cast<size_t>(std::min(-i, n - 1))];
    if (i >= n)
      return 2.0 * x[static_cast<size_t>(n - 1)] - x[static_cast<size_t>(std::max(2 * (n - 1) - i, 0))];
    return x[static_cast<size_t>(i)];
  };
  std::vector<T> out(x.size());
  for (int i = 0; i < n; ++i) {
    T sum = kernel[0] * at(i - half);
    for (int k = 1 - half; k <= half; ++k) sum += kernel[static_cast<size_t>(k + half)] * at(i + k);
    out[static_cast<size_t>(i)] = sum;
  }
  return out;
}

template <typename T>
std::vector<T> smooth_linear(const std::vector<T>& x, double frame_time_s, double cutoff_hz) {
  return cutoff_hz <= 0 || x.size() < 2 ? x : convolve(x, gaussian_kernel(frame_time_s, cutoff_hz));
}

}  // namespace

std::vector<double> smooth(const std::vector<double>& x, double frame_time_s, double cutoff_hz) {
  return smooth_linear(x, frame_time_s, cutoff_hz);
}

std::vector<Vec3> smooth(const std::vector<Vec3>& x, double frame_time_s, double cutoff_hz) {
  return smooth_linear(x, frame_time_s, cutoff_hz);
}

std::vector<Quat> smooth(const std::vector<Quat>& x, double frame_time_s, double cutoff_hz) {
  // Within the kernel's reach rotations differ little: average the components and normalise.
  std::vector<Quat> continuous = x;
  make_continuous(continuous);
  std::vector<Vec4> coefficients(x.size());
  for (size_t i = 0; i < x.size(); ++i) coefficients[i] = continuous[i].coeffs();
  coefficients = smooth_linear(coefficients, frame_time_s, cutoff_hz);
  for (size_t i = 0; i < x.size(); ++i) continuous[i] = Quat(coefficients[i]).normalized();
  return continuous;
}

double percentile(std::vector<double> values, double fraction) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto k =
      static_cast<long>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<size_t>(k)];
}

}  // namespace sinew
