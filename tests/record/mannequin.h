#pragma once

#include "character/character.h"

namespace sinew {

// A small character made by hand, for tests that need one but no file: trunk, head, arms and legs with
// ball joints at hips, shoulders and waist and hinges at knees and elbows; stands on z = 0, faces +X.
inline Character make_mannequin() {
  Character c;
  c.name = "mannequin";
  const auto add_body = [&](const char* name, Part part, int parent, const Vec3& p_PB, JointType type) {
    Body body;
    body.name = name;
    body.part = part;
    body.parent = parent;
    body.X_PB.p = p_PB;
    body.mass_kg = 5;
    body.first_joint = static_cast<int>(c.joints.size());
    body.joint_count = 1;
    Joint joint;
    joint.name = name;
    joint.type = type;
    joint.body = static_cast<int>(c.bodies.size());
    joint.axis_B = Vec3::UnitY();
    joint.q = c.joints.empty() ? 0 : c.joints.back().q + c.joints.back().q_size();
    joint.v = c.joints.empty() ? 0 : c.joints.back().v + c.joints.back().v_size();
    c.joints.push_back(joint);
    c.bodies.push_back(body);
    return joint.body;
  };
  const auto add_shape = [&](int body, ShapeType type, const Vec3& size, const Vec3& p, const Vec3& along) {
    Shape shape;
    shape.name = c.bodies[static_cast<size_t>(body)].name + "." + std::to_string(c.shapes.size());
    shape.body = body;
    shape.type = type;
    shape.size = size;
    shape.X_BS = Pose{p, shortest_arc(Vec3::UnitZ(), along)};
    shape.rgba = Vec4(0.78, 0.62, 0.46, 1);
    c.shapes.push_back(shape);
  };
  const Vec3 Z = Vec3::UnitZ(), X = Vec3::UnitX(), Y = Vec3::UnitY();
  const int pelvis = add_body("pelvis", Part::kPelvis, -1, Vec3(0, 0, 0.95), JointType::kFree);
  add_shape(pelvis, ShapeType::kCapsule, Vec3(0.10, 0.07, 0), Vec3::Zero(), Y);
  const int thorax = add_body("thorax", Part::kThorax, pelvis, Vec3(0, 0, 0.12), JointType::kBall);
  add_shape(thorax, ShapeType::kEllipsoid, Vec3(0.12, 0.17, 0.24), Vec3(0, 0, 0.2), Z);
  const int head = add_body("head", Part::kHead, thorax, Vec3(0, 0, 0.45), JointType::kBall);
  add_shape(head, ShapeType::kSphere, Vec3(0.11, 0, 0), Vec3(0, 0, 0.13), Z);
  for (const double side : {1.0, -1.0}) {
    const bool left = side > 0;
    const int upper = add_body(left ? "left_upper_arm" : "right_upper_arm",
                               left ? Part::kLeftUpperArm : Part::kRightUpperArm, thorax,
                               Vec3(0, 0.2 * side, 0.38), JointType::kBall);
    add_shape(upper, ShapeType::kCapsule, Vec3(0.045, 0.13, 0), Vec3(0, 0.14 * side, 0), Y);
    const int lower = add_body(left ? "left_lower_arm" : "right_lower_arm",
                               left ? Part::kLeftLowerArm : Part::kRightLowerArm, upper,
                               Vec3(0, 0.28 * side, 0), JointType::kHinge);
    c.joints.back().axis_B = -Z * side;
    add_shape(lower, ShapeType::kCylinder, Vec3(0.036, 0.12, 0), Vec3(0, 0.13 * side, 0), Y);
  }
  for (const double side : {1.0, -1.0}) {
    const bool left = side > 0;
    const int thigh =
        add_body(left ? "left_thigh" : "right_thigh", left ? Part::kLeftThigh : Part::kRightThigh, pelvis,
                 Vec3(0, 0.09 * side, -0.05), JointType::kBall);
    add_shape(thigh, ShapeType::kCapsule, Vec3(0.065, 0.18, 0), Vec3(0, 0, -0.2), Z);
    const int shin = add_body(left ? "left_shin" : "right_shin", left ? Part::kLeftShin : Part::kRightShin,
                              thigh, Vec3(0, 0, -0.42), JointType::kHinge);
    c.joints.back().p_BJ = Vec3(0.01, 0, 0);  // an anchor beside the body's origin
    add_shape(shin, ShapeType::kCapsule, Vec3(0.05, 0.17, 0), Vec3(0, 0, -0.2), Z);
    const int foot = add_body(left ? "left_foot" : "right_foot", left ? Part::kLeftFoot : Part::kRightFoot,
                              shin, Vec3(0, 0, -0.42), JointType::kHinge);
    add_shape(foot, ShapeType::kMesh, Vec3::Zero(), Vec3::Zero(), Z);
    for (const double x : {-0.07, 0.18})
      for (const double y : {-0.045, 0.045})
        for (const double z : {-0.06, 0.0})
          c.shapes.back().vertices.push_back(Vec3(z < 0 ? x : 0.5 * x, y, z + (x > 0 && z == 0 ? -0.02 : 0)));
  }
  (void)X;
  c.q_rest = VecX::Zero(c.joints.back().q + c.joints.back().q_size());
  for (const Joint& joint : c.joints) {
    if (joint.type == JointType::kFree) c.q_rest.segment<4>(joint.q) = Vec4(0, 0, 0.95, 1);
    if (joint.type == JointType::kBall) c.q_rest[joint.q] = 1;
  }
  return c;
}

// Walks on the spot of a line: swings legs and arms while the root goes along +X at `speed_m_s`.
inline VecX mannequin_at(const Character& c, double time_s, double speed_m_s = 1.2) {
  VecX q = c.q_rest;
  q[0] = speed_m_s * time_s;
  const double phase = 2 * kPi * time_s;
  for (const Joint& joint : c.joints) {
    const double side = joint.name.starts_with("left") ? 1 : -1;
    const double swing = std::sin(phase) * side;
    const auto turn = [&](const Quat& r) { q.segment<4>(joint.q) = Vec4(r.w(), r.x(), r.y(), r.z()); };
    if (joint.name.ends_with("thigh")) turn(exp_map(Vec3(0, -0.5 * swing, 0)));
    if (joint.name.ends_with("shin")) q[joint.q] = 0.4 + 0.35 * std::cos(phase) * side;
    if (joint.name.ends_with("upper_arm"))
      turn(exp_map(Vec3(0, 0.5 * swing, 0)) * exp_map(Vec3(-1.3 * side, 0, 0)));
    if (joint.name.ends_with("lower_arm")) q[joint.q] = 0.5;
  }
  return q;
}

}  // namespace sinew
