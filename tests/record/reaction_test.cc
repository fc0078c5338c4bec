#include "record/reaction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/scenes.h"
#include "world/library.h"

namespace sinew {
namespace {

// A recording of 3 s in which the left knee is off its reference by an angle that depends on time.
template <typename Angle>
Recording knee(const Angle& angle, bool thrown) {
  Recording out;
  out.character = scenes::shipped("human45");
  out.world = make_world("flat");
  if (thrown) add_throw(out.world, parse_throw("body=left_leg,at=1,expected"));
  out.frame_time_s = 0.01;
  const int shin = out.character.find(Part::kLeftShin);
  const Joint& joint =
      out.character.joints[static_cast<size_t>(out.character.bodies[static_cast<size_t>(shin)].first_joint)];
  for (int i = 0; i <= 300; ++i) {
    RecordingFrame frame;
    frame.time_s = 0.01 * i;
    VecX turn = VecX::Zero(out.character.nv());
    turn[joint.v + 1] = angle(frame.time_s);
    frame.q_reference = out.character.q_rest;
    frame.q = integrate(out.character, out.character.q_rest, turn);
    frame.v = VecX::Zero(out.character.nv());
    out.frames.push_back(frame);
  }
  return out;
}

TEST(Reaction, IsHowFarAndHowLong) {
  const Recording calm = knee([](double) { return 0.01; }, false);
  // Turned by 0.3 rad for 0.4 s; touched again when it has long been back.
  const auto hit = [](double t) { return t > 0.995 && t < 1.405 ? 0.31 : t > 2.2 && t < 2.3 ? 0.1 : 0.01; };
  const std::vector<Reaction> found = reactions(knee(hit, true), calm);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].body, "left_leg");
  EXPECT_TRUE(found[0].expected);
  EXPECT_NEAR(found[0].peak_rad, 0.3, 1e-6);
  EXPECT_NEAR(found[0].back_after_s, 0.4, 1e-6);
}

TEST(Reaction, TheBallThatComesAgainIsAnotherHit) {
  const Recording calm = knee([](double) { return 0.01; }, false);
  // Turned for 0.2 s, and again from 0.55 s after the hit on: by the ball, or by who knows what.
  Recording hit =
      knee([](double t) { return (t > 0.995 && t < 1.205) || (t > 1.545 && t < 2) ? 0.31 : 0.01; }, true);
  EXPECT_GT(reactions(hit, calm).at(0).back_after_s, 0.9);
  const auto ball =
      std::find_if(hit.world.shapes.begin(), hit.world.shapes.end(),
                   [&](const WorldShape& shape) { return shape.shape.body == hit.world.throws[0].prop; });
  Contact touch;
  touch.world_shape = static_cast<int>(ball - hit.world.shapes.begin());
  for (const size_t i : {100, 155}) hit.frames[i].contacts = {touch};
  EXPECT_NEAR(reactions(hit, calm).at(0).back_after_s, 0.2, 1e-6);
  // Where it touched all along it never left.
  for (size_t i = 100; i < 200; i += 10) hit.frames[i].contacts = {touch};
  EXPECT_GT(reactions(hit, calm).at(0).back_after_s, 0.9);
}

TEST(Reaction, AnErrorWithinThatOfTheCalmRunIsNone) {
  const Recording calm = knee([](double) { return 0.1; }, false);
  const auto found = reactions(knee([](double t) { return t > 1 ? 0.14 : 0.1; }, true), calm);
  EXPECT_EQ(found.at(0).back_after_s, 0);
  EXPECT_NEAR(found.at(0).peak_rad, 0.04, 1e-6);
}

TEST(Reaction, ABallThatNeverCameIsLeftOut) {
  Recording recording = knee([](double) { return 0.0; }, true);
  recording.frames.resize(50);
  EXPECT_TRUE(reactions(recording, knee([](double) { return 0.0; }, false)).empty());
}

}  // namespace
}  // namespace sinew
