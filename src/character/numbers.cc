#include "character/numbers.h"

#include <algorithm>

#include "core/error.h"

namespace sinew {

namespace {

constexpr std::array<const char*, 4> kAxes{"x", "y", "z", "w"};

// Goes through all numbers of a character (const or not) in their one order. `f` gets a function that makes
// the name, so that those who need none pay for none.
template <class SomeCharacter, class F>
class Walk {
 public:
  Walk(SomeCharacter& c, F& f) : c_(c), f_(f) {}

  void all() {
    for (auto& body : c_.bodies) {
      one(body.name, "mass", kMass, body.mass_kg);
      three(body.name, "centre", kLength, body.p_BC);
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k <= i; ++k) inertia(body, i, k);
      pose(body.name, body.X_PB);
    }
    for (auto& joint : c_.joints) servo(joint);
    for (auto& shape : c_.shapes) {
      three(shape.name, "size", kLength, shape.size);
      pose(shape.name, shape.X_BS);
    }
    for (auto& point : c_.contact_points) {
      three(point.name, "at", kLength, point.p_BP);
      one(point.name, "radius", kLength, point.radius_m);
    }
    for (int i = 0; i < c_.nq(); ++i)
      f_([i] { return "rest." + std::to_string(i); }, i < 3 ? kLength : kPure, c_.q_rest[i]);
  }

 private:
  template <class Value>
  void one(const std::string& owner, const char* what, const Dimension& d, Value& value) {
    f_([&] { return owner + "." + what; }, d, value);
  }
  template <class Vector>
  void three(const std::string& owner, const char* what, const Dimension& d, Vector& v) {
    for (int i = 0; i < 3; ++i)
      f_([&] { return owner + "." + what + "." + kAxes[static_cast<size_t>(i)]; }, d, v[i]);
  }
  template <class SomeBody>
  void inertia(SomeBody& body, int i, int k) {
    const auto name = [&] {
      return body.name + ".inertia." + kAxes[static_cast<size_t>(i)] + kAxes[static_cast<size_t>(k)];
    };
    f_(name, kInertia, body.I_C(i, k));
    if constexpr (!std::is_const_v<SomeBody>) body.I_C(k, i) = body.I_C(i, k);
  }
  template <class SomePose>
  void pose(const std::string& owner, SomePose& X) {
    three(owner, "at", kLength, X.p);
    for (int i = 0; i < 4; ++i)
      f_([&] { return owner + ".turn." + kAxes[static_cast<size_t>(i)]; }, kPure, X.q.coeffs()[i]);
  }
  template <class SomeJoint>
  void servo(SomeJoint& joint) {
    three(joint.name, "anchor", kLength, joint.p_BJ);
    three(joint.name, "axis", kPure, joint.axis_B);
    three(joint.name, "lower", kPure, joint.lower);
    three(joint.name, "upper", kPure, joint.upper);
    three(joint.name, "kp", kTorsionalStiffness, joint.kp);
    three(joint.name, "kd", kTorsionalDamping, joint.kd);
    three(joint.name, "limit", kTorque, joint.torque_limit);
    one(joint.name, "armature", kInertia, joint.armature);
    one(joint.name, "damping", kTorsionalDamping, joint.damping);
    one(joint.name, "stiffness", kTorsionalStiffness, joint.stiffness);
  }

  SomeCharacter& c_;
  F& f_;
};

template <class SomeCharacter, class F>
void walk(SomeCharacter& c, F&& f) {
  Walk<SomeCharacter, F>(c, f).all();
}

// Turns and axes are unit length again.
void make_unit(Character& c) {
  for (Body& body : c.bodies) body.X_PB.q.normalize();
  for (Shape& shape : c.shapes) shape.X_BS.q.normalize();
  for (Joint& joint : c.joints) {
    if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) joint.axis_B.normalize();
    if (joint.type != JointType::kBall && joint.type != JointType::kFree) continue;
    const int at = joint.q + (joint.type == JointType::kFree ? 3 : 0);
    c.q_rest.segment<4>(at).normalize();
  }
}

std::vector<double> values_of(const Character& c) {
  std::vector<double> out;
  walk(c, [&](auto&&, const Dimension&, double value) { out.push_back(value); });
  return out;
}

}  // namespace

std::vector<Number> character_numbers(const Character& character) {
  std::vector<Number> out;
  walk(character, [&](auto&& name, const Dimension& d, double value) { out.push_back({name(), d, value}); });
  return out;
}

Character with_numbers(const Character& like, std::span<const double> values) {
  Character out = like;
  size_t at = 0;
  walk(out, [&](auto&&, const Dimension&, double& value) {
    if (at < values.size()) value = values[at];
    ++at;
  });
  if (at != values.size())
    throw Error("the character '" + like.name + "' has " + std::to_string(at) + " numbers, not " +
                std::to_string(values.size()));
  make_unit(out);
  return out;
}

std::string topology_difference(const Character& a, const Character& b) {
  const std::string both = "'" + a.name + "' and '" + b.name + "'";
  if (a.bodies.size() != b.bodies.size()) return both + " have different numbers of bodies";
  for (size_t i = 0; i < a.bodies.size(); ++i)
    if (a.bodies[i].name != b.bodies[i].name || a.bodies[i].parent != b.bodies[i].parent)
      return both + " differ at the body " + a.bodies[i].name;
  if (a.joints.size() != b.joints.size()) return both + " have different numbers of joints";
  for (size_t i = 0; i < a.joints.size(); ++i)
    if (a.joints[i].name != b.joints[i].name || a.joints[i].type != b.joints[i].type)
      return both + " differ at the joint " + a.joints[i].name;
  if (a.shapes.size() != b.shapes.size() || a.contact_points.size() != b.contact_points.size())
    return both + " have different numbers of shapes";
  for (size_t i = 0; i < a.shapes.size(); ++i)
    if (a.shapes[i].type != b.shapes[i].type || a.shapes[i].body != b.shapes[i].body)
      return both + " differ at the shape " + a.shapes[i].name;
  return "";
}

Character blend(const Character& from, const Character& to, double part) {
  if (const std::string why = topology_difference(from, to); !why.empty())
    throw Error(why + ", so nothing lies between them");
  Character out = from;
  blend_into(from, to, part, out);
  return out;
}

void blend_into(const Character& from, const Character& to, double part, Character& into) {
  const std::vector<double> a = values_of(from), b = values_of(to);
  size_t at = 0;
  walk(into, [&](auto&&, const Dimension&, double& value) {
    value = (1 - part) * a[at] + part * b[at];
    ++at;
  });
  make_unit(into);
}

}  // namespace sinew
