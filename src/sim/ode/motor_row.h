#pragma once

#include <ode/ode.h>

#include <limits>

#include "core/math.h"

namespace sinew::ode {

// One row of the solver that pulls with gain * (rate - x), cut to [-limit, limit], where x is the rate of a
// coordinate at the end of the step: a damper, and with `rate` chosen so a spring, taken implicitly.
struct MotorRow {
  double rate = 0;
  double gain = 0;  // N m s/rad or N s/m; 0: none; infinity: as stiff as can be
  double limit = std::numeric_limits<double>::infinity();
};

// The row of a servo (stable PD): kp (error - h x) + kd (v_target - x) + feedforward.
MotorRow servo_row(double h, double kp, double kd, double error, double v_target, double feedforward,
                   double limit);

// The row of what is passive in a joint: a spring and damper, and the inertia of its rotor, which resists
// any change of the rate v.
MotorRow passive_row(double h, double stiffness, double damping, double armature, double error, double v);

// Row i of an angular motor, along a coordinate whose rate is dual_W . (w_child - w_parent).
void set_angular_row(dJointID motor, int i, const Vec3& dual_W, const MotorRow& row);
// Row 0 of a linear motor, along the unit vector axis_W.
void set_linear_row(dJointID motor, const Vec3& axis_W, const MotorRow& row);

// Row i of an angular motor that has only stops: the coordinate is `beyond` (negative: below the lower
// limit, positive: above the upper, 0: free) outside its limits, in its unit.
void set_angular_stop(dJointID stop, int i, const Vec3& dual_W, double beyond);

// How far outside [lower, upper] a coordinate is, cut so that it is brought back without violence.
double beyond_limits(double h, double x, double lower, double upper);

}  // namespace sinew::ode
