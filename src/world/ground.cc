#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "world/convex.h"
#include "world/world.h"

namespace sinew {

namespace {

// The part of a line o + z d that is inside something, as a range of z.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool empty() const { return low > high; }
};

// Where |o + z d| <= 1.
template <int kSize>
Range in_unit_ball(const Eigen::Matrix<double, kSize, 1>& o, const Eigen::Matrix<double, kSize, 1>& d) {
  const double a = d.squaredNorm(), b = o.dot(d), c = o.squaredNorm() - 1;
  const double inner = b * b - a * c;
  if (a < 1e-18) return c <= 0 ? Range{} : Range{1, -1};
  if (inner < 0) return {1, -1};
  const double root = std::sqrt(inner);
  return {(-b - root) / a, (-b + root) / a};
}

// Where |o + z d| <= half, along one axis.
Range in_slab(double o, double d, double half) {
  if (std::abs(d) < 1e-12) return std::abs(o) <= half ? Range{} : Range{1, -1};
  const double a = (-half - o) / d, b = (half - o) / d;
  return {std::min(a, b), std::max(a, b)};
}

Range both(const Range& a, const Range& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

std::optional<double> top_of(const Range& range) {
  return range.empty() ? std::nullopt : std::optional(range.high);
}

Range in_cylinder(const Vec3& o, const Vec3& d, double radius, double half_length) {
  return both(in_unit_ball<2>(o.head<2>() / radius, d.head<2>() / radius),
              in_slab(o.z(), d.z(), half_length));
}

std::optional<double> top_of_capsule(const Vec3& o, const Vec3& d, const Vec3& size) {
  std::optional<double> best = top_of(in_cylinder(o, d, size[0], size[1]));
  for (const double end : {-size[1], size[1]})
    if (const auto top = top_of(in_unit_ball<3>((o - Vec3(0, 0, end)) / size[0], d / size[0])))
      best = std::max(best.value_or(*top), *top);
  return best;
}

std::optional<double> top_of_sphere(const Shape& shape, const Pose& X_WB, double x, double y) {
  const Vec3 p = X_WB * shape.X_BS.p;
  const double dx = x - p.x(), dy = y - p.y(), rest = shape.size[0] * shape.size[0] - dx * dx - dy * dy;
  return rest < 0 ? std::nullopt : std::optional(p.z() + std::sqrt(rest));
}

// Height at which the vertical line through (x, y) leaves a shape at its top.
std::optional<double> top_of_shape(const Shape& shape, const Pose& X_WB, double x, double y) {
  if (shape.type == ShapeType::kSphere) return top_of_sphere(shape, X_WB, x, y);
  const Pose X_WS = X_WB * shape.X_BS;
  const Quat to_S = X_WS.q.conjugate();
  const Vec3 o = to_S * (Vec3(x, y, 0) - X_WS.p), d = to_S * Vec3::UnitZ();
  const Vec3& size = shape.size;
  switch (shape.type) {
    case ShapeType::kPlane:
      return d.z() > 1e-6 ? std::optional(-o.z() / d.z()) : std::nullopt;
    case ShapeType::kEllipsoid:
      return top_of(in_unit_ball<3>(o.cwiseQuotient(size), d.cwiseQuotient(size)));
    case ShapeType::kBox:
      return top_of(both(both(in_slab(o.x(), d.x(), size.x()), in_slab(o.y(), d.y(), size.y())),
                         in_slab(o.z(), d.z(), size.z())));
    case ShapeType::kCylinder:
      return top_of(in_cylinder(o, d, size[0], size[1]));
    case ShapeType::kCapsule:
      return top_of_capsule(o, d, size);
    case ShapeType::kSphere:
    case ShapeType::kMesh:
      return top_at([&](const Vec3& n) { return support(shape, X_WB, n); }, x, y);
  }
  return std::nullopt;
}

const Pose& pose_of(const WorldShape& surface, const std::vector<Pose>& X_WP) {
  static const Pose kWorld;
  return surface.shape.body < 0 ? kWorld : X_WP[static_cast<size_t>(surface.shape.body)];
}

bool waiting(const World& world, const WorldShape& surface) {
  return surface.shape.body >= 0 && world.props[static_cast<size_t>(surface.shape.body)].waiting;
}

// The lifts at which two things touch: `high` when the upper one lies on the lower one, `low` when it hangs
// under it; between them they overlap.
using Lifts = std::optional<Range>;

// A plane fills all that is below it.
Lifts lifts_off_plane(const Shape& mine, const Pose& X_WB, const Pose& X_WS) {
  const Vec3 normal = X_WS.q * Vec3::UnitZ();
  if (normal.z() < 1e-6) return std::nullopt;
  const double gap = normal.dot(support(mine, X_WB, -normal) - X_WS.p);
  return Range{-std::numeric_limits<double>::infinity(), -gap / normal.z()};
}

// The lifts at which two convex shapes touch are where the vertical line through the origin leaves the
// Minkowski difference of the two.
Lifts lifts_off(const Shape& mine, const Pose& X_WB, const Shape& other, const Pose& X_WP) {
  if (other.type == ShapeType::kPlane) return lifts_off_plane(mine, X_WB, X_WP * other.X_BS);

  // Most pairs are beside each other.
  for (const Vec3& side : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())}) {
    if (side.dot(support(mine, X_WB, -side) - support(other, X_WP, side)) >= 0) return std::nullopt;
    if (side.dot(support(other, X_WP, -side) - support(mine, X_WB, side)) >= 0) return std::nullopt;
  }
  const auto difference = [&](const Vec3& n) -> Vec3 {
    return support(other, X_WP, n) - support(mine, X_WB, -n);
  };
  const auto mirrored = [&](const Vec3& n) -> Vec3 {
    const Vec3 p = difference(Vec3(n.x(), n.y(), -n.z()));
    return {p.x(), p.y(), -p.z()};
  };
  const auto high = top_at(difference, 0, 0);
  const auto low = top_at(mirrored, 0, 0);
  if (!high || !low) return std::nullopt;
  return Range{-*low, *high};
}

