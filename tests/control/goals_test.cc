// Motions that are made up on the fly.
#include "control/goals.h"

#include <gtest/gtest.h>

#include "sim/scenes.h"

namespace sinew {
namespace {

// A goal whose velocity is the rate of its coordinates.
void expect_consistent(const Character& character, const Goals& goals, double time_s) {
  const double h = 1e-5;
  const VecX rate = difference(character, goals(time_s - h).q, goals(time_s + h).q) / (2 * h);
  EXPECT_LT((rate - goals(time_s).v).cwiseAbs().maxCoeff(), 2e-3) << time_s;
}

VecX turned(const Character& character, double angle) {
  VecX dq = VecX::Zero(character.nv());
  for (int i = 6; i < character.nv(); ++i) dq[i] = angle;
  return integrate(character, character.q_rest, dq);
}

TEST(Goals, GoFromPoseToPoseAndRestInEach) {
  const Character character = scenes::shipped("human45");
  const Goals goals = through_poses(character, {{0.5, turned(character, 0)}, {1.5, turned(character, 0.2)}});
  EXPECT_EQ(goals(0).q, turned(character, 0));
  EXPECT_EQ(goals(2).q, turned(character, 0.2));
  for (const double time_s : {0.0, 0.5, 1.5, 2.0}) EXPECT_LT(goals(time_s).v.norm(), 1e-9) << time_s;
  for (const double time_s : {0.6, 1.0, 1.3}) expect_consistent(character, goals, time_s);
  EXPECT_LT(difference(character, goals(1).q, turned(character, 0.1)).norm(), 1e-9);
}

TEST(Goals, ATransitionGoesOnFromWhereTheFirstMotionIs) {
  const Character character = scenes::shipped("human45");
  // The second motion stands elsewhere and faces another way.
  VecX elsewhere = moved(turned(character, 0.1), Pose{Vec3(3, -2, 0), exp_map(Vec3(0, 0, 2))});
  const Goals first = through_poses(character, {{0, turned(character, 0)}, {2, turned(character, 0.2)}});
  const Goals goals = transition(character, first, through_poses(character, {{0, elsewhere}}), 1, 0.4);
  EXPECT_EQ(goals(0.9).q, first(0.9).q);
  const VecX end = goals(5).q;
  EXPECT_LT((end - moved(turned(character, 0.1), Pose{})).norm(), 1e-9);
  for (const double time_s : {0.5, 1.1, 1.2, 1.3}) expect_consistent(character, goals, time_s);

  // Nothing jumps.
  for (const double time_s : {1.0, 1.4})
    EXPECT_LT(difference(character, goals(time_s - 1e-4).q, goals(time_s + 1e-4).q).norm(), 1e-3) << time_s;
}

TEST(Goals, ALiveGoalIsWhereItWasSet) {
  const Character character = scenes::shipped("human45");
  LiveGoal live(character, character.q_rest);
  const Goals goals = live.goals();
  EXPECT_EQ(goals(1).q, character.q_rest);
  live.set(turned(character, 0.3));
  EXPECT_EQ(goals(1).q, turned(character, 0.3));
  ASSERT_EQ(goals(1).v.size(), character.nv());
  EXPECT_EQ(goals(1).v.norm(), 0);
}

}  // namespace
}  // namespace sinew
