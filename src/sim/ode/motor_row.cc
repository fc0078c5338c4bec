#include "sim/ode/motor_row.h"

#include <algorithm>
#include <cmath>

#include "sim/ode/ode_world.h"

namespace sinew::ode {

namespace {

// Stops take back this share of the error in a step, at no more than this speed.
constexpr double kStopErp = 0.2;
constexpr double kStopCfm = 1e-8;
constexpr double kReturnSpeed = 3.0;  // rad/s or m/s

// Softness 1/gain makes ODE's multiplier gain * (rate - x): it solves J v + cfm * force = rate.
double softness(double gain) { return std::isinf(gain) ? kJointCfm : 1.0 / gain; }

}  // namespace

MotorRow servo_row(double h, double kp, double kd, double error, double v_target, double feedforward,
                   double limit) {
  const double gain = kd + h * kp;
  if (gain <= 0) return {0, 0, limit};
  return {(kp * error + kd * v_target + feedforward) / gain, gain, limit};
}

MotorRow passive_row(double h, double stiffness, double damping, double armature, double error, double v) {
  const double gain = damping + h * stiffness + armature / h;
  if (gain <= 0) return {};
  return {(stiffness * error + armature / h * v) / gain, gain};
}

void set_angular_row(dJointID motor, int i, const Vec3& dual_W, const MotorRow& row) {
  // ODE makes axes unit vectors: a row along n = dual / length has the rate x / length and the torque
  // force * length.
  const double length = dual_W.norm();
  const int group = dParamGroup * i;
  dJointSetAMotorAxis(motor, i, 0, dual_W.x(), dual_W.y(), dual_W.z());
  dJointSetAMotorParam(motor, dParamVel + group, row.rate / length);
  dJointSetAMotorParam(motor, dParamCFM + group, softness(row.gain * length * length));
  dJointSetAMotorParam(motor, dParamFMax + group, row.gain > 0 ? row.limit * length : 0);
}

void set_linear_row(dJointID motor, const Vec3& axis_W, const MotorRow& row) {
  dJointSetLMotorAxis(motor, 0, 0, axis_W.x(), axis_W.y(), axis_W.z());
  dJointSetLMotorParam(motor, dParamVel, row.rate);
  dJointSetLMotorParam(motor, dParamCFM, softness(row.gain));
  dJointSetLMotorParam(motor, dParamFMax, row.gain > 0 ? row.limit : 0);
}

void set_angular_stop(dJointID stop, int i, const Vec3& dual_W, double beyond) {
  const int group = dParamGroup * i;
  dJointSetAMotorAxis(stop, i, 0, dual_W.x(), dual_W.y(), dual_W.z());
  dJointSetAMotorAngle(stop, i, beyond / dual_W.norm());
  dJointSetAMotorParam(stop, dParamLoStop + group, beyond < 0 ? 0 : -dInfinity);
  dJointSetAMotorParam(stop, dParamHiStop + group, beyond > 0 ? 0 : dInfinity);
  dJointSetAMotorParam(stop, dParamStopERP + group, kStopErp);
  dJointSetAMotorParam(stop, dParamStopCFM + group, kStopCfm);
}

double beyond_limits(double h, double x, double lower, double upper) {
  const double most = kReturnSpeed * h / kStopErp;
  if (x < lower) return std::max(x - lower, -most);
  if (x > upper) return std::min(x - upper, most);
  return 0;
}

}  // namespace sinew::ode
