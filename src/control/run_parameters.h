#pragma once

#include <span>
#include <string>
#include <vector>

#include "character/scaling.h"

namespace sinew {

// Thigh and shin of the man, by which sizes are told.
constexpr double kManLeg_m = 0.75;

// Everything that a run consists of, as plain numbers. Angles about y are positive backwards for thighs and
// arms, forwards for shins (flexion) and heels (the foot points down); they mean the same on both sides.
struct RunParameters {
  double speed = 4.4;  // m/s: for which those below are; others are had by the `..._speed` slopes

  // Where the foot lands, against the centre of mass.
  double reach = -0.2;           // m, before the neutral point
  double reach_speed = 0.0;      // s: more of it a m/s
  double placement = 0.12;       // s: farther ahead by so much for each m/s too fast
  double side = 0.04;            // m to the side of the leg
  double side_placement = 0.12;  // s: farther out by so much for each m/s sideways
  double retraction = 0.3;    // ground speed matching: share of the ground's speed at which the leg goes back
  double landing_knee = 0.3;  // rad
  double landing_foot = -0.1;  // rad: pitch of the sole against the ground

  // The leg on the ground.
  double stance_knee = 0.35;   // rad: where the knee's spring is at rest
  double stance_ankle = -0.1;  // rad
  double heel_ankle = 0.1;     // rad: while the heel alone bears
  double knee_kp = 500, knee_kd = 15;
  double ankle_kp = 500, ankle_kd = 10;
  double tilt_kp = 60, tilt_kd = 3;  // of the ankle, sideways
  double toes_kp = 30, toes_kd = 0.6;

  // Thrust.
  double knee_thrust = 0.2;         // rad: where the knee is led to
  double knee_thrust_speed = 0.0;   // s/m
  double ankle_thrust = 0.4;        // rad
  double ankle_thrust_speed = 0.0;  // s/m
  double knee_trigger = 0.0;        // m of the hip before the ankle
  double ankle_trigger = 0.05;      // m
  double trigger_speed = 0.0;       // s: both farther by so much a m/s
  double thrust_time = 0.06;        // s
  double flight = 0.12;             // s: how long a flight should be
  double flight_gain = 1.0;         // 1/s: more thrust for each second that the last was too short

  // Attitude of the pelvis, by the hip of the leg on the ground.
  double pitch = 0.1;  // rad, forwards
  double pitch_speed = 0.0;
  double pitch_kp = 600, pitch_kd = 60;
  double roll_kp = 500, roll_kd = 40;
  double yaw_kp = 150, yaw_kd = 15;
  double roll_torque = 60;    // N m that bear the pelvis on one leg
  double roll_out = 0.0;      // rad: how far it sinks to the other side
  double swing_share = 0.5;   // of the other hip's torque that is borne by this one
  double waist_share = 0.5;   // of the waist's torque likewise
  double pelvis_twist = 0.0;  // rad: how far the pelvis turns with the leg that is ahead

  // The leg in the air: it folds as it passes the other one, comes to rest before the body and goes back.
  double fold_knee = 1.6;        // rad, most flexion
  double fold_knee_speed = 0.1;  // s/m
  double fold_time = 0.22;       // s before touchdown: folded
  double extend_time = 0.04;     // s before touchdown: extended
  double retract_time = 0.12;    // s before touchdown: from where on the thigh goes back
  double lead_hip = 0.0;         // rad: farther forwards there than going back evenly asks for
  double swing_foot = 0.0;       // rad of the ankle while it folds
  double swing_hip_kp = 900, swing_hip_kd = 50;
  double swing_knee_kp = 200, swing_knee_kd = 12;
  double swing_ankle_kp = 60, swing_ankle_kd = 2;
  double swing_tilt_kp = 600, swing_tilt_kd = 30;
  double swing_twist_kp = 60, swing_twist_kd = 3;

  // Trunk and arms.
  double waist_kp = 600, waist_kd = 40;
  double trunk_share = 0.5;   // of the hips' torques that it bears in the flight
  double waist_pitch = 0.05;  // rad: of the chest against the pelvis
  double waist_twist = 0.1;   // of the chest against the hips, a rad between the thighs
  double neck_kp = 60, neck_kd = 4;
  double arm_swing = 0.5;                                // of the shoulder a rad of the thigh
  double arm_middle = 0.0, arm_out = 0.2, elbow = -1.5;  // rad
  double shoulder_kp = 80, shoulder_kd = 6;
  double elbow_kp = 40, elbow_kd = 2;
  double wrist_kp = 5, wrist_kd = 0.2;

  // Turning and speed.
  double lean = 0.6;            // share of the lean that a turn asks for
  double side_lean = 1.0;       // share of what a turn moves the feet outwards
  double speed_integral = 0.1;  // of the speed error of a step that is remembered
};

// What a gain moves: the chain of bodies that hangs on a joint, or all else (a leg on the ground turns what
// stands on it).
struct Moved {
  const char* joint = "";  // of the left side; empty: nothing
  bool carried = false;
};

// What is known of a parameter.
struct ParameterInfo {
  const char* name;
  double RunParameters::*member;
  Dimension dimension;
  Moved moved;
  double spread;  // a sensible first step of a search, in the parameter's unit; 0: not searched
};
std::span<const ParameterInfo> run_parameter_infos();

// How parameters go over to another character.
enum class Scaling { kUnscaled, kGeometric, kByMass };

// The parameters of a run for another character, by Figure 6: lengths by the legs, gains by what they move.
RunParameters scaled(const RunParameters& parameters, const Character& from, const Character& to,
                     Scaling scaling);

// Part of the way from one set to another.
RunParameters blend(const RunParameters& from, const RunParameters& to, double part);

}  // namespace sinew
