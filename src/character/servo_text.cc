#include "character/servo_text.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/error.h"

namespace sinew {

namespace {

constexpr double kGravity = 9.81;
constexpr double kBandwidth = 15.0;  // rad/s: a derived servo moves what hangs on it this fast
constexpr double kTwistShare = 0.2;  // of the stiffest axis, as 004 has it at the hip

// "1,0.2,1" or "1", which stands for all three.
Vec3 parse_numbers(const std::string& text, const std::string& key, const std::string& file) {
  Vec3 out = Vec3::Zero();
  int count = 0;
  const char* at = text.data();
  const char* end = at + text.size();
  while (count < 3) {
    const auto [next, ec] = std::from_chars(at, end, out[count]);
    if (ec != std::errc() || !std::isfinite(out[count])) break;
    ++count;
    at = next;
    if (at == end || *at != ',') break;
    ++at;
  }
  if (at != end || (count != 1 && count != 3))
    throw Error(file, 0, key + "=" + text + ": expected one number or three with commas between");
  return count == 1 ? Vec3(Vec3::Constant(out[0])) : out;
}

std::string without_side(const std::string& name) {
  for (const char* side : {"left_", "right_"})
    if (name.starts_with(side)) return name.substr(std::string(side).size());
  return name;
}

// A rotation vector's image in the mirror of the XZ plane is (-x, y, -z): the bounds of x and z swap.
void mirror_ball_limits(Vec3& lower, Vec3& upper) {
  for (int k : {0, 2}) {
    const double low = lower[k];
    lower[k] = -upper[k];
    upper[k] = -low;
  }
}

// What the joints of a limb can bear in a strong human, N m.
double usual_torque(Part part) {
  switch (part) {
    case Part::kLeftThigh:
    case Part::kRightThigh:
    case Part::kLeftShin:
    case Part::kRightShin:
    case Part::kAbdomen:
    case Part::kThorax:
    case Part::kPelvis:
      return 300;
    case Part::kLeftFoot:
    case Part::kRightFoot:
      return 250;
    case Part::kLeftClavicle:
    case Part::kRightClavicle:
    case Part::kLeftUpperArm:
    case Part::kRightUpperArm:
      return 120;
    case Part::kLeftLowerArm:
    case Part::kRightLowerArm:
      return 80;
    case Part::kNeck:
    case Part::kHead:
      return 60;
    case Part::kLeftToes:
    case Part::kRightToes:
      return 50;
    case Part::kLeftHand:
    case Part::kRightHand:
      return 20;
    default:
      return 100;
  }
}

bool is_leg(Part part) { return part >= Part::kLeftThigh && part <= Part::kRightToes; }

// What hangs on a joint at rest.
struct Outboard {
  double mass_kg = 0;
  Vec3 com_W = Vec3::Zero();
  Mat3 inertia_W = Mat3::Zero();  // about the joint's anchor
};

class Derivation {
 public:
  explicit Derivation(Character& character)
      : c_(character), at_(forward_kinematics(character, character.q_rest)) {}

  // Fills what the file left open: stiffness for a bandwidth and for the load, critical damping, a usual
  // limit.
  void fill(size_t index, bool has_kp, bool has_kd, bool has_limit) {
    Joint& joint = c_.joints[index];
    const Outboard out = outboard(index);
    const int axes = joint.type == JointType::kBall ? 3 : 1;
    for (int k = 0; k < axes; ++k) {
      const Vec3 axis = at_.q_WJ[index] * (axes == 3 ? Vec3(Vec3::Unit(k)) : joint.axis_B);
      const double inertia = std::max(axis.dot(out.inertia_W * axis) + joint.armature, 1e-6);
      const double load = gravity_stiffness(index, out, axis);
      const double swift = kBandwidth * kBandwidth * inertia;
      if (!has_kp) joint.kp[k] = std::max(swift, load);
      if (!has_kd) {
        joint.kd[k] = 2.0 * std::sqrt(joint.kp[k] * inertia);
        if (!has_kp) joint.kd[k] = std::max(joint.kd[k], 0.1 * joint.kp[k]);
      }
      if (!has_limit && joint.torque_limit[k] <= 0) joint.torque_limit[k] = usual_torque(part_of(index));
    }
  }

