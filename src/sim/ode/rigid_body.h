#pragma once

#include <ode/ode.h>

#include <string>

#include "core/math.h"

namespace sinew::ode {

struct MassProperties {
  double mass_kg = 0;
  Vec3 p_BC = Vec3::Zero();  // centre of mass, in the body's frame
  Mat3 I_C = Mat3::Zero();   // about it, in the body's axes, kg m^2
};

// Throws Error naming `what` unless mass and inertia are finite and positive: ODE would end the process.
void check_mass(const MassProperties& mass, const std::string& what);

// A body of ODE, seen from its own frame B: ODE's lies at the centre of mass with the same axes.
class RigidBody {
 public:
  RigidBody(dWorldID world, const MassProperties& mass);

  dBodyID id() const { return body_; }
  const MassProperties& mass() const { return mass_; }

  Pose pose() const;  // X_WB
  void set_pose(const Pose& X_WB);
  Vec3 w() const;                           // w_WB
  Vec3 velocity_at(const Vec3& p_W) const;  // of the body's point there
  void set_velocity(const Vec3& v_WB, const Vec3& w_WB);

  Vec3 centre() const;    // p_WC
  Vec3 v_centre() const;  // v_WC
  Mat3 inertia_W() const;

  // The torque that keeps the angular momentum of the body while its inertia turns with it, for one step of
  // h: exact for a free body, unlike ODE's own, which is switched off. In W.
  Vec3 gyroscopic_torque(double h) const;

  // Everything that ODE knows of where the body is, bit by bit.
  static constexpr int kDoubles = 25;
  void save(double* into) const;
  void load(const double* from);

  bool sensible() const;  // finite, slower than 1 km/s and 1e4 rad/s

 private:
  void forget_forces();  // that a step which failed may have left

  // Where ODE keeps them, as long as the body lives: calls would cost more than the copies.
  struct Places {
    dReal *p, *q, *R, *v, *w, *force, *torque;
  };
  static Places places_of(dBodyID body);

  dBodyID body_;
  MassProperties mass_;
  Places at_;
};

}  // namespace sinew::ode
