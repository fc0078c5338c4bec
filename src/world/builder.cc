#include "world/builder.h"

namespace sinew {

namespace {

WorldShape make_shape(const std::string& name, ShapeType type, const Vec3& size, const Pose& X,
                      const Vec4& rgba, int body) {
  WorldShape out;
  out.shape.name = name;
  out.shape.body = body;
  out.shape.type = type;
  out.shape.size = size;
  out.shape.X_BS = X;
  out.shape.rgba = rgba;
  return out;
}

// Mass and inertia of a solid box or sphere about its own middle, in its own axes.
struct Solid {
  double mass = 0;
  Vec3 inertia = Vec3::Zero();
};
Solid solid_of(const Shape& shape, double density) {
  const Vec3& s = shape.size;
  if (shape.type == ShapeType::kBox) {
    const double mass = density * 8 * s.prod();
    const Vec3 squares = s.cwiseProduct(s);
    return {mass, mass / 3 * (Vec3::Constant(squares.sum()) - squares)};
  }
  if (shape.type == ShapeType::kSphere) {
    const double mass = density * 4 / 3 * kPi * s[0] * s[0] * s[0];
    return {mass, Vec3::Constant(0.4 * mass * s[0] * s[0])};
  }
  return {};
}

}  // namespace

WorldShape make_plane(const Pose& X, const Vec4& rgba) {
  return ground(make_shape("floor", ShapeType::kPlane, Vec3::Zero(), X, rgba, -1));
}

WorldShape make_box(const std::string& name, const Vec3& half, const Pose& X, const Vec4& rgba, int body) {
  return make_shape(name, ShapeType::kBox, half, X, rgba, body);
}

WorldShape make_capsule(const std::string& name, const Vec3& from, const Vec3& to, double radius,
                        const Vec4& rgba, int body) {
  const Pose X{0.5 * (from + to), shortest_arc(Vec3::UnitZ(), to - from)};
  return make_shape(name, ShapeType::kCapsule, Vec3(radius, 0.5 * (to - from).norm(), 0), X, rgba, body);
}

WorldShape make_sphere(const std::string& name, const Vec3& p, double radius, const Vec4& rgba, int body) {
  return make_shape(name, ShapeType::kSphere, Vec3(radius, 0, 0), {p, Quat::Identity()}, rgba, body);
}

WorldShape ground(WorldShape surface) {
  surface.ground = true;
  return surface;
}

void weigh(Prop& prop, const std::vector<WorldShape>& shapes, int body, double density) {
  prop.mass_kg = 0;
  Vec3 moment = Vec3::Zero();
  for (const WorldShape& surface : shapes)
    if (surface.shape.body == body) {
      const double mass = solid_of(surface.shape, density).mass;
      prop.mass_kg += mass;
      moment += mass * surface.shape.X_BS.p;
    }
  prop.p_PC = moment / prop.mass_kg;

  // Each about the common centre by the parallel axis theorem.
  prop.I_C.setZero();
  for (const WorldShape& surface : shapes)
    if (surface.shape.body == body) {
      const Solid solid = solid_of(surface.shape, density);
      const Mat3 R = surface.shape.X_BS.q.toRotationMatrix();
      const Vec3 r = surface.shape.X_BS.p - prop.p_PC;
      prop.I_C += R * solid.inertia.asDiagonal() * R.transpose() +
                  solid.mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
}

}  // namespace sinew
