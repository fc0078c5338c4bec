#include "character/onto_source.h"

#include <gtest/gtest.h>

#include <cmath>

#include "character/library.h"
#include "character/performance.h"
#include "motion/load.h"
#include "motion/skeleton_parts.h"

namespace sinew {
namespace {

const std::string kAssets = SINEW_SOURCE_DIR "/assets/";

struct Difference {
  double turn_rad = 0;  // rms over frames and bones that play a part
  double ankle_m = 0;   // largest distance between ankles
};

Difference compare(const Clip& carried, const Clip& clip) {
  const SkeletonParts parts = find_parts(clip);
  Difference d;
  int n = 0;
  for (size_t f = 0; f < carried.frames.size(); ++f) {
    const auto a = world_poses(carried, carried.frames[f]);
    const auto b = world_poses_at(clip, static_cast<double>(f) * carried.frame_time_s);
    for (const int bone : parts.bone) {
      if (bone < 0) continue;
      d.turn_rad +=
          std::pow(angle_between(a[static_cast<size_t>(bone)].q, b[static_cast<size_t>(bone)].q), 2);
      ++n;
    }
    for (const Part foot : {Part::kLeftFoot, Part::kRightFoot}) {
      const auto ankle = static_cast<size_t>(parts[foot]);
      d.ankle_m = std::max(d.ankle_m, (a[ankle].p - b[ankle].p).norm());
    }
  }
  d.turn_rad = std::sqrt(d.turn_rad / n);
  return d;
}

TEST(OntoSource, GivesThePerformanceBackWhereNothingWasChanged) {
  const Clip clip = load_clip(kAssets + "motions/walk.json").clip;
  for (const char* name : {"human50", "human57", "robot35"}) {
    const Character character = load_character(name, {kAssets + "characters"});
    RetargetOptions options;
    options.plant_feet = false;
    const Clip carried = onto_source(clip, character, retarget(clip, character, options));
    const Difference d = compare(carried, clip);
    EXPECT_LT(d.turn_rad, 0.12) << name;
    EXPECT_LT(d.ankle_m, 0.12) << name;
  }
}

TEST(OntoSource, KeepsSkeletonAndLength) {
  const Clip clip = load_clip(kAssets + "motions/jump.json").clip;
  const Character character = load_character("biped18", {kAssets + "characters"});
  const Retargeted retargeted = retarget(clip, character, {});
  const Clip carried = onto_source(clip, character, retargeted);
  ASSERT_EQ(carried.bones.size(), clip.bones.size());
  EXPECT_EQ(carried.frames.size(), retargeted.reference.q.size());
  for (const Frame& frame : carried.frames)
    for (const Pose& X : frame) ASSERT_TRUE(X.p.allFinite() && X.q.coeffs().allFinite());
}

}  // namespace
}  // namespace sinew
