#include <gtest/gtest.h>

#include <random>

#include "core/error.h"
#include "motion/load.h"
#include "motion/write_bvh.h"
#include "stick_figure.h"

namespace sinew {
namespace {

using testing::BvhFrame;
using testing::BvhStyle;

// What the importer does with a skeleton that is no body: Y up, faces +Z, metres.
const Mat3 kC = (Mat3() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();

Quat in_world(const Quat& q_F) { return Quat(kC) * q_F * Quat(kC).conjugate(); }

Quat turn(char axis, double angle_deg) {
  Vec3 v = Vec3::Zero();
  v[axis - 'X'] = 1;
  return Quat(Eigen::AngleAxisd(radians(angle_deg), v));
}

// One root with one bone; `root` and `bone` are the channels with their count.
std::string small_file(const std::string& root, const std::string& bone, const std::string& numbers) {
  return "HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS " + root + "\nJOINT b\n{\nOFFSET 0 5 0\nCHANNELS " +
         bone + "\nEnd Site\n{\nOFFSET 0 4 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.01\n" + numbers +
         "\n";
}

Clip read(const std::string& text) { return read_bvh(text, "test.bvh").clip; }

std::string complaint(const std::string& text) {
  try {
    read_bvh(text, "test.bvh");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

class RotationOrder : public ::testing::TestWithParam<std::string> {};

TEST_P(RotationOrder, IsTheProductOfItsTurnsInTheOrderWritten) {
  const std::string order = GetParam();
  std::string channels = "3";
  for (const char axis : order) channels += std::string(" ") + axis + "rotation";
  const Clip clip = read(small_file(channels, channels, "10 20 30 -40 50 -60"));
  const Quat root = turn(order[0], 10) * turn(order[1], 20) * turn(order[2], 30);
  const Quat bone = turn(order[0], -40) * turn(order[1], 50) * turn(order[2], -60);
  EXPECT_LT(angle_between(clip.frames[0][0].q, in_world(root)), 1e-12);
  EXPECT_LT(angle_between(clip.frames[0][1].q, in_world(bone)), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, RotationOrder,
                         ::testing::Values("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "ZXZ"));

TEST(Bvh, OrdersMayDifferBetweenJointsOfOneFile) {
  const Clip clip = read(small_file("6 Zposition Xposition Yposition Xrotation Zrotation Yrotation",
                                    "2 Yrotation Xrotation", "3 1 2 10 20 30 40 50"));
  EXPECT_LT((clip.frames[0][0].p - kC * Vec3(1, 2, 3)).norm(), 1e-12);
  EXPECT_LT(angle_between(clip.frames[0][0].q, in_world(turn('X', 10) * turn('Z', 20) * turn('Y', 30))),
            1e-12);
  EXPECT_LT(angle_between(clip.frames[0][1].q, in_world(turn('Y', 40) * turn('X', 50))), 1e-12);
}

TEST(Bvh, RotationAndPositionChannelsMayBeMixed) {
  const Clip clip =
      read(small_file("4 Xrotation Yposition Zrotation Xposition", "1 Zrotation", "10 7 20 8 30"));
  EXPECT_LT((clip.frames[0][0].p - kC * Vec3(8, 7, 3)).norm(), 1e-12);
  EXPECT_LT(angle_between(clip.frames[0][0].q, in_world(turn('X', 10) * turn('Z', 20))), 1e-12);
}

TEST(Bvh, PositionChannelsOfAJointStandForItsOffset) {
  const Clip clip = read(small_file("3 Xrotation Yrotation Zrotation",
                                    "6 Xposition Yposition Zposition Xrotation Yrotation Zrotation",
                                    "0 0 0 0.5 5.5 -0.5 0 0 0"));
  EXPECT_LT((clip.frames[0][1].p - kC * Vec3(0.5, 5.5, -0.5)).norm(), 1e-12);
}

TEST(Bvh, PositionChannelsThatStayNearZeroAreAddedToTheOffset) {
  const ImportedClip imported = read_bvh(
      small_file("3 Xrotation Yrotation Zrotation",
                 "6 Xposition Yposition Zposition Xrotation Yrotation Zrotation", "0 0 0 0.1 0 0 0 0 0"),
      "test.bvh");
  EXPECT_LT((imported.clip.frames[0][1].p - kC * Vec3(0.1, 5, 0)).norm(), 1e-12);
}

TEST(Bvh, EndSitesAreBonesThatNeverMove) {
  const Clip clip = read(small_file("3 Xrotation Yrotation Zrotation", "1 Xrotation", "0 0 0 90"));
  ASSERT_EQ(clip.bones.size(), 3u);
  EXPECT_TRUE(clip.bones[2].is_end);
  EXPECT_EQ(clip.bones[2].parent, 1);
  EXPECT_LT((clip.frames[0][2].p - kC * Vec3(0, 4, 0)).norm(), 1e-12);
}

TEST(Bvh, TabsCarriageReturnsBlankLinesAndCaseMeanNothing) {
  const std::string plain = small_file("3 Xrotation Yrotation Zrotation", "1 Xrotation", "10 20 30 40");
  std::string odd;
  for (const char c : plain)
    odd += c == '\n' ? std::string("\r\n\r\n\t") : c == ' ' ? std::string(" \t") : std::string(1, c);
  for (const auto& [from, to] : {std::pair{"HIERARCHY", "Hierarchy"}, std::pair{"Xrotation", "XROTATION"}})
    for (size_t at; (at = odd.find(from)) != odd.npos;) odd.replace(at, std::string(from).size(), to);
  EXPECT_LT(angle_between(read(odd).frames[0][0].q, read(plain).frames[0][0].q), 1e-15);
}

TEST(Bvh, BracesMayStandOnTheLineOfTheNameAndNamesMayHaveBlanks) {
  const Clip clip = read(
      "HIERARCHY\nROOT Bip01 Pelvis {\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nJOINT Bip01 L Thigh{\nOFFSET 0 1 "
      "0\n"
      "CHANNELS 1 Xrotation\nEnd Site {\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.01\n1 2\n");
  EXPECT_EQ(clip.bones[0].name, "Bip01 Pelvis");
  EXPECT_EQ(clip.bones[1].name, "Bip01 L Thigh");
}

TEST(Bvh, AFrameMayGoOverSeveralLines) {
  const Clip clip = read(small_file("3 Xrotation Yrotation Zrotation", "1 Xrotation", "10 20\n30\n\n40"));
  EXPECT_LT(angle_between(clip.frames[0][1].q, in_world(turn('X', 40))), 1e-12);
}

TEST(Bvh, OnlyTheFirstOfSeveralRootsIsRead) {
  const std::string one = "{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n";
  const ImportedClip imported = read_bvh(
      "HIERARCHY\nROOT a\n" + one + "ROOT b\n" + one + "MOTION\nFrames: 2\nFrame Time: 0.01\n10 20\n30 40\n",
      "test.bvh");
  EXPECT_EQ(imported.clip.bones.size(), 2u);
  EXPECT_LT(angle_between(imported.clip.frames[1][0].q, in_world(turn('X', 30))), 1e-12);
  EXPECT_NE(imported.notes[0].text.find("2 roots"), std::string::npos);
}

TEST(Bvh, AFrameTimeInMillisecondsOrARateIsUnderstood) {
  std::string text = small_file("3 Xrotation Yrotation Zrotation", "1 Xrotation", "0 0 0 0");
  const auto with = [&](const std::string& time) {
    std::string changed = text;
    return changed.replace(changed.find("0.01"), 4, time);
  };
  EXPECT_NEAR(read(with("120")).frame_time_s, 1.0 / 120, 1e-9);
  EXPECT_NEAR(read(with("8.3333")).frame_time_s, 0.0083333, 1e-9);
}

// Every mistake and the line on which it must be found.
struct Mistake {
  std::string name, text, line, words;
};

std::vector<Mistake> mistakes() {
  const std::string head = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n";
  const std::string good = head + "End Site\n{\nOFFSET 0 1 0\n}\n}\n";
  const std::string motion = good + "MOTION\nFrames: 2\nFrame Time: 0.01\n";
  return {
      {"Empty", "", ":1:", "file ends here"},
      {"OtherFormat", "<xml/>\n", ":1:", "HIERARCHY"},
      {"NoRoot", "HIERARCHY\nMOTION\n", ":2:", "ROOT"},
      {"NoName", "HIERARCHY\nROOT\n{\n", ":2:", "name"},
      {"NoBrace", "HIERARCHY\nROOT a\nOFFSET 0 0 0\n", ":3:", "expected {"},
      {"BadOffset", "HIERARCHY\nROOT a\n{\nOFFSET 0 zero 0\n", ":4:", "'zero'"},
      {"NotANumber", "HIERARCHY\nROOT a\n{\nOFFSET 0 0 nan\n", ":4:", "'nan'"},
      {"Infinite", "HIERARCHY\nROOT a\n{\nOFFSET 0 0 inf\n", ":4:", "'inf'"},
      {"TooLarge", "HIERARCHY\nROOT a\n{\nOFFSET 0 0 1e999\n", ":4:", "1e999"},
      {"BadChannel", "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Wrotation\n", ":5:", "'Wrotation'"},
      {"NegativeChannels", "HIERARCHY\nROOT a\n{\nCHANNELS -3\n", ":4:", "whole number"},
      {"TwoChannelLines", head + "CHANNELS 1 Xrotation\n", ":6:", "second CHANNELS"},
      {"UnclosedBrace", head + "MOTION\n", ":6:", "'MOTION'"},
      {"CutInTheSkeleton", head, ":6:", "file ends here"},
      {"JointInEndSite", head + "End Site\n{\nJOINT b\n", ":8:", "End Site"},
      {"NoChannelsAtAll", "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n",
       ":6:", "no channels"},
      {"NoMotion", good, ":11:", "MOTION"},
      {"NoFrames", good + "MOTION\nFrame Time: 0.01\n", ":12:", "Frames"},
      {"ZeroFrames", good + "MOTION\nFrames: 0\nFrame Time: 0.01\n", ":12:", "at least 1"},
      {"FractionOfAFrame", good + "MOTION\nFrames: 1.5\nFrame Time: 0.01\n", ":12:", "whole number"},
      {"ZeroFrameTime", good + "MOTION\nFrames: 1\nFrame Time: 0\n1 2 3\n", ":13:", "greater than zero"},
      {"NegativeFrameTime", good + "MOTION\nFrames: 1\nFrame Time: -0.1\n1 2 3\n",
       ":13:", "greater than zero"},
      {"NoFrameTime", good + "MOTION\nFrames: 1\n1 2 3\n", ":13:", "Frame Time"},
      {"HugeFrameCount", good + "MOTION\nFrames: 999999999999\nFrame Time: 0.01\n1 2 3\n",
       ":15:", "ends after 1"},
      {"TooFewFrames", motion + "1 2 3\n", ":15:", "2 frames are declared, but the file ends after 1"},
      {"CutInAFrame", motion + "1 2 3\n4 5", ":15:", "ends after 1"},
      {"ShortFrame", motion + "1 2 3\n4 5\n6 7 8\n", ":15:", "frame 1 has 2 numbers instead of 3"},
      {"LongFrame", motion + "1 2 3\n4 5 6 7\n", ":15:", "more than 3"},
      {"WordInAFrame", motion + "1 2 3\n4 x 6\n", ":15:", "'x'"},
      {"NanInAFrame", motion + "1 2 3\n4 nan 6\n", ":15:", "'nan'"},
      {"CommaForPoint", motion + "1 2 3\n4 5,5 6\n", ":15:", "'5,5'"},
  };
}

class BvhMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(BvhMistake, IsToldWithFileAndLine) {
  const std::string told = complaint(GetParam().text);
  EXPECT_EQ(told.find("test.bvh" + GetParam().line), 0u) << told;
  EXPECT_NE(told.find(GetParam().words), std::string::npos) << told;
}

INSTANTIATE_TEST_SUITE_P(All, BvhMistake, ::testing::ValuesIn(mistakes()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Bvh, ASkeletonWithFarMoreJointsThanNumbersIsRefused) {
  std::string text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
  for (int i = 0; i < 2000; ++i) text += "End Site\n{\nOFFSET 0 1 0\n}\n";
  text += "}\nMOTION\nFrames: 5000\nFrame Time: 0.01\n";
  for (int i = 0; i < 5000; ++i) text += "1\n";
  EXPECT_NE(complaint(text).find("fill the memory"), std::string::npos);
}

// A figure that wriggles: every joint turns by its own amounts.
std::vector<BvhFrame> wriggle(size_t joints, size_t frames, unsigned seed, double largest_deg) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> angle(-largest_deg, largest_deg);
  std::vector<BvhFrame> out(frames);
  for (size_t f = 0; f < frames; ++f) {
    out[f].root_p_W = {0.01 * static_cast<double>(f), 0.002 * static_cast<double>(f), 0.95};
    for (size_t j = 0; j < joints; ++j)
      out[f].angles.emplace_back(angle(random), angle(random), angle(random));
  }
  return out;
}

void expect_same(const Clip& a, const Clip& b, double tolerance_rad, double tolerance_m) {
  ASSERT_EQ(a.bones.size(), b.bones.size());
  ASSERT_EQ(a.frames.size(), b.frames.size());
  EXPECT_NEAR(a.frame_time_s, b.frame_time_s, 1e-9);
  for (size_t i = 0; i < a.bones.size(); ++i) {
    EXPECT_EQ(a.bones[i].name, b.bones[i].name);
    EXPECT_EQ(a.bones[i].parent, b.bones[i].parent);
    EXPECT_LT((a.bones[i].X_PB.p - b.bones[i].X_PB.p).norm(), tolerance_m);
  }
  for (size_t f = 0; f < a.frames.size(); ++f)
    for (size_t i = 0; i < a.bones.size(); ++i) {
      EXPECT_LT(angle_between(a.frames[f][i].q, b.frames[f][i].q), tolerance_rad)
          << a.bones[i].name << " " << f;
      EXPECT_LT((a.frames[f][i].p - b.frames[f][i].p).norm(), tolerance_m) << a.bones[i].name << " " << f;
    }
  for (size_t i = 0; i < a.bones.size(); ++i)
    EXPECT_LT(angle_between(a.rest[i].q, b.rest[i].q), tolerance_rad);
}

TEST(BvhWriter, WhatIsWrittenReadsBackTheSame) {
  const auto bones = testing::stick_bones(testing::own_name);
  for (const char* order : {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"}) {
    BvhStyle style;
    style.rotations = order;
    const Clip clip = read(testing::bvh_text(bones, wriggle(bones.size(), 20, 7, 25), style));
    const std::string text = write_bvh(clip);
    expect_same(clip, read(text), 1e-5, 1e-5);
    EXPECT_NE(text.find(std::string("CHANNELS 3 ") + order[0] + "rotation"), std::string::npos);
  }
}

TEST(BvhWriter, SurvivesGimbalLock) {
  const auto bones = testing::stick_bones(testing::own_name);
  std::vector<BvhFrame> frames(12);
  for (size_t f = 0; f < frames.size(); ++f)
    frames[f].angles.assign(bones.size(), Vec3(20.0 * static_cast<double>(f), f % 2 ? 90 : -90, 15));
  const Clip clip = read_bvh(testing::bvh_text(bones, frames, {}), "a.bvh", {.up = 'y', .unit_m = 0.01}).clip;
  const Clip again = read_bvh(write_bvh(clip), "a.bvh", {.up = 'y', .unit_m = 0.01}).clip;
  for (size_t f = 0; f < frames.size(); ++f)
    for (size_t i = 0; i < bones.size(); ++i)
      EXPECT_LT(angle_between(clip.frames[f][i].q, again.frames[f][i].q), 1e-4);
}

TEST(BvhWriter, GivesChannelsToWhatMovesWithoutAny) {
  Clip clip = testing::stick_clip(testing::own_name);
  clip.source.format = "gltf";
  const auto hand = static_cast<size_t>(find_bone(clip, "left_hand"));
  clip.frames[1][hand].p += Vec3(0, 0.05, 0);
  clip.frames[1][hand].q = exp_map(Vec3(0.1, 0.2, 0.3));
  const Clip again = read(write_bvh(clip));
  const auto k = static_cast<size_t>(find_bone(again, "left_hand"));
  EXPECT_LT((again.frames[1][k].p - clip.frames[1][hand].p).norm(), 1e-5);
  EXPECT_LT(angle_between(again.frames[1][k].q, clip.frames[1][hand].q), 1e-5);
}

TEST(BvhWriter, PutsTheRestPoseBackIntoFrameZero) {
  const auto bones = testing::stick_bones(testing::own_name);
  auto frames = wriggle(bones.size(), 1, 3, 25);
  for (int f = 0; f < 5; ++f) frames.push_back(frames[0]);
  frames[0].angles.assign(bones.size(), Vec3::Zero());
  const Clip clip = read(testing::bvh_text(bones, frames, {}));
  EXPECT_EQ(clip.frames.size(), 5u);
  EXPECT_TRUE(clip.source.rest_in_frame_0);
  const std::string text = write_bvh(clip);
  EXPECT_NE(text.find("Frames: 6\n"), std::string::npos);
  expect_same(clip, read(text), 1e-5, 1e-5);
}

TEST(BvhWriter, RefusesWhatIsNotFinite) {
  Clip clip = testing::stick_clip(testing::own_name);
  clip.frames[1][0].p.x() = std::nan("");
  EXPECT_THROW(write_bvh(clip), Error);
  clip.frames.clear();
  EXPECT_THROW(write_bvh(clip), Error);
}

}  // namespace
}  // namespace sinew
