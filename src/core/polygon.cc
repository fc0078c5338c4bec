#include "core/polygon.h"

#include <algorithm>

namespace sinew {

namespace {

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

}  // namespace

std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y()); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  // The lower chain from left to right, then the upper one back.
  std::vector<Vec2> hull;
  for (int chain = 0; chain < 2; ++chain) {
    const size_t first = hull.size();
    for (const Vec2& p : points) {
      while (hull.size() >= first + 2 && cross(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

Vec2 nearest_point(const std::vector<Vec2>& polygon, const Vec2& p) {
  bool inside = polygon.size() > 2;
  Vec2 best = polygon.front();
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Vec2& a = polygon[i];
    const Vec2 edge = polygon[(i + 1) % polygon.size()] - a;
    inside = inside && cross(edge, p - a) >= 0;
    const double length2 = edge.squaredNorm();
    const double along = length2 > 0 ? std::clamp(edge.dot(p - a) / length2, 0.0, 1.0) : 0.0;
    if (const Vec2 on = a + along * edge; (on - p).squaredNorm() < (best - p).squaredNorm()) best = on;
  }
  return inside ? p : best;
}

}  // namespace sinew