 private:
  // The part that a joint moves: that of its body, or of the first named body that hangs on it.
  Part part_of(size_t index) const {
    const int body = c_.joints[index].body;
    for (size_t b = static_cast<size_t>(body); b < c_.bodies.size(); ++b)
      if (hangs_on(static_cast<int>(b), body) && c_.bodies[b].part != Part::kNone) return c_.bodies[b].part;
    return Part::kNone;
  }

  bool hangs_on(int body, int ancestor) const {
    while (body > ancestor) body = c_.bodies[static_cast<size_t>(body)].parent;
    return body == ancestor;
  }

  Outboard outboard(size_t index) const {
    Outboard out;
    const Vec3 anchor = at_.p_WJ[index];
    for (size_t b = 0; b < c_.bodies.size(); ++b) {
      if (!hangs_on(static_cast<int>(b), c_.joints[index].body)) continue;
      const Body& body = c_.bodies[b];
      const Vec3 com = at_.X_WB[b] * body.p_BC;
      const Vec3 arm = com - anchor;
      const Mat3 R = at_.X_WB[b].q.toRotationMatrix();
      out.mass_kg += body.mass_kg;
      out.com_W += body.mass_kg * com;
      out.inertia_W += R * body.I_C * R.transpose() +
                       body.mass_kg * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    }
    if (out.mass_kg > 0) out.com_W /= out.mass_kg;
    return out;
  }

  // Stiffness about `axis` that holds the load which the joint carries: for a leg in stance half of all that
  // is above it, for anything else what hangs on it. m g l, and none about the vertical.
  double gravity_stiffness(size_t index, const Outboard& out, const Vec3& axis) const {
    double mass = out.mass_kg;
    Vec3 com = out.com_W;
    if (is_leg(part_of(index))) {
      const double all = c_.mass_kg();
      com = (all * centre_of_mass(c_, at_.X_WB) - mass * com) / std::max(all - mass, 1e-9);
      mass = 0.5 * (all - mass);
    }
    const double lever = (com - at_.p_WJ[index]).norm();
    return mass * kGravity * lever * (1.0 - axis.z() * axis.z());
  }

