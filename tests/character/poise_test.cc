// Bodies above what carries them, and legs that pass each other.
#include "character/poise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "character/leg_room.h"
#include "sim/scenes.h"

namespace sinew {
namespace {

constexpr double kFrame_s = 1.0 / 60;

double largest(const std::vector<Vec3>& moved) {
  double out = 0;
  for (const Vec3& d : moved) out = std::max(out, d.norm());
  return out;
}

// A stance whose root is moved as a function of time.
std::vector<VecX> stance(const Character& c, int frames, const std::function<Vec3(double)>& moved) {
  std::vector<VecX> q(static_cast<size_t>(frames), c.q_rest);
  for (int f = 0; f < frames; ++f) q[static_cast<size_t>(f)].head<3>() += moved(f * kFrame_s);
  return q;
}

TEST(Poise, WhoStandsStillStaysWhereHeIs) {
  const Character c = scenes::shipped("human50");
  const auto q = stance(c, 120, [](double) { return Vec3::Zero(); });
  EXPECT_LT(largest(find_poise(c, q, std::vector<char>(q.size(), 1), kFrame_s)), 1e-6);
}

TEST(Poise, AJerkThatNoGroundCouldGiveIsTakenOut) {
  const Character c = scenes::shipped("human50");
  // Sideways by 2 cm at 4 Hz: 12 m/s^2, a zero-moment point a metre away.
  const auto q = stance(c, 180, [](double t) { return Vec3(0, 0.02 * std::sin(2 * kPi * 4 * t), 0); });
  const std::vector<Vec3> moved = find_poise(c, q, std::vector<char>(q.size(), 1), kFrame_s);
  double before = 0, after = 0;
  for (size_t f = 30; f < 150; ++f) {
    before += std::pow(q[f][1], 2);
    after += std::pow(q[f][1] + moved[f].y(), 2);
  }
  EXPECT_LT(std::sqrt(after), 0.5 * std::sqrt(before));
}

TEST(Poise, OnHigherGroundAsOnTheFloor) {
  const Character c = scenes::shipped("human50");
  const auto swaying = [](double z) {
    return [z](double t) { return Vec3(0, 0.02 * std::sin(2 * kPi * 4 * t), z); };
  };
  const std::vector<char> grounded(180, 1);
  const auto low = find_poise(c, stance(c, 180, swaying(0)), grounded, kFrame_s);
  const auto high =
      find_poise(c, stance(c, 180, swaying(0.7)), grounded, kFrame_s, [](double, double) { return 0.7; });
  EXPECT_GT(largest(low), 0.005);
  for (size_t f = 0; f < low.size(); ++f) EXPECT_LT((high[f] - low[f]).norm(), 2e-3) << f;
}

TEST(Poise, InFlightNothingPushes) {
  const Character c = scenes::shipped("human50");
  const auto q = stance(c, 60, [](double t) { return Vec3(0.3 * std::sin(2 * kPi * t), 0, 1.0); });
  const std::vector<Vec3> moved = find_poise(c, q, std::vector<char>(q.size(), 0), kFrame_s);
  const auto bend = [&](size_t f) {
    const auto x = [&](size_t g) { return q[g][0] + moved[g].x(); };
    return std::abs(x(f - 10) - 2 * x(f) + x(f + 10));
  };
  EXPECT_LT(bend(15), 0.7 * std::abs(q[5][0] - 2 * q[15][0] + q[25][0]));
}

TEST(LegRoom, MeasuresWhatIsMissingSideways) {
  const Character c = scenes::shipped("human50");
  const auto pairs = leg_pairs(c);
  ASSERT_FALSE(pairs.empty());
  const std::vector<Pose> X_WB = body_poses(c, c.q_rest);
  EXPECT_TRUE(find_near_legs(c, pairs, X_WB, 0.0).empty());
  // The left leg moved to the right by the distance of the hips is inside the other one.
  std::vector<Pose> inside = X_WB;
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    const Part part = c.bodies[b].part;
    if (part == Part::kLeftShin || part == Part::kLeftFoot) inside[b].p.y() -= 0.1;
  }
  const auto near = find_near_legs(c, pairs, inside, 0.01);
  ASSERT_FALSE(near.empty());
  for (const NearLegs& n : near) {
    EXPECT_GT(n.missing_m, 0);
    std::vector<Pose> parted = inside;
    // Parted by what is missing, that pair is no longer too near.
    parted[static_cast<size_t>(n.left)].p += (n.missing_m + 1e-9) * n.sideways;
    for (const NearLegs& m : find_near_legs(c, pairs, parted, 0.01))
      EXPECT_FALSE(m.left == n.left && m.right == n.right && (m.p_right - n.p_right).norm() < 1e-9 &&
                   m.missing_m > 1e-3);
  }
}

TEST(LegRoom, ABipedInThePlaneHasNone) { EXPECT_TRUE(leg_pairs(scenes::shipped("biped18")).empty()); }

}  // namespace
}  // namespace sinew
