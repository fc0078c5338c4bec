#pragma once

#include <array>
#include <span>
#include <string>

#include "control/controller.h"
#include "control/moving_bodies.h"
#include "control/run_parameters.h"

namespace sinew {

// What a runner is told to do; may change while it runs.
struct RunCommand {
  double speed_m_s = 4.4;
  double turn_rate = 0;  // rad/s, positive to the left
};

// The states of the running cycle, by what the leg touches that is or comes to the ground.
enum class RunPhase { kFlight, kHeel, kHeelMetatarsus, kMetatarsus };

// Runs: Hodgins and Pollard 1997, section 3.2, after Hodgins et al. 1995. A machine of four states; foot
// placement holds speed and balance, thrust of knee and ankle the flights, the hip of the leg on the ground
// the attitude of the pelvis; arms oppose legs. Nothing but the joints' servos acts.
class Runner : public Controller {
 public:
  // Throws Error if the character lacks one of the joints (docs/adapt.md).
  Runner(const Character& character, const RunParameters& parameters, const RunCommand& command);

  void act(const Observation& now, Command& command) override;
  void target(double time_s, VecX& q) const override;
  void save(std::vector<double>& into) const override;
  void restore(const std::vector<double>& from) override;

  void set_command(const RunCommand& command) { order_ = command; }
  // From now on the same run by another body: another character of the same topology, and its parameters.
  void reshape(const Character& character, const RunParameters& parameters);

  double heading() const { return s_.heading; }  // where it should run, rad about the vertical
  double speed_m_s() const { return s_.speed; }  // that it tries to have now
  RunPhase phase() const { return s_.phase; }
  int leg() const { return s_.leg; }       // 0: the left one is or comes to the ground
  long steps() const { return s_.steps; }  // touchdowns so far

 private:
  // Joints of a limb by what they do; index of the joint, which for hinges gives q and v.
  struct Leg {
    int hip, hip_tilt, hip_twist, knee, ankle, ankle_tilt, toes;
    int thigh, foot;  // bodies
  };
  struct Arm {
    int shoulder, shoulder_tilt, shoulder_twist, elbow, wrist;
  };
  // What an angle is led along, rad and rad/s.
  struct Course {
    double q = 0, v = 0;
  };
  struct Swing {
    Course thigh, knee;  // the thigh against the vertical
  };
  // All that changes from step to step; plain numbers.
  struct Memory {
    RunPhase phase = RunPhase::kFlight;
    int leg = 0;
    long steps = 0;
    double since_s = 0;                          // begin of the flight or the stance
    double heading = 0;                          // where it should run, rad
    double last_s = 0;                           // time of the last step of the simulation
    double touched_s = 0, landed_s = 0;          // last touch of the leg on the ground; last touchdown
    double load_bw = 0;                          // that this leg bears, smoothed
    double stance_s = 0, flight_s = 0;           // how long the last ones were, means of left and right
    std::array<double, 2> before{};              // `since_s` and `flight_s` before the last touchdown
    double knee_from_s = -1, ankle_from_s = -1;  // when thrusts began, -1: not yet
    double travelled_m = 0;                      // along the heading since the last touchdown
    double too_slow_m_s = 0;                     // remembered speed error
    std::array<Swing, 2> swing{};                // of each leg while it is in the air
    double speed = 0, turn_rate = 0;             // what it does of the order: changes take their time
    bool started = false;
  };

  struct Touch {
    bool heel = false, metatarsus = false;
  };
  // What the control of one tick shares.
  struct Now;
  // How a leg shall touch down.
  struct Landing {
    double thigh = 0, knee = 0;  // rad, the thigh against the vertical
    double back_rate = 0;        // rad/s of the leg, against the vertical
    double line_m = 0;           // from hip to ankle
    double height_m = 0;         // of the hip above the ground
  };

  Touch touch(const Observation& now, int leg) const;
  double load_bw(const Observation& now, int leg) const;
  double passed(const Now& now, int leg) const;
  void switch_state(const Now& now, const Observation& observation);
  void touch_down(const Now& now);
  void follow_order(double dt);
  void stance_leg(const Now& now, Command& command);
  Landing landing(const Now& now, int leg) const;
  void begin_swing(const Now& now, int leg);
  void swing_leg(const Now& now, int leg, const Landing& landing, double left_s, Command& command);
  void bear_swing(int leg, double thigh_a, double knee_a, Command& command) const;
  void aim_sideways(const Now& now, int leg, double line, Command& command) const;
  void hang(const Now& now, int leg, Command& command) const;
  std::array<int, 3> hip(int leg) const {
    const Leg& l = legs_[static_cast<size_t>(leg)];
    return {l.hip, l.hip_tilt, l.hip_twist};
  }
  Vec3 torque_of(const Now& now, std::span<const int> hinges, const Command& command) const;
  void hold_pelvis(const Now& now, Command& command) const;
  void attitude(const Now& now, Command& command) const;
  void trunk_and_arms(const Now& now, Command& command) const;
  void servo(int joint, double target, double rate, double kp, double kd, Command& command) const;
  double at(const Now& now, int joint) const;
  void free_foot(const Now& now, int leg, double pitch, Command& command) const;

  Character character_;
  RunParameters p_;
  RunCommand order_;
  MovingBodies bodies_;
  std::array<Leg, 2> legs_;
  std::array<Arm, 2> arms_;
  std::array<int, 3> waist_, neck_;
  std::vector<char> heel_shape_, metatarsus_shape_;
  double thigh_m_ = 0, shin_m_ = 0, weight_N_ = 1;
  // A leg as two links, thigh and what hangs on the knee: first moments (kg m) and inertias (kg m^2) about
  // hip and knee; the thigh's have the rest of the leg at the knee in them.
  double thigh_moment_ = 0, shin_moment_ = 0, thigh_inertia_ = 0, shin_inertia_ = 0;
  Memory s_;
};

// A state amid a flight from which a run can begin, at the command's speed, on flat ground.
State run_start(const Character& character, const RunParameters& parameters, const RunCommand& command);

}  // namespace sinew
