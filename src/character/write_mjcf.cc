#include "character/write_mjcf.h"

#include <array>
#include <cstdio>

#include "character/coupling_text.h"

namespace sinew {

namespace {

std::string numbers(const Vec3& v) { return mjcf_numbers(v.data(), 3); }

std::string numbers(const Quat& q) {
  const std::array<double, 4> wxyz{q.w(), q.x(), q.y(), q.z()};
  return mjcf_numbers(wxyz.data(), 4);
}

std::string number(double x) { return mjcf_numbers(&x, 1); }

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + value + "\"";
}

const char* type_name(ShapeType type) {
  switch (type) {
    case ShapeType::kSphere:
      return "sphere";
    case ShapeType::kCapsule:
      return "capsule";
    case ShapeType::kBox:
      return "box";
    case ShapeType::kEllipsoid:
      return "ellipsoid";
    case ShapeType::kCylinder:
      return "cylinder";
    case ShapeType::kMesh:
      return "mesh";
    case ShapeType::kPlane:
      return "plane";
  }
  return "sphere";
}

std::string joint_element(const Joint& joint, const MjcfPartOptions& options) {
  const std::string name = attribute("name", mjcf_word(joint.name));
  if (joint.type == JointType::kFree) return "<freejoint" + name + "/>\n";
  std::string out = "<joint" + name;
  if (joint.type == JointType::kBall) {
    out += attribute("type", "ball");
    // The cone around the box of the rotation vector, in which the true limits are.
    const double cone = std::min(joint.lower.cwiseAbs().cwiseMax(joint.upper.cwiseAbs()).norm(), kPi);
    if (joint.limited && options.passive_joints)
      out += attribute("limited", "true") + attribute("range", "0 " + number(cone));
  } else {
    out += attribute("type", joint.type == JointType::kSlide ? "slide" : "hinge");
    out += attribute("axis", numbers(joint.axis_B));
    const std::array<double, 2> range{joint.lower[0], joint.upper[0]};
    if (joint.limited)
      out += attribute("limited", "true") + attribute("range", mjcf_numbers(range.data(), 2));
  }
  out += attribute("pos", numbers(joint.p_BJ));
  if (joint.armature != 0) out += attribute("armature", number(joint.armature));
  if (options.passive_joints && joint.damping != 0) out += attribute("damping", number(joint.damping));
  if (options.passive_joints && joint.stiffness != 0) out += attribute("stiffness", number(joint.stiffness));
  return out + "/>\n";
}

std::string inertial_element(const Body& body) {
  const Mat3& I = body.I_C;
  const std::array<double, 6> full{I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
  const bool diagonal = full[3] == 0 && full[4] == 0 && full[5] == 0;
  return "<inertial" + attribute("pos", numbers(body.p_BC)) + attribute("mass", number(body.mass_kg)) +
         attribute(diagonal ? "diaginertia" : "fullinertia", mjcf_numbers(full.data(), diagonal ? 3 : 6)) +
         "/>\n";
}

// A body with all that hangs on it; bodies are listed depth first, so they only have to be closed in time.
std::string body_tree(const Character& c, size_t b, const std::string& indent,
                      const MjcfPartOptions& options) {
  const Body& body = c.bodies[b];
  std::string out = indent + "<body" + attribute("name", mjcf_word(body.name)) +
                    attribute("pos", numbers(body.X_PB.p)) + attribute("quat", numbers(body.X_PB.q)) + ">\n";
  const std::string inner = indent + "  ";
  for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j)
    out += inner + joint_element(c.joints[static_cast<size_t>(j)], options);
  if (body.mass_kg > 0) out += inner + inertial_element(body);
  for (const Shape& shape : c.shapes)
    if (shape.body == static_cast<int>(b) && (shape.collides || options.visible_shapes))
      out += inner + mjcf_geom(shape, shape.name, shape.X_BS,
                               shape.collides ? "" : " contype=\"0\" conaffinity=\"0\" group=\"1\"");
  for (size_t child = b + 1; child < c.bodies.size(); ++child)
    if (c.bodies[child].parent == static_cast<int>(b)) out += body_tree(c, child, inner, options);
  return out + indent + "</body>\n";
}

// <text name="servo:..." data="kp=... "/> as read_mjcf reads it; angles there are degrees.
std::string servo_element(const Joint& joint) {
  const auto triple = [](const Vec3& v) { return number(v[0]) + "," + number(v[1]) + "," + number(v[2]); };
  std::string data = "kp=" + triple(joint.kp) + " kd=" + triple(joint.kd) +
                     " limit=" + triple(joint.torque_limit) + " window=" + triple(joint.window) +
                     " contact_scale=" + number(joint.contact_scale);
  if (joint.limited && joint.type == JointType::kBall)
    data += " lower=" + triple(joint.lower * (180.0 / kPi)) + " upper=" + triple(joint.upper * (180.0 / kPi));
  return "    <text" + attribute("name", mjcf_word("servo:" + joint.name)) + attribute("data", data) + "/>\n";
}

}  // namespace

