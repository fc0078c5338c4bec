#include "record/tessellate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace sinew {

namespace {

// A surface of revolution about Z from a profile of (radius, height, normal) points, bottom to top.
struct ProfilePoint {
  double radius, z;
  double normal_radius, normal_z;
};

TriangleMesh revolve(const std::vector<ProfilePoint>& profile, int slices) {
  TriangleMesh mesh;
  for (const ProfilePoint& p : profile)
    for (int k = 0; k <= slices; ++k) {
      const double angle = 2 * kPi * k / slices, c = std::cos(angle), s = std::sin(angle);
      mesh.positions.push_back({p.radius * c, p.radius * s, p.z});
      mesh.normals.push_back(Vec3(p.normal_radius * c, p.normal_radius * s, p.normal_z).normalized());
    }

  // Two triangles between neighbours; those that shrink to a line at the poles are left out.
  const auto columns = static_cast<uint32_t>(slices + 1);
  for (uint32_t row = 0; row + 1 < profile.size(); ++row)
    for (uint32_t k = 0; k + 1 < columns; ++k) {
      const uint32_t a = row * columns + k, b = a + 1, c = a + columns, d = c + 1;
      if (profile[row].radius > 0) mesh.indices.insert(mesh.indices.end(), {a, b, d});
      if (profile[row + 1].radius > 0) mesh.indices.insert(mesh.indices.end(), {a, d, c});
    }
  return mesh;
}

// A half circle of radius 1 from pole to pole; the equator's ring is doubled when `split` moves it apart.
std::vector<ProfilePoint> ball_profile(double radius, double split, int stacks) {
  std::vector<ProfilePoint> profile;
  const int half = std::max(2, stacks / 2);
  for (const double side : {-1.0, 1.0})
    for (int k = 0; k <= half; ++k) {
      if (side > 0 && k == 0 && split == 0) continue;
      const double angle = side < 0 ? -kPi / 2 * (1 - static_cast<double>(k) / half) : kPi / 2 * k / half;
      const bool pole = (side < 0 && k == 0) || (side > 0 && k == half);
      const double r = pole ? 0 : std::cos(angle), z = pole ? side : std::sin(angle);
      profile.push_back({radius * r, radius * z + side * split, r, z});
    }
  return profile;
}

TriangleMesh ellipsoid(const Vec3& radii, int slices) {
  TriangleMesh mesh = revolve(ball_profile(1, 0, slices / 2), slices);
  for (Vec3& p : mesh.positions) p = p.cwiseProduct(radii);
  for (Vec3& n : mesh.normals) n = n.cwiseQuotient(radii).normalized();
  return mesh;
}

void add_triangle(TriangleMesh& mesh, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 normal = (b - a).cross(c - a).normalized();
  for (const Vec3& p : {a, b, c}) {
    mesh.indices.push_back(static_cast<uint32_t>(mesh.positions.size()));
    mesh.positions.push_back(p);
    mesh.normals.push_back(normal);
  }
}

TriangleMesh hull_mesh(const std::vector<Vec3>& points) {
  TriangleMesh mesh;
  for (const auto& [a, b, c] : convex_hull(points))
    add_triangle(mesh, points[static_cast<size_t>(a)], points[static_cast<size_t>(b)],
                 points[static_cast<size_t>(c)]);
  return mesh;
}

TriangleMesh box(const Vec3& half) {
  std::vector<Vec3> corners;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0})
      for (const double z : {-1.0, 1.0}) corners.push_back(half.cwiseProduct(Vec3(x, y, z)));
  return hull_mesh(corners);
}

