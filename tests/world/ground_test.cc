// Heights of the ground and lifts out of it against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "character/mjcf.h"
#include "character/retarget.h"
#include "motion/load.h"
#include "world/convex.h"
#include "world/height_error.h"
#include "world/library.h"

namespace sinew {
namespace {

double height(const World& world, double x, double y = 0) {
  return ground_height(world, prop_poses(world), x, y);
}

World with(ShapeType type, const Vec3& size, const Pose& X, std::vector<Vec3> vertices = {}) {
  World world;
  WorldShape surface;
  surface.shape.type = type;
  surface.shape.body = -1;
  surface.shape.size = size;
  surface.shape.X_BS = X;
  surface.shape.vertices = std::move(vertices);
  surface.ground = true;
  world.shapes.push_back(surface);
  return world;
}

std::vector<Vec3> box_corners(const Vec3& half) {
  std::vector<Vec3> out;
  for (int i = 0; i < 8; ++i)
    out.push_back(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1).cwiseProduct(half));
  return out;
}

const Character& human50() {
  static const Character kHuman = load_character_file(SINEW_SOURCE_DIR "/assets/characters/human50.xml");
  return kHuman;
}

std::vector<Pose> stance(const Vec3& moved = Vec3::Zero()) {
  VecX q = human50().q_rest;
  q.head<3>() += moved;
  return body_poses(human50(), q);
}

TEST(GroundHeight, IsZeroWhereThereIsNone) {
  EXPECT_EQ(height(World(), 1, 2), 0);
  EXPECT_EQ(height(with(ShapeType::kSphere, Vec3(1, 0, 0), {Vec3(0, 0, 5), Quat::Identity()}), 2, 0), 0);
}

TEST(HeightError, IsCountedFromTheGroundOrAcrossAnEdgeInTheWorld) {
  // Drifted along a slope, and 3 cm too high.
  const World slope = make_world("slope:deg=10");
  const double rise = std::tan(radians(10));
  const auto error = [](const World& world, const Vec3& p, const Vec3& wanted) {
    return height_error(world, prop_poses(world), p, wanted);
  };
  EXPECT_NEAR(error(slope, Vec3(2, 0, 2 * rise + 0.13), Vec3(1, 0.4, rise + 0.1)), 0.03, 1e-12);

  // At a drop: still up there as the reference is, which is past the edge already; landed 30 cm too far;
  // and standing 20 cm too low, far from the edge.
  const World drop = make_world("drop:height=0.5,at=1");
  EXPECT_NEAR(error(drop, Vec3(0.9, 0, 0.95), Vec3(1.1, 0, 0.9)), 0.05, 1e-12);
  EXPECT_NEAR(error(drop, Vec3(2.3, 0, 0.4), Vec3(2, 0, 0.4)), 0, 1e-12);
  EXPECT_NEAR(error(drop, Vec3(3, 0, 0.2), Vec3(0, 0, 0.9)), -0.2, 1e-12);
}

TEST(HeightError, OnThingsThatMoveTheReferenceIsOnTheFloor) {
  const World seesaw = make_world("seesaw");
  const double plank = height(seesaw, 2);
  ASSERT_GT(plank, 0.01);
  EXPECT_NEAR(height_error(seesaw, prop_poses(seesaw), Vec3(2, 0, plank + 0.9), Vec3(2, 0, 0.9)), 0, 1e-12);
}

TEST(GroundHeight, OfASlopeIsItsTangent) {
  for (const double deg : {-30.0, -5.0, 0.0, 12.0, 30.0}) {
    const World world = make_world("slope:deg=" + std::to_string(deg));
    for (const double x : {-1.0, 0.0, 2.5})
      EXPECT_NEAR(height(world, x, 0.7), x * std::tan(radians(deg)), 1e-12);
  }
}

TEST(GroundHeight, OfRoundShapes) {
  const Pose X{Vec3(1, 2, 3), exp_map(Vec3(0, 0, 0.3))};
  EXPECT_NEAR(height(with(ShapeType::kSphere, Vec3(0.5, 0, 0), X), 1.3, 2), 3.4, 1e-12);
  // An ellipsoid turned about the vertical alone, above its centre and beside it.
  EXPECT_NEAR(height(with(ShapeType::kEllipsoid, Vec3(0.5, 0.4, 0.2), X), 1, 2), 3.2, 1e-12);
  const double u = 0.25 * std::cos(0.3) / 0.5, v = 0.25 * std::sin(0.3) / 0.4;
  EXPECT_NEAR(height(with(ShapeType::kEllipsoid, Vec3(0.5, 0.4, 0.2), X), 1.25, 2),
              3 + 0.2 * std::sqrt(1 - u * u - v * v), 1e-12);
  // Lying along X: on the side, and on the round end of a capsule, where a cylinder has nothing.
  const Pose lying{Vec3(0, 0, 1), exp_map(Vec3(0, kPi / 2, 0))};
  EXPECT_NEAR(height(with(ShapeType::kCylinder, Vec3(0.3, 1, 0), lying), 0.9, 0.18), 1.24, 1e-12);
  EXPECT_NEAR(height(with(ShapeType::kCapsule, Vec3(0.3, 1, 0), lying), 0.9, 0.18), 1.24, 1e-12);
  EXPECT_NEAR(height(with(ShapeType::kCapsule, Vec3(0.3, 1, 0), lying), 1.18, 0), 1.24, 1e-12);
  EXPECT_EQ(height(with(ShapeType::kCylinder, Vec3(0.3, 1, 0), lying), 1.18, 0), 0);
}

TEST(GroundHeight, OfATiltedBoxAndOfItsHullAgree) {
  const Vec3 half(0.5, 0.3, 0.2);
  const Pose X{Vec3(0.1, -0.2, 1), exp_map(Vec3(0.4, -0.7, 0.2))};
  const World box = with(ShapeType::kBox, half, X);
  const World hull = with(ShapeType::kMesh, Vec3::Zero(), X, box_corners(half));
  int hits = 0;
  for (double x = -1; x <= 1; x += 0.07)
    for (double y = -1; y <= 1; y += 0.07) {
      EXPECT_NEAR(height(hull, x, y), height(box, x, y), 1e-6) << x << " " << y;
      hits += height(box, x, y) != 0;
    }
  EXPECT_GT(hits, 30);
}

TEST(GroundHeight, TakesTheHighestAndFollowsProps) {
  World world = make_world("seesaw:at=1,deg=5");
  std::vector<Pose> X_WP = prop_poses(world);
  EXPECT_NEAR(height(world, 0.5), 0, 1e-12);
  EXPECT_LT(height(world, 1.02), 0.031);
  const double up = height(world, 3.5);
  EXPECT_GT(up, 0.1);
  // Tipped over, the far end is as low as the near end was high.
  const Prop& plank = world.props[0];
  const Vec3 anchor = plank.X_WP * plank.p_PJ;
  X_WP[0].q = plank.X_WP.q * exp_map(plank.upper * plank.axis_P);
  X_WP[0].p = anchor - X_WP[0].q * plank.p_PJ;
  EXPECT_LT(ground_height(world, X_WP, 3.5, 0), 0.1);
  EXPECT_GT(ground_height(world, X_WP, 1.2, 0), 0.15);
}

TEST(GroundHeight, OfTheNamedWorlds) {
  EXPECT_NEAR(height(make_world("ramp:deg=20,at=1.5"), 1.4), 0, 1e-12);
  EXPECT_NEAR(height(make_world("ramp:deg=20,at=1.5"), 4.5), 3 * std::tan(radians(20)), 1e-12);
  EXPECT_NEAR(height(make_world("raise:height=0.2,at=2"), 1.99), 0, 1e-12);
  EXPECT_NEAR(height(make_world("raise:height=0.2,at=2"), 2.01), 0.2, 1e-12);
  EXPECT_NEAR(height(make_world("drop:height=0.4,at=2"), 1.99), 0, 1e-12);
  EXPECT_NEAR(height(make_world("drop:height=0.4,at=2"), 2.01), -0.4, 1e-12);
  EXPECT_NEAR(height(make_world("beam:width=0.1,height=0.25"), 3, 0.049), 0, 1e-12);
  EXPECT_NEAR(height(make_world("beam:width=0.1,height=0.25"), 3, 0.051), -0.25, 1e-12);
  EXPECT_NEAR(height(make_world("platform"), 0), 0, 1e-12);
}

TEST(TopAt, OfRoundSetsIsCloseToExact) {
  const Vec3 centre(0.2, 0.1, 3);
  const auto ball = [&](const Vec3& n) -> Vec3 { return centre + 0.5 * n.normalized(); };
  for (const double x : {0.2, 0.4, 0.6, 0.69}) {
    const auto top = top_at(ball, x, 0.1);
    ASSERT_TRUE(top) << x;
    EXPECT_NEAR(*top, 3 + std::sqrt(0.25 - (x - 0.2) * (x - 0.2)), 1e-5) << x;
  }
  EXPECT_FALSE(top_at(ball, 0.71, 0.1));
}

TEST(LiftOut, PutsTheCharacterOntoTheFloor) {
  const World flat = make_world("flat");
  EXPECT_NEAR(lift_out(flat, human50(), stance()), 0, 1e-9);
  EXPECT_NEAR(lift_out(flat, human50(), stance(Vec3(3, 1, 0.25))), -0.25, 1e-9);
  EXPECT_NEAR(lift_out(flat, human50(), stance(Vec3(3, 1, -0.1))), 0.1, 1e-9);
  EXPECT_EQ(lift_out(World(), human50(), stance()), 0);
}

// After the lift nothing is below any plane, and something touches.
TEST(LiftOut, OntoASlopeTouchesIt) {
  const World world = make_world("slope:deg=15");
  const double lift = lift_out(world, human50(), stance());
  const Vec3 normal(-std::sin(radians(15)), 0, std::cos(radians(15)));
  double lowest = 1;
  for (const Shape& shape : human50().shapes)
    if (shape.collides) {
      const Vec3 p = support(shape, stance()[static_cast<size_t>(shape.body)], -normal) + Vec3(0, 0, lift);
      lowest = std::min(lowest, normal.dot(p));
    }
  EXPECT_NEAR(lowest, 0, 1e-9);
}

TEST(LiftOut, OntoAStepAndDownFromIt) {
  const World raise = make_world("raise:height=0.2,at=1");
  EXPECT_NEAR(lift_out(raise, human50(), stance(Vec3(3, 0, 0))), 0.2, 1e-6);
  EXPECT_NEAR(lift_out(raise, human50(), stance()), 0, 1e-6);
  const World drop = make_world("drop:height=0.4,at=1");
  EXPECT_NEAR(lift_out(drop, human50(), stance(Vec3(3, 0, 0))), -0.4, 1e-6);
  EXPECT_NEAR(lift_out(drop, human50(), stance(Vec3(-1, 0, 0))), 0, 1e-6);
}

TEST(LiftOut, OntoAPebbleIsAtMostItsHeight) {
  const World world = make_world("pebbles:size=0.03");
  EXPECT_NEAR(lift_out(world, human50(), stance()), 0, 0.03);
  int lifted = 0;
  for (double x = 1; x < 5; x += 0.25) {
    const double lift = lift_out(world, human50(), stance(Vec3(x, 0, 0)));
    EXPECT_GE(lift, -1e-9);
    EXPECT_LE(lift, 0.03 + 1e-6);
    lifted += lift > 1e-4;
  }
  EXPECT_GE(lifted, 3);
}

// A thing that is no ground lifts a little or not at all.
TEST(LiftOut, LeavesThingsThatWouldLiftTooFar) {
  World world = make_world("flat");
  WorldShape box;
  box.shape.type = ShapeType::kBox;
  box.shape.body = -1;
  box.shape.size = Vec3(1, 1, 0.03);
  world.shapes.push_back(box);
  EXPECT_NEAR(lift_out(world, human50(), stance()), 0.03, 1e-6);
  world.shapes.back().shape.size.z() = 0.08;
  EXPECT_NEAR(lift_out(world, human50(), stance()), 0, 1e-6);
}

// The chair is made for our own motion of sitting: nothing is in the way, and what sits touches the seat.
TEST(LiftOut, SitsOnTheChair) {
  const Clip clip = load_clip(SINEW_SOURCE_DIR "/assets/motions/sit.json").clip;
  const std::vector<Pose> X_WB = body_poses(human50(), retarget(clip, human50()).reference.q.front());
  for (const std::string name : {"chair", "rocker"}) {
    EXPECT_NEAR(lift_out(make_world(name), human50(), X_WB), 0, 2e-3) << name;
    EXPECT_NEAR(lift_out(make_world(name + ":height=0.44"), human50(), X_WB), 0.0092, 2e-3) << name;
  }
}

// A ball that waits below the floor is neither ground nor in the way.
TEST(LiftOut, DoesNotSeeABallThatWaits) {
  World world = make_world("flat");
  add_throw(world, parse_throw("body=head"));
  world.props.back().X_WP.p = Vec3(0, 0, 0.02);
  world.shapes.back().ground = true;
  EXPECT_NEAR(lift_out(world, human50(), stance()), 0, 1e-9);
  EXPECT_EQ(height(world, 0), 0);
}

}  // namespace
}  // namespace sinew
