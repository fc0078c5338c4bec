#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "character/library.h"
#include "character/state.h"
#include "world/world.h"

// Small scenes as values, for tests and benchmarks: bodies whose motion is known in closed form, and what
// they stand on.
namespace sinew::scenes {

inline const std::vector<std::string>& character_folders() {
  static const std::vector<std::string> folders{SINEW_SOURCE_DIR "/assets/characters"};
  return folders;
}

inline Character shipped(const std::string& name) { return load_character(name, character_folders()); }

// ---- Worlds

// Nothing anywhere.
inline World empty_world(const Vec3& gravity = Vec3(0, 0, -9.81)) {
  World world;
  world.name = "empty";
  world.gravity = gravity;
  return world;
}

// A plane through the origin whose normal leans by an angle towards a direction (unit, horizontal): things
// slide that way.
inline World sloping_world(double angle_rad, const Vec3& downhill = Vec3::UnitX()) {
  World world;
  world.name = "test slope";
  WorldShape ground;
  ground.shape.type = ShapeType::kPlane;
  ground.shape.size = Vec3(50, 50, 1);
  ground.shape.body = -1;
  ground.shape.X_BS.q = exp_map(Vec3::UnitZ().cross(downhill) * angle_rad);
  ground.ground = true;
  world.shapes.push_back(ground);
  return world;
}

inline World flat_world() { return sloping_world(0); }

inline Mat3 box_inertia(double mass_kg, const Vec3& half) {
  const Vec3 s = half.cwiseProduct(half) * (mass_kg / 3);
  return Vec3(s[1] + s[2], s[0] + s[2], s[0] + s[1]).asDiagonal();
}

// Adds a prop with one shape; returns its index.
inline int add_prop(World& world, Prop prop, ShapeType type, const Vec3& size) {
  const auto index = static_cast<int>(world.props.size());
  world.props.push_back(std::move(prop));
  WorldShape surface;
  surface.shape.type = type;
  surface.shape.size = size;
  surface.shape.body = index;
  world.shapes.push_back(surface);
  return index;
}

inline Prop ball_prop(double mass_kg, double radius_m) {
  Prop ball;
  ball.name = "ball";
  ball.mass_kg = mass_kg;
  ball.I_C = 0.4 * mass_kg * radius_m * radius_m * Mat3::Identity();
  return ball;
}

// ---- Characters

// The root: a body that moves freely, its centre of mass in its origin.
inline Character root_only(double mass_kg, const Mat3& inertia) {
  Character c;
  c.name = "root";
  Body root;
  root.name = "root";
  root.mass_kg = mass_kg;
  root.I_C = inertia;
  root.joint_count = 1;
  Joint free;
  free.name = "root";
  free.type = JointType::kFree;
  c.bodies.push_back(root);
  c.joints.push_back(free);
  c.q_rest = VecX::Zero(7);
  c.q_rest[3] = 1;
  return c;
}

// A body on a hinge; returns its index.
inline int add_hinged(Character& c, int parent, const Vec3& p_PB, const Vec3& axis, double mass_kg,
                      const Vec3& p_BC, const Mat3& inertia) {
  Body body;
  const auto index = static_cast<int>(c.bodies.size());
  body.name = "body" + std::to_string(index);
  body.parent = parent;
  body.X_PB.p = p_PB;
  body.mass_kg = mass_kg;
  body.p_BC = p_BC;
  body.I_C = inertia;
  body.first_joint = static_cast<int>(c.joints.size());
  body.joint_count = 1;
  Joint hinge;
  hinge.name = "hinge" + std::to_string(index);
  hinge.body = index;
  hinge.axis_B = axis;
  hinge.q = c.nq();
  hinge.v = c.nv();
  c.bodies.push_back(body);
  c.joints.push_back(hinge);
  c.q_rest.conservativeResize(c.q_rest.size() + 1);
  c.q_rest[c.q_rest.size() - 1] = 0;
  return index;
}

inline void add_shape(Character& c, int body, ShapeType type, const Vec3& size,
                      const Vec3& p_BS = Vec3::Zero(), double friction = 0.8) {
  Shape shape;
  shape.name = "shape" + std::to_string(c.shapes.size());
  shape.body = body;
  shape.type = type;
  shape.size = size;
  shape.X_BS.p = p_BS;
  shape.friction = friction;
  c.shapes.push_back(shape);
}

// A box that stands on the ground at rest.
inline Character brick(double mass_kg, const Vec3& half, double friction = 0.8) {
  Character c = root_only(mass_kg, box_inertia(mass_kg, half));
  c.name = "brick";
  add_shape(c, 0, ShapeType::kBox, half, Vec3::Zero(), friction);
  c.q_rest[2] = half.z();
  return c;
}

// Two discs on one axle along Z, centres of mass on it: only their difference feels what is between them.
inline Character two_discs(double I1, double I2) {
  Character c = root_only(2, Vec3(I1, I1, I1).asDiagonal());
  c.name = "two discs";
  add_hinged(c, 0, Vec3::Zero(), Vec3::UnitZ(), 1, Vec3::Zero(), Vec3(I2, I2, I2).asDiagonal());
  return c;
}

// A weight of 1 kg on a rod of `length` below a hinge along Y in a base too heavy to notice.
inline Character pendulum(double length, double inertia) {
  const Vec3 half(1, 1, 0.5);
  Character c = brick(1e4, half);
  c.name = "pendulum";
  add_hinged(c, 0, Vec3::Zero(), Vec3::UnitY(), 1, Vec3(0, 0, -length), inertia * Mat3::Identity());
  return c;
}

// A trunk, an upper arm that ends half a metre from it, and a forearm with a ball for a hand. With the elbow
// turned by half a turn the hand would be inside the trunk.
inline Character folding_arm() {
  Character c = root_only(20, Mat3::Identity());
  c.name = "folding arm";
  add_shape(c, 0, ShapeType::kBox, Vec3(0.2, 0.3, 0.3));
  const int upper =
      add_hinged(c, 0, Vec3::Zero(), Vec3::UnitY(), 1, Vec3(0.3, 0, 0), 0.02 * Mat3::Identity());
  const int fore =
      add_hinged(c, upper, Vec3(0.5, 0, 0), Vec3::UnitY(), 1, Vec3(0.3, 0, 0), 0.02 * Mat3::Identity());
  add_shape(c, fore, ShapeType::kSphere, Vec3(0.05, 0, 0), Vec3(0.4, 0, 0));
  return c;
}

// ---- Commands

// No servo acts.
inline Command limp(const Character& c) {
  Command command = rest_command(c);
  command.kp.setZero();
  command.kd.setZero();
  command.limit.setConstant(std::numeric_limits<double>::infinity());
  return command;
}

}  // namespace sinew::scenes
