#include "sim/mujoco/model_text.h"

#include <algorithm>
#include <array>

#include "character/write_mjcf.h"
#include "sim/touching.h"

namespace sinew {

namespace {

// Hard contact: pressed in, it comes back within this time. MuJoCo takes no less than two steps.
constexpr double kHardContact_s = 0.004;
// A prop that goes its own way has so much mass, kg and kg m^2, that nothing on it is felt.
constexpr double kMovedMass = 1e6;
// Friction among props and between them and the ground.
constexpr double kPropFriction = 0.8;

std::string number(double x) { return mjcf_numbers(&x, 1); }
std::string numbers(const Vec3& v) { return mjcf_numbers(v.data(), 3); }
std::string numbers(const Quat& q) {
  const std::array<double, 4> wxyz{q.w(), q.x(), q.y(), q.z()};
  return mjcf_numbers(wxyz.data(), 4);
}

std::string pair_element(const std::string& a, const std::string& b, double friction, double softness_s,
                         double step_s) {
  const double mu = std::max(friction, 1e-5);
  return "    <pair geom1=\"" + a + "\" geom2=\"" + b + "\" condim=\"3\" friction=\"" + number(mu) + " " +
         number(mu) + " 0.005 0.0001 0.0001\" solref=\"" +
         number(std::max({kHardContact_s, 2 * step_s, softness_s})) + " 1\"/>\n";
}

std::string prop_element(const World& world, size_t p) {
  const Prop& prop = world.props[p];
  std::string out = "    <body name=\"w" + std::to_string(p) + "\" pos=\"" + numbers(prop.X_WP.p) +
                    "\" quat=\"" + numbers(prop.X_WP.q) + "\">\n";
  if (prop.drive == Drive::kHinge) {
    out += "      <joint type=\"hinge\" pos=\"" + numbers(prop.p_PJ) + "\" axis=\"" + numbers(prop.axis_P) +
           "\"";
    if (prop.lower < prop.upper)
      out += " limited=\"true\" range=\"" + number(prop.lower) + " " + number(prop.upper) + "\"";
    out += "/>\n";
  } else {
    out += "      <freejoint/>\n";
  }
  const bool moved = prop.drive == Drive::kMoved;
  const Mat3 I = moved ? Mat3(kMovedMass * Mat3::Identity()) : prop.I_C;
  const std::array<double, 6> full{I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
  out += "      <inertial pos=\"" + numbers(prop.p_PC) + "\" mass=\"" +
         number(moved ? kMovedMass : prop.mass_kg) + "\" fullinertia=\"" + mjcf_numbers(full.data(), 6) +
         "\"/>\n";
  for (size_t s = 0; s < world.shapes.size(); ++s)
    if (world.shapes[s].shape.body == static_cast<int>(p))
      out += "      " + mjcf_geom(world.shapes[s].shape, "w" + std::to_string(s), world.shapes[s].shape.X_BS);
  return out + "    </body>\n";
}

// The character with its shapes named by their index.
Character indexed(const Character& character) {
  Character out = character;
  for (size_t s = 0; s < out.shapes.size(); ++s) out.shapes[s].name = "c" + std::to_string(s);
  return out;
}

std::string pairs(const Character& character, const World& world, double step_s) {
  std::string out;
  const auto c = [](size_t s) { return "c" + std::to_string(s); };
  const auto w = [](size_t s) { return "w" + std::to_string(s); };
  for (const ShapePair& pair : self_pairs(character)) {
    const auto a = static_cast<size_t>(pair.a), b = static_cast<size_t>(pair.b);
    out += pair_element(c(a), c(b), friction(character.shapes[a], character.shapes[b]), kFlesh_s, step_s);
  }
  for (size_t s = 0; s < world.shapes.size(); ++s) {
    const WorldShape& surface = world.shapes[s];
    if (!surface.shape.collides) continue;
    for (size_t a = 0; a < character.shapes.size(); ++a)
      if (character.shapes[a].collides)
        out += pair_element(w(s), c(a), friction(character.shapes[a], surface), surface.softness_s, step_s);

    // Props against the ground and each other, if one of the two is free and one is pushed by what touches.
    for (size_t t = 0; t < s; ++t) {
      const WorldShape& other = world.shapes[t];
      const auto free = [&](const WorldShape& x) {
        return x.shape.body >= 0 && world.props[static_cast<size_t>(x.shape.body)].drive != Drive::kMoved;
      };
      const auto held = [&](const WorldShape& x) {
        return x.shape.body < 0 || world.props[static_cast<size_t>(x.shape.body)].drive != Drive::kFree;
      };
      if (!other.shape.collides || surface.shape.body == other.shape.body) continue;
      if (!(free(surface) || free(other)) || (held(surface) && held(other))) continue;
      const double mu =
          std::min(surface.friction.value_or(kPropFriction), other.friction.value_or(kPropFriction));
      out += pair_element(w(t), w(s), mu, std::max(surface.softness_s, other.softness_s), step_s);
    }
  }
  return out;
}

}  // namespace

std::string mujoco_model_text(const Character& character, const World& world, double step_s) {
  const Character named = indexed(character);
  std::string out = "<mujoco>\n  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n";
  out += "  <option timestep=\"" + number(step_s) + "\" gravity=\"" + numbers(world.gravity) +
         "\" cone=\"elliptic\" solver=\"PGS\" iterations=\"6\" tolerance=\"1e-6\" "
         "collision=\"predefined\"/>\n";
  // Rows for all contacts, three each, and for the joints' limits.
  out += "  <size njmax=\"1000\" nconmax=\"300\" nstack=\"1000000\"/>\n";
  out += "  <default><geom contype=\"0\" conaffinity=\"0\"/><joint solreflimit=\"" +
         number(std::max(kHardContact_s, 2 * step_s)) + " 1\"/></default>\n  <asset>\n";
  for (const Shape& shape : named.shapes)
    if (shape.collides) out += mjcf_mesh(shape, shape.name);
  for (size_t s = 0; s < world.shapes.size(); ++s)
    out += mjcf_mesh(world.shapes[s].shape, "w" + std::to_string(s));
  out += "  </asset>\n  <worldbody>\n";
  out += mjcf_bodies(named, {.visible_shapes = false, .passive_joints = false});
  for (size_t p = 0; p < world.props.size(); ++p) out += prop_element(world, p);
  for (size_t s = 0; s < world.shapes.size(); ++s)
    if (world.shapes[s].shape.body < 0)
      out += "    " + mjcf_geom(world.shapes[s].shape, "w" + std::to_string(s), world.shapes[s].shape.X_BS);
  return out + "  </worldbody>\n  <contact>\n" + pairs(character, world, step_s) +
         "  </contact>\n</mujoco>\n";
}

}  // namespace sinew
