#include "record/clip_export.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/files.h"
#include "motion/load.h"
#include "motion/write_bvh.h"
#include "record/folder.h"
#include "record/mannequin.h"

namespace sinew {
namespace {

// A mannequin whose bodies do not all stand along the world's axes at rest.
Character turned_mannequin() {
  Character character = make_mannequin();
  for (Body& body : character.bodies)
    if (body.name.ends_with("thigh")) body.X_PB.q = exp_map(Vec3(0.1, 0.4, -0.2));
  return character;
}

std::vector<VecX> walking(const Character& character, int frames) {
  std::vector<VecX> q;
  for (int i = 0; i < frames; ++i) q.push_back(mannequin_at(character, i / 30.0));
  return q;
}

TEST(ClipFromMotion, ItsBonesMoveAsTheBodies) {
  const Character character = turned_mannequin();
  const auto q = walking(character, 20);
  const Clip clip = clip_from_motion(character, q, 1 / 30.0, "walk");
  ASSERT_EQ(clip.frames.size(), q.size());
  const auto X_BBone = bone_frames(character);
  for (size_t i = 0; i < q.size(); ++i) {
    const auto bones = world_poses(clip, clip.frames[i]);
    const auto bodies = body_poses(character, q[i]);
    for (size_t b = 0; b < bodies.size(); ++b) {
      EXPECT_EQ(clip.bones[b].name, character.bodies[b].name);
      const Pose X = bones[b] * X_BBone[b].inverse();
      EXPECT_LT((X.p - bodies[b].p).norm(), 1e-9);
      EXPECT_LT(angle_between(X.q, bodies[b].q), 1e-7);
    }
  }
}

TEST(ClipFromMotion, OnlyTheRootIsMovedAgainstItsParent) {
  // An anchor beside the origin (the mannequin's knee) must not make the bone wander.
  const Character character = turned_mannequin();
  const Clip clip = clip_from_motion(character, walking(character, 20), 1 / 30.0);
  for (size_t b = 0; b < clip.bones.size(); ++b) {
    if (clip.bones[b].is_end) continue;
    EXPECT_EQ(clip.bones[b].channels.size(), b == 0 ? 6U : 3U) << clip.bones[b].name;
  }
}

TEST(ClipFromMotion, RestsUnturnedWithEndsOnTheLeaves) {
  const Character character = turned_mannequin();
  const Clip clip = clip_from_motion(character, {character.q_rest}, 1 / 30.0);
  int ends = 0;
  for (size_t b = 0; b < clip.bones.size(); ++b) {
    EXPECT_LT(angle_between(clip.rest[b].q, Quat::Identity()), 1e-7);
    EXPECT_LT((clip.rest[b].p - clip.frames[0][b].p).norm(), 1e-9);
    ends += clip.bones[b].is_end;
  }
  // Head, two hands, two feet.
  EXPECT_EQ(ends, 5);
  const int head = find_bone(clip, "head_end");
  ASSERT_GE(head, 0);
  EXPECT_NEAR(clip.bones[static_cast<size_t>(head)].X_PB.p.z(), 0.24, 1e-9);
}

TEST(ClipFromMotion, FacesZWithYUpInItsFile) {
  const Clip clip = clip_from_motion(make_mannequin(), {make_mannequin().q_rest}, 0.1);
  EXPECT_LT((clip.source.q_FW * Vec3::UnitX() - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_LT((clip.source.q_FW * Vec3::UnitZ() - Vec3::UnitY()).norm(), 1e-12);
  EXPECT_EQ(clip.source.unit_m, 0.01);
}

// Through a file and back: the bodies can be found again from what a BVH says.
TEST(ClipFromMotion, SurvivesAsBvh) {
  const TestFolder folder("clip_export");
  const Character character = turned_mannequin();
  const auto q = walking(character, 20);
  write_file(folder / "walk.bvh", write_bvh(clip_from_motion(character, q, 1 / 30.0, "walk")));
  const Clip clip = load_clip(folder / "walk.bvh").clip;
  ASSERT_EQ(clip.frames.size(), q.size());
  EXPECT_NEAR(clip.frame_time_s, 1 / 30.0, 1e-6);
  for (size_t i = 0; i < q.size(); i += 6) {
    const auto bones = world_poses(clip, clip.frames[i]);
    const auto kinematics = forward_kinematics(character, q[i]);
    const Vec3 root = bones[0].p;
    for (size_t b = 0; b < character.bodies.size(); ++b) {
      const int bone = find_bone(clip, character.bodies[b].name);
      ASSERT_GE(bone, 0) << character.bodies[b].name;
      const Vec3 anchor = kinematics.p_WJ[static_cast<size_t>(character.bodies[b].first_joint)];
      const Vec3 place = bones[static_cast<size_t>(bone)].p;
      EXPECT_LT(((place - root) - (anchor - kinematics.X_WB[0].p)).norm(), 1e-4) << character.bodies[b].name;
    }
  }
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
  return out;
}

TEST(FramesCsv, TellsTheCoordinates) {
  const Character character = make_mannequin();
  const auto q = walking(character, 5);
  std::vector<VecX> torques(5, VecX::Constant(character.nv(), 7));
  std::istringstream in(frames_csv(character, q, 0.5, torques));
  std::string line;
  std::getline(in, line);
  const auto header = cells(line);
  for (size_t i = 0; i < q.size(); ++i) {
    ASSERT_TRUE(std::getline(in, line));
    const auto row = cells(line);
    ASSERT_EQ(row.size(), header.size());
    const auto value = [&](const std::string& name) {
      const auto found = std::find(header.begin(), header.end(), name);
      EXPECT_NE(found, header.end()) << name;
      return std::stod(row[static_cast<size_t>(found - header.begin())]);
    };
    EXPECT_NEAR(value("time_s"), 0.5 * double(i), 1e-9);
    EXPECT_NEAR(value("root.x"), q[i][0], 1e-8);
    EXPECT_NEAR(value("root.qw"), q[i][3], 1e-8);
    for (const Joint& joint : character.joints) {
      if (joint.type == JointType::kHinge) {
        EXPECT_NEAR(value(joint.name), q[i][joint.q], 1e-8);
      }
      if (joint.type != JointType::kBall) continue;
      const Quat turned =
          exp_map(Vec3(value(joint.name + ".x"), value(joint.name + ".y"), value(joint.name + ".z")));
      EXPECT_NEAR(std::abs(turned.w()), std::abs(q[i][joint.q]), 1e-7);
      EXPECT_EQ(value("torque." + joint.name + ".y"), 7);
    }
  }
  EXPECT_FALSE(std::getline(in, line));
}

}  // namespace
}  // namespace sinew
