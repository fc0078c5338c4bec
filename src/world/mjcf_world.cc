#include "world/mjcf_world.h"

#include <mujoco/mujoco.h>

#include <cmath>

#include "character/mjcf_model.h"
#include "core/error.h"
#include "core/files.h"
#include "world/check.h"

namespace sinew {

namespace fs = std::filesystem;

namespace {

Vec3 vec3(const mjtNum* x) { return {x[0], x[1], x[2]}; }
Quat quat(const mjtNum* x) { return Quat(x[0], x[1], x[2], x[3]).normalized(); }

// Turns MuJoCo's arrays into our plain value, body by body.
class Converter {
 public:
  Converter(const mjModel& model, std::string file) : m_(model), file_(std::move(file)) {}

  World convert() {
    world_.name = file_;
    world_.gravity = vec3(m_.opt.gravity);
    place_bodies();
    for (int b = 1; b < m_.nbody; ++b)
      if (m_.body_jntnum[b] > 0) add_prop(b);
    for (int g = 0; g < m_.ngeom; ++g) add_shape(g);
    return std::move(world_);
  }

 private:
  std::string name_of(int body) const {
    const char* name = m_.names + m_.name_bodyadr[body];
    return *name ? std::string(name) : "number " + std::to_string(body);
  }

  // Where all bodies are as drawn, and which prop each belongs to. Parents come first.
  void place_bodies() {
    X_WB_.resize(static_cast<size_t>(m_.nbody));
    prop_.assign(static_cast<size_t>(m_.nbody), -1);
    for (int b = 1; b < m_.nbody; ++b)
      X_WB_[static_cast<size_t>(b)] = X_WB_[static_cast<size_t>(m_.body_parentid[b])] *
                                      Pose{vec3(m_.body_pos + 3 * b), quat(m_.body_quat + 4 * b)};
  }

  void add_prop(int b) {
    const int parent = m_.body_weldid[m_.body_parentid[b]];
    if (parent != 0)
      throw Error(file_, 0,
                  "body " + name_of(b) + " hangs on body " + name_of(parent) +
                      ", which moves: a world can have no chains of bodies");
    const int j = m_.body_jntadr[b];
    const bool known = m_.jnt_type[j] == mjJNT_FREE || m_.jnt_type[j] == mjJNT_HINGE;
    if (m_.body_jntnum[b] != 1 || !known)
      throw Error(
          file_, 0,
          "body " + name_of(b) + " can neither move freely nor turn about one hinge: a world has no others");

    Prop prop;
    prop.name = name_of(b);
    prop.X_WP = X_WB_[static_cast<size_t>(b)];
    weigh(prop, b);
    if (m_.jnt_type[j] == mjJNT_HINGE) add_hinge(prop, j);
    for (int other = b; other < m_.nbody; ++other)
      if (m_.body_weldid[other] == b)
        prop_[static_cast<size_t>(other)] = static_cast<int>(world_.props.size());
    world_.props.push_back(std::move(prop));
  }

  // The body with all that is welded to it.
  void weigh(Prop& prop, int b) const {
    prop.mass_kg = 0;
    prop.p_PC.setZero();
    prop.I_C.setZero();
    const Pose X_PW = prop.X_WP.inverse();
    const auto each = [&](const auto& use) {
      for (int other = b; other < m_.nbody; ++other)
        if (m_.body_weldid[other] == b)
          use(m_.body_mass[other], other,
              X_PW * X_WB_[static_cast<size_t>(other)] *
                  Pose{vec3(m_.body_ipos + 3 * other), quat(m_.body_iquat + 4 * other)});
    };
    each([&](double mass, int, const Pose& X_PC) {
      prop.mass_kg += mass;
      prop.p_PC += mass * X_PC.p;
    });
    prop.p_PC /= prop.mass_kg;
    each([&](double mass, int other, const Pose& X_PC) {
      const Mat3 R = X_PC.q.toRotationMatrix();
      const Vec3 r = X_PC.p - prop.p_PC;
      prop.I_C += R * vec3(m_.body_inertia + 3 * other).asDiagonal() * R.transpose() +
                  mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    });
  }

