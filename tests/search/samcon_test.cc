#include "search/samcon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "character/library.h"
#include "character/retarget.h"
#include "core/error.h"
#include "motion/load.h"
#include "record/metrics.h"
#include "rollout/placement.h"
#include "rollout/rollout.h"
#include "sim/engines.h"
#include "world/library.h"

namespace sinew {
namespace {

const std::string kAssets = std::string(SINEW_SOURCE_DIR) + "/assets/";

const Character& human() {
  static const Character character = load_character("human50", {kAssets + "characters"});
  return character;
}

const Reference& walk() {
  static const Reference reference =
      retarget(load_clip(kAssets + "motions/walk.json").clip, human(), {.plant_feet = false}).reference;
  return reference;
}

SearchTask walking(double seconds, const std::string& engine = "mujoco", double start_s = 0) {
  SearchTask task;
  task.character = human();
  task.world = make_world("flat");
  task.start_s = start_s;
  task.reference = at_origin(task.character, walk(), task.world, start_s);
  task.seconds = seconds;
  task.start = start_state(task.character, task.reference, task.world, start_s);
  task.engine = find_engine(engine);
  task.step_s = engine == "mujoco" ? 0.004 : 0.001;
  return task;
}

constexpr SamconOptions kFew = {.samples = 24, .save = 5};

SearchHooks threads(int count) {
  SearchHooks hooks;
  hooks.executor = on_threads(count);
  return hooks;
}

void expect_equal(const OpenLoop& a, const OpenLoop& b) {
  EXPECT_EQ(a.time_s, b.time_s);
  ASSERT_EQ(a.offset.size(), b.offset.size());
  for (size_t i = 0; i < a.offset.size(); ++i) EXPECT_EQ(a.offset[i], b.offset[i]) << i;
}

// The simulation of a control from the task's beginning.
Recording replay(const SearchTask& task, const OpenLoop& control, double seconds) {
  const auto simulator = task.engine(task.character, task.world, {task.step_s});
  simulator->set_state(task.start);
  OpenLoopController controller(task.character, task.reference, control, task.start_s);
  Rollout rollout(*simulator, controller);
  rollout.run(seconds);
  rollout.advance();
  return std::move(rollout.recording());
}

TEST(Selection, LeavesOutTheDearerFortyPercent) {
  std::vector<double> cost;
  for (int i = 0; i < 10; ++i) cost.push_back((i * 7) % 10);
  const std::vector<size_t> chosen = select_samples(cost, 6);
  ASSERT_EQ(chosen.size(), 6u);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(cost[chosen[i]], static_cast<double>(i));
}

TEST(Selection, FollowsTheSixthPowerOverTheRange) {
  // 100 costs of which 0 ... 59 remain: places 59 (i/5)^6 = 0, 0.004, 0.24, 2.75, 15.5.
  std::vector<double> cost;
  for (int i = 0; i < 100; ++i) cost.push_back(99 - i);
  const std::vector<size_t> chosen = select_samples(cost, 5);
  std::vector<double> costs;
  for (const size_t s : chosen) costs.push_back(cost[s]);
  EXPECT_EQ(costs, (std::vector<double>{0, 1, 2, 3, 15}));
}

TEST(Selection, TiesAreBrokenByIndexAndWhatDivergedIsNeverKept) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(select_samples({2, 2, 2, 2, 2}, 2), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(select_samples({inf, 3, inf, inf}, 3), (std::vector<size_t>{1}));
  EXPECT_TRUE(select_samples({inf, inf}, 1).empty());
}

TEST(Cost, OfKnownErrors) {
  const Character& character = human();
  const std::vector<int> effectors = end_effectors(character);
  ASSERT_EQ(effectors.size(), 4u);
  const VecX rest = character.q_rest, still = VecX::Zero(character.nv());
  const SamconMoment reference = samcon_moment(character, effectors, rest, still);
  const double height = standing_height(character);
  const HeightError higher = [](const Vec3& p, const Vec3& wanted) { return p.z() - wanted.z(); };

  // Nowhere else: nothing. Moved as a whole: no term sees where, but height.
  VecX q = rest;
  q.head<3>() += Vec3(3, -2, 0.1);
  SamconErrors errors =
      samcon_errors(character, samcon_moment(character, effectors, q, still), reference, height, higher);
  EXPECT_NEAR(errors.pose, 0, 1e-12);
  EXPECT_NEAR(errors.root, 0, 1e-12);
  EXPECT_NEAR(errors.balance, 0, 1e-12);
  EXPECT_NEAR(errors.effectors, 0.1, 1e-12);

  // One neck turned, one of the joints turns: Eq. 2 is a mean over the joints.
  VecX dq = still, v = still;
  for (const Joint& joint : character.joints) {
    if (joint.name == "neck") dq.segment<3>(joint.v) = Vec3(0.3, 0, 0.4);
    if (joint.name == "left_knee") v[joint.v] = 2;
  }
  errors = samcon_errors(character, samcon_moment(character, effectors, integrate(character, rest, dq), v),
                         reference, height, higher);
  const auto joints = static_cast<double>(character.joints.size() - 1);
  EXPECT_NEAR(errors.pose, (0.5 + 0.1 * 2) / joints, 1e-9);

  // The root turned about the vertical and turning: Eq. 3. What is drawn about the centre of mass turns
  // along.
  dq = v = still;
  dq[5] = 0.2;
  v[3] = 3;
  errors =
      samcon_errors(character, samcon_moment(character, effectors, integrate(character, rest, dq), still),
                    reference, height, higher);
  EXPECT_NEAR(errors.root, 0.2, 1e-9);
  double turned = 0;
  for (const Vec3& p : reference.p_effector)
    turned += 2 * std::sin(0.1) * (reference.p_centre - p).head<2>().norm() / (4 * height);
  EXPECT_NEAR(errors.balance, turned, 1e-9);
  errors = samcon_errors(character, samcon_moment(character, effectors, rest, v), reference, height, higher);
  EXPECT_NEAR(errors.root, 0.1 * 3, 1e-9);

  // The whole body on its way: Eq. 5's velocity.
  v.setZero();
  v.head<3>() = Vec3(0.3, 0.4, 0);
  errors = samcon_errors(character, samcon_moment(character, effectors, rest, v), reference, height, higher);
  EXPECT_NEAR(errors.balance, 0.05, 1e-9);
  EXPECT_NEAR(samcon_cost({1, 2, 3, 4}, {}), 8 + 10 + 60 + 80, 1e-12);
}

class EngineSamcon : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, EngineSamcon, testing::Values("mujoco", "ode"));

TEST_P(EngineSamcon, TheSameAtAnyNumberOfThreadsAndReplayedByteForByte) {
  SearchTask task = walking(0.25, GetParam(), 0.2);
  task.world.pushes.push_back(parse_push("body=thorax,force=60,for=0.1,at=0.1,toward=left"));
  SamconOptions options = {.samples = 8};
  options.contact_scale = true;
  // What the search itself saw at the end: of the cheapest branch, which with one saved is the path.
  double seen_m = 0;
  options.save = 1;
  SearchHooks hooks = threads(1);
  hooks.progress = [&](const SearchReport& report, const auto&) {
    seen_m = report.root_height_m;
    return true;
  };
  const SearchResult alone = samcon(task, options, hooks);
  EXPECT_EQ(alone.lost, "");
  EXPECT_EQ(alone.reached_s, task.seconds);
  const Recording recording = replay(task, alone.control, task.seconds);
  EXPECT_EQ(recording.frames.back().q[2], seen_m);

  options.save = 4;
  const SearchResult one = samcon(task, options, threads(1)), two = samcon(task, options, threads(2));
  expect_equal(one.control, two.control);
  task.seed = 2;
  EXPECT_NE(samcon(task, options, threads(1)).control.offset.front(), one.control.offset.front());
}

TEST(Samcon, GoesOnFromACheckpointBitForBit) {
  const SearchTask task = walking(0.4);
  const SearchResult whole = samcon(task, kFew);
  Checkpoint saved;
  SearchHooks hooks;
  hooks.progress = [&](const SearchReport& report, const std::function<Checkpoint()>& save) {
    if (report.time_s > 0.15) saved = save();
    return saved.empty();
  };
  const SearchResult first = samcon(task, kFew, hooks);
  EXPECT_TRUE(first.interrupted);
  EXPECT_LT(first.reached_s, 0.3);
  EXPECT_EQ(first.control.time_s.back(), first.reached_s);

  hooks = {};
  hooks.resume = saved;
  const SearchResult rest = samcon(task, kFew, hooks);
  EXPECT_FALSE(rest.interrupted);
  EXPECT_EQ(rest.samples, whole.samples);
  expect_equal(rest.control, whole.control);

  // What is of another search, or cut off, is refused.
  SearchTask other = task;
  other.seed = 7;
  EXPECT_THROW(samcon(other, kFew, hooks), Error);
  EXPECT_THROW(samcon(task, {.samples = 24, .save = 5, .gain = 2}, hooks), Error);
  hooks.resume->pop_back();
  EXPECT_THROW(samcon(task, kFew, hooks), Error);
  for (const double nonsense : {1e30, -1.0, std::nan("")}) {
    hooks.resume = saved;
    for (size_t i = 17; i < 21; ++i) (*hooks.resume)[i] = nonsense;
    EXPECT_THROW(samcon(task, kFew, hooks), Error);
  }
  hooks.resume = Checkpoint{};
  EXPECT_THROW(samcon(task, kFew, hooks), Error);
}

TEST(Samcon, WalksWhereTrackingAloneFalls) {
  const SearchTask task = walking(1.0);
  const SearchResult result = samcon(task, {.samples = 120, .save = 20}, threads(2));
  EXPECT_EQ(result.lost, "");
  EXPECT_EQ(result.reached_s, task.seconds);
  EXPECT_EQ(result.control.between, Between::kHold);
  EXPECT_TRUE(measure(replay(task, result.control, task.seconds)).completed);

  OpenLoop tracking = result.control;
  for (VecX& offset : tracking.offset) offset.setZero();
  EXPECT_FALSE(measure(replay(task, tracking, task.seconds)).completed);
}

// The cheapest sample's cost, a step of the search each.
std::vector<double> costs_of(const SearchTask& task, std::string& lost) {
  std::vector<double> costs;
  SearchHooks hooks = threads(1);
  hooks.progress = [&](const SearchReport& report, const auto&) {
    costs.push_back(report.cost);
    return true;
  };
  lost = samcon(task, kFew, hooks).lost;
  return costs;
}

// Floor and motion lie 2 m lower: all of it is as it was, but for rounding, which contacts make grow.
TEST(Samcon, HeightsAreCountedFromTheGroundThatTheMotionIsLaidOnto) {
  SearchTask task = walking(0.3);
  std::string lost;
  const std::vector<double> costs = costs_of(task, lost);
  EXPECT_EQ(lost, "");
  for (WorldShape& shape : task.world.shapes) shape.shape.X_BS.p.z() -= 2;
  for (VecX& q : task.reference.q) q[2] -= 2;
  task.start.q[2] -= 2;
  const std::vector<double> lower = costs_of(task, lost);
  EXPECT_EQ(lost, "");
  ASSERT_EQ(lower.size(), costs.size());
  for (size_t i = 0; i < costs.size(); ++i) EXPECT_NEAR(lower[i], costs[i], 0.03 * costs[i]) << i;
}

TEST(Samcon, SaysWhereItLostTheMotion) {
  // Nobody walks with servos of straw.
  const SearchTask task = walking(1.2);
  const SearchResult result = samcon(task, {.samples = 4, .save = 2, .gain = 1e-3}, threads(1));
  EXPECT_LT(result.reached_s, task.seconds);
  EXPECT_NE(result.lost.find("lost at"), std::string::npos) << result.lost;
  EXPECT_NE(result.lost.find("try"), std::string::npos);
  ASSERT_FALSE(result.control.time_s.empty());
  EXPECT_EQ(result.control.time_s.back(), result.reached_s);
}

TEST(Samcon, RefusesWhatMakesNoSense) {
  const SearchTask task = walking(0.2);
  EXPECT_THROW(samcon(task, {.samples = 5, .save = 6}), Error);
  EXPECT_THROW(samcon(task, {.samples = 5, .save = 0}), Error);
  EXPECT_THROW(samcon(task, {.samples = 5, .save = 1, .sampling_s = 0}), Error);
  EXPECT_THROW(samcon(walking(0)), Error);
}

}  // namespace
}  // namespace sinew
