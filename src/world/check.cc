#include "world/check.h"

#include <cmath>

#include "core/error.h"

namespace sinew {

namespace {

constexpr double kLarge = 1e6;

bool sane(double x) { return std::isfinite(x) && std::abs(x) <= kLarge; }
template <typename Matrix>
bool sane(const Eigen::MatrixBase<Matrix>& m) {
  return m.allFinite() && m.cwiseAbs().maxCoeff() <= kLarge;
}
bool sane(const Pose& X) { return sane(X.p) && std::abs(X.q.norm() - 1) < 1e-6; }
bool unit(const Vec3& v) { return std::abs(v.norm() - 1) < 1e-6; }
bool within(double x, double lower, double upper) { return x >= lower && x <= upper; }

// How many of a shape's sizes count.
int size_count(ShapeType type) {
  switch (type) {
    case ShapeType::kSphere:
      return 1;
    case ShapeType::kCapsule:
    case ShapeType::kCylinder:
      return 2;
    case ShapeType::kBox:
    case ShapeType::kEllipsoid:
      return 3;
    case ShapeType::kMesh:
    case ShapeType::kPlane:
      return 0;
  }
  return 0;
}

bool good(const WorldShape& surface, int props) {
  constexpr size_t kMostVertices = 100000;
  const Shape& shape = surface.shape;
  bool ok =
      sane(shape.X_BS) && sane(shape.size) && sane(shape.rgba) && shape.body >= -1 && shape.body < props;
  for (int k = 0; k < size_count(shape.type); ++k) ok = ok && shape.size[k] > 0;
  ok = ok && (shape.type != ShapeType::kPlane || shape.body < 0);
  ok = ok && (shape.type != ShapeType::kMesh || shape.vertices.size() >= 4);
  ok = ok && shape.vertices.size() <= kMostVertices;
  for (const Vec3& vertex : shape.vertices) ok = ok && sane(vertex);
  return ok && within(shape.friction, 0, kLarge) && within(surface.friction.value_or(0), 0, kLarge) &&
         within(surface.softness_s, 0, 10) && within(surface.give_m, 0, 10);
}

// Principal moments are positive, and none exceeds the sum of the others.
bool good_inertia(const Mat3& I) {
  if (!sane(I) || !I.isApprox(I.transpose(), 1e-6)) return false;
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(I, Eigen::EigenvaluesOnly).eigenvalues();
  return moments[0] > 0 && moments[2] <= (moments[0] + moments[1]) * (1 + 1e-6);
}

bool good(const Prop& prop) {
  bool ok = sane(prop.X_WP) && sane(prop.p_PC) && sane(prop.p_PJ) && unit(prop.axis_P) && sane(prop.sway_m) &&
            within(prop.period_s, 1e-3, kLarge);
  if (prop.drive != Drive::kMoved) ok = ok && within(prop.mass_kg, 1e-9, kLarge) && good_inertia(prop.I_C);
  ok = ok && (!prop.waiting || prop.drive == Drive::kFree);
  return ok && sane(prop.lower) && sane(prop.upper) && prop.lower <= prop.upper &&
         within(prop.stiffness, 0, kLarge) && within(prop.damping, 0, kLarge);
}

}  // namespace

void check_world(const World& world, const std::string& where) {
  constexpr size_t kMost = 10000;
  const auto refuse = [&](const std::string& what) { throw Error(where, 0, "cannot be a world: " + what); };
  if (!sane(world.gravity)) refuse("its gravity is no sensible number");
  if (world.shapes.size() > kMost || world.props.size() > kMost || world.throws.size() > kMost ||
      world.pushes.size() > kMost)
    refuse("it has more than 10000 things of a kind");
  const auto props = static_cast<int>(world.props.size());
  for (const Prop& prop : world.props)
    if (!good(prop)) refuse("prop " + prop.name + " has numbers that make no sense");
  for (const WorldShape& surface : world.shapes)
    if (!good(surface, props)) refuse("shape " + surface.shape.name + " has numbers that make no sense");
  for (const Throw& thrown : world.throws)
    if (!within(thrown.mass_kg, 1e-3, 1e4) || !within(thrown.speed_m_s, 1e-3, 1e4) ||
        !within(thrown.at_s, 0, kLarge) || !unit(thrown.from) || thrown.prop < 0 || thrown.prop >= props)
      refuse("the throw at " + thrown.body + " has numbers that make no sense");
  for (const Push& push : world.pushes)
    if (!within(push.force_N, 0, kLarge) || !within(push.for_s, 0, kLarge) || !within(push.at_s, 0, kLarge) ||
        !unit(push.toward))
      refuse("the push at " + push.body + " has numbers that make no sense");
}

}  // namespace sinew
