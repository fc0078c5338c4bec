#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace sinew {

// The parts of a body, named alike on every skeleton and character. Quadrupeds use arms for forelegs.
enum class Part {
  kNone,
  kPelvis,
  kAbdomen,
  kThorax,
  kNeck,
  kHead,
  kLeftClavicle,
  kLeftUpperArm,
  kLeftLowerArm,
  kLeftHand,
  kRightClavicle,
  kRightUpperArm,
  kRightLowerArm,
  kRightHand,
  kLeftThigh,
  kLeftShin,
  kLeftFoot,
  kLeftToes,
  kRightThigh,
  kRightShin,
  kRightFoot,
  kRightToes,
};
inline constexpr int kPartCount = 22;

// "left_upper_arm" and so on, as users write them; `kNone` is "".
std::string_view part_name(Part part);
std::optional<Part> part_from_name(std::string_view name);

// The part that stands for one that a body lacks: toes -> foot, hand -> lower arm, ... pelvis -> none.
Part part_parent(Part part);
// The same part on the other side of the body; middle parts are their own mirror.
Part part_mirror(Part part);

}  // namespace sinew
