#include "character/rider.h"

#include <gtest/gtest.h>

#include <cmath>

#include "character/library.h"
#include "character/mjcf.h"
#include "character/scaling.h"
#include "character/transfer.h"
#include "character/write_mjcf.h"
#include "core/error.h"

namespace sinew {

namespace {

Character shipped(const std::string& name) {
  return load_character(name, {SINEW_SOURCE_DIR "/assets/characters"});
}

double stretch(const Character& c, const PointSpring& spring, const VecX& q) {
  const auto X_WB = body_poses(c, q);
  return (X_WB[static_cast<size_t>(spring.body_a)] * spring.p_AP -
          X_WB[static_cast<size_t>(spring.body_b)] * spring.p_BQ)
      .norm();
}

}  // namespace

TEST(Rider, BicycleWeighsWhatTheFigureSays) {
  const Character man = shipped("man");
  const Character mounted = mount(man, bicycle_for(man));
  EXPECT_NEAR(mounted.mass_kg() - man.mass_kg(), 3.46 + 2 * 1.117, 1e-6);
}

// Everyone of Figure 3 reaches pedals and bars wherever they are, with knees and elbows that bend the right
// way and are not at their stops.
TEST(Rider, ReachesPedalsAndBars) {
  for (const char* name : {"man", "woman", "child", "runner", "cyclist"}) {
    SCOPED_TRACE(name);
    const Character rider = shipped(name);
    BicycleSizes sizes;
    const double size = leg_length(rider) / 0.75;
    sizes.wheel_radius_m *= size;
    const Character mounted = mount(rider, bicycle_for(rider, sizes));
    for (int i = 0; i < 12; ++i) {
      VecX q = mounted.q_rest;
      seat(mounted, 2 * kPi * i / 12, 0.025 * (i - 6), q);
      for (const PointSpring& spring : mounted.springs)
        EXPECT_LT(stretch(mounted, spring, q), 0.003) << spring.name;
      for (const char* knee : {"left_knee", "right_knee"}) {
        const Joint& joint = mounted.joints[static_cast<size_t>(find_joint(mounted, knee))];
        EXPECT_GT(q[joint.q], radians(10)) << knee;
        EXPECT_LT(q[joint.q], joint.upper[0] - radians(5)) << knee;
      }
    }
  }
}

TEST(Rider, SpringsAndChainGoThroughMjcf) {
  const Character man = shipped("man");
  const Character mounted = mount(man, bicycle_for(man));
  const Character again = read_mjcf(write_mjcf(mounted), "man");
  ASSERT_EQ(again.springs.size(), mounted.springs.size());
  for (size_t i = 0; i < again.springs.size(); ++i) {
    const PointSpring &a = mounted.springs[i], &b = again.springs[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.body_a, b.body_a);
    EXPECT_EQ(a.body_b, b.body_b);
    EXPECT_EQ(a.p_AP, b.p_AP);
    EXPECT_EQ(a.p_BQ, b.p_BQ);
    EXPECT_EQ(a.stiffness, b.stiffness);
    EXPECT_EQ(a.damping, b.damping);
  }
  ASSERT_EQ(again.chains.size(), 1U);
  EXPECT_EQ(again.chains[0].joint_a, mounted.chains[0].joint_a);
  EXPECT_EQ(again.chains[0].joint_b, mounted.chains[0].joint_b);
  EXPECT_EQ(again.chains[0].ratio, mounted.chains[0].ratio);
  EXPECT_NEAR(again.q_rest[2], mounted.q_rest[2], 1e-9);
  for (size_t b = 0; b < again.bodies.size(); ++b)
    EXPECT_EQ(again.bodies[b].part, mounted.bodies[b].part) << again.bodies[b].name;
}

TEST(Rider, BadSpringsAreRefused) {
  const Character man = shipped("man");
  const std::string good = write_mjcf(mount(man, bicycle_for(man)));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_THROW(read_mjcf(changed("a=left_hand", "a=third_hand"), "man"), Error);
  EXPECT_THROW(read_mjcf(changed("a=left_hand", "left_hand"), "man"), Error);
  EXPECT_THROW(read_mjcf(changed("ratio=", "ratio=x"), "man"), Error);
  EXPECT_THROW(read_mjcf(changed("b=rear_wheel", "b=root"), "man"), Error);
}

TEST(Rider, OneWithoutHandsCannotRide) { EXPECT_THROW(bicycle_for(shipped("biped18")), Error); }

}  // namespace sinew
