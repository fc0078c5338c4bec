#include "sim/ode/rotary_joint.h"

#include <algorithm>
#include <cmath>

#include "sim/ode/ode_world.h"

namespace sinew::ode {

namespace {

Quat quat_at(const VecX& q, int i) { return Quat(q[i], q[i + 1], q[i + 2], q[i + 3]); }

Mat3 skew(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// How the rotation vector of q changes with the angular velocity in the child's axes: the inverse of the
// right Jacobian of SO(3).
Mat3 rotation_vector_rates(const Vec3& r) {
  const double angle = r.norm();
  const double k = angle < 1e-3 ? 1.0 / 12 : 1 / (angle * angle) - 1 / (2 * angle * std::tan(angle / 2));
  const Mat3 S = skew(r);
  return Mat3::Identity() + 0.5 * S + k * S * S;
}

// Columns d_i with d_i . a_j = (i == j), in the plane of the axes; bounded where axes come to lie on each
// other.
Eigen::Matrix3Xd dual_axes(const Eigen::Matrix3Xd& axes) {
  const auto n = axes.cols();
  if (n == 1) return axes;
  MatX gram = axes.transpose() * axes;
  const double nearly_flat = std::max(0.0, 1 - gram.determinant() / 1e-3);
  gram.diagonal().array() += 1e-4 * nearly_flat * nearly_flat;
  return axes * gram.inverse();
}

dJointID make_motor(dWorldID world, const Attachment& between, int rows) {
  dJointID motor = dJointCreateAMotor(world, nullptr);
  dJointAttach(motor, between.child->id(), between.parent ? between.parent->id() : nullptr);
  dJointSetAMotorMode(motor, dAMotorUser);
  dJointSetAMotorNumAxes(motor, rows);
  return motor;
}

void add_torque(const Attachment& between, const Vec3& torque_W) {
  dBodyAddTorque(between.child->id(), torque_W.x(), torque_W.y(), torque_W.z());
  if (between.parent) dBodyAddTorque(between.parent->id(), -torque_W.x(), -torque_W.y(), -torque_W.z());
}

}  // namespace

RotaryJoint::RotaryJoint(dWorldID world, const Attachment& between, std::vector<Joint> joints)
    : between_(between), joints_(std::move(joints)) {
  const Vec3 anchor = between.child->pose() * joints_.front().p_BJ;
  dJointID holder = dJointCreateBall(world, nullptr);
  dJointAttach(holder, between.child->id(), between.parent ? between.parent->id() : nullptr);
  dJointSetBallAnchor(holder, anchor.x(), anchor.y(), anchor.z());

  motor_ = make_motor(world, between, 3);
  dJointSetFeedback(motor_, feedback_.get());
  const auto passive = [](const Joint& j) { return j.damping > 0 || j.stiffness > 0 || j.armature > 0; };
  const auto limited = [](const Joint& j) { return j.limited; };
  if (std::any_of(joints_.begin(), joints_.end(), passive)) passive_ = make_motor(world, between, count());
  if (std::any_of(joints_.begin(), joints_.end(), limited)) stops_ = make_motor(world, between, count());
}

Quat RotaryJoint::relative() const {
  const Quat q_WP = between_.parent ? between_.parent->pose().q : Quat::Identity();
  return (q_WP * between_.X_PB.q).conjugate() * between_.child->pose().q;
}

Vec3 RotaryJoint::relative_w() const {
  const Vec3 w_W = between_.child->w() - (between_.parent ? between_.parent->w() : Vec3(Vec3::Zero()));
  return between_.child->pose().q.conjugate() * w_W;
}

Quat RotaryJoint::turn(const VecX& q) const {
  if (ball()) return quat_at(q, joints_.front().q);
  Quat turned = Quat::Identity();
  for (const Joint& hinge : joints_) turned = turned * exp_map(hinge.axis_B * q[hinge.q]);
  return turned;
}

Eigen::Matrix3Xd RotaryJoint::axes(const VecX& q) const {
  if (ball()) return Mat3::Identity();
  // The axis of a hinge is turned by the hinges after it.
  Eigen::Matrix3Xd out(3, count());
  Quat after = Quat::Identity();
  for (int i = count() - 1; i >= 0; --i) {
    out.col(i) = after.conjugate() * joint(i).axis_B;
    after = exp_map(joint(i).axis_B * q[joint(i).q]) * after;
  }
  return out;
}

Vec3 RotaryJoint::errors(const VecX& q, const VecX& q_target) const {
  if (ball()) {
    const int at = joints_.front().q;
    return log_map(quat_at(q, at).conjugate() * quat_at(q_target, at).normalized());
  }
  Vec3 out = Vec3::Zero();
  for (int i = 0; i < count(); ++i) out[i] = q_target[joint(i).q] - q[joint(i).q];
  return out;
}

void RotaryJoint::prepare(double h, const VecX& q, const VecX& v, const Command& command) {
  const Mat3 R_WB = between_.child->pose().q.toRotationMatrix();
  const Eigen::Matrix3Xd axes_B = axes(q);
  axes_W_.leftCols(count()) = R_WB * axes_B;
  *feedback_ = {};
  duals_W_.leftCols(count()) = ball() ? Eigen::Matrix3Xd(R_WB) : Eigen::Matrix3Xd(R_WB * dual_axes(axes_B));
  prepare_servo(h, q, command);
  if (count() < 3) prepare_locks(h, q);
  if (passive_) prepare_passive(h, q, v);
  if (stops_) prepare_stops(h, q);
}

void RotaryJoint::prepare_servo(double h, const VecX& q, const Command& command) {
  const Vec3 error = errors(q, command.q_target);
  direct_.setZero();
  for (int i = 0; i < count(); ++i) {
    const int v = first_v() + i;
    const MotorRow row = servo_row(h, command.kp[v], command.kd[v], error[i], command.v_target[v],
                                   command.torque[v], command.limit[v]);
    set_angular_row(motor_, i, duals_W_.col(i), row);
    // Without gains there is nothing implicit: a torque.
    if (row.gain <= 0) direct_[i] = std::clamp(command.torque[v], -command.limit[v], command.limit[v]);
  }
  if (!direct_.isZero()) add_torque(between_, duals_W_.leftCols(count()) * direct_.head(count()));
}

void RotaryJoint::prepare_locks(double h, const VecX& q) {
  // Directions in which no hinge turns, and how far the child has strayed there.
  if (count() == 2) {
    duals_W_.col(2) = axes_W_.col(0).cross(axes_W_.col(1)).normalized();
  } else {
    duals_W_.col(1) = axes_W_.col(0).unitOrthogonal();
    duals_W_.col(2) = axes_W_.col(0).cross(duals_W_.col(1));
  }
  const Vec3 stray_W = between_.child->pose().q * log_map(turn(q).conjugate() * relative());
  for (int i = count(); i < 3; ++i) {
    const Vec3 n = duals_W_.col(i);
    set_angular_row(motor_, i, n, {-kJointErp / h * n.dot(stray_W), std::numeric_limits<double>::infinity()});
  }
}

void RotaryJoint::prepare_passive(double h, const VecX& q, const VecX& v) {
  const Vec3 r = ball() ? log_map(quat_at(q, joints_.front().q)) : Vec3(Vec3::Zero());
  for (int i = 0; i < count(); ++i) {
    const Joint& j = joint(i);
    const double x = ball() ? r[i] : q[j.q];
    set_angular_row(passive_, i, duals_W_.col(i),
                    passive_row(h, j.stiffness, j.damping, j.armature, -x, v[first_v() + i]));
  }
}

void RotaryJoint::prepare_stops(double h, const VecX& q) {
  const Vec3 r = ball() ? log_map(quat_at(q, joints_.front().q)) : Vec3(Vec3::Zero());
  Mat3 rows_W = duals_W_;
  if (ball()) rows_W = axes_W_ * rotation_vector_rates(r).transpose();
  for (int i = 0; i < count(); ++i) {
    const Joint& j = joint(i);
    const int k = component(i);
    const double x = ball() ? r[i] : q[j.q];
    set_angular_stop(stops_, i, rows_W.col(i), j.limited ? beyond_limits(h, x, j.lower[k], j.upper[k]) : 0.0);
  }
}

void RotaryJoint::collect(VecX& torques) const {
  // The motor's torque is the sum of the rows' along the duals: each axis picks its own.
  const Vec3 torque_W(feedback_->t1[0], feedback_->t1[1], feedback_->t1[2]);
  for (int i = 0; i < count(); ++i) torques[first_v() + i] = direct_[i] + axes_W_.col(i).dot(torque_W);
}

void RotaryJoint::measure(double h, VecX& q, VecX& v) const {
  const Quat now = relative();
  if (ball()) {
    const int at = joints_.front().q;
    const double sign = now.dot(quat_at(q, at)) < 0 ? -1.0 : 1.0;
    q[at] = sign * now.w();
    q.segment<3>(at + 1) = sign * now.vec();
    v.segment<3>(first_v()) = relative_w();
    return;
  }
  // Angles by Newton's method, from where the rates of before lead.
  for (int i = 0; i < count(); ++i) q[joint(i).q] += h * v[joint(i).v];
  for (int round = 0; round < 10; ++round) {
    const Vec3 left = log_map(turn(q).conjugate() * now);
    const VecX step = dual_axes(axes(q)).transpose() * left;
    for (int i = 0; i < count(); ++i) q[joint(i).q] += step[i];
    if (step.norm() < 1e-12) break;
  }
  const VecX rates = dual_axes(axes(q)).transpose() * relative_w();
  for (int i = 0; i < count(); ++i) v[joint(i).v] = rates[i];
}

double RotaryJoint::gap() const {
  const Vec3 p_BJ = joints_.front().p_BJ;
  const Pose X_WP = between_.parent ? between_.parent->pose() : Pose();
  return (between_.child->pose() * p_BJ - X_WP * (between_.X_PB * p_BJ)).norm();
}

}  // namespace sinew::ode
