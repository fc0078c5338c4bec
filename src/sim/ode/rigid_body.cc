#include "sim/ode/rigid_body.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace sinew::ode {

namespace {

Vec3 vec(const dReal* p) { return {p[0], p[1], p[2]}; }
Quat quat(const dReal* p) { return Quat(p[0], p[1], p[2], p[3]); }

}  // namespace

void check_mass(const MassProperties& mass, const std::string& what) {
  const bool finite = std::isfinite(mass.mass_kg) && mass.p_BC.allFinite() && mass.I_C.allFinite();
  if (!finite || mass.mass_kg <= 0) throw Error(what + " has no mass, which ODE cannot simulate");
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(mass.I_C, Eigen::EigenvaluesOnly).eigenvalues();
  if (moments.minCoeff() <= 0 || moments.minCoeff() < 1e-12 * moments.maxCoeff())
    throw Error(what + " has an inertia that is not positive, which ODE cannot simulate");
}

RigidBody::Places RigidBody::places_of(dBodyID body) {
  const auto open = [](const dReal* x) { return const_cast<dReal*>(x); };
  return {open(dBodyGetPosition(body)),  open(dBodyGetQuaternion(body)), open(dBodyGetRotation(body)),
          open(dBodyGetLinearVel(body)), open(dBodyGetAngularVel(body)), open(dBodyGetForce(body)),
          open(dBodyGetTorque(body))};
}

RigidBody::RigidBody(dWorldID world, const MassProperties& mass)
    : body_(dBodyCreate(world)), mass_(mass), at_(places_of(body_)) {
  dMass given;
  const Mat3& I = mass.I_C;
  dMassSetParameters(&given, mass.mass_kg, 0, 0, 0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
  dBodySetMass(body_, &given);
  dBodySetFiniteRotationMode(body_, 1);
  dBodySetGyroscopicMode(body_, 0);
}

Pose RigidBody::pose() const {
  const Quat q = quat(at_.q);
  return {centre() - q * mass_.p_BC, q};
}

void RigidBody::forget_forces() {
  std::fill_n(at_.force, 3, 0.0);
  std::fill_n(at_.torque, 3, 0.0);
}

void RigidBody::set_pose(const Pose& X_WB) {
  forget_forces();
  const Vec3 p = X_WB * mass_.p_BC;
  const dQuaternion q = {X_WB.q.w(), X_WB.q.x(), X_WB.q.y(), X_WB.q.z()};
  dBodySetPosition(body_, p.x(), p.y(), p.z());
  dBodySetQuaternion(body_, q);
}

Vec3 RigidBody::w() const { return vec(at_.w); }
Vec3 RigidBody::centre() const { return vec(at_.p); }
Vec3 RigidBody::v_centre() const { return vec(at_.v); }

Vec3 RigidBody::velocity_at(const Vec3& p_W) const { return v_centre() + w().cross(p_W - centre()); }

void RigidBody::set_velocity(const Vec3& v_WB, const Vec3& w_WB) {
  const Vec3 v = v_WB + w_WB.cross(pose().q * mass_.p_BC);
  dBodySetLinearVel(body_, v.x(), v.y(), v.z());
  dBodySetAngularVel(body_, w_WB.x(), w_WB.y(), w_WB.z());
}

Mat3 RigidBody::inertia_W() const {
  const Mat3 R = quat(at_.q).toRotationMatrix();
  return R * mass_.I_C * R.transpose();
}

Vec3 RigidBody::gyroscopic_torque(double h) const {
  // Find w1 with I(R1) w1 = I(R0) w0, where R1 is R0 turned by h w1: a few rounds suffice at any sane speed.
  const Mat3 R0 = quat(at_.q).toRotationMatrix();
  const Vec3 w0 = w();
  const Mat3 I_inverse = mass_.I_C.inverse();
  const Vec3 L = R0 * (mass_.I_C * (R0.transpose() * w0));
  Vec3 w1 = w0;
  for (int round = 0; round < 3; ++round) {
    const Mat3 R1 = exp_map(h * w1).toRotationMatrix() * R0;
    w1 = R1 * (I_inverse * (R1.transpose() * L));
  }
  return R0 * (mass_.I_C * (R0.transpose() * (w1 - w0))) / h;
}

void RigidBody::save(double* into) const {
  into = std::copy_n(at_.p, 3, into);
  into = std::copy_n(at_.q, 4, into);
  into = std::copy_n(at_.R, 12, into);
  into = std::copy_n(at_.v, 3, into);
  std::copy_n(at_.w, 3, into);
}

void RigidBody::load(const double* from) {
  // The setter tells the shapes that the body moved; that of the rotation would renormalise it.
  dBodySetPosition(body_, from[0], from[1], from[2]);
  std::copy_n(from + 3, 4, at_.q);
  std::copy_n(from + 7, 12, at_.R);
  std::copy_n(from + 19, 3, at_.v);
  std::copy_n(from + 22, 3, at_.w);
  forget_forces();
}

bool RigidBody::sensible() const {
  const Vec3 p = centre(), v = v_centre(), turn = w();
  const Quat q = quat(at_.q);
  if (!p.allFinite() || !v.allFinite() || !turn.allFinite() || !q.coeffs().allFinite()) return false;
  return v.norm() < 1e3 && turn.norm() < 1e4;
}

}  // namespace sinew::ode
