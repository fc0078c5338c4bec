#include "character/footing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "character/library.h"
#include "character/retarget.h"
#include "motion/load.h"

namespace sinew {
namespace {

const Character& human() {
  static const Character character = load_character("human50", {SINEW_SOURCE_DIR "/assets/characters"});
  return character;
}

Clip load_own(const std::string& name) {
  return load_clip(SINEW_SOURCE_DIR "/assets/motions/" + name + ".json").clip;
}

double gap(const VecX& q) { return lowest_point(human(), body_poses(human(), q)); }

// Someone who stands still, `height` above the floor.
struct Standing {
  static constexpr double kFrame_s = 1 / 60.0;
  std::vector<VecX> q;
  Plants plants;
  std::vector<PerPart<Vec3>> end_offset;

  explicit Standing(double height) {
    VecX rest = human().q_rest;
    rest[2] += height;
    q.assign(40, rest);
    plants.bears.assign(q.size(), std::vector<char>(human().contact_points.size(), 0));
    plants.target.assign(q.size(), std::vector<Vec3>(human().contact_points.size(), Vec3::Zero()));
    // Free feet and hands have no place of their own.
    PerPart<Vec3> nowhere;
    nowhere.fill(Vec3::Constant(std::nan("")));
    end_offset.assign(q.size(), nowhere);
  }
  std::vector<VecX> fitted(char grounded, const FootingOptions& options = {}) {
    return fit_footing(human(), q, plants, end_offset, std::vector<char>(q.size(), grounded), kFrame_s,
                       options);
  }
};

TEST(Footing, ABodyOffTheFloorIsDrawnDownOnlyWhereItIsGrounded) {
  const double height = 0.06;
  Standing standing(height);
  const std::vector<VecX> flying = standing.fitted(0), grounded = standing.fitted(1);
  for (size_t f = 0; f < standing.q.size(); ++f) {
    EXPECT_NEAR(gap(flying[f]), height, 0.005) << f;
    EXPECT_LT(gap(grounded[f]), 0.5 * height) << f;
    EXPECT_GT(gap(grounded[f]), -0.01) << f;
  }
}

TEST(Footing, ACorrectionIsSmooth) {
  // Grounded in the second half alone: the body comes down without a jerk.
  Standing standing(0.06);
  std::vector<char> grounded(standing.q.size(), 0);
  std::fill(grounded.begin() + 20, grounded.end(), char{1});
  const std::vector<VecX> q =
      fit_footing(human(), standing.q, standing.plants, standing.end_offset, grounded, Standing::kFrame_s);
  EXPECT_LT(gap(q.back()), gap(q.front()));
  for (size_t f = 2; f < q.size(); ++f)
    EXPECT_LT(std::abs(q[f][2] - 2 * q[f - 1][2] + q[f - 2][2]) / std::pow(Standing::kFrame_s, 2), 5) << f;
}

// A motion of people on the ground that floats in the middle without falling.
TEST(Footing, AMotionThatFloatsIsDrawnToTheFloorAndAJumpIsNot) {
  Clip floating = load_own("punch");
  const double seconds = floating.duration_s();
  for (size_t f = 0; f < floating.frames.size(); ++f) {
    const double t = static_cast<double>(f) * floating.frame_time_s;
    floating.frames[f][0].p.z() += 0.05 * std::pow(std::sin(kPi * t / seconds), 2);
  }
  const Reference settled = retarget(floating, human()).reference;
  double highest = 0;
  for (const VecX& q : settled.q) highest = std::max(highest, gap(q));
  EXPECT_LT(highest, 0.02);

  // A jump leaves the floor as high with its flight as the performer does.
  const Clip clip = load_own("jump");
  const Retargeted jump = retarget(clip, human());
  const Reference raw = retarget(clip, human(), {.plant_feet = false}).reference;
  double jumped = 0, performed = 0;
  for (const VecX& q : jump.reference.q) jumped = std::max(jumped, gap(q));
  for (const VecX& q : raw.q) performed = std::max(performed, gap(q));
  EXPECT_GT(jumped, 0.1);
  EXPECT_NEAR(jumped, performed, 0.05);
}

// Height of the sole of a foot, and how fast its ankle goes over the ground.
struct Foot {
  double sole_m = 0, speed_m_s = 0;
  bool stands = false;
};
std::vector<Foot> foot_track(const Reference& reference, Part foot, Part toes) {
  const int body = human().find(foot), front = human().find(toes);
  std::vector<Foot> out;
  Vec3 before = Vec3::Zero();
  for (size_t f = 0; f < reference.q.size(); ++f) {
    const std::vector<Pose> X_WB = body_poses(human(), reference.q[f]);
    Foot at;
    at.sole_m = 1;
    for (const Shape& shape : human().shapes)
      if (shape.collides && (shape.body == body || shape.body == front))
        at.sole_m =
            std::min(at.sole_m, support(shape, X_WB[static_cast<size_t>(shape.body)], -Vec3::UnitZ()).z());
    const Vec3 p = X_WB[static_cast<size_t>(body)].p;
    if (f > 0) at.speed_m_s = (p - before).head<2>().norm() / reference.frame_time_s;
    before = p;
    for (size_t k = 0; k < human().contact_points.size(); ++k)
      if (const int b = human().contact_points[k].body; b == body || b == front)
        at.stands = at.stands || reference.point_contact[f][k];
    out.push_back(at);
  }
  return out;
}

TEST(Footing, SwingingFeetClearTheFloor) {
  // In the middle of its swing a foot is fast; there the sole keeps most of what is asked for.
  const double clearance = 0.06;
  const Clip clip = load_own("walk");
  const Reference plain = retarget(clip, human()).reference;
  const Reference clear = retarget(clip, human(), {.clearance_m = clearance}).reference;
  double lowest_plain = 1, lowest_clear = 1;
  int swings = 0;
  for (const auto& [foot, toes] :
       {std::pair{Part::kLeftFoot, Part::kLeftToes}, std::pair{Part::kRightFoot, Part::kRightToes}}) {
    const std::vector<Foot> a = foot_track(plain, foot, toes), b = foot_track(clear, foot, toes);
    ASSERT_EQ(a.size(), b.size());
    for (size_t f = 12; f + 12 < a.size(); ++f) {
      // 0.2 s away from standing, on both sides.
      const bool swinging = a[f].speed_m_s > 1.2 && std::none_of(a.begin() + static_cast<long>(f) - 12,
                                                                 a.begin() + static_cast<long>(f) + 13,
                                                                 [](const Foot& at) { return at.stands; });
      if (swinging) {
        ++swings;
        lowest_plain = std::min(lowest_plain, a[f].sole_m);
        lowest_clear = std::min(lowest_clear, b[f].sole_m);
      }
      // What stands stays on the floor.
      if (a[f].stands && b[f].stands) {
        EXPECT_LT(b[f].sole_m, 0.02) << f;
      }
    }
  }
  ASSERT_GT(swings, 0);
  EXPECT_LT(lowest_plain, 0.5 * clearance) << "or nothing had to be lifted";
  EXPECT_GT(lowest_clear, 0.7 * clearance);
}

}  // namespace
}  // namespace sinew
