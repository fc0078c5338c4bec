#include "sim/ode/slide_joint.h"

#include <algorithm>

#include "sim/ode/motor_row.h"

namespace sinew::ode {

namespace {

dJointID make_motor(dWorldID world, const Attachment& between) {
  dJointID motor = dJointCreateLMotor(world, nullptr);
  dJointAttach(motor, between.child->id(), between.parent ? between.parent->id() : nullptr);
  dJointSetLMotorNumAxes(motor, 1);
  return motor;
}

}  // namespace

SlideJoint::SlideJoint(dWorldID world, const Attachment& between, Joint joint)
    : between_(between), joint_(std::move(joint)) {
  axis_W_ = between.child->pose().q * joint_.axis_B;
  slider_ = dJointCreateSlider(world, nullptr);
  dJointAttach(slider_, between.child->id(), between.parent ? between.parent->id() : nullptr);
  dJointSetSliderAxis(slider_, axis_W_.x(), axis_W_.y(), axis_W_.z());
  if (joint_.limited) {
    dJointSetSliderParam(slider_, dParamLoStop, joint_.lower[0]);
    dJointSetSliderParam(slider_, dParamHiStop, joint_.upper[0]);
    dJointSetSliderParam(slider_, dParamStopERP, 0.2);
    dJointSetSliderParam(slider_, dParamStopCFM, 1e-8);
  }
  motor_ = make_motor(world, between);
  dJointSetFeedback(motor_, feedback_.get());
  if (joint_.damping > 0 || joint_.stiffness > 0 || joint_.armature > 0)
    passive_ = make_motor(world, between);
}

Pose SlideJoint::base() const {
  return between_.parent ? between_.parent->pose() * between_.X_PB : between_.X_PB;
}

Vec3 SlideJoint::rate_W() const {
  const Vec3 p = between_.child->pose().p;
  return between_.child->velocity_at(p) -
         (between_.parent ? between_.parent->velocity_at(p) : Vec3(Vec3::Zero()));
}

void SlideJoint::prepare(double h, const VecX& q, const VecX& v, const Command& command) {
  *feedback_ = {};
  axis_W_ = between_.child->pose().q * joint_.axis_B;
  const int i = joint_.v;
  const MotorRow row = servo_row(h, command.kp[i], command.kd[i], command.q_target[joint_.q] - q[joint_.q],
                                 command.v_target[i], command.torque[i], command.limit[i]);
  set_linear_row(motor_, axis_W_, row);
  direct_ = row.gain > 0 ? 0 : std::clamp(command.torque[i], -command.limit[i], command.limit[i]);
  if (direct_ != 0) dJointAddSliderForce(slider_, direct_);
  if (passive_)
    set_linear_row(passive_, axis_W_,
                   passive_row(h, joint_.stiffness, joint_.damping, joint_.armature, -q[joint_.q], v[i]));
}

void SlideJoint::collect(VecX& torques) const {
  const Vec3 force_W(feedback_->f1[0], feedback_->f1[1], feedback_->f1[2]);
  torques[joint_.v] = direct_ + axis_W_.dot(force_W);
}

void SlideJoint::measure(double, VecX& q, VecX& v) const {
  const Vec3 axis_W = between_.child->pose().q * joint_.axis_B;
  q[joint_.q] = axis_W.dot(between_.child->pose().p - base().p);
  v[joint_.v] = axis_W.dot(rate_W());
}

double SlideJoint::gap() const {
  const Vec3 axis_W = between_.child->pose().q * joint_.axis_B;
  const Vec3 apart = between_.child->pose().p - base().p;
  return (apart - axis_W * axis_W.dot(apart)).norm();
}

}  // namespace sinew::ode
