#include "motion/convention.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "motion/load.h"
#include "motion/skeleton_parts.h"
#include "stick_figure.h"

namespace sinew {
namespace {

using testing::BvhFrame;
using testing::BvhStyle;

std::string note(const ImportedClip& imported, const std::string& topic) {
  for (const ImportNote& n : imported.notes)
    if (n.topic == topic) return n.text;
  return "";
}

Mat3 axes(const Vec3& x, const Vec3& y, const Vec3& z) {
  Mat3 R_FW;
  R_FW.row(0) = x.transpose();
  R_FW.row(1) = y.transpose();
  R_FW.row(2) = z.transpose();
  return R_FW;
}

// The figure stands with bent elbows for a while.
std::vector<BvhFrame> standing(size_t frames) { return std::vector<BvhFrame>(frames, BvhFrame{}); }

struct Axes {
  std::string name;
  Mat3 R_FW;
  std::string up, facing;
};

class FileAxes : public ::testing::TestWithParam<Axes> {};

TEST_P(FileAxes, AreFoundFromTheBody) {
  const auto bones = testing::stick_bones(testing::own_name);
  BvhStyle style;
  style.R_FW = GetParam().R_FW;
  const ImportedClip imported = read_bvh(testing::bvh_text(bones, standing(5), style), "a.bvh");
  EXPECT_EQ(note(imported, "up axis").substr(0, 2), GetParam().up);
  EXPECT_EQ(note(imported, "facing").substr(0, 2), GetParam().facing);
  // Every joint is where the figure was made.
  const auto joints = testing::stick_joints();
  const auto X = world_poses(imported.clip, imported.clip.frames[0]);
  for (size_t i = 0; i < joints.size(); ++i)
    EXPECT_LT((X[i].p - joints[i].p_W).norm(), 1e-5) << bones[i].name;
  EXPECT_TRUE(imported.clip.rest_is_t_pose);
  // And the convention leads back into the file: p_file = R_FW p_W / unit.
  EXPECT_LT((imported.clip.source.q_FW.toRotationMatrix() - style.R_FW).norm(), 1e-9);
}

const Vec3 kX = Vec3::UnitX(), kY = Vec3::UnitY(), kZ = Vec3::UnitZ();
INSTANTIATE_TEST_SUITE_P(All, FileAxes,
                         ::testing::Values(Axes{"YUpFacingZ", axes(kY, kZ, kX), "+Y", "+Z"},
                                           Axes{"YUpFacingX", axes(kX, kZ, -kY), "+Y", "+X"},
                                           Axes{"YUpFacingMinusZ", axes(-kY, kZ, -kX), "+Y", "-Z"},
                                           Axes{"ZUpFacingX", axes(kX, kY, kZ), "+Z", "+X"},
                                           Axes{"ZUpFacingMinusY", axes(kY, -kX, kZ), "+Z", "-Y"},
                                           Axes{"XUp", axes(kZ, kX, kY), "+X", "+Y"},
                                           Axes{"YDown", axes(kX, -kZ, kY), "-Y", "+X"}),
                         [](const auto& instance) { return instance.param.name; });

TEST(Convention, ALyingClipStandsUpByItsRestPose) {
  const auto bones = testing::stick_bones(testing::own_name);
  auto frames = standing(30);
  for (BvhFrame& frame : frames) {
    frame.root_p_W = {0, 0, 0.1};
    frame.angles.assign(bones.size(), Vec3::Zero());
    frame.angles[0] = Vec3(0, 0, -90);  // about the file's X: on the back
  }
  const ImportedClip imported = read_bvh(testing::bvh_text(bones, frames, {}), "a.bvh");
  EXPECT_EQ(note(imported, "up axis").substr(0, 2), "+Y");
}

TEST(Convention, AStandingRestPoseThatTheMotionTurnsOverGivesWay) {
  // The skeleton is Y up, but every frame turns it by 90 degrees onto Z, where the floor is at zero.
  const auto bones = testing::stick_bones(testing::own_name);
  auto frames = standing(30);
  const Mat3 R_FW = BvhStyle().R_FW;
  for (size_t f = 0; f < frames.size(); ++f) {
    frames[f].angles.assign(bones.size(), Vec3::Zero());
    frames[f].angles[0] = Vec3(0, 0, 90);
    const Vec3 p_F(0.1 * static_cast<double>(f), 5.0, 0.95);
    frames[f].root_p_W = R_FW.transpose() * p_F;
  }
  const ImportedClip imported = read_bvh(testing::bvh_text(bones, frames, {}), "a.bvh");
  EXPECT_EQ(note(imported, "up axis").substr(0, 2), "+Z") << note(imported, "up axis");
}

TEST(Convention, TheUserKnowsBetter) {
  const auto bones = testing::stick_bones(testing::own_name);
  const std::string text = testing::bvh_text(bones, standing(5), {});
  const ImportedClip imported =
      read_bvh(text, "a.bvh", {.up = 'z', .unit_m = 0.5, .frame_rate_hz = 25, .first_frame_is_rest = true});
  EXPECT_EQ(note(imported, "up axis").substr(1, 1), "Z");
  EXPECT_EQ(imported.clip.source.unit_m, 0.5);
  EXPECT_EQ(imported.clip.frame_time_s, 1.0 / 25);
  EXPECT_EQ(imported.clip.frames.size(), 4u);
  EXPECT_THROW(read_bvh(text, "a.bvh", {.up = 'w'}), Error);
  EXPECT_THROW(read_bvh(text, "a.bvh", {.unit_m = 0.0}), Error);
  EXPECT_THROW(read_bvh(text, "a.bvh", {.frame_rate_hz = -1}), Error);
}

class FileUnit : public ::testing::TestWithParam<double> {};

TEST_P(FileUnit, IsFoundFromTheLegs) {
  const auto bones = testing::stick_bones(testing::own_name);
  BvhStyle style;
  style.unit_m = GetParam();
  const ImportedClip imported = read_bvh(testing::bvh_text(bones, standing(5), style), "a.bvh");
  EXPECT_NEAR(imported.clip.source.unit_m, GetParam(), 1e-12);
  EXPECT_NEAR(estimated_stature(imported.clip), 0.82 / 0.491, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(All, FileUnit, ::testing::Values(1.0, 0.01, 0.0254, 0.0254 / 0.45, 0.001, 0.3048));

TEST(Convention, AnUnknownUnitMakesAPersonOfUsualHeight) {
  const auto bones = testing::stick_bones(testing::own_name);
  BvhStyle style;
  style.unit_m = 0.15;
  const ImportedClip imported = read_bvh(testing::bvh_text(bones, standing(5), style), "a.bvh");
  EXPECT_NEAR(estimated_stature(imported.clip), 1.7, 1e-6);
  EXPECT_NE(note(imported, "unit").find("no known unit"), std::string::npos);
}

TEST(RestFrame, IsTakenOutOfTheMotionOnlyIfTheMotionJumpsAwayFromIt) {
  const auto bones = testing::stick_bones(testing::own_name);
  auto frames = standing(10);
  for (size_t f = 0; f < frames.size(); ++f)
    frames[f].angles.assign(bones.size(),
                            Vec3(0.5 * static_cast<double>(f), 0.3 * static_cast<double>(f), 0));
  // Starts in the T-pose and moves away slowly: all frames belong to the motion.
  EXPECT_EQ(read_bvh(testing::bvh_text(bones, frames, {}), "a.bvh").clip.frames.size(), 10u);
  // The same with a T-pose put before a motion that starts elsewhere.
  for (size_t f = 1; f < frames.size(); ++f)
    for (Vec3& angles : frames[f].angles) angles += Vec3(10, 5, 12);
  const ImportedClip imported = read_bvh(testing::bvh_text(bones, frames, {}), "a.bvh");
  EXPECT_EQ(imported.clip.frames.size(), 9u);
  for (const Pose& X : imported.clip.rest) EXPECT_LT(angle_between(X.q, Quat::Identity()), 1e-9);
  // The rest pose stands on the ground above the origin, wherever the file had put it.
  EXPECT_LT(imported.clip.rest[0].p.head<2>().norm(), 1e-12);
  double lowest = 1;
  for (const Pose& X : world_poses(imported.clip, imported.clip.rest)) lowest = std::min(lowest, X.p.z());
  EXPECT_NEAR(lowest, 0, 1e-9);
}

// A walk seen from the legs: each foot in turn swings forward by 1.2 m in 0.4 s while the other stands.
std::string walk_text(double frame_time_s, double written_frame_time_s) {
  const auto bones = testing::stick_bones(testing::own_name);
  std::vector<BvhFrame> frames;
  std::vector<size_t> joint_of(bones.size());
  size_t n = 0, left = 0, right = 0;
  for (size_t i = 0; i < bones.size(); ++i) {
    if (bones[i].name == "left_thigh") left = n;
    if (bones[i].name == "right_thigh") right = n;
    n += !bones[i].is_end;
  }
  for (double t = 0; t < 4; t += frame_time_s) {
    BvhFrame frame;
    const double phase = 2 * kPi * t / 0.9;
    frame.root_p_W.x() = 0.42 * 4 / 0.9 * t;
    frame.angles.assign(n, Vec3::Zero());
    // Pendulum legs whose stance foot rests: triangular swing of half a stride.
    const double swing = degrees(std::asin(std::sin(phase))) / 90.0;
    frame.angles[left] = Vec3(0, 0, -30 * swing);
    frame.angles[right] = Vec3(0, 0, 30 * swing);
    frames.push_back(frame);
  }
  BvhStyle style;
  style.frame_time_s = written_frame_time_s;
  return testing::bvh_text(bones, frames, style);
}

TEST(FrameTime, AWrongDefaultIsRecognisedByTheSteps) {
  EXPECT_NEAR(1 / read_bvh(walk_text(1.0 / 120, 1.0 / 120), "a.bvh").clip.frame_time_s, 120, 0.01);
  EXPECT_NEAR(1 / read_bvh(walk_text(1.0 / 30, 1.0 / 30), "a.bvh").clip.frame_time_s, 30, 0.01);
  EXPECT_NEAR(1 / read_bvh(walk_text(1.0 / 120, 1.0 / 30), "a.bvh").clip.frame_time_s, 120, 0.01);
  EXPECT_NEAR(1 / read_bvh(walk_text(1.0 / 30, 1.0 / 120), "a.bvh").clip.frame_time_s, 30, 0.01);
}

TEST(FrameTime, TheUserIsNotCorrected) {
  EXPECT_NEAR(1 / read_bvh(walk_text(1.0 / 120, 1.0 / 30), "a.bvh", {.frame_rate_hz = 30}).clip.frame_time_s,
              30, 0.01);
}

TEST(RestPose, IsBuiltWhereTheZeroPoseIsNoStance) {
  // Bones that all point along their own X, as some recorders write them, held upright by the frames.
  Clip figure = testing::stick_clip(testing::own_name, 4);
  Clip odd = figure;
  std::vector<Quat> q_WB(figure.bones.size());
  const auto X = world_poses(figure, figure.rest);
  for (size_t i = 0; i < figure.bones.size(); ++i) {
    Vec3 along = Vec3::UnitX();
    for (size_t c = 0; c < figure.bones.size(); ++c)
      if (figure.bones[c].parent == static_cast<int>(i)) along = X[c].p - X[i].p;
    q_WB[i] = i == 0 ? Quat::Identity() : shortest_arc(Vec3::UnitX(), along);
    const int parent = figure.bones[i].parent;
    if (parent >= 0) {
      const Quat q_WP = q_WB[static_cast<size_t>(parent)];
      odd.bones[i].X_PB.p = q_WP.conjugate() * figure.bones[i].X_PB.p;
      for (Frame& frame : odd.frames) frame[i] = {odd.bones[i].X_PB.p, q_WP.conjugate() * q_WB[i]};
    }
    odd.rest[i] = odd.bones[i].X_PB;
  }
  FileFacts facts;
  facts.format = "bvh";
  facts.usual_up = 'z';
  const ImportedClip imported = into_world(odd, facts, {});
  EXPECT_TRUE(imported.clip.rest_is_t_pose);
  EXPECT_NE(note(imported, "rest pose").find("built"), std::string::npos);
  const auto X_rest = world_poses(imported.clip, imported.clip.rest);
  const SkeletonParts parts = find_parts(imported.clip);
  const auto at = [&](Part p) { return X_rest[static_cast<size_t>(parts[p])].p; };
  EXPECT_GT(at(Part::kHead).z(), at(Part::kPelvis).z());
  EXPECT_GT(at(Part::kPelvis).z(), at(Part::kLeftFoot).z() + 0.5);
  EXPECT_GT(at(Part::kLeftHand).y(), at(Part::kRightHand).y() + 1.0);
}

TEST(RestPose, AQuadrupedStaysOnItsFourLegs) {
  Clip clip;
  clip.name = "dog";
  const auto add = [&](const std::string& name, int parent, const Vec3& offset) {
    return testing::add_bone(clip, name, parent, offset);
  };
  const int hind = add("hind", -1, {0, 0, 0.5});
  const int fore = add("fore", add("back", hind, {0.3, 0, 0}), {0.3, 0, 0});
  for (int k = 0; k < 4; ++k) {
    const std::string leg(1, static_cast<char>('a' + k));
    const int top = add("top" + leg, k < 2 ? hind : fore, {0, k % 2 ? -0.1 : 0.1, 0});
    add("paw" + leg, add("knee" + leg, top, {0, 0, -0.25}), {0, 0, -0.25});
  }
  add("skull", add("nape", fore, {0.1, 0, 0.15}), {0.1, 0, 0.15});
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);
  clip.frames.assign(5, clip.rest);
  clip.frame_time_s = 0.01;
  FileFacts facts;
  facts.usual_up = 'z';
  const ImportedClip imported = into_world(clip, facts, {.unit_m = 1.0});
  const auto X = world_poses(imported.clip, imported.clip.rest);
  for (size_t i = 0; i < clip.bones.size(); ++i) {
    EXPECT_NEAR(X[i].p.z(), world_poses(clip, clip.rest)[i].p.z(), 1e-9);
    EXPECT_LT(angle_between(imported.clip.rest[i].q, Quat::Identity()), 1e-9);
  }
}

}  // namespace
}  // namespace sinew
