#include <gtest/gtest.h>

#include "core/error.h"
#include "motion/load.h"
#include "motion/resample.h"
#include "motion/skeleton_parts.h"

namespace sinew {
namespace {

std::string frame_text(double duration, const std::vector<double>& changed_at = {},
                       const std::vector<double>& to = {}) {
  std::vector<double> values(44, 0);
  values[0] = duration;
  values[2] = 0.9;
  for (const size_t w : {4, 8, 12, 16, 21, 25, 30, 35, 39}) values[w] = 1;
  // The left shoulder's quaternion begins at 39: right hip 16, knee 20, ankle 21, shoulder 25, elbow 29, left
  // hip 30, knee 34, ankle 35.
  for (size_t k = 0; k < changed_at.size(); ++k) values[static_cast<size_t>(changed_at[k])] = to[k];
  std::string out = "[";
  for (size_t k = 0; k < values.size(); ++k) out += (k ? ", " : "") + std::to_string(values[k]);
  return out + "]";
}

std::string file_text(const std::string& frames) {
  return "{\"Loop\": \"wrap\", \"Frames\": [" + frames + "]}";
}

Vec3 place(const Clip& clip, size_t frame, const std::string& bone) {
  return world_poses(clip, clip.frames[frame])[static_cast<size_t>(find_bone(clip, bone))].p;
}

TEST(DeepMimic, StandsFacingXWithHangingArms) {
  const ImportedClip imported = read_deepmimic(file_text(frame_text(0.03)), "a.txt");
  const Clip& clip = imported.clip;
  EXPECT_LT((place(clip, 0, "root") - Vec3(0, 0, 0.9)).norm(), 1e-9);
  EXPECT_LT((place(clip, 0, "left_ankle") - Vec3(0, 0.084887, 0.9 - 0.421546 - 0.409870)).norm(), 1e-6);
  EXPECT_GT(place(clip, 0, "left_ankle_end").x(), 0.1);
  EXPECT_LT(place(clip, 0, "right_wrist").y(), -0.15);
  EXPECT_LT(place(clip, 0, "right_wrist").z(), place(clip, 0, "right_shoulder").z() - 0.5);
  EXPECT_FALSE(clip.rest_is_t_pose);
}

TEST(DeepMimic, KneesBendBackwardsAndElbowsForwards) {
  const Clip clip =
      read_deepmimic(file_text(frame_text(0.03, {20, 34, 29, 43}, {-1, -1, 1, 1})), "a.txt").clip;
  for (const char* side : {"left", "right"}) {
    EXPECT_LT(place(clip, 0, std::string(side) + "_ankle").x(),
              place(clip, 0, std::string(side) + "_knee").x() - 0.3);
    EXPECT_GT(place(clip, 0, std::string(side) + "_wrist").x(),
              place(clip, 0, std::string(side) + "_elbow").x() + 0.2);
  }
}

TEST(DeepMimic, EveryPartThatThereIsIsFound) {
  const Clip clip = read_deepmimic(file_text(frame_text(0.03)), "a.txt").clip;
  const SkeletonParts parts = find_parts(clip);
  for (const Part p : {Part::kPelvis, Part::kThorax, Part::kNeck, Part::kLeftThigh, Part::kRightShin,
                       Part::kLeftFoot, Part::kRightUpperArm, Part::kLeftLowerArm, Part::kRightHand})
    EXPECT_GE(parts[p], 0) << part_name(p);
}

TEST(DeepMimic, UnevenDurationsAreResampledAtTheTimesTheySay) {
  // The root moves along X with unit speed: 0, 0.02, 0.06, 0.08, 0.10 s.
  std::string frames;
  double x = 0;
  for (const double d : {0.02, 0.04, 0.02, 0.02, 0.02}) {
    frames += (frames.empty() ? "" : ",") + frame_text(d, {1}, {x});
    x += d;
  }
  const ImportedClip imported = read_deepmimic(file_text(frames), "a.txt");
  ASSERT_EQ(imported.clip.frames.size(), 6u);
  EXPECT_NEAR(imported.clip.frame_time_s, 0.02, 1e-9);
  for (size_t f = 0; f < 6; ++f)
    EXPECT_NEAR(imported.clip.frames[f][0].p.x(), 0.02 * static_cast<double>(f), 1e-9);
}

TEST(DeepMimic, MistakesAreToldInASentenceThatNamesTheFile) {
  for (const std::string& text :
       {std::string(""), std::string("{"), std::string("[]"), std::string("{}"),
        std::string("{\"Frames\": 3}"), file_text(""), file_text("[1, 2]"), file_text("\"x\""),
        file_text(frame_text(-1)), file_text(frame_text(0.03, {4}, {9})),
        file_text(frame_text(0.03, {16}, {0})), std::string("{\"Frames\": [[1e999]]}")}) {
    try {
      read_deepmimic(text, "a.txt");
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()).find("a.txt"), 0u);
    }
  }
  try {
    read_deepmimic("{\n\"Frames\":\n[oops]}", "a.txt");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find("a.txt:3:"), 0u) << e.what();
  }
}

}  // namespace
}  // namespace sinew
