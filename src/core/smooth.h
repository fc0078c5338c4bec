#pragma once

#include <algorithm>
#include <vector>

#include "core/math.h"

namespace sinew {

// Zero-phase smoothing with a Gaussian: a positive kernel, so that it never overshoots or rings. `cutoff_hz`
// is where it lets 70 % through. Ends are mirrored through the end point, so that slopes survive there. 0 or
// less: unchanged.
std::vector<double> smooth(const std::vector<double>& x, double frame_time_s, double cutoff_hz);
std::vector<Vec3> smooth(const std::vector<Vec3>& x, double frame_time_s, double cutoff_hz);
std::vector<Quat> smooth(const std::vector<Quat>& x, double frame_time_s, double cutoff_hz);

// The rate of a track at a frame, by central differences.
template <typename T>
T rate(const std::vector<T>& x, size_t f, double frame_time_s) {
  const size_t a = f > 0 ? f - 1 : f, b = f + 1 < x.size() ? f + 1 : f;
  return (x[b] - x[a]) / (frame_time_s * static_cast<double>(std::max<size_t>(b - a, 1)));
}

// The value below which a fraction (0 to 1) of the values lies; reorders its own copy. NaN for none.
double percentile(std::vector<double> values, double fraction);

}  // namespace sinew
