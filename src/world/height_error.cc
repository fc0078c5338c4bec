#include "world/height_error.h"

#include <cmath>

namespace sinew {

namespace {

// Ground that rises more than this between two places has an edge there.
constexpr double kSteepestSlope = 0.6;
// So near it is beside an edge.
constexpr double kBeside_m = 0.15;

// Whether the ground has an edge close to a place, as the sides of a beam are.
template <typename Ground>
bool edge_beside(const Ground& ground, double x, double y) {
  const double here = ground(x, y);
  for (int i = 0; i < 8; ++i) {
    const double dx = kBeside_m * std::cos(i * kPi / 4), dy = kBeside_m * std::sin(i * kPi / 4);
    if (std::abs(ground(x + dx, y + dy) - here) > kSteepestSlope * kBeside_m) return true;
  }
  return false;
}

}  // namespace

double height_error(const World& world, const std::vector<Pose>& X_WP, const Vec3& p,
                    const Vec3& p_reference) {
  const auto ground = reference_ground(world);
  const double under_reference = ground(p_reference.x(), p_reference.y());
  const double above_ground =
      (p.z() - ground_height(world, X_WP, p.x(), p.y())) - (p_reference.z() - under_reference);
  const double step = ground(p.x(), p.y()) - under_reference;
  const bool edge = std::abs(step) > kSteepestSlope * (p - p_reference).head<2>().norm() ||
                    (step != 0 && edge_beside(ground, p.x(), p.y()));
  const double in_world = above_ground + step;
  return edge && std::abs(in_world) < std::abs(above_ground) ? in_world : above_ground;
}

}  // namespace sinew
