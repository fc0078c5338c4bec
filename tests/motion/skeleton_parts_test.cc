#include "motion/skeleton_parts.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "stick_figure.h"

namespace sinew {
namespace {

// How somebody names the parts: a name for the middle ones, a pattern with @ for the side for the others.
struct Naming {
  std::string name;
  std::string left, right;
  std::map<std::string, std::string> words;  // by part name without side; a part not in it is left out
};

std::vector<Naming> namings() {
  return {
      {"Cmu",
       "Left",
       "Right",
       {{"pelvis", "Hips"},
        {"abdomen", "Spine"},
        {"thorax", "Spine1"},
        {"neck", "Neck"},
        {"head", "Head"},
        {"clavicle", "@Shoulder"},
        {"upper_arm", "@Arm"},
        {"lower_arm", "@ForeArm"},
        {"hand", "@Hand"},
        {"thigh", "@UpLeg"},
        {"shin", "@Leg"},
        {"foot", "@Foot"},
        {"toes", "@ToeBase"}}},
      {"Mixamo",
       "Left",
       "Right",
       {{"pelvis", "mixamorig:Hips"},
        {"abdomen", "mixamorig:Spine"},
        {"thorax", "mixamorig:Spine2"},
        {"neck", "mixamorig:Neck"},
        {"head", "mixamorig:Head"},
        {"clavicle", "mixamorig:@Shoulder"},
        {"upper_arm", "mixamorig:@Arm"},
        {"lower_arm", "mixamorig:@ForeArm"},
        {"hand", "mixamorig:@Hand"},
        {"thigh", "mixamorig:@UpLeg"},
        {"shin", "mixamorig:@Leg"},
        {"foot", "mixamorig:@Foot"},
        {"toes", "mixamorig:@ToeBase"}}},
      {"Lafan",
       "Left",
       "Right",
       {{"pelvis", "Hips"},
        {"abdomen", "Spine"},
        {"thorax", "Spine2"},
        {"neck", "Neck"},
        {"head", "Head"},
        {"clavicle", "@Shoulder"},
        {"upper_arm", "@Arm"},
        {"lower_arm", "@ForeArm"},
        {"hand", "@Hand"},
        {"thigh", "@UpLeg"},
        {"shin", "@Leg"},
        {"foot", "@Foot"},
        {"toes", "@Toe"}}},
      {"MotionBuilder",
       "Left",
       "Right",
       {{"pelvis", "Character1:Hips"},
        {"abdomen", "Character1:Spine"},
        {"thorax", "Character1:Spine1"},
        {"neck", "Character1:Neck"},
        {"head", "Character1:Head"},
        {"clavicle", "Character1:@Shoulder"},
        {"upper_arm", "Character1:@Arm"},
        {"lower_arm", "Character1:@ForeArm"},
        {"hand", "Character1:@Hand"},
        {"thigh", "Character1:@UpLeg"},
        {"shin", "Character1:@Leg"},
        {"foot", "Character1:@Foot"},
        {"toes", "Character1:@ToeBase"}}},
      {"Daz",
       "l",
       "r",
       {{"pelvis", "hip"},
        {"abdomen", "abdomen"},
        {"thorax", "chest"},
        {"neck", "neck"},
        {"head", "head"},
        {"clavicle", "@Collar"},
        {"upper_arm", "@Shldr"},
        {"lower_arm", "@ForeArm"},
        {"hand", "@Hand"},
        {"thigh", "@Thigh"},
        {"shin", "@Shin"},
        {"foot", "@Foot"},
        {"toes", "@Toe"}}},
      {"Biped",
       "L",
       "R",
       {{"pelvis", "Bip01 Pelvis"},
        {"abdomen", "Bip01 Spine"},
        {"thorax", "Bip01 Spine1"},
        {"neck", "Bip01 Neck"},
        {"head", "Bip01 Head"},
        {"clavicle", "Bip01 @ Clavicle"},
        {"upper_arm", "Bip01 @ UpperArm"},
        {"lower_arm", "Bip01 @ Forearm"},
        {"hand", "Bip01 @ Hand"},
        {"thigh", "Bip01 @ Thigh"},
        {"shin", "Bip01 @ Calf"},
        {"foot", "Bip01 @ Foot"},
        {"toes", "Bip01 @ Toe0"}}},
      {"Asf",
       "l",
       "r",
       {{"pelvis", "root"},
        {"abdomen", "lowerback"},
        {"thorax", "thorax"},
        {"neck", "lowerneck"},
        {"head", "head"},
        {"clavicle", "@clavicle"},
        {"upper_arm", "@humerus"},
        {"lower_arm", "@radius"},
        {"hand", "@wrist"},
        {"thigh", "@femur"},
        {"shin", "@tibia"},
        {"foot", "@foot"},
        {"toes", "@toes"}}},
      {"DeepMimic",
       "left_",
       "right_",
       {{"pelvis", "root"},
        {"thorax", "chest"},
        {"neck", "neck"},
        {"upper_arm", "@shoulder"},
        {"lower_arm", "@elbow"},
        {"hand", "@wrist"},
        {"thigh", "@hip"},
        {"shin", "@knee"},
        {"foot", "@ankle"}}},
      {"Unreal",
       "_l",
       "_r",
       {{"pelvis", "pelvis"},
        {"abdomen", "spine_01"},
        {"thorax", "spine_03"},
        {"neck", "neck_01"},
        {"head", "head"},
        {"clavicle", "clavicle@"},
        {"upper_arm", "upperarm@"},
        {"lower_arm", "lowerarm@"},
        {"hand", "hand@"},
        {"thigh", "thigh@"},
        {"shin", "calf@"},
        {"foot", "foot@"},
        {"toes", "ball@"}}},
      {"Blender",
       ".L",
       ".R",
       {{"pelvis", "DEF-spine"},
        {"abdomen", "DEF-spine.001"},
        {"thorax", "DEF-spine.003"},
        {"neck", "DEF-neck"},
        {"head", "DEF-head"},
        {"clavicle", "DEF-shoulder@"},
        {"upper_arm", "DEF-upper_arm@"},
        {"lower_arm", "DEF-forearm@"},
        {"hand", "DEF-hand@"},
        {"thigh", "DEF-thigh@"},
        {"shin", "DEF-shin@"},
        {"foot", "DEF-foot@"},
        {"toes", "DEF-toe@"}}},
      {"JointNames",
       "Left",
       "Right",
       {{"pelvis", "Hips"},
        {"abdomen", "Ab"},
        {"thorax", "Chest"},
        {"neck", "Neck"},
        {"head", "Head"},
        {"clavicle", "@Collar"},
        {"upper_arm", "@Shoulder"},
        {"lower_arm", "@Elbow"},
        {"hand", "@Wrist"},
        {"thigh", "@Hip"},
        {"shin", "@Knee"},
        {"foot", "@Ankle"},
        {"toes", "@Toes"}}},
      {"Sinew",
       "left_",
       "right_",
       {{"pelvis", "pelvis"},
        {"abdomen", "abdomen"},
        {"thorax", "thorax"},
        {"neck", "neck"},
        {"head", "head"},
        {"clavicle", "@clavicle"},
        {"upper_arm", "@upper_arm"},
        {"lower_arm", "@lower_arm"},
        {"hand", "@hand"},
        {"thigh", "@thigh"},
        {"shin", "@shin"},
        {"foot", "@foot"},
        {"toes", "@toes"}}},
  };
}

std::string name_in(const Naming& naming, Part part) {
  std::string key(part_name(part));
  const bool left = key.starts_with("left_"), right = key.starts_with("right_");
  if (left) key = key.substr(5);
  if (right) key = key.substr(6);
  const auto found = naming.words.find(key);
  if (found == naming.words.end()) return "";
  std::string name = found->second;
  if (const size_t at = name.find('@'); at != name.npos)
    name.replace(at, 1, left ? naming.left : naming.right);
  return name;
}

void expect_all_parts(const Clip& clip, const testing::NameOf& name_of) {
  const SkeletonParts parts = find_parts(clip);
  for (int p = 1; p < kPartCount; ++p) {
    const auto part = static_cast<Part>(p);
    const std::string expected = name_of(part);
    const int bone = parts[part];
    EXPECT_EQ(bone < 0 ? "" : clip.bones[static_cast<size_t>(bone)].name, expected) << part_name(part);
  }
}

class BoneNames : public ::testing::TestWithParam<Naming> {};

TEST_P(BoneNames, AreUnderstood) {
  const testing::NameOf name_of = [&](Part p) { return name_in(GetParam(), p); };
  const Clip clip = testing::stick_clip(name_of);
  expect_all_parts(clip, name_of);
  EXPECT_NE(find_parts(clip).notes[0].find("by the names"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, BoneNames, ::testing::ValuesIn(namings()),
                         [](const auto& instance) { return instance.param.name; });

TEST(SkeletonParts, AreFoundByShapeWhereNamesSayNothing) {
  const testing::NameOf name_of = [](Part p) {
    return "bone" + std::string(1, static_cast<char>('a' + static_cast<int>(p)));
  };
  expect_all_parts(testing::stick_clip(name_of), name_of);
}

TEST(SkeletonParts, ByShapeWorkWithoutClaviclesNeckAndToes) {
  const testing::NameOf name_of = [](Part p) {
    switch (p) {
      case Part::kLeftClavicle:
      case Part::kRightClavicle:
      case Part::kNeck:
      case Part::kLeftToes:
      case Part::kRightToes:
      case Part::kAbdomen:
        return std::string();
      default:
        return "bone" + std::string(1, static_cast<char>('a' + static_cast<int>(p)));
    }
  };
  expect_all_parts(testing::stick_clip(name_of), name_of);
}

// Puts a bone of no length between a bone and its parent.
void insert_helper(Clip& clip, const std::string& before, const std::string& name) {
  const int at = find_bone(clip, before);
  Bone helper;
  helper.name = name;
  helper.parent = clip.bones[static_cast<size_t>(at)].parent;
  for (Bone& bone : clip.bones)
    if (bone.parent >= at) ++bone.parent;
  clip.bones.insert(clip.bones.begin() + at, helper);
  clip.bones[static_cast<size_t>(at) + 1].parent = at;
  clip.rest.clear();
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);
  clip.frames.assign(3, clip.rest);
}

TEST(SkeletonParts, HelpersWithoutLengthFingersAndTwistsPlayNoPart) {
  const testing::NameOf name_of = [&](Part p) { return name_in(namings()[0], p); };
  Clip clip = testing::stick_clip(name_of);
  insert_helper(clip, "LeftUpLeg", "LHipJoint");
  insert_helper(clip, "Spine", "LowerBack");
  insert_helper(clip, "LeftHand_end", "LeftHandIndex1");
  insert_helper(clip, "LeftForeArm", "LeftForeArmRoll");
  expect_all_parts(clip, name_of);
  const auto notes = find_parts(clip).notes;
  EXPECT_NE(notes.back().find("LHipJoint"), std::string::npos);
  EXPECT_NE(notes.back().find("LeftHandIndex1"), std::string::npos);
}

TEST(SkeletonParts, TheAbdomenIsTheFirstSpineBoneThatMoves) {
  const testing::NameOf name_of = [&](Part p) { return name_in(namings()[0], p); };
  Clip clip = testing::stick_clip(name_of);
  // A stiff bone below the one that bends.
  insert_helper(clip, "Spine", "StiffSpine");
  const auto stiff = static_cast<size_t>(find_bone(clip, "StiffSpine"));
  clip.bones[stiff].X_PB.p = Vec3(0, 0, 0.05);
  clip.bones[stiff + 1].X_PB.p -= Vec3(0, 0, 0.05);
  clip.rest.clear();
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);
  clip.frames.assign(3, clip.rest);
  clip.frames[1][stiff + 1].q = exp_map(Vec3(0.1, 0, 0));
  EXPECT_EQ(find_parts(clip)[Part::kAbdomen], static_cast<int>(stiff) + 1);
}

TEST(SkeletonParts, AQuadrupedsForelegsAreItsArms) {
  Clip clip;
  clip.name = "dog";
  const auto add = [&](const std::string& name, int parent, const Vec3& offset) {
    return testing::add_bone(clip, name, parent, offset);
  };
  const int hind = add("n0", -1, {0, 0, 0.5});
  const int back = add("n1", hind, {0.3, 0, 0});
  const int fore = add("n2", back, {0.3, 0, 0});
  int tops[4];
  for (int k = 0; k < 4; ++k) {
    const int at = k < 2 ? hind : fore;
    const double side = k % 2 ? -0.1 : 0.1;
    tops[k] = add("leg" + std::string(1, static_cast<char>('a' + k)), at, {0, side, 0});
    const int knee = add("k" + std::string(1, static_cast<char>('a' + k)), tops[k], {0, 0, -0.25});
    add("p" + std::string(1, static_cast<char>('a' + k)), knee, {0, 0, -0.24});
  }
  const int neck = add("q1", fore, {0.1, 0, 0.15});
  add("q2", neck, {0.1, 0, 0.15});
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);
  clip.frames.assign(2, clip.rest);
  clip.frame_time_s = 0.01;
  const SkeletonParts parts = find_parts(clip);
  EXPECT_EQ(parts[Part::kPelvis], hind);
  EXPECT_EQ(parts[Part::kLeftThigh], tops[0]);
  EXPECT_EQ(parts[Part::kRightThigh], tops[1]);
  EXPECT_EQ(parts[Part::kLeftUpperArm], tops[2]);
  EXPECT_EQ(parts[Part::kRightUpperArm], tops[3]);
  EXPECT_EQ(parts[Part::kThorax], fore);
}

TEST(SkeletonParts, ABodyWithoutLegsIsRefusedInOneSentence) {
  Clip clip = testing::stick_clip([](Part p) {
    return p == Part::kPelvis || p == Part::kAbdomen || p == Part::kHead ? std::string(part_name(p))
                                                                         : std::string();
  });
  EXPECT_THROW(find_parts(clip), Error);
  clip.bones.resize(1);
  clip.rest.resize(1);
  EXPECT_THROW(find_parts(clip), Error);
}

}  // namespace
}  // namespace sinew