// For each surface of the ground, or of the rest, that is above or below the character: the lifts at which
// it overlaps a shape of it.
std::vector<std::vector<Range>> all_lifts(const World& world, const Character& character,
                                          const std::vector<Pose>& X_WB, bool ground) {
  const std::vector<Pose> X_WP = prop_poses(world);
  std::vector<std::vector<Range>> out;
  for (const WorldShape& surface : world.shapes) {
    if (surface.ground != ground || !surface.shape.collides || waiting(world, surface)) continue;
    std::vector<Range> overlaps;
    for (const Shape& mine : character.shapes) {
      if (!mine.collides) continue;
      const Pose& X_WM = X_WB[static_cast<size_t>(mine.body)];
      if (const Lifts lifts = lifts_off(mine, X_WM, surface.shape, pose_of(surface, X_WP)))
        overlaps.push_back(*lifts);
    }
    if (!overlaps.empty()) out.push_back(std::move(overlaps));
  }
  return out;
}

// A character is lifted no more than this to get it out of a thing that is not ground, m.
constexpr double kLittle = 0.05;

// The least lift from here on at which nothing overlaps.
double free_of(std::vector<Range> overlaps, double lift) {
  std::sort(overlaps.begin(), overlaps.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
  for (const Range& overlap : overlaps)
    if (overlap.low < lift && lift < overlap.high) lift = overlap.high;
  return lift;
}

}  // namespace

double step_clear(const World& world, const Character& character, const std::vector<Pose>& X_WB) {
  // What a little lift helps out of, as a sitter out of the seat, is not in the way.
  constexpr double kStep = 0.02, kMost = 2;
  std::vector<Pose> moved = X_WB;
  for (double way = 0; way <= kMost; way += kStep) {
    for (size_t b = 0; b < moved.size(); ++b) moved[b].p.x() = X_WB[b].p.x() + way;
    bool inside = false;
    for (const auto& overlaps : all_lifts(world, character, moved, false))
      for (const Range& overlap : overlaps) inside |= overlap.low < 0 && overlap.high > kLittle;
    if (!inside) return way;
  }
  return 0;
}

double ground_height(const World& world, const std::vector<Pose>& X_WP, double x, double y) {
  std::optional<double> best;
  for (const WorldShape& surface : world.shapes) {
    if (!surface.ground || waiting(world, surface)) continue;
    if (surface.shape.body < 0 && surface.shape.type == ShapeType::kSphere) {
      // Most stones lie elsewhere.
      const Vec3& p = surface.shape.X_BS.p;
      const double r = surface.shape.size[0];
      if (std::abs(p.x() - x) > r || std::abs(p.y() - y) > r) continue;
    }
    if (const auto top = top_of_shape(surface.shape, pose_of(surface, X_WP), x, y))
      best = std::max(best.value_or(*top), *top);
  }
  return best.value_or(0.0);
}

std::function<double(double, double)> reference_ground(const World& world) {
  const bool moves = std::any_of(world.shapes.begin(), world.shapes.end(), [&](const WorldShape& surface) {
    return surface.ground && surface.shape.body >= 0 && !waiting(world, surface);
  });
  return [&world, moves](double x, double y) { return moves ? 0 : ground_height(world, {}, x, y); };
}

double lift_out(const World& world, const Character& character, const std::vector<Pose>& X_WB) {
  // What the ground demands.
  const auto off_ground = all_lifts(world, character, X_WB, true);
  if (off_ground.empty()) return 0;
  double least = -std::numeric_limits<double>::infinity();
  for (const auto& overlaps : off_ground)
    for (const Range& overlap : overlaps) least = std::max(least, overlap.high);
  if (!std::isfinite(least)) least = 0;  // nothing of the character collides

  // Then out of one thing after the other, as long as that takes little; twice, for one may lift into
  // another.
  const auto off_things = all_lifts(world, character, X_WB, false);
  double lift = least;
  for (int round = 0; round < 2; ++round)
    for (const auto& overlaps : off_things)
      if (const double higher = free_of(overlaps, lift); higher <= least + kLittle) lift = higher;
  return lift;
}

}  // namespace sinew
