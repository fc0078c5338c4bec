#include "character/retarget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "character/dynamics.h"
#include "character/leg_room.h"
#include "character/library.h"
#include "character/performance.h"
#include "character/plants.h"
#include "character/transfer.h"
#include "core/error.h"
#include "motion/library.h"
#include "motion/load.h"

namespace sinew {
namespace {

const std::vector<std::string> kFolders = {SINEW_SOURCE_DIR "/assets/characters"};
const char* const kCharacters[] = {"human50", "human57", "biped18", "human45", "robot35"};

Clip load_motion(const std::string& name) {
  const MotionEntry entry = find_motion(name, standard_motion_folders(SINEW_SOURCE_DIR "/assets/motions"));
  return cut(load_clip(entry.file).clip, entry.from_s, entry.to_s);
}

// A real clip, or nothing when the folder with them is not there.
std::optional<Clip> load_real(const std::string& name) {
  const char* folders = std::getenv("SINEW_MOTIONS");
  if (folders && *folders) return load_motion(name);
  return std::nullopt;
}

#define REAL_CLIP_OR_SKIP(clip, name)                                                             \
  const auto clip = load_real(name);                                                              \
  if (!clip) {                                                                                    \
    if (std::getenv("SINEW_REQUIRE_MOTIONS")) FAIL() << "SINEW_MOTIONS names no folder of clips"; \
    GTEST_SKIP() << "set SINEW_MOTIONS to a folder of real clips to run this";                    \
  }

void expect_good_feet(const Retargeted& r, const std::string& what) {
  EXPECT_LT(r.report.after.foot_slide_m_s, 0.03) << what;
  EXPECT_LT(r.report.after.max_penetration_m, 0.01) << what;
}

void expect_limits_hold(const Character& character, const Reference& reference, const std::string& what) {
  for (const VecX& q : reference.q)
    for (const Joint& joint : character.joints)
      if (joint.type == JointType::kHinge && joint.limited) {
        EXPECT_GT(q[joint.q], joint.lower[0] - 1e-9) << what << " " << joint.name;
        EXPECT_LT(q[joint.q], joint.upper[0] + 1e-9) << what << " " << joint.name;
      }
}

TEST(Retarget, LegsPassEachOther) {
  REAL_CLIP_OR_SKIP(clip, "mocap:walk");
  for (const char* name : {"human50", "human57", "robot35"}) {
    const Character character = load_character(name, kFolders);
    const auto pairs = leg_pairs(character);
    for (const VecX& q : retarget(*clip, character).reference.q)
      EXPECT_TRUE(find_near_legs(character, pairs, body_poses(character, q), 0.005).empty()) << name;
  }
}

// Feet that were found to stand must stand on every character, for every motion that ships.
class OwnMotions : public testing::TestWithParam<std::string> {};

TEST_P(OwnMotions, FeetStandOnEveryCharacter) {
  const Clip clip = load_motion(GetParam());
  for (const char* name : kCharacters) {
    const Character character = load_character(name, kFolders);
    const Retargeted r = retarget(clip, character);
    expect_good_feet(r, GetParam() + " on " + name);
    expect_limits_hold(character, r.reference, GetParam() + " on " + name);
    EXPECT_EQ(r.reference.q.size(), r.source.size());
    EXPECT_NEAR(r.reference.duration_s(), clip.duration_s(), 1.0 / 60);
    for (const VecX& a : r.reference.a) ASSERT_TRUE(a.allFinite());
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, OwnMotions,
                         testing::Values("walk", "run", "march", "jump", "punch", "roll-forward",
                                         "roll-sideways", "get-up", "kip-up", "sit", "crawl"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class RealMotions : public testing::TestWithParam<std::string> {};

TEST_P(RealMotions, FeetStandAndNothingSinks) {
  REAL_CLIP_OR_SKIP(clip, "mocap:" + GetParam());
  for (const char* name : {"human50", "biped18", "robot35"}) {
    const Character character = load_character(name, kFolders);
    const Retargeted r = retarget(*clip, character);
    expect_good_feet(r, GetParam() + " on " + name);
    expect_limits_hold(character, r.reference, GetParam() + " on " + name);
    EXPECT_LT(r.report.after.foot_slide_m_s, r.report.before.foot_slide_m_s + 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Captured, RealMotions,
                         testing::Values("walk", "run", "turn", "jump-forward", "cartwheel", "roll-forward",
                                         "roll-backward", "get-up-supine"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Planting the feet must not jerk the body about: what moves the centre of mass sideways in a walk is
// friction, which gives less than a g, and on average little of it.
TEST(Retarget, AWalkAsksForNoForceThatTheGroundCannotGive) {
  REAL_CLIP_OR_SKIP(clip, "mocap:walk");
  for (const char* name : {"human50", "human57", "robot35"}) {
    const Character character = load_character(name, kFolders);
    const Reference walk = retarget(*clip, character).reference;
    std::vector<Vec3> v;
    for (size_t i = 0; i < walk.q.size(); ++i)
      v.push_back(momentum(character, walk.q[i], walk.v[i]).linear / character.mass_kg());
    double squares = 0;
    for (size_t i = 1; i + 1 < v.size(); ++i)
      squares += ((v[i + 1] - v[i - 1]) / (2 * walk.frame_time_s)).head<2>().squaredNorm();
    EXPECT_LT(std::sqrt(squares / static_cast<double>(v.size() - 2)), 5) << name << ", m/s^2";
  }
}

TEST(Retarget, LimbsPointWhereThePerformersDo) {
  REAL_CLIP_OR_SKIP(clip, "mocap:walk");
  const Character character = load_character("human50", kFolders);
  const Retargeted r = retarget(*clip, character);
  const SkeletonParts parts = find_parts(*clip);
  for (const auto& [from, to] : {std::pair{Part::kLeftThigh, Part::kLeftShin},
                                 {Part::kLeftUpperArm, Part::kLeftLowerArm},
                                 {Part::kRightLowerArm, Part::kRightHand},
                                 {Part::kRightShin, Part::kRightFoot}}) {
    double sum = 0;
    for (size_t f = 0; f < r.reference.q.size(); ++f) {
      const auto X = body_poses(character, r.reference.q[f]);
      const Vec3 ours =
          X[static_cast<size_t>(character.find(to))].p - X[static_cast<size_t>(character.find(from))].p;
      const Vec3 theirs =
          r.source[f][static_cast<size_t>(parts[to])].p - r.source[f][static_cast<size_t>(parts[from])].p;
      sum += std::acos(std::clamp(ours.normalized().dot(theirs.normalized()), -1.0, 1.0));
    }
    EXPECT_LT(degrees(sum / static_cast<double>(r.reference.q.size())), 8.0) << part_name(from);
  }
}

TEST(Retarget, AWalkHasStepsOfBothFeetAndAlwaysOneOnTheFloor) {
  const Character character = load_character("human50", kFolders);
  const Retargeted r = retarget(load_motion("walk"), character);
  int steps[2] = {0, 0};
  std::array<bool, 2> before{true, true};
  for (const auto& contact : r.reference.point_contact) {
    std::array<bool, 2> on{false, false};
    for (size_t k = 0; k < contact.size(); ++k) {
      const Part part = character.bodies[static_cast<size_t>(character.contact_points[k].body)].part;
      on[0] |= contact[k] && part == Part::kLeftFoot;
      on[1] |= contact[k] && part == Part::kRightFoot;
    }
    EXPECT_TRUE(on[0] || on[1]);
    for (size_t side = 0; side < 2; ++side) steps[side] += on[side] && !before[side];
    before = on;
  }
  EXPECT_GE(steps[0] + steps[1], 1);
}

TEST(Retarget, ALoopHasNoSeam) {
  const Character character = load_character("human50", kFolders);
  for (const char* name : {"walk", "run"}) {
    const Retargeted r = retarget(load_motion(name), character, {.loop = true});
    ASSERT_TRUE(r.reference.cyclic);
    expect_good_feet(r, std::string(name) + " looped");
    EXPECT_GT(r.reference.X_cycle.p.norm(), 0.8) << "it goes somewhere";
    // Over the seam the pose moves no more than over any other frame.
    double largest = 0;
    for (size_t f = 1; f < r.reference.q.size(); ++f)
      largest = std::max(largest,
                         difference(character, r.reference.q[f - 1], r.reference.q[f]).cwiseAbs().maxCoeff());
    const VecX next = moved(r.reference.q[0], r.reference.X_cycle);
    EXPECT_LT(difference(character, r.reference.q.back(), next).cwiseAbs().maxCoeff(), 1.2 * largest) << name;
  }
}

TEST(Retarget, AShiftedFloorAndAnotherHeadingChangeNothing) {
  const Character character = load_character("human50", kFolders);
  const Clip clip = load_motion("walk");
  Clip other = clip;
  const Pose X{Vec3(3, -2, 0.37), exp_map(Vec3(0, 0, 1.1))};
  for (Frame& frame : other.frames) frame[0] = X * frame[0];
  const Retargeted a = retarget(clip, character), b = retarget(other, character);
  EXPECT_NEAR(b.report.floor_m - a.report.floor_m, 0.37, 0.005);
  for (size_t f = 0; f < a.reference.q.size(); f += 10) {
    const VecX d = difference(character, a.reference.q[f], b.reference.q[f]);
    EXPECT_LT(d.tail(d.size() - 6).cwiseAbs().maxCoeff(), 0.02);
    EXPECT_NEAR(d[2], 0, 0.005);
  }
}

TEST(Retarget, AJumpingJointIsBridged) {
  // A hip that flips over for five frames, as when markers are swapped.
  const Character character = load_character("human50", kFolders);
  const Clip clip = load_motion("walk");
  Clip broken = clip;
  const auto thigh = static_cast<size_t>(find_parts(clip)[Part::kLeftThigh]);
  for (size_t f = 40; f < 46; ++f)
    broken.frames[f][thigh].q = broken.frames[f][thigh].q * exp_map(Vec3(0.5, 0.3, 2.8));
  const Retargeted a = retarget(clip, character), b = retarget(broken, character);
  double worst = 0;
  for (size_t f = 0; f < std::min(a.reference.q.size(), b.reference.q.size()); ++f)
    worst = std::max(worst, difference(character, a.reference.q[f], b.reference.q[f]).cwiseAbs().maxCoeff());
  EXPECT_LT(worst, 0.6);
}

TEST(Retarget, ABodyThatHoversIsLetDown) {
  // The first second of a get-up from the floor, raised by 8 cm: nobody lies in the air.
  const Character character = load_character("human50", kFolders);
  Clip clip = load_motion("get-up");
  for (size_t f = 0; f < clip.frames.size(); ++f) {
    const double t = static_cast<double>(f) * clip.frame_time_s;
    clip.frames[f][0].p.z() += 0.08 * std::clamp(2.0 - t, 0.0, 1.0);
  }
  const Retargeted r = retarget(clip, character);
  for (size_t f = 0; f < r.reference.q.size(); f += 5)
    EXPECT_LT(lowest_point(character, body_poses(character, r.reference.q[f])), 0.02) << "frame " << f;
}

TEST(Retarget, AJumpIsNotPulledDown) {
  // In flight the feet leave the floor, and the centre of mass falls freely.
  const Character character = load_character("human50", kFolders);
  const Retargeted r = retarget(load_motion("jump"), character);
  double highest = 0;
  for (const VecX& q : r.reference.q)
    highest = std::max(highest, lowest_point(character, body_poses(character, q)));
  EXPECT_GT(highest, 0.1);
}

TEST(Retarget, FeetCapturedUnderTheFloorStandOnIt) {
  // A crouch of 0.3 m whose legs were captured straight: the trunk is believed, the legs bend.
  const Character character = load_character("human50", kFolders);
  const Clip clip = load_motion("wave");
  Clip broken = clip;
  const auto crouch = [](double t) {
    return t > 0.5 && t < 1.3 ? 0.3 * std::pow(std::sin(kPi * (t - 0.5) / 0.8), 2) : 0;
  };
  for (size_t f = 0; f < clip.frames.size(); ++f)
    broken.frames[f][0].p.z() -= crouch(static_cast<double>(f) * clip.frame_time_s);
  const Retargeted a = retarget(clip, character), b = retarget(broken, character);
  expect_good_feet(b, "crouch");
  double deepest = 0, bend = 0;
  for (size_t f = 0; f < b.reference.q.size(); ++f) {
    const VecX &straight = a.reference.q[f], &bent = b.reference.q[f];
    EXPECT_LT((straight.head<2>() - bent.head<2>()).norm(), 0.08) << f;
    deepest = std::max(deepest, straight[2] - bent[2]);
    for (const Part foot : {Part::kLeftFoot, Part::kRightFoot}) {
      const auto at = static_cast<size_t>(character.find(foot));
      EXPECT_LT((body_poses(character, straight)[at].p - body_poses(character, bent)[at].p).norm(), 0.1) << f;
    }
    bend =
        std::max(bend, difference(character, straight, bent).tail(character.nv() - 6).cwiseAbs().maxCoeff());
  }
  EXPECT_NEAR(deepest, 0.3, 0.06);
  EXPECT_GT(bend, 1.0);
}

TEST(Plants, FlickersAreClosed) {
  std::vector<char> on = {1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1};
  close_flickers(on, 2, 2);
  EXPECT_EQ(on, (std::vector<char>{1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(Retarget, AClipOfOneFrameIsAPose) {
  Clip clip = load_motion("walk");
  clip.frames.resize(1);
  for (const char* name : kCharacters) {
    const Character character = load_character(name, kFolders);
    const Retargeted r = retarget(clip, character);
    ASSERT_EQ(r.reference.q.size(), 1u);
    EXPECT_TRUE(r.reference.q[0].allFinite());
    EXPECT_LT(r.report.after.max_penetration_m, 0.01);
  }
}

TEST(Retarget, ArmsThatWereNotCapturedHang) {
  Clip clip = load_motion("walk");
  const SkeletonParts parts = find_parts(clip);
  // Cut off both arms and all that hangs on them.
  std::vector<char> gone(clip.bones.size(), 0);
  for (size_t b = 0; b < gone.size(); ++b)
    gone[b] = static_cast<int>(b) == parts[Part::kLeftClavicle] ||
              static_cast<int>(b) == parts[Part::kRightClavicle] ||
              (clip.bones[b].parent >= 0 && gone[static_cast<size_t>(clip.bones[b].parent)]);
  std::vector<int> place(clip.bones.size(), -1);
  Clip armless = clip;
  armless.bones.clear();
  armless.rest.clear();
  for (Frame& frame : armless.frames) frame.clear();
  for (size_t b = 0; b < gone.size(); ++b) {
    if (gone[b]) continue;
    place[b] = static_cast<int>(armless.bones.size());
    armless.bones.push_back(clip.bones[b]);
    if (clip.bones[b].parent >= 0)
      armless.bones.back().parent = place[static_cast<size_t>(clip.bones[b].parent)];
    armless.rest.push_back(clip.rest[b]);
    for (size_t f = 0; f < clip.frames.size(); ++f) armless.frames[f].push_back(clip.frames[f][b]);
  }
  const Character character = load_character("human50", kFolders);
  const Retargeted r = retarget(armless, character);
  for (const VecX& q : r.reference.q) {
    const auto X = body_poses(character, q);
    const Vec3 arm = X[static_cast<size_t>(character.find(Part::kLeftLowerArm))].p -
                     X[static_cast<size_t>(character.find(Part::kLeftUpperArm))].p;
    ASSERT_LT(arm.normalized().z(), -0.8);
  }
}

TEST(Retarget, AForeignCharacterWorksToo) {
  const Character character = load_character(SINEW_SOURCE_DIR "/tests/data/foreign_humanoid.xml", {});
  const Retargeted r = retarget(load_motion("walk"), character);
  expect_good_feet(r, "walk on a foreign humanoid");
}

TEST(Retarget, AClipWithoutLegsIsRefusedInOneSentence) {
  Clip clip;
  clip.name = "pole";
  clip.bones = {Bone{"a", -1, {}, false, {}}, Bone{"b", 0, {Vec3(0, 0, 1), Quat::Identity()}, false, {}}};
  clip.frame_time_s = 0.1;
  clip.rest = {Pose{}, Pose{Vec3(0, 0, 1), Quat::Identity()}};
  clip.frames = {clip.rest, clip.rest};
  EXPECT_THROW(retarget(clip, load_character("human50", kFolders)), Error);
}

}  // namespace
}  // namespace sinew
