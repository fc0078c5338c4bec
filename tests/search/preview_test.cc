#include "search/preview.h"

#include <gtest/gtest.h>

#include "character/library.h"
#include "character/retarget.h"
#include "motion/load.h"
#include "record/metrics.h"
#include "rollout/placement.h"
#include "rollout/rollout.h"
#include "sim/engines.h"
#include "world/library.h"

namespace sinew {
namespace {

struct Walk {
  Character character;
  World world;
  Reference reference;
  State start;

  explicit Walk(const std::string& motion = "walk", const std::string& name = "human50",
                const std::string& where = "flat")
      : character(load_character(name, {SINEW_SOURCE_DIR "/assets/characters"})), world(make_world(where)) {
    const Clip clip = load_clip(SINEW_SOURCE_DIR "/assets/motions/" + motion + ".json").clip;
    reference = at_origin(character, retarget(clip, character, {.clearance_m = 0.025}).reference, world, 0);
    start = start_state(character, reference, world, 0);
  }

  Recording perform(double seconds, int threads = 1, const std::string& engine = "mujoco") {
    const auto simulator = find_engine(engine)(character, world, {});
    simulator->set_state(start);
    PreviewOptions options;
    options.executor = on_threads(threads);
    PreviewTracker tracker(character, world, reference, options);
    Rollout rollout(*simulator, tracker, {.plan_hz = tracker.plan_hz()});
    rollout.run(seconds);
    return rollout.recording();
  }
};

TEST(Preview, WalksAndNothingHelps) {
  const Metrics metrics = measure(Walk().perform(3));
  EXPECT_TRUE(metrics.completed);
  EXPECT_LT(metrics.pose_error_rad, 0.12);
  EXPECT_LT(metrics.root_residual_N, 1);
}

TEST(Preview, IsTheSameAtAnyNumberOfThreads) {
  // On a planar character some ways to move a foot come and go.
  for (const char* name : {"human50", "biped18"}) {
    Walk walk("punch", name);
    const Recording one = walk.perform(0.4, 1), two = walk.perform(0.4, 2);
    ASSERT_EQ(one.frames.size(), two.frames.size());
    for (size_t f = 0; f < one.frames.size(); ++f) EXPECT_EQ(one.frames[f].q, two.frames[f].q) << f;
  }
}

TEST(Preview, RunsOnAnotherEngine) { EXPECT_TRUE(measure(Walk("wave").perform(0.5, 1, "ode")).completed); }

TEST(Preview, GoesOnFromWhatWasSaved) {
  Walk walk;
  const auto simulator = make_mujoco(walk.character, walk.world, {});
  simulator->set_state(walk.start);
  PreviewTracker tracker(walk.character, walk.world, walk.reference);
  Rollout rollout(*simulator, tracker, {.plan_hz = tracker.plan_hz(), .record_hz = 0});
  rollout.run(0.15);
  Rollout::Saved saved;
  rollout.save(saved);
  rollout.run(0.25);
  const VecX once = simulator->state().q;
  rollout.restore(saved);
  rollout.run(0.25);
  EXPECT_EQ(simulator->state().q, once);
}

TEST(Preview, WalksOnAPlankThatTips) {
  // Where the plank is must be seen: as it first stood, feet look for ground that is not there any more.
  EXPECT_TRUE(measure(Walk("walk", "biped18", "seesaw").perform(3)).completed);
}

TEST(Preview, GallopsOn) { EXPECT_TRUE(measure(Walk("gallop", "cheetah").perform(1.9)).completed); }

TEST(Preview, ABallIsASurpriseThatIsStoodUp) {
  Walk walk("wave");
  add_throw(walk.world, parse_throw("body=thorax,mass=2,speed=3,at=0.5,from=front"));
  const Recording hit = walk.perform(1.5);
  EXPECT_TRUE(measure(hit).completed);
  EXPECT_FALSE(hit.events.empty());
}

}  // namespace
}  // namespace sinew
