#pragma once

#include <functional>
#include <optional>

#include "core/math.h"

namespace sinew {

// The farthest point of a convex set along a direction (of any length).
using SupportFunction = std::function<Vec3(const Vec3& direction)>;

// Height at which the vertical line through (x, y) leaves a convex set at its top; none if it misses the set.
// Exact for sets with corners, within 1e-6 m for round ones.
std::optional<double> top_at(const SupportFunction& support, double x, double y);

}  // namespace sinew
