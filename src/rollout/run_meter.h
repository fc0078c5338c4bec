#pragma once

#include <array>

#include "control/runner.h"
#include "record/summary.h"
#include "sim/simulator.h"

namespace sinew {

// Looks at a run after every step of the simulator, for the gait and for what makes one better than another.
class RunMeter {
 public:
  // What it looks like is measured from `settle_s` on.
  explicit RunMeter(const Character& character, double settle_s = 1);

  void look(const Simulator& simulator, const Runner& runner);

  bool fallen() const { return fallen_; }
  double seconds() const { return time_s_; }  // up to now or to the fall
  Gait gait() const;

  // Means over time, or over steps, of what style is judged by.
  struct Style {
    double speed_error2 = 0;  // (m/s)^2, of steps
    double side_speed2 = 0;   // (m/s)^2, of steps
    double tilt2 = 0;         // rad^2, deviation of the pelvis's roll and yaw, and of pitch from its mean
    double pitch = 0;         // rad forwards, mean of the chest
    double arms = 0;          // of the shoulders against the hips, rad a rad; positive: arms oppose legs
    double effort = 0;        // mean over joints of (torque / limit)^2
    double height = 0;        // of the pelvis, in its heights standing
    double head_acceleration2 = 0;  // (m/s^2)^2
    double lift_off_knee = 0;       // rad, of the leg that leaves the ground
    double lift_off_thigh = 0;      // rad behind the vertical
    double most_knee = 0;           // rad, most flexion in a swing
    double foot_gap = 0;            // m between the ankles sideways, at touchdown, right foot right: positive
    double peak_force = 0;          // body weights, mean over steps of each step's largest
    double slide = 0;               // m/s of what bears load, along the ground, mean over the load
    double landing_speed = 0;       // m/s of the foot over the ground just before it touches, forwards
    double skid = 0;                // m that what bears load slides in a stance
    double scuff = 0;               // s of a step in which the leg in the air touches the ground
    double saturation = 0;          // share of time and joints of the legs at the torque limit
  };
  Style style() const;

 private:
  void look_at_feet(const Simulator& simulator, const Runner& runner, const Quat& facing);
  void begin_step(const Simulator& simulator, const Quat& facing, double asked_m_s);

  Character character_;
  double settle_s_;
  MovingBodies bodies_;
  std::array<int, 2> knee_{}, hip_{}, shoulder_{};  // coordinates
  bool fallen_ = false, was_flight_ = true;
  double time_s_ = 0, first_touch_s_ = 0, last_touch_s_ = -1;
  Vec3 touch_p_ = Vec3::Zero(), last_head_v_ = Vec3::Zero();
  double travelled_m_ = 0, stance_s_ = 0, measured_s_ = 0, step_peak_ = 0, peak_ = 0;
  double step_most_knee_ = 0, last_head_s_ = -1;
  double foot_speed_ = 0;  // m/s forwards of the foot that comes to the ground, at the last look
  double load_ = 0;        // sum of the forces that slide was weighed by
  long looks_ = 0, steps_ = 0, lift_offs_ = 0;
  double pitch_sum_ = 0, pitch2_sum_ = 0, thighs2_sum_ = 0;
  std::vector<double> forces_;  // of the last steps, body weights
  Style sum_;
};

}  // namespace sinew
