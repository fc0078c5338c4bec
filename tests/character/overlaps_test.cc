#include "character/overlaps.h"

#include <gtest/gtest.h>

#include "sim/scenes.h"

namespace sinew {
namespace {

TEST(Overlaps, AHandInTheChestIsFoundAndAnOpenStanceIsNot) {
  const Character character = scenes::shipped("human45");
  Reference still;
  still.frame_time_s = 0.1;
  still.q = {character.q_rest};
  EXPECT_TRUE(overlapping_bodies(character, still).empty());

  // The left arm sideways and folded: the hand comes back into the chest.
  VecX folded = character.q_rest;
  for (const Joint& joint : character.joints) {
    if (joint.name == "left_shoulder") folded.segment<4>(joint.q) << 1, 0, 0, 0;
    if (joint.name == "left_elbow") folded.segment<4>(joint.q) << 0, 0, 0, 1;
  }
  still.q.push_back(folded);
  const auto pairs = overlapping_bodies(character, still);
  EXPECT_FALSE(pairs.empty());
  for (const auto& [a, b] : pairs) {
    EXPECT_LT(a, b);
    EXPECT_EQ(character.bodies[static_cast<size_t>(b)].name, "left_lower_arm");
  }

  // What is excluded already is not told again.
  Character excluded = character;
  excluded.excluded.insert(excluded.excluded.end(), pairs.begin(), pairs.end());
  EXPECT_TRUE(overlapping_bodies(excluded, still).empty());
}

}  // namespace
}  // namespace sinew
