#include "world/convex.h"

#include <array>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

// A corner of the triangle that the line passes through; those of the start are no points of the set.
struct Corner {
  Vec3 p;
  bool made_up = false;
};
using Triangle = std::array<Corner, 3>;

// Twice the signed area of (0, a, b) seen from above.
double cross2(const Vec3& a, const Vec3& b) { return a.x() * b.y() - a.y() * b.x(); }

// The least of the three areas into which the origin parts the triangle: negative when it lies outside.
double inside(const Triangle& t) {
  return std::min({cross2(t[0].p, t[1].p), cross2(t[1].p, t[2].p), cross2(t[2].p, t[0].p)});
}

// Puts the new corner in the place of that one whose loss keeps the origin in the triangle.
void refine(Triangle& triangle, const Vec3& p) {
  Triangle best = triangle;
  double most = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < 3; ++i) {
    Triangle tried = triangle;
    tried[i] = {p, false};
    if (const double least = inside(tried); least > most) {
      most = least;
      best = tried;
    }
  }
  triangle = best;
}

// Height of the triangle at the origin, and how much of it is made up.
struct Middle {
  double height = 0;
  double made_up = 0;
};
Middle at_origin(const Triangle& t) {
  const Vec3 areas(cross2(t[1].p, t[2].p), cross2(t[2].p, t[0].p), cross2(t[0].p, t[1].p));
  const double sum = areas.sum();
  Middle out;
  for (int i = 0; i < 3; ++i) {
    const double weight = sum > 0 ? areas[i] / sum : 1.0 / 3;
    const Corner& corner = t[static_cast<size_t>(i)];
    out.height += weight * corner.p.z();
    if (corner.made_up) out.made_up += std::max(weight, 0.0);
  }
  return out;
}

}  // namespace

std::optional<double> top_at(const SupportFunction& support, double x, double y) {
  // Begin with a wide triangle far below. Then, as in portal refinement, take in the point that lies highest
  // above the triangle's plane until there is none.
  constexpr double kWide = 100, kDeep = -1e4, kTolerance = 1e-7;
  constexpr int kMost = 200;
  const Vec3 origin(x, y, 0);
  Triangle triangle = {
      {{{kWide, 0, kDeep}, true}, {{-kWide, kWide, kDeep}, true}, {{-kWide, -kWide, kDeep}, true}}};
  for (int i = 0; i < kMost; ++i) {
    Vec3 normal = (triangle[1].p - triangle[0].p).cross(triangle[2].p - triangle[0].p);
    if (normal.norm() == 0) break;
    normal.normalize();
    if (normal.z() <= 0) break;
    const Vec3 p = support(normal) - origin;
    if (normal.dot(p - triangle[0].p) < kTolerance * std::max(normal.z(), 1e-4)) break;
    refine(triangle, p);
  }
  const Middle middle = at_origin(triangle);
  if (middle.made_up > 1e-9) return std::nullopt;
  return middle.height;
}

}  // namespace sinew