std::string mjcf_numbers(const double* begin, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), i > 0 ? " %.17g" : "%.17g", begin[i]);
    out += text.data();
  }
  return out;
}

std::string mjcf_word(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string mjcf_geom(const Shape& shape, const std::string& name, const Pose& X, const std::string& more) {
  std::string out = "<geom" + attribute("name", mjcf_word(name)) + attribute("type", type_name(shape.type));
  if (shape.type == ShapeType::kMesh)
    out += attribute("mesh", mjcf_word(name));
  else
    out += attribute("size", shape.type == ShapeType::kPlane ? "20 20 1" : numbers(shape.size));
  const std::array<double, 3> friction{shape.friction, 0.005, 0.0001};
  return out + attribute("pos", numbers(X.p)) + attribute("quat", numbers(X.q)) +
         attribute("friction", mjcf_numbers(friction.data(), 3)) +
         attribute("rgba", mjcf_numbers(shape.rgba.data(), 4)) + more + "/>\n";
}

std::string mjcf_mesh(const Shape& shape, const std::string& name) {
  if (shape.type != ShapeType::kMesh) return "";
  std::string vertices;
  for (const Vec3& v : shape.vertices) vertices += numbers(v) + " ";
  return "<mesh" + attribute("name", mjcf_word(name)) + attribute("vertex", vertices) + "/>\n";
}

std::string mjcf_bodies(const Character& character, const MjcfPartOptions& options) {
  return body_tree(character, 0, "    ", options);
}

std::string write_mjcf(const Character& character) {
  std::string out = "<mujoco" + attribute("model", mjcf_word(character.name)) +
                    ">\n  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n  <asset>\n";
  for (const Shape& shape : character.shapes) out += mjcf_mesh(shape, shape.name);
  out += "  </asset>\n  <worldbody>\n" + mjcf_bodies(character) + "  </worldbody>\n  <contact>\n";
  for (const auto& [a, b] : character.excluded)
    out += "    <exclude" + attribute("body1", mjcf_word(character.bodies[static_cast<size_t>(a)].name)) +
           attribute("body2", mjcf_word(character.bodies[static_cast<size_t>(b)].name)) + "/>\n";
  out += "  </contact>\n  <custom>\n";
  for (const Joint& joint : character.joints)
    if (joint.type != JointType::kFree) out += servo_element(joint);
  const auto text = [](std::string_view kind, const std::string& name, const std::string& data) {
    return "    <text" + attribute("name", mjcf_word(std::string(kind) + name)) +
           attribute("data", mjcf_word(data)) + "/>\n";
  };
  for (const PointSpring& spring : character.springs)
    out += text(kSpringText, spring.name, spring_data(character, spring));
  for (const Chain& chain : character.chains)
    out += text(kChainText, chain.name, chain_data(character, chain));

  // The rest stance under the name that tells readers to take it.
  return out + "  </custom>\n  <keyframe>\n    <key name=\"stand\"" +
         attribute("qpos", mjcf_numbers(character.q_rest.data(), character.nq())) +
         "/>\n  </keyframe>\n</mujoco>\n";
}

}  // namespace sinew
