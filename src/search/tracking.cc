#include "search/tracking.h"

#include <cmath>

#include "character/dynamics.h"
#include "character/velocities.h"

namespace sinew {

namespace {

// A residual beyond this counts only linearly.
constexpr double kLinearBeyond = 4;

double eased(double r) {
  const double size = std::abs(r);
  if (size <= kLinearBeyond) return r;
  return std::copysign(std::sqrt(2 * kLinearBeyond * size - kLinearBeyond * kLinearBeyond), r);
}

Quat root_of(const VecX& q) { return Quat(q[3], q[4], q[5], q[6]); }

}  // namespace

Tracking::Tracking(const Character& character, const TrackingUnits& units)
    : character_(character), units_(units) {
  for (const Part part : {Part::kLeftFoot, Part::kRightFoot, Part::kLeftHand, Part::kRightHand})
    if (const int body = character.find(part); body >= 0) ends_.push_back(body);
  int joints = 0;
  for (const Joint& joint : character.joints) joints += joint.type != JointType::kFree;
  joint_weight_ = VecX::Constant(character.nv(), 1 / std::sqrt(static_cast<double>(std::max(joints, 1))));
}

int Tracking::size() const {
  return 2 * (character_.nv() - 6) + 15 + 6 * static_cast<int>(ends_.size());
}

Posture Tracking::posture(const VecX& q, const VecX& v) const {
  Posture out;
  out.q = q;
  out.v = v;
  const Kinematics at = forward_kinematics(character_, q);
  const std::vector<BodyVelocity> velocities = body_velocities(character_, at, v);
  double mass = 0;
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  for (size_t i = 0; i < character_.bodies.size(); ++i) {
    const Body& body = character_.bodies[i];
    const Vec3 c = at.X_WB[i] * body.p_BC;
    const Vec3 vc = velocities[i].v_WB + velocities[i].w_WB.cross(c - at.X_WB[i].p);
    const Quat& R = at.X_WB[i].q;
    mass += body.mass_kg;
    out.com += body.mass_kg * c;
    linear += body.mass_kg * vc;
    angular += body.mass_kg * c.cross(vc) + R * (body.I_C * (R.conjugate() * velocities[i].w_WB));
  }
  out.com /= mass;
  out.com_velocity = linear / mass;
  out.spin = angular - out.com.cross(linear);
  out.root_rate = velocities[0].w_WB;
  for (const int end : ends_) {
    const auto i = static_cast<size_t>(end);
    const Vec3 c = at.X_WB[i] * character_.bodies[i].p_BC;
    out.end.push_back(c);
    out.end_velocity.push_back(velocities[i].v_WB + velocities[i].w_WB.cross(c - at.X_WB[i].p));
  }
  return out;
}

void Tracking::residuals(const Posture& now, const Posture& reference, double weight,
                         std::vector<double>& out) const {
  const auto add = [&](double error, double unit) { out.push_back(weight * eased(error / unit)); };
  const auto add3 = [&](const Vec3& error, double unit) {
    for (int k = 0; k < 3; ++k) add(error[k], unit);
  };
  const VecX dq = difference(character_, reference.q, now.q);
  for (int i = 6; i < character_.nv(); ++i) {
    out.push_back(weight * joint_weight_[i] * eased(dq[i] / units_.pose_rad));
    out.push_back(weight * joint_weight_[i] * eased((now.v[i] - reference.v[i]) / units_.joint_rate));
  }
  add3(log_map(root_of(now.q) * root_of(reference.q).conjugate()), units_.root_rad);
  add3(now.root_rate - reference.root_rate, units_.root_rate);
  const Vec3 com = now.com - reference.com, velocity = now.com_velocity - reference.com_velocity;
  add(com.x(), units_.com_m);
  add(com.y(), units_.com_m);
  add(com.z(), units_.com_height_m);
  add3(velocity, units_.com_velocity);
  add3(now.spin - reference.spin, units_.spin);
  const double share = 1 / std::sqrt(static_cast<double>(std::max<size_t>(ends_.size(), 1)));
  for (size_t i = 0; i < ends_.size(); ++i) {
    const Vec3 error = now.end[i] - reference.end[i];
    const Vec3 seen = error - com - units_.end_ahead_s * velocity;
    out.push_back(weight * share * eased(seen.x() / units_.end_m));
    out.push_back(weight * share * eased(seen.y() / units_.end_m));
    out.push_back(weight * share * eased(error.z() / units_.end_height_m));
    const Vec3 speed = now.end_velocity[i] - reference.end_velocity[i];
    for (int k = 0; k < 3; ++k) out.push_back(weight * share * eased(speed[k] / units_.end_velocity));
  }
}

}  // namespace sinew
