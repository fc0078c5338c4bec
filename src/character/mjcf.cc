#include "character/mjcf.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include "character/character_parts.h"
#include "character/coupling_text.h"
#include "character/mjcf_model.h"
#include "character/servo_text.h"
#include "core/error.h"
#include "core/files.h"

namespace sinew {

namespace fs = std::filesystem;

namespace {

Vec3 vec3(const mjtNum* x) { return Vec3(x[0], x[1], x[2]); }
Quat quat(const mjtNum* x) { return Quat(x[0], x[1], x[2], x[3]).normalized(); }
std::string named(const mjModel& m, int address, const std::string& otherwise) {
  return m.names[address] ? std::string(m.names + address) : otherwise;
}

// Turns MuJoCo's arrays into our plain value, field by field.
class Converter {
 public:
  Converter(const mjModel& model, std::string name) : m_(model), file_(std::move(name)) {}

  Character convert() {
    const int root = find_root();
    add_bodies(root);
    for (int g = 0; g < m_.ngeom; ++g)
      if (ours(m_.geom_bodyid[g]) >= 0) add_shape(g);
    for (int e = 0; e < m_.nexclude; ++e) {
      // The numbers of both bodies plus one, in the upper and lower half.
      const int a = ours((m_.exclude_signature[e] >> 16) - 1);
      const int b = ours((m_.exclude_signature[e] & 0xFFFF) - 1);
      if (a >= 0 && b >= 0) c_.excluded.push_back({a, b});
    }
    note_strangers(root);
    read_actuators();
    return std::move(c_);
  }

  // Our coordinates from MuJoCo's: hinges and slides count from the drawn pose, not from `ref`.
  VecX coordinates(const mjtNum* qpos) const {
    VecX q(nq_);
    for (size_t j = 0; j < c_joints_.size(); ++j)
      for (int k = 0; k < q_size_[j]; ++k) {
        const int from = m_.jnt_qposadr[c_joints_[j]] + k;
        q[q_at_[j] + k] = qpos[from] - (q_size_[j] == 1 ? m_.qpos0[from] : 0.0);
      }
    return q;
  }

 private:
  int ours(int mujoco_body) const {
    const auto at = std::find(c_bodies_.begin(), c_bodies_.end(), mujoco_body);
    return at == c_bodies_.end() ? -1 : static_cast<int>(at - c_bodies_.begin());
  }

  int find_root() const {
    int root = -1;
    for (int j = 0; j < m_.njnt; ++j) {
      if (m_.jnt_type[j] != mjJNT_FREE) continue;
      if (root >= 0) throw Error(file_, 0, "has several free joints: which one is the character's root?");
      root = m_.jnt_bodyid[j];
    }
    if (root < 0) throw Error(file_, 0, "has no free joint at its root");
    return root;
  }

  // MuJoCo lists bodies depth first, so the root's subtree is one run that begins at the root.
  void add_bodies(int root) {
    for (int b = root; b < m_.nbody; ++b) {
      if (b != root && ours(m_.body_parentid[b]) < 0) continue;
      c_bodies_.push_back(b);
      Body body;
      body.name = named(m_, m_.name_bodyadr[b], "body" + std::to_string(c_bodies_.size() - 1));
      body.parent = b == root ? -1 : ours(m_.body_parentid[b]);
      body.X_PB = {vec3(m_.body_pos + 3 * b), quat(m_.body_quat + 4 * b)};
      body.mass_kg = m_.body_mass[b];
      body.p_BC = vec3(m_.body_ipos + 3 * b);
      const Mat3 R = quat(m_.body_iquat + 4 * b).toRotationMatrix();
      body.I_C = R * vec3(m_.body_inertia + 3 * b).asDiagonal() * R.transpose();
      body.first_joint = static_cast<int>(c_.joints.size());
      body.joint_count = m_.body_jntnum[b];
      for (int k = 0; k < body.joint_count; ++k) add_joint(m_.body_jntadr[b] + k, body, k);
      c_.bodies.push_back(std::move(body));
    }
  }

  void add_joint(int j, const Body& body, int k) {
    Joint joint;
    const std::string otherwise = body.joint_count == 1 ? body.name : body.name + "." + std::to_string(k);
    joint.name = named(m_, m_.name_jntadr[j], otherwise);
    switch (m_.jnt_type[j]) {
      case mjJNT_FREE:
        joint.type = JointType::kFree;
        break;
      case mjJNT_BALL:
        joint.type = JointType::kBall;
        break;
      case mjJNT_SLIDE:
        joint.type = JointType::kSlide;
        break;
      default:
        joint.type = JointType::kHinge;
    }
    joint.body = static_cast<int>(c_.bodies.size());
    joint.p_BJ = joint.type == JointType::kFree ? Vec3::Zero() : vec3(m_.jnt_pos + 3 * j);
    joint.axis_B = vec3(m_.jnt_axis + 3 * j);
    joint.q = nq_;
    joint.v = nv_;
    set_limits(j, joint);
    const int dof = m_.jnt_dofadr[j];
    joint.armature = m_.dof_armature[dof];
    joint.damping = m_.dof_damping[dof];
    joint.stiffness = m_.jnt_stiffness[j];
    c_joints_.push_back(j);
    q_at_.push_back(nq_);
    q_size_.push_back(joint.q_size());
    nq_ += joint.q_size();
    nv_ += joint.v_size();
    c_.joints.push_back(std::move(joint));
  }

