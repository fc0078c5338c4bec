#include "control/run_parameters.h"

#include <array>

#include "character/transfer.h"
#include "core/error.h"

namespace sinew {

namespace {

using P = RunParameters;
constexpr Dimension kStiff = kTorsionalStiffness, kDamp = kTorsionalDamping;
constexpr Dimension kSlope{-1, 1, 0};  // rad a m/s
constexpr Moved kNothing{};
// On the ground hip, knee and ankle carry the body; in the air they move what hangs on them. Toes and the
// ankle's tilt move the foot either way.
constexpr Moved kBodyOnHip{"left_hip", true}, kBodyOnKnee{"left_knee", true},
    kBodyOnAnkle{"left_ankle", true};
constexpr Moved kBodyOnHipTilt{"left_hip_tilt", true}, kBodyOnHipTwist{"left_hip_twist", true};
constexpr Moved kLeg{"left_hip", false}, kShin{"left_knee", false}, kFoot{"left_ankle", false};
constexpr Moved kLegTilt{"left_hip_tilt", false}, kLegTwist{"left_hip_twist", false};
constexpr Moved kToes{"left_toes", false}, kBodyOnTilt{"left_ankle_tilt", true};
constexpr Moved kTrunk{"waist", false}, kHead{"neck", false};
constexpr Moved kArm{"left_shoulder", false}, kForearm{"left_elbow", false}, kHand{"left_wrist", false};

constexpr std::array kInfos{
    ParameterInfo{"speed", &P::speed, kSpeed, kNothing, 0},
    ParameterInfo{"reach", &P::reach, kLength, kNothing, 0.03},
    ParameterInfo{"reach_speed", &P::reach_speed, kTime, kNothing, 0.02},
    ParameterInfo{"placement", &P::placement, kTime, kNothing, 0.04},
    ParameterInfo{"side", &P::side, kLength, kNothing, 0.02},
    ParameterInfo{"side_placement", &P::side_placement, kTime, kNothing, 0.04},
    ParameterInfo{"retraction", &P::retraction, kPure, kNothing, 0.2},
    ParameterInfo{"landing_knee", &P::landing_knee, kPure, kNothing, 0.1},
    ParameterInfo{"landing_foot", &P::landing_foot, kPure, kNothing, 0.1},
    ParameterInfo{"stance_knee", &P::stance_knee, kPure, kNothing, 0.15},
    ParameterInfo{"stance_ankle", &P::stance_ankle, kPure, kNothing, 0.1},
    ParameterInfo{"heel_ankle", &P::heel_ankle, kPure, kNothing, 0.1},
    ParameterInfo{"knee_kp", &P::knee_kp, kStiff, kBodyOnKnee, 100},
    ParameterInfo{"knee_kd", &P::knee_kd, kDamp, kBodyOnKnee, 5},
    ParameterInfo{"ankle_kp", &P::ankle_kp, kStiff, kBodyOnAnkle, 100},
    ParameterInfo{"ankle_kd", &P::ankle_kd, kDamp, kBodyOnAnkle, 4},
    ParameterInfo{"tilt_kp", &P::tilt_kp, kStiff, kBodyOnTilt, 20},
    ParameterInfo{"tilt_kd", &P::tilt_kd, kDamp, kBodyOnTilt, 1},
    ParameterInfo{"toes_kp", &P::toes_kp, kStiff, kToes, 0},
    ParameterInfo{"toes_kd", &P::toes_kd, kDamp, kToes, 0},
    ParameterInfo{"knee_thrust", &P::knee_thrust, kPure, kNothing, 0.15},
    ParameterInfo{"knee_thrust_speed", &P::knee_thrust_speed, kSlope, kNothing, 0.05},
    ParameterInfo{"ankle_thrust", &P::ankle_thrust, kPure, kNothing, 0.15},
    ParameterInfo{"ankle_thrust_speed", &P::ankle_thrust_speed, kSlope, kNothing, 0.05},
    ParameterInfo{"knee_trigger", &P::knee_trigger, kLength, kNothing, 0.04},
    ParameterInfo{"ankle_trigger", &P::ankle_trigger, kLength, kNothing, 0.04},
    ParameterInfo{"trigger_speed", &P::trigger_speed, kTime, kNothing, 0.02},
    ParameterInfo{"thrust_time", &P::thrust_time, kTime, kNothing, 0.02},
    ParameterInfo{"flight", &P::flight, kTime, kNothing, 0},
    ParameterInfo{"flight_gain", &P::flight_gain, kRate, kNothing, 0.6},
    ParameterInfo{"pitch", &P::pitch, kPure, kNothing, 0.05},
    ParameterInfo{"pitch_speed", &P::pitch_speed, kSlope, kNothing, 0.02},
    ParameterInfo{"pitch_kp", &P::pitch_kp, kStiff, kBodyOnHip, 150},
    ParameterInfo{"pitch_kd", &P::pitch_kd, kDamp, kBodyOnHip, 15},
    ParameterInfo{"roll_kp", &P::roll_kp, kStiff, kBodyOnHipTilt, 150},
    ParameterInfo{"roll_kd", &P::roll_kd, kDamp, kBodyOnHipTilt, 12},
    ParameterInfo{"yaw_kp", &P::yaw_kp, kStiff, kBodyOnHipTwist, 50},
    ParameterInfo{"yaw_kd", &P::yaw_kd, kDamp, kBodyOnHipTwist, 5},
    ParameterInfo{"roll_torque", &P::roll_torque, kTorque, kBodyOnHipTilt, 30},
    ParameterInfo{"roll_out", &P::roll_out, kPure, kNothing, 0.03},
    ParameterInfo{"swing_share", &P::swing_share, kPure, kNothing, 0.25},
    ParameterInfo{"waist_share", &P::waist_share, kPure, kNothing, 0.25},
    ParameterInfo{"pelvis_twist", &P::pelvis_twist, kPure, kNothing, 0.05},
    ParameterInfo{"fold_knee", &P::fold_knee, kPure, kNothing, 0.2},
    ParameterInfo{"fold_knee_speed", &P::fold_knee_speed, kSlope, kNothing, 0.05},
    ParameterInfo{"fold_time", &P::fold_time, kTime, kNothing, 0.03},
    ParameterInfo{"extend_time", &P::extend_time, kTime, kNothing, 0.02},
    ParameterInfo{"retract_time", &P::retract_time, kTime, kNothing, 0.03},
    ParameterInfo{"lead_hip", &P::lead_hip, kPure, kNothing, 0.1},
    ParameterInfo{"swing_foot", &P::swing_foot, kPure, kNothing, 0.1},
    ParameterInfo{"swing_hip_kp", &P::swing_hip_kp, kStiff, kLeg, 200},
    ParameterInfo{"swing_hip_kd", &P::swing_hip_kd, kDamp, kLeg, 12},
    ParameterInfo{"swing_knee_kp", &P::swing_knee_kp, kStiff, kShin, 50},
    ParameterInfo{"swing_knee_kd", &P::swing_knee_kd, kDamp, kShin, 2},
    ParameterInfo{"swing_ankle_kp", &P::swing_ankle_kp, kStiff, kFoot, 0},
    ParameterInfo{"swing_ankle_kd", &P::swing_ankle_kd, kDamp, kFoot, 0},
    ParameterInfo{"swing_tilt_kp", &P::swing_tilt_kp, kStiff, kLegTilt, 150},
    ParameterInfo{"swing_tilt_kd", &P::swing_tilt_kd, kDamp, kLegTilt, 10},
    ParameterInfo{"swing_twist_kp", &P::swing_twist_kp, kStiff, kLegTwist, 0},
    ParameterInfo{"swing_twist_kd", &P::swing_twist_kd, kDamp, kLegTwist, 0},
    ParameterInfo{"waist_kp", &P::waist_kp, kStiff, kTrunk, 150},
    ParameterInfo{"waist_kd", &P::waist_kd, kDamp, kTrunk, 15},
    ParameterInfo{"trunk_share", &P::trunk_share, kPure, kNothing, 0.25},
    ParameterInfo{"waist_pitch", &P::waist_pitch, kPure, kNothing, 0.05},
    ParameterInfo{"waist_twist", &P::waist_twist, kPure, kNothing, 0.1},
    ParameterInfo{"neck_kp", &P::neck_kp, kStiff, kHead, 0},
    ParameterInfo{"neck_kd", &P::neck_kd, kDamp, kHead, 0},
    ParameterInfo{"arm_swing", &P::arm_swing, kPure, kNothing, 0.2},
    ParameterInfo{"arm_middle", &P::arm_middle, kPure, kNothing, 0},
    ParameterInfo{"arm_out", &P::arm_out, kPure, kNothing, 0},
    ParameterInfo{"elbow", &P::elbow, kPure, kNothing, 0},
    ParameterInfo{"shoulder_kp", &P::shoulder_kp, kStiff, kArm, 0},
    ParameterInfo{"shoulder_kd", &P::shoulder_kd, kDamp, kArm, 0},
    ParameterInfo{"elbow_kp", &P::elbow_kp, kStiff, kForearm, 0},
    ParameterInfo{"elbow_kd", &P::elbow_kd, kDamp, kForearm, 0},
    ParameterInfo{"wrist_kp", &P::wrist_kp, kStiff, kHand, 0},
    ParameterInfo{"wrist_kd", &P::wrist_kd, kDamp, kHand, 0},
    ParameterInfo{"lean", &P::lean, kPure, kNothing, 0.2},
    ParameterInfo{"side_lean", &P::side_lean, kPure, kNothing, 0.2},
    ParameterInfo{"speed_integral", &P::speed_integral, kPure, kNothing, 0},
};

double inertia_of(const Character& character, const Moved& moved) {
  const int joint = find_joint(character, moved.joint);
  if (joint < 0)
    throw Error("the character '" + character.name + "' has no joint " + moved.joint + ", which a run needs");
  return moved.carried ? carried_inertia(character, joint) : hanging_inertia(character, joint);
}

}  // namespace

std::span<const ParameterInfo> run_parameter_infos() { return kInfos; }

RunParameters scaled(const RunParameters& parameters, const Character& from, const Character& to,
                     Scaling scaling) {
  RunParameters out = parameters;
  if (scaling == Scaling::kUnscaled) return out;
  Ratios ratios;
  ratios.length = leg_length(to) / leg_length(from);
  ratios.mass = to.mass_kg() / from.mass_kg();
  for (const ParameterInfo& info : kInfos) {
    double factor = geometric_factor(info.dimension, ratios.length);
    if (scaling == Scaling::kByMass && info.moved.joint[0] != '\0') {
      ratios.inertia = inertia_of(to, info.moved) / inertia_of(from, info.moved);
      factor = mass_factor(info.dimension, ratios);
    }
    out.*info.member *= factor;
  }
  return out;
}

RunParameters blend(const RunParameters& from, const RunParameters& to, double part) {
  RunParameters out;
  for (const ParameterInfo& info : kInfos)
    out.*info.member = (1 - part) * (from.*info.member) + part * (to.*info.member);
  return out;
}

}  // namespace sinew
