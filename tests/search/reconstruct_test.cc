#include "search/reconstruct.h"

#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "search/tasks.h"

namespace sinew {
namespace {

// Enough to see how it works.
ReconstructOptions few() {
  ReconstructOptions options;
  options.samples = 4;
  options.horizon = options.far_horizon = 4;
  options.generations = options.plan.hard_generations = 1;
  return options;
}

SearchHooks threads(int count) {
  SearchHooks hooks;
  hooks.executor = on_threads(count);
  return hooks;
}

// Looks on, and keeps a checkpoint of every step.
struct Watch {
  std::vector<SearchReport> reports;
  std::vector<Checkpoint> checkpoints;
  SearchHooks hooks(int stop_after = 1000000) {
    SearchHooks out;
    out.progress = [this, stop_after](const SearchReport& report, const std::function<Checkpoint()>& save) {
      reports.push_back(report);
      checkpoints.push_back(save());
      return static_cast<int>(reports.size()) < stop_after;
    };
    return out;
  }
};

// Nobody stands through this.
SearchTask hopeless(double force_N) {
  SearchTask task = tasks::make(0.9, {.motion = "punch"});
  task.world.pushes.push_back(
      parse_push("body=thorax,at=0.2,for=0.3,toward=left,force=" + std::to_string(force_N)));
  return task;
}

TEST(Reconstruct, TheSameAtAnyNumberOfThreads) {
  SearchTask task = tasks::make(0.35, {.motion = "jump"});
  const SearchResult one = reconstruct(task, few(), threads(1)), two = reconstruct(task, few(), threads(2));
  tasks::expect_equal(one.control, two.control);
  EXPECT_EQ(one.samples, two.samples);
  task.seed = 2;
  EXPECT_NE(reconstruct(task, few(), threads(1)).control.offset.back(), one.control.offset.back());
}

TEST(Reconstruct, GoesOnFromACheckpointBitForBit) {
  const SearchTask task = tasks::make(0.6);
  Watch watch;
  const SearchResult whole = reconstruct(task, few(), watch.hooks());
  ASSERT_EQ(watch.checkpoints.size(), 6u);
  for (const size_t i : {0u, 3u, 5u}) {
    SearchHooks hooks;
    hooks.resume = watch.checkpoints[i];
    const SearchResult rest = reconstruct(task, few(), hooks);
    EXPECT_FALSE(rest.interrupted);
    EXPECT_EQ(rest.samples, whole.samples) << i;
    EXPECT_EQ(rest.reached_s, whole.reached_s);
    tasks::expect_equal(rest.control, whole.control);
  }
}

TEST(Reconstruct, GoesOnAmidRewindsBitForBit) {
  const SearchTask task = hopeless(1500);
  ReconstructOptions options = few();
  options.max_rewinds = 2;
  Watch watch;
  const SearchResult whole = reconstruct(task, options, watch.hooks());
  ASSERT_GT(whole.rewinds, 0) << "or this tests nothing";
  // From the middle of the first attempt and of those that followed.
  for (size_t i = 4; i < watch.checkpoints.size(); i += 3) {
    SearchHooks hooks;
    hooks.resume = watch.checkpoints[i];
    const SearchResult rest = reconstruct(task, options, hooks);
    EXPECT_EQ(rest.samples, whole.samples) << i;
    EXPECT_EQ(rest.rewinds, whole.rewinds) << i;
    EXPECT_EQ(rest.lost, whole.lost) << i;
    EXPECT_EQ(rest.reached_s, whole.reached_s) << i;
    tasks::expect_equal(rest.control, whole.control);
  }
}

TEST(Reconstruct, RefusesACheckpointThatMakesNoSense) {
  const SearchTask task = tasks::make(0.3, {.motion = "punch"});
  Watch watch;
  reconstruct(task, few(), watch.hooks(2));
  ASSERT_EQ(watch.checkpoints.size(), 2u);
  SearchHooks hooks;
  const auto expect_refused = [&](const Checkpoint& from) {
    hooks.resume = from;
    EXPECT_THROW(reconstruct(task, few(), hooks), Error);
  };
  expect_refused({});
  Checkpoint cut = watch.checkpoints[1];
  cut.pop_back();
  expect_refused(cut);
  for (const double nonsense : {-1.0, 0.5, 1e30, std::nan("")})
    for (size_t i = 0; i < 4; ++i) {
      Checkpoint changed = watch.checkpoints[1];
      changed[i] = nonsense;
      expect_refused(changed);
    }
}

TEST(Reconstruct, StopsWhenItIsTold) {
  const SearchTask task = tasks::make(0.8);
  Watch watch;
  const SearchResult result = reconstruct(task, few(), watch.hooks(2));
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.lost, "");
  EXPECT_EQ(watch.reports.size(), 2u);
  EXPECT_NEAR(result.reached_s, watch.reports.back().time_s, 1e-9);
  EXPECT_LT(result.reached_s, task.seconds);
  EXPECT_EQ(result.samples, watch.reports.back().samples);
  EXPECT_NEAR(result.control.time_s.back(), result.reached_s, 1e-9);
}

TEST(Reconstruct, SaysWhereAndHowAHopelessMotionWasLost) {
  const SearchTask task = hopeless(3000);
  ReconstructOptions options = few();
  options.max_rewinds = 1;
  const SearchResult result = reconstruct(task, options, threads(1));
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.rewinds, 1);
  EXPECT_GT(result.reached_s, 0.2) << "before the push nothing is lost";
  EXPECT_LT(result.reached_s, task.seconds);