  // MuJoCo counts a hinge from `ref`, we from how it is drawn.
  void add_hinge(Prop& prop, int j) const {
    const double ref = m_.qpos0[m_.jnt_qposadr[j]];
    prop.drive = Drive::kHinge;
    prop.p_PJ = vec3(m_.jnt_pos + 3 * j);
    prop.axis_P = vec3(m_.jnt_axis + 3 * j).normalized();
    prop.stiffness = m_.jnt_stiffness[j];
    prop.damping = m_.dof_damping[m_.jnt_dofadr[j]];
    if (m_.jnt_limited[j]) {
      prop.lower = m_.jnt_range[2 * j] - ref;
      prop.upper = m_.jnt_range[2 * j + 1] - ref;
      if (prop.lower > 0 || prop.upper < 0)
        throw Error(file_, 0, "body " + prop.name + " is drawn outside the range of its hinge");
    }
    if (prop.stiffness > 0 && std::abs(m_.qpos_spring[m_.jnt_qposadr[j]] - ref) > 1e-9)
      throw Error(file_, 0,
                  "body " + prop.name + " has a spring that pulls elsewhere than to where it is drawn");
  }

  // Over a horizontal hinge a thing can be walked on, as a seesaw; a door cannot.
  bool walked_on(const Shape& shape, int prop) const {
    constexpr double kHangs = 1.0;
    if (prop >= 0) {
      const Prop& p = world_.props[static_cast<size_t>(prop)];
      if (p.drive != Drive::kHinge || std::abs((p.X_WP.q * p.axis_P).z()) > 0.5) return false;
    }
    if (shape.type == ShapeType::kPlane) return true;
    const Pose X_WB = prop >= 0 ? world_.props[static_cast<size_t>(prop)].X_WP : Pose();
    return support(shape, X_WB, -Vec3::UnitZ()).z() < kHangs;
  }

  void add_shape(int g) {
    constexpr double kHard = 0.02, kGive = 0.05;
    const int b = m_.geom_bodyid[g];
    std::optional<Shape> shape = shape_of(m_, g);
    if (!shape) throw Error(file_, 0, "has a height field, which is not supported: use boxes or meshes");
    if (shape->name.empty()) shape->name = (b == 0 ? "shape" : name_of(b) + ".shape") + std::to_string(g);

    const int prop = prop_[static_cast<size_t>(b)];
    if (prop >= 0 && shape->type == ShapeType::kPlane)
      throw Error(file_, 0, "body " + name_of(b) + " moves and has a plane, which only the ground can have");
    const Pose X_WS = X_WB_[static_cast<size_t>(b)] * shape->X_BS;
    shape->X_BS = prop < 0 ? X_WS : world_.props[static_cast<size_t>(prop)].X_WP.inverse() * X_WS;
    shape->body = prop;

    WorldShape surface;
    surface.ground = shape->collides && walked_on(*shape, prop);
    surface.friction = shape->friction;
    if (const double time = m_.geom_solref[mjNREF * g]; time > kHard) {
      surface.softness_s = time;
      surface.give_m = kGive;
    }
    surface.shape = std::move(*shape);
    world_.shapes.push_back(std::move(surface));
  }

  const mjModel& m_;
  std::string file_;
  World world_;
  std::vector<Pose> X_WB_;  // of MuJoCo's bodies
  std::vector<int> prop_;   // of each of them: which prop it belongs to, or -1
};

}  // namespace

World load_world_file(const fs::path& path) {
  const std::string text = read_file(path, size_t{64} << 20);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(path.string(), 0, "is empty: a world needs MJCF");
  const MjModel model = compile_mjcf_file(path);
  World world = Converter(*model, path.string()).convert();
  if (world.shapes.empty()) throw Error(path.string(), 0, "has no shape that one could stand on or touch");
  check_world(world, path.string());
  return world;
}

}  // namespace sinew
