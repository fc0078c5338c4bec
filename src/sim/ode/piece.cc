#include "sim/ode/piece.h"

#include <algorithm>
#include <cmath>

namespace sinew::ode {

namespace {

// A plane that moves with a body is the top of a thick plate: ODE's planes are fixed.
constexpr double kPlate = 50.0;

// A geom of ODE and where it lies in the frame of the shape.
struct Made {
  dGeomID geom;
  Pose X_SG;
};

Made ellipsoid_capsule(const Vec3& size) {
  Eigen::Index longest = 0;
  const double a = size.maxCoeff(&longest);
  const double r = std::min(a, 0.5 * (size.sum() - a));
  const Quat along = shortest_arc(Vec3::UnitZ(), Vec3::Unit(longest));
  return {dCreateCapsule(nullptr, r, std::max(2 * (a - r), 1e-6)), {Vec3::Zero(), along}};
}

Made mesh_box(const std::vector<Vec3>& vertices) {
  Eigen::AlignedBox3d box(Vec3::Constant(-1e-4), Vec3::Constant(1e-4));
  if (!vertices.empty()) box.setEmpty();
  for (const Vec3& p : vertices) box.extend(p);
  const Vec3 size = box.sizes().cwiseMax(1e-4);
  return {dCreateBox(nullptr, size.x(), size.y(), size.z()), {box.center(), Quat::Identity()}};
}

Made make_geom(const Shape& shape, const Pose& X_WS, bool fixed) {
  const Vec3& s = shape.size;
  switch (shape.type) {
    case ShapeType::kSphere:
      return {dCreateSphere(nullptr, s[0]), {}};
    case ShapeType::kCapsule:
      return {dCreateCapsule(nullptr, s[0], 2 * s[1]), {}};
    case ShapeType::kBox:
      return {dCreateBox(nullptr, 2 * s[0], 2 * s[1], 2 * s[2]), {}};
    case ShapeType::kCylinder:
      return {dCreateCylinder(nullptr, s[0], 2 * s[1]), {}};
    case ShapeType::kEllipsoid:
      return ellipsoid_capsule(s);
    case ShapeType::kMesh:
      return mesh_box(shape.vertices);
    case ShapeType::kPlane: {
      if (!fixed) return {dCreateBox(nullptr, 2 * kPlate, 2 * kPlate, 2), {Vec3(0, 0, -1), Quat::Identity()}};
      const Vec3 n = X_WS.q * Vec3::UnitZ();
      return {dCreatePlane(nullptr, n.x(), n.y(), n.z(), n.dot(X_WS.p)), {}};
    }
  }
  return {dCreateSphere(nullptr, s[0]), {}};
}

// The corners of the box around a mesh lie up to sqrt(3) times as far out as the mesh does.
double reach(const Shape& shape) {
  if (shape.type == ShapeType::kPlane) return 2 * kPlate;
  return bounding_radius(shape) * (shape.type == ShapeType::kMesh ? std::sqrt(3.0) : 1.0);
}

}  // namespace

Piece::Piece(const Shape& shape, const Pose& X_BS, const RigidBody* body)
    : shape_(shape), X_BS_(X_BS), body_(body), radius_(reach(shape)) {
  const Made made = make_geom(shape, X_BS, body == nullptr);
  geom_.reset(made.geom);
  if (plane() && !body) return;

  // ODE's body lies at the centre of mass.
  const Pose X_BG = X_BS * made.X_SG;
  const dQuaternion q = {X_BG.q.w(), X_BG.q.x(), X_BG.q.y(), X_BG.q.z()};
  if (body) {
    const Vec3 p = X_BG.p - body->mass().p_BC;
    dGeomSetBody(made.geom, body->id());
    dGeomSetOffsetPosition(made.geom, p.x(), p.y(), p.z());
    dGeomSetOffsetQuaternion(made.geom, q);
  } else {
    dGeomSetPosition(made.geom, X_BG.p.x(), X_BG.p.y(), X_BG.p.z());
    dGeomSetQuaternion(made.geom, q);
  }
}

double Piece::distance_to_ball(const Vec3& p_W, double radius) const {
  if (!body_ && plane()) return (X_BS_.q.conjugate() * (p_W - X_BS_.p)).z() - radius;
  const Pose X_WS = pose();
  if (shape_.type == ShapeType::kBox) {
    const Vec3 p_S = X_WS.q.conjugate() * (p_W - X_WS.p);
    return (p_S - p_S.cwiseMax(-shape_.size).cwiseMin(shape_.size)).norm() - radius;
  }
  return (p_W - X_WS.p).norm() - radius_ - radius;
}

int Piece::touch_plane(const Piece& plane, dContactGeom* out, int most) const {
  const Vec3 n = plane.X_BS_.q * Vec3::UnitZ();
  const auto add = [&](const Vec3& p, int at) {
    const double depth = n.dot(plane.X_BS_.p - p);
    if (depth <= 0 || at >= most) return at;
    for (int k = 0; k < 3; ++k) out[at].pos[k] = p[k], out[at].normal[k] = n[k];
    out[at].depth = depth;
    return at + 1;
  };

  // An ellipsoid touches at one point, a mesh at any of its corners: as many as fit, the deepest first.
  const Pose X_WS = pose();
  Shape alone = shape_;
  alone.X_BS = Pose();
  if (shape_.type == ShapeType::kEllipsoid) return add(support(alone, X_WS, -n), 0);
  std::vector<Vec3> corners;
  for (const Vec3& p : shape_.vertices) corners.push_back(X_WS * p);
  std::sort(corners.begin(), corners.end(),
            [&](const Vec3& a, const Vec3& b) { return n.dot(a) < n.dot(b); });
  int count = 0;
  for (const Vec3& p : corners) count = add(p, count);
  return count;
}

int touch(const Piece& a, const Piece& b, dContactGeom* out, int most) {
  if (b.plane() && !b.body_ && a.by_support()) return a.touch_plane(b, out, most);
  return dCollide(a.geom_.get(), b.geom_.get(), most, out, sizeof(dContactGeom));
}

}  // namespace sinew::ode
