#pragma once

#include <vector>

#include "control/controller.h"
#include "control/course.h"

namespace sinew {

// What a ride can be tuned by. Numbers are the man's; mount and Cyclist scale them to who rides (Hodgins and
// Pollard 1997, Figure 6).
struct RideParameters {
  // Balance and steering: what a metre off the course, a radian off its direction, of roll, a rad/s of roll
  // and a radian of steering cost, against a radian of asked steering. The gains at each speed follow.
  double offset_cost = 1, heading_cost = 3, roll_cost = 10, roll_rate_cost = 3, steering_cost = 1;
  double steering_lag_s = 0.08;  // between what is asked of the arms and what the bars do
  double bars_stiffness = 150;   // of the arms about the steering axis, N m/rad
  double bars_damping = 12;      // N m s/rad
  double speed_gain = 60;        // crank torque a m/s too slow, N m s/m
  double most_crank_Nm = 40;
  double arm_stiffness = 30, arm_damping = 3;  // N m/rad and N m s/rad at the shoulder; others in proportion
  double leg_stiffness = 100, leg_damping = 10;  // at the hip
  double trunk_stiffness = 900, trunk_damping = 60;
};

// Rides a bicycle along a course: the arms push and pull the grips, the legs press the pedals, the trunk
// holds itself; nothing of the bicycle is driven. The steering follows from a linear-quadratic regulator on a
// point mass bicycle, the roll that it aims at from the course ahead.
class Cyclist : public Controller {
 public:
  // `mounted` is made by mount(). All must outlive it. Throws Error for another character.
  Cyclist(const Character& mounted, const Course& course, const RideParameters& parameters = {});

  // Rolling at a speed at the beginning of the course, `standing` being where the character stands there.
  State start(const State& standing, double speed_m_s) const;

  void plan(const Observation& now) override;
  void act(const Observation& now, Command& command) override;
  void target(double, VecX& q) const override { q.resize(0); }
  void save(std::vector<double>& into) const override;
  void restore(const std::vector<double>& from) override;

 private:
  using Gains = Eigen::Matrix<double, 1, 5>;
  // Offset, heading, roll and its rate, steering: positive to the left, to the left, to the right, to the
  // left.
  using Errors = Eigen::Matrix<double, 5, 1>;
  // A limb whose end one angle moves: joint angles as a function of it.
  struct Limb {
    size_t spring = 0;              // that holds its end
    std::vector<int> joints;        // of the limb
    std::vector<VecX> angles;       // [sample]: of these joints
    double first = 0, spacing = 1;  // of the samples, rad
    bool cyclic = false;
  };
  struct Sample {
    VecX angles, rates;  // rates a radian
  };

  void measure_model();
  void make_gains();
  void make_limbs();
  Limb make_limb(const char* spring, Part above, bool of_cranks) const;
  static Sample sample(const Limb& limb, double angle);
  Gains gains_at(double speed_m_s) const;
  double steering(const State& state, const std::vector<Pose>& X_WB, double speed_m_s) const;
  void move_limb(const Limb& limb, double angle, double rate, Command& command) const;
  void push(const Limb& limb, const Kinematics& at, const Vec3& force_W, Command& command) const;
  int joint(const char* name) const;

  const Character& character_;
  const Course& course_;
  RideParameters parameters_;
  int steer_, front_wheel_, rear_wheel_, cranks_;  // joints
  double rear_radius_m_ = 0, front_radius_m_ = 0, gear_ = 1;

  // The point mass bicycle: I roll'' = m g h roll + (m h V^2 / w) d + (D V / w) d', d the steering on the
  // ground.
  double wheel_base_m_ = 0, head_cos_ = 1;
  double fall_rate_ = 0;             // sqrt(m g h / I), 1/s
  double push_ = 0, push_rate_ = 0;  // m h / I and D / I, 1/m and 1

  std::vector<Gains> gains_;  // at speeds 0.5 m/s apart
  Limb left_arm_, right_arm_, left_leg_, right_leg_;
  Command posture_;  // gains, limits and what never changes

  // Along the course, found by plan().
  double s_ = 0;
  double roll_ahead_ = 0, roll_rate_ahead_ = 0;
};

}  // namespace sinew