  // A ball's cone becomes the box around it; a hinge's range is counted from the drawn pose.
  void set_limits(int j, Joint& joint) {
    joint.limited = m_.jnt_limited[j] != 0;
    if (!joint.limited || joint.type == JointType::kFree) return;
    const mjtNum* range = m_.jnt_range + 2 * j;
    if (joint.type == JointType::kBall) {
      joint.upper = Vec3::Constant(range[1]);
      joint.lower = -joint.upper;
      return;
    }
    const double ref = m_.qpos0[m_.jnt_qposadr[j]];
    if (ref != 0) c_.notes.push_back("joint " + joint.name + " is counted from the drawn pose, not from ref");
    joint.lower[0] = range[0] - ref;
    joint.upper[0] = range[1] - ref;
  }

  void add_shape(int g) {
    const int on = ours(m_.geom_bodyid[g]);
    const std::string& body = c_.bodies[static_cast<size_t>(on)].name;
    const std::string name = named(m_, m_.name_geomadr[g], body + ".shape" + std::to_string(g));
    std::optional<Shape> shape = shape_of(m_, g);
    if (!shape || shape->type == ShapeType::kPlane) {
      c_.notes.push_back("shape " + name + " is of a kind that no body can have and is left out");
      return;
    }
    shape->name = name;
    shape->body = on;
    c_.shapes.push_back(std::move(*shape));
  }

  void note_strangers(int root) {
    for (int b = 1; b < m_.nbody; ++b)
      if (ours(b) < 0 && b != root)
        c_.notes.push_back("body " +
                           named(m_, m_.name_bodyadr[b], std::string("#").append(std::to_string(b))) +
                           " does not hang on the root and is left out");
    int geoms = 0;
    for (int g = 0; g < m_.ngeom; ++g) geoms += m_.geom_bodyid[g] == 0;
    if (geoms > 0)
      c_.notes.push_back(std::to_string(geoms) + " shape(s) of the world, such as a floor, are left out");
  }

  // Torque limits of joint motors: gear times the range of their control or force.
  void read_actuators() {
    for (int a = 0; a < m_.nu; ++a) {
      if (m_.actuator_trntype[a] != mjTRN_JOINT && m_.actuator_trntype[a] != mjTRN_JOINTINPARENT) continue;
      const auto at = std::find(c_joints_.begin(), c_joints_.end(), m_.actuator_trnid[2 * a]);
      if (at == c_joints_.end()) continue;
      double force = 0;
      const auto largest = [&](const mjtNum* range) {
        return std::max(std::abs(range[2 * a]), std::abs(range[2 * a + 1]));
      };
      const bool plain = m_.actuator_gaintype[a] == mjGAIN_FIXED && m_.actuator_biastype[a] == mjBIAS_NONE;
      if (m_.actuator_forcelimited[a])
        force = largest(m_.actuator_forcerange);
      else if (m_.actuator_ctrllimited[a] && plain)
        force = m_.actuator_gainprm[mjNGAIN * a] * largest(m_.actuator_ctrlrange);
      if (force <= 0) continue;
      Joint& joint = c_.joints[static_cast<size_t>(at - c_joints_.begin())];
      const mjtNum* gear = m_.actuator_gear + 6 * a;
      if (joint.type == JointType::kBall)
        joint.torque_limit += force * vec3(gear).cwiseAbs();
      else
        joint.torque_limit[0] += force * std::abs(gear[0]);
    }
  }

