#include "character/settling.h"

#include <gtest/gtest.h>

#include "character/library.h"

namespace sinew {
namespace {

constexpr double kFrame_s = 1 / 60.0;

// Sits with straight legs.
VecX seated(const Character& character) {
  VecX q = character.q_rest;
  for (const Part part : {Part::kLeftThigh, Part::kRightThigh})
    for (const Joint& joint : character.joints)
      if (joint.body == character.find(part) && joint.type == JointType::kBall) {
        const Quat bent = exp_map(Vec3(0, -1.6, 0));
        q.segment<4>(joint.q) << bent.w(), bent.x(), bent.y(), bent.z();
      }
  q[2] -= lowest_point(character, body_poses(character, q));
  return q;
}

// Sits for half a second, rises by this speed for 0.35 s, and stays there for a second.
std::vector<VecX> thrown_up(const Character& character, double speed) {
  const VecX q = seated(character);
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

// Turns backwards on its back for a second where it is, as if on ice.
std::vector<VecX> turned_over(const Character& character) {
  std::vector<VecX> motion;
  for (int f = 0; f <= 60; ++f) {
    VecX q = seated(character);
    const Quat turned = exp_map(Vec3(0, -radians(60 + f), 0));
    q.segment<4>(3) << turned.w(), turned.x(), turned.y(), turned.z();
    q[2] -= lowest_point(character, body_poses(character, q));
    motion.push_back(q);
  }
  return motion;
}

// How far what is lowest goes along the floor until the next frame.
double slip_m(const Character& character, const std::vector<VecX>& q, size_t f) {
  const std::vector<Pose> X_WB = body_poses(character, q[f]), X_next = body_poses(character, q[f + 1]);
  Vec3 low(0, 0, 1), next = low;
  for (const Shape& shape : character.shapes) {
    const auto b = static_cast<size_t>(shape.body);
    const Vec3 p = support(shape, X_WB[b], -Vec3::UnitZ());
    if (shape.collides && p.z() < low.z()) low = p, next = X_next[b] * (X_WB[b].inverse() * p);
  }
  return (next - low).x();
}

TEST(Settling, ABackThatTurnsRollsAlong) {
  const Character character = load_character("robot35", {SINEW_SOURCE_DIR "/assets/characters"});
  std::vector<VecX> q = turned_over(character);
  Plants nobody;
  nobody.bears.assign(q.size(), std::vector<char>(character.contact_points.size(), 0));
  double before = 0, after = 0;
  for (size_t f = 0; f + 1 < q.size(); ++f) before += std::abs(slip_m(character, q, f));
  const std::vector<Vec3> way = rolled_way(character, q, nobody, kFrame_s);
  for (size_t f = 0; f < q.size(); ++f) q[f].head<3>() += way[f];
  for (size_t f = 0; f + 1 < q.size(); ++f) after += std::abs(slip_m(character, q, f));
  EXPECT_GT(before, 0.1);
  EXPECT_LT(after, 0.3 * before);
  EXPECT_LT(way.back().x(), -0.1);  // backwards
}

TEST(Settling, WhoStandsMeanwhileDoesNotRoll) {
  const Character character = load_character("robot35", {SINEW_SOURCE_DIR "/assets/characters"});
  const std::vector<VecX> q = turned_over(character);
  Plants feet;
  feet.bears.assign(q.size(), std::vector<char>(character.contact_points.size(), 1));
  for (const Vec3& p : rolled_way(character, q, feet, kFrame_s)) EXPECT_EQ(p.norm(), 0);
}

}  // namespace
}  // namespace sinew
