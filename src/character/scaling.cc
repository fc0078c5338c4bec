#include "character/scaling.h"

#include <array>
#include <cmath>

#include "core/error.h"

namespace sinew {

namespace {

// Whether a body hangs on a joint.
std::vector<char> hanging(const Character& c, int joint) {
  const auto first = static_cast<size_t>(c.joints[static_cast<size_t>(joint)].body);
  std::vector<char> hangs(c.bodies.size(), 0);
  for (size_t b = first; b < c.bodies.size(); ++b)
    hangs[b] = b == first || (c.bodies[b].parent >= 0 && hangs[static_cast<size_t>(c.bodies[b].parent)]);
  return hangs;
}

// Inertia about a joint's first axis of the bodies that do or do not hang on it.
double inertia_about(const Character& c, int joint, bool those_that_hang) {
  const Kinematics at = forward_kinematics(c, c.q_rest);
  const auto j = static_cast<size_t>(joint);
  const Vec3 axis = at.q_WJ[j] * c.joints[j].axis_B;
  const std::vector<char> hangs = hanging(c, joint);
  double sum = 0;
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    if ((hangs[b] != 0) != those_that_hang) continue;
    const Mat3 R = at.X_WB[b].q.toRotationMatrix();
    const Vec3 arm = axis.cross(Vec3(at.X_WB[b] * c.bodies[b].p_BC - at.p_WJ[j]));
    sum += axis.dot(R * c.bodies[b].I_C * R.transpose() * axis) + c.bodies[b].mass_kg * arm.squaredNorm();
  }
  return sum;
}

}  // namespace

std::string unit_name(const Dimension& d) {
  struct Named {
    Dimension dimension;
    const char* name;
  };
  constexpr std::array<Named, 11> kNames{{{kPure, "-"},
                                          {kLength, "m"},
                                          {kTime, "s"},
                                          {kSpeed, "m/s"},
                                          {kRate, "1/s"},
                                          {kForce, "N"},
                                          {kTorque, "N m"},
                                          {kMass, "kg"},
                                          {kInertia, "kg m^2"},
                                          {kTorsionalDamping, "N m s"},
                                          {{1, -2, 0}, "m/s^2"}}};
  for (const Named& n : kNames)
    if (n.dimension.length == d.length && n.dimension.time == d.time && n.dimension.force == d.force)
      return n.name;
  return "m^" + std::to_string(static_cast<int>(d.length)) + " s^" +
         std::to_string(static_cast<int>(d.time)) + " N^" + std::to_string(static_cast<int>(d.force));
}

double geometric_factor(const Dimension& d, double length) {
  return std::pow(length, d.length + 0.5 * d.time + 3 * d.force);
}

// Forces follow masses. Where they come as torques, the inertia about the joint is what they move, and a
// torque is I / L; all rules of Figure 6 follow from this and the kinematic ones.
double mass_factor(const Dimension& d, const Ratios& r) {
  const double kinematic = std::pow(r.length, d.length + 0.5 * d.time);
  if (d.force == 0) return kinematic;
  const double force = d.length >= 1 ? r.inertia / (r.length * r.length) : r.mass;
  return kinematic * std::pow(force, d.force);
}

double hanging_inertia(const Character& c, int joint) {
  return inertia_about(c, joint, true) + c.joints[static_cast<size_t>(joint)].armature;
}

double carried_inertia(const Character& c, int joint) { return inertia_about(c, joint, false); }

int find_joint(const Character& c, const std::string& name) {
  for (size_t j = 0; j < c.joints.size(); ++j)
    if (c.joints[j].name == name) return static_cast<int>(j);
  return -1;
}

}  // namespace sinew
