#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "motion/clip.h"
#include "motion/part.h"
#include "motion/skeleton_parts.h"

namespace sinew {

template <typename T>
using PerPart = std::array<T, kPartCount>;

// What the performer did, told by body parts instead of bones: the bridge between any skeleton and any
// character.
struct Performance {
  double frame_time_s = 0;
  PerPart<bool> has{};           // which parts the skeleton has
  PerPart<Vec3> rest_direction;  // of each part, from its joint to the next (thorax: from hips to shoulders),
                                 // when standing upright facing +X
  std::vector<PerPart<Quat>>
      turn;  // [frame]: rotation of each part since that stance; a missing part follows its parent
  std::vector<PerPart<Vec3>> joint;  // [frame]: where each part begins (its joint), world, metres
  std::vector<Pose>
      X_plane;  // [frame]: what moved the performer as a whole into the plane; empty without projection
  std::map<std::string, std::vector<Quat>>
      others;                 // [name][frame]: rotation of the bones that play no part, such as a tail's
  bool on_all_fours = false;  // the performer's rest stance has the hands on the floor: a quadruped's
  double leg_length_m = 0;    // thigh and shin, mean of both sides
  double arm_length_m = 0;    // upper and lower arm; 0 without arms
};

inline size_t index(Part part) { return static_cast<size_t>(part); }
inline constexpr Part kSides[2][8] = {
    {Part::kLeftClavicle, Part::kLeftUpperArm, Part::kLeftLowerArm, Part::kLeftHand, Part::kLeftThigh,
     Part::kLeftShin, Part::kLeftFoot, Part::kLeftToes},
    {Part::kRightClavicle, Part::kRightUpperArm, Part::kRightLowerArm, Part::kRightHand, Part::kRightThigh,
     Part::kRightShin, Part::kRightFoot, Part::kRightToes}};

// Reads a clip by parts, resampled to a frame rate. Notes what was concluded about the rest stance.
Performance perform(const Clip& clip, const SkeletonParts& parts, double rate_hz,
                    std::vector<std::string>& notes);

// World poses of all bones at any time of a clip, interpolated.
std::vector<Pose> world_poses_at(const Clip& clip, double time_s);

// Flattens a performance into the sagittal plane (XZ): each segment turns about Y only, as its direction does
// in the plane that follows the performer's slow heading, and the root's path is unrolled along X.
Performance project_to_plane(const Performance& performance, std::vector<std::string>& notes);

}  // namespace sinew
