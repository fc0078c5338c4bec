#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "motion/clip.h"
#include "motion/part.h"

// The body that keyframes are written for: a human of 1.70 m with the segment lengths of Winter,
// "Biomechanics and Motor Control of Human Movement". Bones carry the names of the parts.
namespace sinew {

// The skeleton standing on z = 0 in T-pose, facing +X, without frames. Bone i is Part i + 1; end sites
// follow.
Clip keyframe_human();

// The bone of the skeleton above that is this part.
inline constexpr size_t keyframe_bone(Part part) { return static_cast<size_t>(part) - 1; }

// The flesh as balls on the bones, to find where the body touches the floor.
struct FleshBall {
  Part part;
  Vec3 p_B;  // centre in the bone's frame, m
  double radius_m;
};
const std::vector<FleshBall>& keyframe_flesh();

// Centre of mass from the world poses of the bones (Winter's mass fractions).
Vec3 keyframe_centre_of_mass(const std::vector<Pose>& X_WB);

// A joint that keyframes name, and the part that it moves.
struct KeyframeJoint {
  std::string_view name;  // "left_hip", "abdomen", ...
  Part part;
  int angle_count;                  // 1 to 3
  std::array<double, 3> neutral{};  // degrees, where no key says anything
};
inline constexpr int kKeyframeJointCount = 20;
const std::array<KeyframeJoint, kKeyframeJointCount>& keyframe_joints();

// The local rotation of a joint's bone against the T-pose, from anatomical angles in degrees
// (docs/keyframes.md names them and their signs).
Quat joint_rotation(const KeyframeJoint& joint, const std::array<double, 3>& angles_deg);

// Where a foot shall be. The foot rocks on heel and ball: `at` is the point of the floor below the ankle
// of the flat foot; turning the toes up pivots about the heel, turning the heel up about the ball, and the
// lowest point of the sole is always at the height of `at`.
struct FootTarget {
  Vec3 at = Vec3::Zero();
  double yaw = 0, pitch = 0, roll = 0;  // rad; pitch > 0 lifts the heel, roll > 0 leans to the right
  double knee_out = 0;                  // rad, turns the knee outwards about the line from hip to ankle
  double toes = 0;                      // rad, how far the toes are turned up in the air
};
// Where a hand shall be.
struct HandTarget {
  Vec3 at = Vec3::Zero();               // of the wrist
  Vec3 elbow = Vec3(-0.5, 0.5, -1);     // where the elbow points, in the thorax's frame (y outwards)
  bool flat = false;                    // whether the palm faces the floor, as yaw and pitch say
  double yaw = 0, pitch = 0, roll = 0;  // rad; heading of the fingers, and how far they point down
};

// Bends hip, knee, ankle and toes (or shoulder, elbow and wrist) of `frame` so that the limb reaches its
// target; weight 0 leaves the frame as it is, 1 is the target alone. Out of reach, the limb points to it.
void reach_with_foot(const Clip& human, bool left, const FootTarget& target, double weight, Frame& frame);
void reach_with_hand(const Clip& human, bool left, const HandTarget& target, double weight, Frame& frame);

}  // namespace sinew
