#pragma once

#include <string>
#include <string_view>

namespace sinew {

enum class Side { kMiddle, kLeft, kRight };

// What the name of a bone says about it. Several names mean different things on different skeletons (a "leg"
// is a shin beside an "up leg" but a thigh beside a "knee"), hence words and not yet parts.
enum class BoneWord {
  kUnknown,
  kLeftOut,   // fingers, face, twist helpers, end markers, handles
  kHipJoint,  // helper between pelvis and thigh
  kPelvis,
  kSpine,
  kNeck,
  kHead,
  kShoulder,  // clavicle, or upper arm where nothing else is
  kClavicle,
  kArm,  // upper arm
  kForearm,
  kHand,
  kHip,  // thigh, where it has a side
  kThigh,
  kLeg,  // shin beside a thigh, else thigh
  kShin,
  kFoot,
  kToes,
};

struct NameMeaning {
  Side side = Side::kMiddle;
  BoneWord word = BoneWord::kUnknown;
};

// Reads names of CMU and other ASF files, MotionBuilder, Mixamo, LaFAN1, Daz, 3ds Max Biped, Unreal, Blender,
// DeepMimic and Sinew itself, with any namespace or rig prefix, in any case and with any separators.
NameMeaning read_bone_name(std::string_view name);

}  // namespace sinew
