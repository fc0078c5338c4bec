#include "character/write_mjcf.h"

#include <gtest/gtest.h>

#include "character/library.h"
#include "character/mjcf.h"

namespace sinew {
namespace {

const std::string kSource = SINEW_SOURCE_DIR;

class WriteMjcf : public testing::TestWithParam<const char*> {};

// What is written and read again is the same character, number by number.
TEST_P(WriteMjcf, ReadsBackTheSame) {
  const Character a = load_character_file(kSource + "/" + GetParam());
  const Character b = read_mjcf(write_mjcf(a), a.name);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (size_t i = 0; i < a.bodies.size(); ++i) {
    const Body &x = a.bodies[i], &y = b.bodies[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.part, y.part);
    EXPECT_EQ(x.parent, y.parent);
    EXPECT_EQ(x.mass_kg, y.mass_kg);
    EXPECT_LT((x.p_BC - y.p_BC).norm(), 1e-14);
    EXPECT_LT((x.I_C - y.I_C).norm(), 1e-12 * x.I_C.norm());
    EXPECT_LT((x.X_PB.p - y.X_PB.p).norm(), 1e-14);
  }
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (size_t i = 0; i < a.joints.size(); ++i) {
    const Joint &x = a.joints[i], &y = b.joints[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.type, y.type);
    if (x.type == JointType::kFree) continue;
    EXPECT_EQ(x.limited, y.limited) << x.name;
    const int axes = x.v_size();
    EXPECT_LT((x.lower - y.lower).head(axes).norm(), 1e-12) << x.name;
    EXPECT_LT((x.upper - y.upper).head(axes).norm(), 1e-12) << x.name;
    EXPECT_EQ(x.kp.head(axes), y.kp.head(axes)) << x.name;
    EXPECT_EQ(x.kd.head(axes), y.kd.head(axes)) << x.name;
    EXPECT_EQ(x.torque_limit.head(axes), y.torque_limit.head(axes)) << x.name;
    EXPECT_EQ(x.window.head(axes), y.window.head(axes)) << x.name;
    EXPECT_EQ(x.contact_scale, y.contact_scale);
    EXPECT_EQ(x.armature, y.armature);
    EXPECT_EQ(x.damping, y.damping);
    EXPECT_EQ(x.stiffness, y.stiffness);
    EXPECT_LT((x.p_BJ - y.p_BJ).norm(), 1e-14);
  }
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (size_t i = 0; i < a.shapes.size(); ++i) {
    const Shape &x = a.shapes[i], &y = b.shapes[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.body, y.body);
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(x.collides, y.collides);
    EXPECT_EQ(x.friction, y.friction);
    // A mesh may come back in another frame; its farthest points are where they were.
    for (const Vec3& d : {Vec3(1, 0.2, 0.1), Vec3(-0.3, 1, -0.2), Vec3(0.1, -0.4, -1)})
      EXPECT_LT((support(x, {}, d) - support(y, {}, d)).norm(), 1e-6) << x.name;
  }
  EXPECT_EQ(a.excluded, b.excluded);
  EXPECT_EQ(a.contact_points.size(), b.contact_points.size());
  EXPECT_LT((a.q_rest - b.q_rest).norm(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Characters, WriteMjcf,
                         testing::Values("assets/characters/human50.xml", "assets/characters/human57.xml",
                                         "assets/characters/human45.xml", "assets/characters/biped18.xml",
                                         "assets/characters/robot35.xml", "assets/characters/cheetah.xml",
                                         "tests/data/foreign_humanoid.xml"));

}  // namespace
}  // namespace sinew
