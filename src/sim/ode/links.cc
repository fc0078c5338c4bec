#include "sim/ode/links.h"

#include "core/error.h"

namespace sinew::ode {

namespace {

// Inertia of a point mass about the origin, kg m^2.
Mat3 of_point(double mass_kg, const Vec3& p) {
  return mass_kg * (p.squaredNorm() * Mat3::Identity() - p * p.transpose());
}

// One rigid piece of two, both in the same frame.
MassProperties together(const MassProperties& a, const MassProperties& b) {
  MassProperties sum;
  sum.mass_kg = a.mass_kg + b.mass_kg;
  if (sum.mass_kg <= 0) return a;
  sum.p_BC = (a.mass_kg * a.p_BC + b.mass_kg * b.p_BC) / sum.mass_kg;
  sum.I_C = a.I_C + of_point(a.mass_kg, a.p_BC - sum.p_BC) + b.I_C + of_point(b.mass_kg, b.p_BC - sum.p_BC);
  return sum;
}

MassProperties in_link(const Body& body, const Pose& X_LB) {
  const Mat3 R = X_LB.q.toRotationMatrix();
  return {body.mass_kg, X_LB * body.p_BC, R * body.I_C * R.transpose()};
}

}  // namespace

Links find_links(const Character& character) {
  Links out;
  for (size_t i = 0; i < character.bodies.size(); ++i) {
    const Body& body = character.bodies[i];
    if (i > 0 && body.parent < 0)
      throw Error("the body '" + body.name +
                  "' hangs on the world, which ODE cannot simulate; use --engine mujoco");
    const int parent = body.parent < 0 ? -1 : out.link_of[static_cast<size_t>(body.parent)];
    if (body.joint_count > 0 || parent < 0) {
      out.link_of.push_back(static_cast<int>(out.links.size()));
      out.X_LB.emplace_back();
      out.links.push_back({static_cast<int>(i), parent, in_link(body, {})});
    } else {
      const Pose X_LB = out.X_LB[static_cast<size_t>(body.parent)] * body.X_PB;
      Link& link = out.links[static_cast<size_t>(parent)];
      link.mass = together(link.mass, in_link(body, X_LB));
      out.link_of.push_back(parent);
      out.X_LB.push_back(X_LB);
    }
  }
  for (const Link& link : out.links)
    check_mass(link.mass, "the body '" + character.bodies[static_cast<size_t>(link.body)].name + "'");
  return out;
}

}  // namespace sinew::ode
