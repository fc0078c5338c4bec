#include "motion/part.h"

namespace sinew {

namespace {

constexpr std::array<std::string_view, kPartCount> kNames = {"",
                                                             "pelvis",
                                                             "abdomen",
                                                             "thorax",
                                                             "neck",
                                                             "head",
                                                             "left_clavicle",
                                                             "left_upper_arm",
                                                             "left_lower_arm",
                                                             "left_hand",
                                                             "right_clavicle",
                                                             "right_upper_arm",
                                                             "right_lower_arm",
                                                             "right_hand",
                                                             "left_thigh",
                                                             "left_shin",
                                                             "left_foot",
                                                             "left_toes",
                                                             "right_thigh",
                                                             "right_shin",
                                                             "right_foot",
                                                             "right_toes"};

constexpr std::array<Part, kPartCount> kParents = {
    Part::kNone,      Part::kNone,          Part::kPelvis,        Part::kAbdomen,       Part::kThorax,
    Part::kNeck,      Part::kThorax,        Part::kLeftClavicle,  Part::kLeftUpperArm,  Part::kLeftLowerArm,
    Part::kThorax,    Part::kRightClavicle, Part::kRightUpperArm, Part::kRightLowerArm, Part::kPelvis,
    Part::kLeftThigh, Part::kLeftShin,      Part::kLeftFoot,      Part::kPelvis,        Part::kRightThigh,
    Part::kRightShin, Part::kRightFoot};

}  // namespace

std::string_view part_name(Part part) { return kNames[static_cast<size_t>(part)]; }

std::optional<Part> part_from_name(std::string_view name) {
  for (size_t i = 1; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Part>(i);
  return std::nullopt;
}

Part part_parent(Part part) { return kParents[static_cast<size_t>(part)]; }

Part part_mirror(Part part) {
  const std::string name(part_name(part));
  if (name.starts_with("left_")) return *part_from_name("right_" + name.substr(5));
  if (name.starts_with("right_")) return *part_from_name("left_" + name.substr(6));
  return part;
}

}  // namespace sinew