  // When, which part, and what to do about it.
  double when = 0;
  ASSERT_EQ(std::sscanf(result.lost.c_str(), "the motion was lost at %lf s", &when), 1) << result.lost;
  EXPECT_NEAR(when, result.reached_s, 0.011);
  bool names_part = false;
  for (const Body& body : task.character.bodies)
    names_part = names_part || result.lost.find("the " + body.name + " ") != std::string::npos;
  EXPECT_TRUE(names_part) << result.lost;
  EXPECT_NE(result.lost.find("try"), std::string::npos) << result.lost;
}

TEST(Reconstruct, APoseThatIsFarOffIsLostHoweverUprightTheRoot) {
  const SearchTask task = tasks::make(0.4, {.motion = "punch"});
  ReconstructOptions options = few();
  EXPECT_EQ(reconstruct(task, options, threads(1)).lost, "");
  options.lost_pose_rad = 1e-4;
  options.max_rewinds = 1;
  const SearchResult result = reconstruct(task, options, threads(1));
  EXPECT_EQ(result.rewinds, 1);
  EXPECT_NE(result.lost, "");
}

TEST(Reconstruct, WorksHarderAfterAPoorPlan) {
  const SearchTask task = tasks::make(0.5);
  ReconstructOptions options = few();
  options.plan.hard_generations = 2;
  options.hard_cost = 1e9;
  const long easy = reconstruct(task, options, threads(1)).samples;
  options.hard_cost = 0;
  EXPECT_GT(reconstruct(task, options, threads(1)).samples, easy);
}

struct Case {
  const char* what;
  tasks::Scene scene;
  double seconds;
};
void PrintTo(const Case& a, std::ostream* out) { *out << a.what; }
class Performs : public testing::TestWithParam<Case> {};

TEST_P(Performs, AndTheReplayIsWhatTheSearchSaw) {
  const SearchTask task = tasks::make(GetParam().seconds, GetParam().scene);
  ReconstructOptions options = few();
  options.samples = 8;
  Watch watch;
  const SearchResult result = reconstruct(task, options, watch.hooks());
  EXPECT_EQ(result.lost, "");
  EXPECT_EQ(result.reached_s, task.seconds);
  const OpenLoop& control = result.control;
  ASSERT_EQ(control.time_s.size(), control.offset.size());
  EXPECT_EQ(control.time_s.front(), 0);
  EXPECT_GE(control.time_s.back(), task.seconds - 1e-9);

  // Offsets have six digits after the point, so that a file can say them; the root has none.
  double largest = 0;
  for (const VecX& offset : control.offset) {
    EXPECT_TRUE(offset.head<6>().isZero(0));
    for (const double x : offset) {
      EXPECT_EQ(x, std::round(1e6 * x) / 1e6);
      largest = std::max(largest, std::abs(x));
    }
  }
  EXPECT_GT(largest, 0.01) << "it found something";
  EXPECT_LE(largest, options.plan.max_offset_rad);

  // Replayed, the motion is performed, within the torques that the character has.
  const Recording recording = tasks::replay(task, control);
  EXPECT_TRUE(measure(recording).completed);
  EXPECT_LT(measure(recording).root_residual_N, 1);
  EXPECT_EQ(recording.frames.back().q[2], watch.reports.back().root_height_m);
  const VecX limit = rest_command(task.character).limit;
  for (const RecordingFrame& frame : recording.frames)
    for (int i = 6; i < limit.size(); ++i) ASSERT_LE(std::abs(frame.torque[i]), limit[i] * (1 + 1e-9)) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, Performs,
    testing::Values(
        Case{"mujoco", {.step_s = 0}, 0.5}, Case{"mujoco_at_half_the_step", {.step_s = 0.001}, 0.5},
        Case{"ode", {.engine = "ode", .step_s = 0}, 0.4}, Case{"robot", {.character = "robot35"}, 0.4},
        Case{"cheetah", {.motion = "gallop", .character = "cheetah"}, 0.4},
        Case{"pebbles", {.world = "pebbles"}, 0.5}, Case{"moving_blocks", {.world = "blocks"}, 0.4},
        Case{"between_two_knots_and_from_the_middle", {.motion = "jump", .start_s = 0.2}, 0.43}),
    [](const auto& param) { return std::string(param.param.what); });

TEST(Reconstruct, WalksWhereTrackingAloneFalls) {
  const SearchTask task = tasks::make(1.2, {.step_s = 0});
  const SearchResult result = reconstruct(task, {}, threads(2));
  EXPECT_EQ(result.lost, "");
  const Metrics walked = measure(tasks::replay(task, result.control));
  EXPECT_TRUE(walked.completed);

  // Servos of the same strength, without what was found.
  OpenLoop tracking = result.control;
  for (VecX& offset : tracking.offset) offset.setZero();
  const Metrics fell = measure(tasks::replay(task, tracking));
  EXPECT_FALSE(fell.completed);
}

TEST(Reconstruct, BriefStancesAreLookedAtFinely) {
  // Paws are down for a tenth of a second; with the usual steps what they do is not foreseen.
  const SearchTask task = tasks::make(1.5, {.motion = "gallop", .character = "cheetah", .step_s = 0});
  ReconstructOptions usual;
  usual.brief_s = 0;
  const SearchResult fine = reconstruct(task, {}, threads(2)), coarse = reconstruct(task, usual, threads(2));
  EXPECT_EQ(fine.lost, "");
  EXPECT_EQ(fine.rewinds, 0);
  EXPECT_GT(coarse.rewinds, 0);
}

}  // namespace
}  // namespace sinew