// Four points that span a solid, or nothing.
std::vector<int> first_tetrahedron(const std::vector<Vec3>& points, double tolerance) {
  const auto farthest = [&](auto&& measure) {
    int best = 0;
    for (size_t i = 1; i < points.size(); ++i)
      if (measure(points[i]) > measure(points[static_cast<size_t>(best)])) best = static_cast<int>(i);
    return best;
  };
  const auto at = [&](int i) -> const Vec3& { return points[static_cast<size_t>(i)]; };
  const int a = farthest([](const Vec3& p) { return p.x() + 0.37 * p.y() + 0.11 * p.z(); });
  const int b = farthest([&](const Vec3& p) { return (p - at(a)).norm(); });
  const Vec3 line = at(b) - at(a);
  if (line.norm() <= tolerance) return {};
  const int c = farthest([&](const Vec3& p) { return (p - at(a)).cross(line).norm(); });
  const Vec3 normal = line.cross(at(c) - at(a));
  if (normal.norm() <= tolerance * line.norm()) return {};
  const int d = farthest([&](const Vec3& p) { return std::abs((p - at(a)).dot(normal)); });
  const double height = (at(d) - at(a)).dot(normal.normalized());
  if (std::abs(height) <= tolerance) return {};
  return height < 0 ? std::vector<int>{a, b, c, d} : std::vector<int>{a, c, b, d};
}

}  // namespace

std::vector<std::array<int, 3>> convex_hull(const std::vector<Vec3>& points) {
  if (points.size() < 4) return {};
  Eigen::AlignedBox3d bounds;
  for (const Vec3& p : points) bounds.extend(p);
  const double tolerance = 1e-7 * bounds.diagonal().norm();
  const std::vector<int> t = first_tetrahedron(points, 10 * tolerance);
  if (t.empty()) return {};
  std::vector<std::array<int, 3>> faces = {
      {t[0], t[1], t[2]}, {t[0], t[3], t[1]}, {t[1], t[3], t[2]}, {t[2], t[3], t[0]}};

  // Each point outside takes away the faces that it sees and is joined to the rim of the hole.
  const auto at = [&](int i) -> const Vec3& { return points[static_cast<size_t>(i)]; };
  for (size_t i = 0; i < points.size(); ++i) {
    std::vector<std::array<int, 3>> kept;
    std::map<std::pair<int, int>, int> edges;
    for (const auto& f : faces) {
      const Vec3 normal = (at(f[1]) - at(f[0])).cross(at(f[2]) - at(f[0])).normalized();
      if (normal.dot(points[i] - at(f[0])) <= tolerance) {
        kept.push_back(f);
        continue;
      }
      for (size_t k = 0; k < 3; ++k) ++edges[{f[k], f[(k + 1) % 3]}];
    }
    if (edges.empty()) continue;
    for (const auto& [edge, count] : edges)
      if (!edges.contains({edge.second, edge.first}))
        kept.push_back({edge.first, edge.second, static_cast<int>(i)});
    faces = std::move(kept);
  }
  return faces;
}

std::vector<Vec2> flat_hull(std::vector<Vec2> points) {
  const auto before = [](const Vec2& a, const Vec2& b) {
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
  };
  std::sort(points.begin(), points.end(), before);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;

  // The lower chain from left to right, then the upper one back: only turns to the left are kept.
  std::vector<Vec2> hull;
  const auto add = [&](const Vec2& p, size_t kept) {
    while (hull.size() > kept) {
      const Vec2 along = hull.back() - hull[hull.size() - 2], next = p - hull.back();
      if (along.x() * next.y() - along.y() * next.x() > 0) break;
      hull.pop_back();
    }
    hull.push_back(p);
  };
  for (const Vec2& p : points) add(p, 1);
  const size_t lower = hull.size();
  for (auto p = points.rbegin() + 1; p != points.rend(); ++p) add(*p, lower);
  hull.pop_back();
  return hull;
}

TriangleMesh tessellate(const Shape& shape, int slices) {
  const Vec3& size = shape.size;
  switch (shape.type) {
    case ShapeType::kSphere:
      return ellipsoid(Vec3::Constant(size.x()), slices);
    case ShapeType::kEllipsoid:
      return ellipsoid(size, slices);
    case ShapeType::kCapsule:
      return revolve(ball_profile(size.x(), size.y(), slices / 2), slices);
    case ShapeType::kCylinder: {
      const double r = size.x(), h = size.y();
      return revolve(
          {{0, -h, 0, -1}, {r, -h, 0, -1}, {r, -h, 1, 0}, {r, h, 1, 0}, {r, h, 0, 1}, {0, h, 0, 1}}, slices);
    }
    case ShapeType::kBox:
      return box(size);
    case ShapeType::kMesh:
      return hull_mesh(shape.vertices);
    case ShapeType::kPlane:
      break;
  }
  return {};
}

}  // namespace sinew
