#include "rollout/terrain.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "character/library.h"
#include "character/plants.h"
#include "character/retarget.h"
#include "core/smooth.h"
#include "motion/library.h"
#include "motion/load.h"
#include "rollout/placement.h"
#include "world/library.h"

namespace sinew {
namespace {

constexpr const char* kSource = SINEW_SOURCE_DIR;

Character load(const std::string& name) {
  return load_character(name, {std::string(kSource) + "/assets/characters"});
}

// A motion of the library, on a character, at the origin of a world.
Reference place(const Character& character, const std::string& clip,
                const World& world = make_world("flat")) {
  const MotionEntry entry =
      find_motion(clip, standard_motion_folders(std::string(kSource) + "/assets/motions"));
  Clip motion = load_clip(entry.file).clip;
  if (entry.to_s > 0) motion = cut(motion, entry.from_s, entry.to_s);
  return at_origin(character, retarget(motion, character).reference, world, 0);
}

// Whether a real clip can be had; a missing one fails the test where motions are required.
bool have(const std::string& clip) {
  try {
    find_motion(clip, standard_motion_folders(std::string(kSource) + "/assets/motions"));
    return true;
  } catch (const std::exception&) {
    const char* required = std::getenv("SINEW_REQUIRE_MOTIONS");
    if (required && std::string(required) == "1") ADD_FAILURE() << clip << " is missing from SINEW_MOTIONS";
    return false;
  }
}

void expect_same(const Reference& a, const Reference& b) {
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.a, b.a);
  EXPECT_EQ(a.point_contact, b.point_contact);
  EXPECT_EQ(a.body_contact, b.body_contact);
  EXPECT_EQ(a.cyclic, b.cyclic);
}

// How far the lowest point of each shape is above the ground at one frame; the least of all.
double clearance(const Character& character, const VecX& q, const GroundHeight& ground) {
  const std::vector<Pose> X_WB = body_poses(character, q);
  double least = 1e9;
  for (const Shape& shape : character.shapes)
    if (shape.collides)
      least = std::min(least, nearest_point(shape, X_WB[static_cast<size_t>(shape.body)], ground).height_m);
  return least;
}

// Nothing in the ground; what bears load is on it, or (at most a few of the sole's points) beside it.
void expect_on_the_ground(const Character& character, const Reference& reference, const World& world) {
  const GroundHeight ground = reference_ground(world);
  const auto track = contact_point_tracks(character, reference.q);
  int bears = 0, off = 0;
  for (size_t f = 0; f < reference.q.size(); ++f) {
    ASSERT_GT(clearance(character, reference.q[f], ground), -0.01) << world.name << " frame " << f;
    for (size_t k = 0; k < character.contact_points.size(); ++k) {
      if (!reference.point_contact[f][k]) continue;
      const Vec3& p = track[f][k];
      const double height = p.z() - character.contact_points[k].radius_m - ground(p.x(), p.y());
      EXPECT_GT(height, -0.01) << world.name << " frame " << f << " " << character.contact_points[k].name;
      ++bears;
      off += height > 0.03;
    }
  }
  EXPECT_GT(bears, 100) << world.name;
  EXPECT_TRUE(off == 0 || world.name.starts_with("beam")) << world.name << ": " << off;
}

TEST(Terrain, WhereTheGroundIsLevelNothingChanges) {
  const Character character = load("human50");
  const Reference reference = place(character, "walk");
  for (const char* name :
       {"flat", "ice", "pad", "blocks", "chair:at=-3", "platform", "seesaw", "raise:at=9"}) {
    const World world = make_world(name);
    SCOPED_TRACE(name);
    expect_same(onto_world(character, reference, world, 0), reference);
  }
}

TEST(Terrain, FeetStandOnTheGroundThatIsThere) {
  for (const char* who : {"human50", "robot35"}) {
    const Character character = load(who);
    const Reference flat = place(character, "walk");
    for (const char* name :
         {"pebbles", "ramp", "raise", "slope:deg=-8", "beam:width=0.1", "beam:width=0.05"}) {
      const World world = make_world(name);
      const Reference laid = onto_world(character, flat, world, 0);
      ASSERT_EQ(laid.q.size(), flat.q.size()) << name;
      expect_on_the_ground(character, laid, world);
    }
  }
}

TEST(Terrain, OnALevelFloorElsewhereTheWholeMotionIsLifted) {
  const Character character = load("human50");
  World world = make_world("flat");
  const Reference flat = place(character, "walk", world);
  world.shapes[0].shape.X_BS.p.z() = 0.7;
  const Reference laid = onto_world(character, flat, world, 0);
  double squares = 0;
  for (size_t f = 0; f < flat.q.size(); ++f) {
    EXPECT_NEAR(laid.q[f][2] - flat.q[f][2], 0.7, 0.03);
    squares += difference(character, flat.q[f], laid.q[f]).tail(character.nv() - 6).squaredNorm();
  }
  EXPECT_LT(std::sqrt(squares / static_cast<double>(flat.q.size()) / (character.nv() - 6)), 0.04);
}

TEST(Terrain, OnABeamTheSolesAreOverIt) {
  const Character character = load("human50");
  const World world = make_world("beam:width=0.05,at=0");
  const Reference laid = onto_world(character, place(character, "walk", world), world, 0);
  const auto track = contact_point_tracks(character, laid.q);
  for (size_t f = 0; f < laid.q.size(); ++f)
    for (const ContactGroup& group : contact_groups(character)) {
      Vec3 middle = Vec3::Zero();
      int bears = 0;
      for (const size_t k : group.points) bears += laid.point_contact[f][k], middle += track[f][k];
      if (bears < static_cast<int>(group.points.size())) continue;
      EXPECT_LT(std::abs(middle.y()) / static_cast<double>(group.points.size()), 0.025) << "frame " << f;
    }

  // No foot goes through the other.
  const auto left = static_cast<size_t>(character.find(Part::kLeftFoot)),
             right = static_cast<size_t>(character.find(Part::kRightFoot));
  for (const VecX& q : laid.q) {
    const std::vector<Pose> X_WB = body_poses(character, q);
    EXPECT_GT((X_WB[left].p - X_WB[right].p).norm(), 0.09);
  }
}

TEST(Terrain, ACycleIsWrittenOut) {
  const Character character = load("human50");
  const World world = make_world("slope:deg=5");
  const MotionEntry entry =
      find_motion("walk", standard_motion_folders(std::string(kSource) + "/assets/motions"));
  RetargetOptions options;
  options.loop = true;
  const Reference cycle =
      at_origin(character, retarget(load_clip(entry.file).clip, character, options).reference, world, 0);
  ASSERT_TRUE(cycle.cyclic);
  const Reference laid = onto_world(character, cycle, world, 0, 3);
  EXPECT_FALSE(laid.cyclic);
  EXPECT_GE(laid.duration_s(), 3);
  expect_on_the_ground(character, laid, world);
  expect_same(onto_world(character, cycle, make_world("flat"), 0, 3), cycle);
}

// What comes near ground that is lower than the first, and when.
struct Landing {
  size_t frame;
  int body;
};
Landing find_landing(const Character& character, const Reference& laid, const GroundHeight& ground,
                     size_t from) {
  for (size_t f = from; f < laid.q.size(); ++f) {
    const std::vector<Pose> X_WB = body_poses(character, laid.q[f]);
    for (const Shape& shape : character.shapes) {
      const NearestPoint low = nearest_point(shape, X_WB[static_cast<size_t>(shape.body)], ground);
      if (shape.collides && low.height_m < 0.03 && ground(low.p_W.x(), low.p_W.y()) < -0.1)
        return {f, shape.body};
    }
  }
  return {laid.q.size(), 0};
}

TEST(Terrain, ARollOverAnEdgeFallsFreelyAndLandsOnItsHands) {
  if (!have("mocap:roll-forward")) GTEST_SKIP() << "needs SINEW_MOTIONS";
  for (const char* who : {"human50", "robot35"}) {
    const Character character = load(who);
    const Reference flat = place(character, "mocap:roll-forward");
    for (const double height : {0.5, 1.0}) {
      const World world = make_world("drop:height=" + std::to_string(height));
      SCOPED_TRACE(who + world.name);
      const Reference laid = onto_world(character, flat, world, 0);
      const GroundHeight ground = reference_ground(world);
      EXPECT_GT(laid.q.size(), flat.q.size());
      EXPECT_NEAR(laid.q.back()[2], flat.q.back()[2] - height, 0.02);

      // The longest time without any contact once the root is over the edge: the centre of mass falls.
      std::vector<double> z;
      for (const VecX& q : laid.q) z.push_back(centre_of_mass(character, body_poses(character, q)).z());
      size_t begin = 0, end = 0;
      for (size_t f = 0; f < laid.q.size();) {
        size_t g = f;
        const auto none = [](const std::vector<char>& on) {
          return std::none_of(on.begin(), on.end(), [](char c) { return c != 0; });
        };
        while (g < laid.q.size() && none(laid.point_contact[g]) && none(laid.body_contact[g])) ++g;
        if (g - f > end - begin && z[f] - z[g - 1] > 0.6 * height) begin = f, end = g;
        f = std::max(g, f + 1);
      }
      const Landing landing = find_landing(character, laid, ground, begin);
      end = std::min(end, landing.frame);
      ASSERT_GT(end, begin + 10);
      const double h = laid.frame_time_s;
      std::vector<double> rate;
      for (size_t f = begin + 1; f + 1 < end; ++f) rate.push_back((z[f + 1] - 2 * z[f] + z[f - 1]) / (h * h));
      EXPECT_NEAR(percentile(rate, 0.5), -9.81, 3.5);  // the legs that clear the edge weigh, too

      // Then hands or head, before back and feet.
      const Part lands = character.bodies[static_cast<size_t>(landing.body)].part;
      EXPECT_TRUE(lands == Part::kLeftHand || lands == Part::kRightHand || lands == Part::kHead)
          << character.bodies[static_cast<size_t>(landing.body)].name << " first, in flight from frame "
          << begin << " to " << end;
      for (const VecX& q : laid.q) ASSERT_GT(clearance(character, q, ground), -0.02);
    }
  }
}

TEST(Terrain, ARollGoesOverARampAndAStep) {
  if (!have("mocap:roll-forward")) GTEST_SKIP() << "needs SINEW_MOTIONS";
  const Character character = load("human50");
  const Reference flat = place(character, "mocap:roll-forward");
  for (const char* name : {"ramp", "raise"}) {
    const World world = make_world(name);
    const Reference laid = onto_world(character, flat, world, 0);
    const GroundHeight ground = reference_ground(world);
    for (const VecX& q : laid.q) ASSERT_GT(clearance(character, q, ground), -0.015) << name;
    const VecX& end = laid.q.back();
    EXPECT_NEAR(end[2] - ground(end[0], end[1]), character.q_rest[2], 0.1) << name;
    EXPECT_GT(ground(end[0], end[1]), 0.08) << name;
  }
}

}  // namespace
}  // namespace sinew
