#include "character/settling.h"

#include <gtest/gtest.h>

#include "character/library.h"

namespace sinew {
namespace {

constexpr double kFrame_s = 1 / 60.0;

// Sits with straight legs for half a second, rises by this speed for 0.35 s, and stays there for a second.
std::vector<VecX> thrown_up(const Character& character, double speed) {
  VecX q = character.q_rest;
  for (const Part part : {Part::kLeftThigh, Part::kRightThigh})
    for (const Joint& joint : character.joints)
      if (joint.body == character.find(part) && joint.type == JointType::kBall) {
        const Quat bent = exp_map(Vec3(0, -1.6, 0));
        q.segment<4>(joint.q) << bent.w(), bent.x(), bent.y(), bent.z();
      }
  q[2] -= lowest_point(character, body_poses(character, q));
  std::vector<VecX> motion;
  for (int f = 0; f < 110; ++f) {
    motion.push_back(q);
    motion.back()[2] += speed * std::clamp(f * kFrame_s - 0.5, 0.0, 0.35);
  }
  return motion;
}

TEST(Settling, ASeatIsNotLeftWithoutSupport) {
  const Character character = load_character("human50", {SINEW_SOURCE_DIR "/assets/characters"});
  std::vector<VecX> q = thrown_up(character, 1.0);
  settle(character, q, std::vector<char>(q.size(), 1), kFrame_s);
  for (size_t f = 0; f < 50; ++f)
    EXPECT_LT(lowest_point(character, body_poses(character, q[f])), 0.05) << f * kFrame_s;
  for (size_t f = 1; f + 1 < q.size(); ++f)
    EXPECT_LT(std::abs(q[f + 1][2] - 2 * q[f][2] + q[f - 1][2]) / (kFrame_s * kFrame_s), 60.0) << f;
}

TEST(Settling, AFlightIsLeftAlone) {
  const Character character = load_character("human50", {SINEW_SOURCE_DIR "/assets/characters"});
  std::vector<VecX> q;
  for (int f = 0; f < 60; ++f) {
    q.push_back(character.q_rest);
    const double t = std::clamp(f * kFrame_s - 0.2, 0.0, 0.6);
    q.back()[2] +=
        9.81 / 2 * t * (0.6 - t) - lowest_point(character, body_poses(character, character.q_rest));
  }
  const std::vector<char> grounded = find_grounded(character, q, kFrame_s);
  EXPECT_FALSE(grounded[30]);
  EXPECT_TRUE(grounded[5]);
  const std::vector<VecX> before = q;
  settle(character, q, grounded, kFrame_s);
  for (size_t f = 0; f < q.size(); ++f) EXPECT_NEAR(q[f][2], before[f][2], 1e-3);
}

}  // namespace
}  // namespace sinew
