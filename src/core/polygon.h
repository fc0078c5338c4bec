#pragma once

#include <vector>

#include "core/math.h"

// Convex polygons in the plane: what bears load.
namespace sinew {

using Vec2 = Eigen::Vector2d;

// The corners of the hull, counter-clockwise; fewer than three where the points lie in a line.
std::vector<Vec2> convex_hull(std::vector<Vec2> points);

// The point of a convex polygon (at least one corner, counter-clockwise) that is nearest to p: p itself
// inside.
Vec2 nearest_point(const std::vector<Vec2>& polygon, const Vec2& p);

}  // namespace sinew