  const mjModel& m_;
  std::string file_;
  Character c_;
  std::vector<int> c_bodies_;  // MuJoCo's number of each of our bodies
  std::vector<int> c_joints_;  // and of each of our joints
  std::vector<int> q_at_, q_size_;
  int nq_ = 0, nv_ = 0;
};

// The entries <custom><text name="servo:..." data="..."/>.
std::vector<ServoEntry> servo_entries(const mjModel& m, const std::string& file) {
  std::vector<ServoEntry> out;
  for (int t = 0; t < m.ntext; ++t) {
    const std::string name(m.names + m.name_textadr[t]);
    if (!name.starts_with("servo:")) continue;
    out.push_back(parse_servo(name.substr(6), m.text_data + m.text_adr[t], file));
  }
  return out;
}

// The entries <custom><text name="spring:..." data="..."/> and those of chains.
void add_couplings(Character& c, const mjModel& m, const std::string& file) {
  for (int t = 0; t < m.ntext; ++t) {
    const std::string name(m.names + m.name_textadr[t]), data(m.text_data + m.text_adr[t]);
    if (name.starts_with(kSpringText)) add_spring(c, name.substr(kSpringText.size()), data, file);
    if (name.starts_with(kChainText)) add_chain(c, name.substr(kChainText.size()), data, file);
  }
}

// True if the feet are below the pelvis and the pelvis not above the thorax or head.
bool stands(const Character& c, const VecX& q) {
  const auto X_WB = body_poses(c, q);
  const auto height = [&](Part part) { return (X_WB[static_cast<size_t>(c.body_of(part))].p).z(); };
  const double hips = 0.5 * (height(Part::kLeftThigh) + height(Part::kRightThigh));
  const double feet = 0.5 * (height(Part::kLeftFoot) + height(Part::kRightFoot));
  return feet < hips && hips <= height(Part::kHead);
}

// The rest coordinates: a stance that the file names, else the pose as drawn, else its first key.
VecX rest_coordinates(Character& c, const mjModel& m, const Converter& converter) {
  for (int k = 0; k < m.nkey; ++k)
    if (std::string(m.names + m.name_keyadr[k]).starts_with("stand")) {
      c.notes.push_back("rest stance: the keyframe " + std::string(m.names + m.name_keyadr[k]));
      return converter.coordinates(m.key_qpos + static_cast<ptrdiff_t>(k) * m.nq);
    }
  VecX drawn = converter.coordinates(m.qpos0);
  if (stands(c, drawn) || m.nkey == 0) return drawn;
  c.notes.push_back("rest stance: the first keyframe, for the pose as drawn does not stand");
  return converter.coordinates(m.key_qpos);
}

// Turns the character to face +X, and puts its lowest colliding point on z = 0 with the root above x = y = 0.
void place(Character& c) {
  auto X_WB = body_poses(c, c.q_rest);
  const auto at = [&](Part part) { return X_WB[static_cast<size_t>(c.find(part))].p; };
  Vec3 left = at(Part::kLeftThigh) - at(Part::kRightThigh);
  left.z() = 0;
  const Vec3 forward = left.cross(Vec3::UnitZ());
  const double angle = left.norm() > 1e-6 ? std::atan2(forward.y(), forward.x()) : 0.0;
  if (std::abs(angle) > radians(0.5)) {
    c.notes.push_back("turned by " + std::to_string(std::lround(degrees(-angle))) +
                      " degrees about the vertical to face +X");
    const Quat turn = exp_map(Vec3(0, 0, -angle));
    const Quat root(c.q_rest[3], c.q_rest[4], c.q_rest[5], c.q_rest[6]);
    const Quat turned = (turn * root).normalized();
    c.q_rest.segment<4>(3) << turned.w(), turned.x(), turned.y(), turned.z();
    c.q_rest.head<3>() = turn * Vec3(c.q_rest.head<3>());
  }
  c.q_rest.head<2>().setZero();
  X_WB = body_poses(c, c.q_rest);
  const double low = lowest_point(c, X_WB);
  if (std::isfinite(low)) c.q_rest[2] -= low;
}

// Numbers that no body has would only do harm later.
void check_numbers(const Character& c, const std::string& file) {
  constexpr double kLarge = 1e6;
  const auto sane = [](double x) { return std::isfinite(x) && std::abs(x) < kLarge; };
  for (const Pose& X : body_poses(c, c.q_rest))
    if (!sane(X.p.x()) || !sane(X.p.y()) || !sane(X.p.z()) || !X.q.coeffs().allFinite())
      throw Error(file, 0, "has bodies that are too far away to compute with");
  for (const Joint& joint : c.joints)
    if (!sane(joint.p_BJ.norm()) || !joint.axis_B.allFinite() || !sane(joint.armature))
      throw Error(file, 0, "joint " + joint.name + " has numbers that are too large to compute with");
  for (const Body& body : c.bodies)
    if (!sane(body.mass_kg) || !sane(body.p_BC.norm()) || !sane(body.I_C.norm()))
      throw Error(file, 0, "body " + body.name + " has a mass or inertia that is too large to compute with");
}

Character build(const mjModel& m, const std::string& name, const std::string& file) {
  Converter converter(m, file);
  Character c = converter.convert();
  c.name = name;
  c.q_rest = converter.coordinates(m.qpos0);
  check_numbers(c, file);
  assign_parts(c, file);
  c.q_rest = rest_coordinates(c, m, converter);
  place(c);
  check_numbers(c, file);
  apply_servos(c, servo_entries(m, file), file);
  c.contact_points = find_contact_points(c);
  add_couplings(c, m, file);
  return c;
}

}  // namespace

Character load_character_file(const fs::path& path) {
  const std::string text = read_file(path, size_t{64} << 20);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(path.string(), 0, "is empty: a character needs MJCF");
  return build(*compile_mjcf_file(path), path.stem().string(), path.string());
}

Character read_mjcf(const std::string& xml, const std::string& name) {
  if (xml.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(name, 0, "is empty: a character needs MJCF");
  MjModel model;
  try {
    model = compile_mjcf_text(xml);
  } catch (const std::runtime_error& e) {
    throw mjcf_refusal(name, e.what());
  }
  return build(*model, name, name);
}

}  // namespace sinew