  Character& c_;
  Kinematics at_;
};

const ServoEntry* entry_for(const std::vector<ServoEntry>& entries, const std::string& joint) {
  for (const ServoEntry& entry : entries)
    if (entry.joint == joint) return &entry;
  for (const ServoEntry& entry : entries)
    if (entry.joint == without_side(joint)) return &entry;
  return nullptr;
}

const Joint* find_joint(const Character& c, const std::string& name) {
  for (const Joint& joint : c.joints)
    if (joint.name == name) return &joint;
  return nullptr;
}

// Limits written for the left side, put onto this joint.
void set_limits(const Character& c, const ServoEntry& entry, Joint& joint) {
  if (!entry.lower || !entry.upper) return;
  Vec3 lower = *entry.lower, upper = *entry.upper;
  const bool other_side = joint.name.starts_with("right_") && entry.joint != joint.name;
  if (other_side && joint.type == JointType::kBall) {
    mirror_ball_limits(lower, upper);
  } else if (other_side) {
    // A hinge's axis is mirrored like a rotation vector, or is its opposite.
    const Joint* left = find_joint(c, "left_" + entry.joint);
    if (left && Vec3(-left->axis_B.x(), left->axis_B.y(), -left->axis_B.z()).dot(joint.axis_B) < 0) {
      std::swap(lower, upper);
      lower = -lower;
      upper = -upper;
    }
  }
  joint.limited = true;
  joint.lower = lower;
  joint.upper = upper;
  if (joint.type != JointType::kBall) joint.lower.tail<2>().setZero(), joint.upper.tail<2>().setZero();
}

void apply(const Character& c, const ServoEntry& entry, Joint& joint) {
  const Vec3 strength = entry.strength.value_or(Vec3::Ones());
  if (entry.kp) joint.kp = entry.kp->cwiseProduct(strength);
  if (entry.kd) joint.kd = entry.kd->cwiseProduct(strength);
  if (entry.limit) joint.torque_limit = *entry.limit;
  if (entry.window) joint.window = *entry.window;
  if (entry.contact_scale) joint.contact_scale = *entry.contact_scale;
  set_limits(c, entry, joint);
  // A hinge has one axis.
  if (joint.type != JointType::kBall)
    for (Vec3* values : {&joint.kp, &joint.kd, &joint.torque_limit, &joint.window})
      values->tail<2>().setZero();
}

void check_names(const Character& c, const std::vector<ServoEntry>& entries, const std::string& file) {
  for (const ServoEntry& entry : entries) {
    const bool found = std::any_of(c.joints.begin(), c.joints.end(), [&](const Joint& joint) {
      return joint.name == entry.joint || without_side(joint.name) == entry.joint;
    });
    if (!found) throw Error(file, 0, "servo:" + entry.joint + " names no joint");
  }
}

// A derived axis is no weaker than a fifth of the strongest of its body: inertia alone would leave the twist
// of a limb, which the feet pass on to the floor, without force.
void raise_weak_axes(Character& c, const std::vector<char>& derived) {
  for (const Body& body : c.bodies) {
    const auto first = static_cast<size_t>(body.first_joint);
    const size_t end = first + static_cast<size_t>(body.joint_count);
    double strongest = 0;
    for (size_t j = first; j < end; ++j) strongest = std::max(strongest, c.joints[j].kp.maxCoeff());
    for (size_t j = first; j < end; ++j) {
      Joint& joint = c.joints[j];
      if (!derived[j] || joint.type == JointType::kSlide) continue;
      for (int k = 0; k < (joint.type == JointType::kBall ? 3 : 1); ++k) {
        if (joint.kp[k] >= kTwistShare * strongest) continue;
        joint.kp[k] = kTwistShare * strongest;
        joint.kd[k] = std::max(joint.kd[k], 0.1 * joint.kp[k]);
      }
    }
  }
}

void add_note(Character& c, const std::vector<std::string>& joints, const std::string& what) {
  if (joints.empty()) return;
  std::string text = what + ": ";
  for (size_t i = 0; i < joints.size(); ++i) text += (i ? ", " : "") + joints[i];
  c.notes.push_back(text);
}

}  // namespace

ServoEntry parse_servo(const std::string& joint, const std::string& data, const std::string& file) {
  ServoEntry entry;
  entry.joint = joint;
  std::istringstream words(data);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string where = "servo:" + joint + " " + key;
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const auto numbers = [&] { return parse_numbers(value, where, file); };
    const auto positive = [&] {
      const Vec3 values = numbers();
      if (values.minCoeff() < 0) throw Error(file, 0, where + "=" + value + ": must not be negative");
      return values;
    };
    if (key == "kp")
      entry.kp = positive();
    else if (key == "kd")
      entry.kd = positive();
    else if (key == "strength")
      entry.strength = positive();
    else if (key == "limit")
      entry.limit = positive();
    else if (key == "window")
      entry.window = positive();
    else if (key == "contact_scale")
      entry.contact_scale = positive()[0];
    else if (key == "lower")
      entry.lower = numbers() * radians(1);
    else if (key == "upper")
      entry.upper = numbers() * radians(1);
    else
      throw Error(file, 0,
                  "servo:" + joint + " has an unknown key '" + key +
                      "'; known are kp, kd, strength, limit, window, contact_scale, lower, upper");
  }
  if (entry.lower.has_value() != entry.upper.has_value())
    throw Error(file, 0, "servo:" + joint + " has only one of lower and upper");
  return entry;
}

void apply_servos(Character& character, const std::vector<ServoEntry>& entries, const std::string& file) {
  check_names(character, entries, file);
  Derivation derivation(character);
  std::vector<std::string> gains, damping, limits;
  std::vector<char> derived(character.joints.size(), 0);
  for (size_t j = 0; j < character.joints.size(); ++j) {
    Joint& joint = character.joints[j];
    if (joint.type == JointType::kFree) continue;
    const ServoEntry* entry = entry_for(entries, joint.name);
    if (entry) apply(character, *entry, joint);
    const bool has_kp = entry && entry->kp, has_kd = entry && entry->kd;
    const bool has_limit = (entry && entry->limit) || joint.torque_limit.maxCoeff() > 0;
    derivation.fill(j, has_kp, has_kd, has_limit);
    derived[j] = !has_kp && !has_kd;
    if (!has_kp) gains.push_back(joint.name);
    if (has_kp && !has_kd) damping.push_back(joint.name);
    if (!has_limit) limits.push_back(joint.name);
  }
  raise_weak_axes(character, derived);
  add_note(character, gains, "stiffness and damping derived from the inertia and load on the joint");
  add_note(character, damping, "critical damping derived from the inertia on the joint");
  add_note(character, limits, "torque limit of a strong human taken by body part");
}

}  // namespace sinew
