#pragma once

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <numbers>
#include <vector>

// Vectors, rotations and the few functions on them that everything else uses.
// Quaternions are unit quaternions, w x y z where they are written out.
namespace sinew {

using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

inline constexpr double kPi = std::numbers::pi;
inline constexpr double radians(double degrees) { return degrees * kPi / 180.0; }
inline constexpr double degrees(double radians) { return radians * 180.0 / kPi; }

// A rigid transform: X_AB maps a point given in B to A. Also the pose of frame B in A.
struct Pose {
  Vec3 p = Vec3::Zero();
  Quat q = Quat::Identity();

  Vec3 operator*(const Vec3& p_B) const { return p + q * p_B; }
  Pose operator*(const Pose& X_BC) const { return {p + q * X_BC.p, (q * X_BC.q).normalized()}; }
  Pose inverse() const { return {q.conjugate() * -p, q.conjugate()}; }
};

// Rotation vector (axis times angle, angle in [0, pi]) of a unit quaternion; the inverse of `exp_map`.
Vec3 log_map(const Quat& q);
// Unit quaternion of a rotation vector.
Quat exp_map(const Vec3& rotation_vector);

// The angle of the rotation from a to b, in [0, pi].
double angle_between(const Quat& a, const Quat& b);

// The shortest rotation that carries direction a to direction b (neither needs unit length).
Quat shortest_arc(const Vec3& a, const Vec3& b);

// q = swing * twist, where twist turns about the unit vector `axis` and swing's axis is normal to it.
struct SwingTwist {
  Quat swing;
  Quat twist;
  double twist_angle;  // in (-pi, pi], about `axis`
};
SwingTwist swing_twist(const Quat& q, const Vec3& axis);

// Flips signs so that neighbouring quaternions are never on opposite hemispheres.
void make_continuous(std::vector<Quat>& rotations);

// The angle of a rotation about the vertical (Z) that carries X as close as it can to `q`'s X: heading.
double heading(const Quat& q);

}  // namespace sinew
