#include "core/math.h"

#include <cmath>

namespace sinew {

Vec3 log_map(const Quat& q) {
  // The double cover is resolved to the shorter rotation; near zero the series 2/w is exact enough.
  const double sign = q.w() < 0 ? -1.0 : 1.0;
  const Vec3 v = sign * q.vec();
  const double s = v.norm();
  const double w = sign * q.w();
  if (s < 1e-9) return 2.0 * v / std::max(w, 1e-9);
  return v * (2.0 * std::atan2(s, w) / s);
}

Quat exp_map(const Vec3& rotation_vector) {
  const double angle = rotation_vector.norm();
  const double half = 0.5 * angle;
  const double k = angle < 1e-9 ? 0.5 - angle * angle / 48.0 : std::sin(half) / angle;
  return Quat(std::cos(half), k * rotation_vector.x(), k * rotation_vector.y(), k * rotation_vector.z());
}

double angle_between(const Quat& a, const Quat& b) { return log_map(a.conjugate() * b).norm(); }

Quat shortest_arc(const Vec3& a, const Vec3& b) { return Quat::FromTwoVectors(a, b).normalized(); }

SwingTwist swing_twist(const Quat& q, const Vec3& axis) {
  const double along = q.vec().dot(axis);
  const double n = std::hypot(q.w(), along);
  // A half turn about a normal axis has no defined twist: take none.
  if (n < 1e-12) return {q, Quat::Identity(), 0.0};
  const double sign = q.w() < 0 ? -1.0 : 1.0;
  const double c = sign * q.w() / n;
  const double s = sign * along / n;
  const Quat twist(c, s * axis.x(), s * axis.y(), s * axis.z());
  return {(q * twist.conjugate()).normalized(), twist, 2.0 * std::atan2(s, c)};
}

void make_continuous(std::vector<Quat>& rotations) {
  for (size_t i = 1; i < rotations.size(); ++i)
    if (rotations[i].dot(rotations[i - 1]) < 0) rotations[i].coeffs() *= -1.0;
}

double heading(const Quat& q) {
  const Vec3 x = q * Vec3::UnitX();
  return std::atan2(x.y(), x.x());
}

}  // namespace sinew
