#include "world/world.h"

#include <cmath>

namespace sinew {

PropState scheduled(const Prop& prop, double time_s) {
  PropState out{prop.X_WP, Vec3::Zero(), Vec3::Zero()};
  if (time_s <= 0) return out;

  // The fifth-order blend has no velocity and no acceleration at either end.
  const double u = std::min(time_s / prop.period_s, 1.0);
  const double blend = u * u * u * (10 + u * (6 * u - 15));
  const double blend_rate = u < 1 ? 30 * u * u * (1 - u) * (1 - u) / prop.period_s : 0.0;

  const double omega = 2 * kPi / prop.period_s;
  const double sine = std::sin(omega * time_s), cosine = std::cos(omega * time_s);
  out.X_WP.p += blend * sine * prop.sway_m;
  out.v_WP = (blend_rate * sine + blend * omega * cosine) * prop.sway_m;
  return out;
}

std::vector<Pose> prop_poses(const World& world) {
  std::vector<Pose> out;
  out.reserve(world.props.size());
  for (const Prop& prop : world.props) out.push_back(prop.X_WP);
  return out;
}

void add_throw(World& world, Throw thrown) {
  constexpr double kDensity = 400;  // kg/m^3: a heavy ball of leather
  const double radius = std::cbrt(3 * thrown.mass_kg / (4 * kPi * kDensity));

  // It waits far below, each ball at a place of its own.
  const auto number = static_cast<double>(world.throws.size());
  Prop ball;
  ball.name = "ball" + std::to_string(world.throws.size());
  ball.drive = Drive::kFree;
  ball.X_WP.p = Vec3(0, 0, -50 - 5 * number);
  ball.mass_kg = thrown.mass_kg;
  ball.I_C = 0.4 * thrown.mass_kg * radius * radius * Mat3::Identity();
  ball.waiting = true;

  thrown.prop = static_cast<int>(world.props.size());
  WorldShape surface;
  surface.shape.name = ball.name;
  surface.shape.body = thrown.prop;
  surface.shape.type = ShapeType::kSphere;
  surface.shape.size = Vec3(radius, 0, 0);
  surface.shape.rgba = Vec4(0.80, 0.33, 0.20, 1);
  world.props.push_back(std::move(ball));
  world.shapes.push_back(std::move(surface));
  world.throws.push_back(std::move(thrown));
}

double ground_friction(const Character& character, const World& world) {
  for (const WorldShape& shape : world.shapes)
    if (shape.ground && shape.friction) return *shape.friction;
  const int foot = character.body_of(Part::kLeftFoot);
  for (const Shape& shape : character.shapes)
    if (shape.body == foot && shape.collides) return shape.friction;
  return Shape{}.friction;
}

}  // namespace sinew
