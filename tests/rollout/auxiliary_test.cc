// Two simulations in lockstep: what the paper claims of them, in numbers, over the whole body.
#include "rollout/auxiliary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "character/overlaps.h"
#include "character/retarget.h"
#include "motion/load.h"
#include "record/metrics.h"
#include "record/reaction.h"
#include "rollout/placement.h"
#include "sim/engines.h"
#include "sim/scenes.h"
#include "world/library.h"

namespace sinew {
namespace {

// A fighter of our own, on human45.
struct Fight {
  Character character = scenes::shipped("human45");
  World world = make_world("flat");
  Reference reference;
  State start;
  std::string engine = "mujoco";
  AuxiliaryOptions options;

  explicit Fight(const std::string& motion = "punch") {
    const Clip clip = load_clip(SINEW_SOURCE_DIR "/assets/motions/" + motion + ".json").clip;
    reference = at_origin(character, retarget(clip, character, {.clearance_m = 0.025}).reference, world, 0);
    for (const auto& pair : overlapping_bodies(character, reference)) character.excluded.push_back(pair);
    start = start_state(character, reference, world, 0);
  }

  std::unique_ptr<AuxiliaryTracker> controller(const World& in, Goals goals) const {
    auto auxiliary = find_engine(engine)(that_passes_itself(character), as_expected(in), {});
    auxiliary->set_state(start);
    return std::make_unique<AuxiliaryTracker>(std::move(auxiliary), std::move(goals), options);
  }

  Recording perform(double seconds, const World& in, Goals goals = {}) const {
    const auto simulator = find_engine(engine)(character, in, {});
    simulator->set_state(start);
    const auto tracker = controller(in, goals ? std::move(goals) : along(character, reference));
    tracker->watch(*simulator);
    Rollout rollout(*simulator, *tracker);
    rollout.run(seconds);
    return std::move(rollout.recording());
  }
  double error(double seconds, double low, bool feedforward) {
    options.low = low;
    options.feedforward = feedforward;
    return measure(perform(seconds, world)).pose_error_rad;
  }
  Recording hit(const std::vector<std::string>& throws, double seconds) const {
    World in = world;
    for (const std::string& words : throws) add_throw(in, parse_throw(words));
    return perform(seconds, in);
  }
};

TEST(Auxiliary, LowGainsWithFeedforwardFollowAsHighGainsDo) {
  for (const char* engine : {"mujoco", "ode"}) {
    Fight fight;
    fight.engine = engine;
    const double seconds = 1.5;
    const double high = fight.error(seconds, 1, false), with = fight.error(seconds, 0.05, true),
                 without = fight.error(seconds, 0.05, false);
    EXPECT_LE(with, 1.2 * high) << engine;
    EXPECT_LE(with, without / 3) << engine;
  }
}

TEST(Auxiliary, ForcesThatHelpAreTold) {
  const Fight fight;
  const Recording recording = fight.perform(0.5, fight.world);
  EXPECT_TRUE(measure(recording).completed);
  EXPECT_GT(measure(recording).root_residual_N, 1);
  // All that is not explained is what the method says it did.
  const std::vector<Momentum> rest = residuals(recording);
  for (size_t i = 0; i < rest.size(); i += 10) {
    Vec3 helping = Vec3::Zero();
    for (const ExternalForce& force : recording.frames[i].helping) helping += force.force_W;
    EXPECT_LT((rest[i].linear - helping).norm(), 1 + 0.01 * helping.norm()) << i;
  }
}

TEST(Auxiliary, AnExpectedHitTurnsTheKneeLessThanHalfAsFar) {
  const Fight fight;
  const std::string ball = "body=left_leg,mass=2,speed=7,at=0.6,from=front";
  const Recording calm = fight.perform(1.6, fight.world);
  const Reaction surprise = reactions(fight.hit({ball}, 1.6), calm).at(0);
  const Reaction braced = reactions(fight.hit({ball + ",expected"}, 1.6), calm).at(0);
  EXPECT_GT(surprise.peak_rad, 0.03);
  EXPECT_LT(braced.peak_rad, 0.5 * surprise.peak_rad);
  EXPECT_LE(surprise.back_after_s, 1);
}

TEST(Auxiliary, SeveralHitsTogetherAndOneAfterTheOther) {
  const Fight fight;
  const Recording calm = fight.perform(2.2, fight.world);
  const std::vector<Reaction> hits =
      reactions(fight.hit({"body=right_arm,mass=2,speed=7,at=0.5,from=right",
                           "body=head,mass=2,speed=7,at=0.5", "body=head,mass=2,speed=5,at=1,from=back"},
                          2.2),
                calm);
  ASSERT_EQ(hits.size(), 3U);
  for (const Reaction& hit : hits) EXPECT_GT(hit.peak_rad, 0.02) << hit.body;
  EXPECT_LE(hits.back().back_after_s, 1);
}

TEST(Auxiliary, AnUnexpectedBallDoesNotExistForTheAuxiliarySimulation) {
  const Fight fight;
  World in = fight.world;
  add_throw(in, parse_throw("body=head,mass=2,speed=7,at=0.3"));
  // The same things lie in both worlds.
  World quiet = in;
  quiet.throws.clear();
  const auto auxiliary_after = [&](const World& world) {
    const auto simulator = make_mujoco(fight.character, world);
    simulator->set_state(fight.start);
    const auto tracker = fight.controller(world, along(fight.character, fight.reference));
    tracker->watch(*simulator);
    Rollout(*simulator, *tracker, {.record_hz = 0}).run(0.5);
    return tracker->auxiliary().q;
  };
  EXPECT_EQ(auxiliary_after(quiet), auxiliary_after(in));
}

TEST(Auxiliary, GoesOnFromWhatWasSaved) {
  const Fight fight;
  World in = fight.world;
  add_throw(in, parse_throw("body=head,mass=2,speed=7,at=0.3,expected"));
  const auto simulator = make_mujoco(fight.character, in);
  simulator->set_state(fight.start);
  const auto tracker = fight.controller(in, along(fight.character, fight.reference));
  tracker->watch(*simulator);
  Rollout rollout(*simulator, *tracker, {.record_hz = 0});
  rollout.run(0.31);
  Rollout::Saved saved;
  rollout.save(saved);
  rollout.run(0.1);
  const VecX once = simulator->state().q, once_auxiliary = tracker->auxiliary().q;
  rollout.restore(saved);
  rollout.run(0.1);
  EXPECT_EQ(simulator->state().q, once);
  EXPECT_EQ(tracker->auxiliary().q, once_auxiliary);
}

TEST(Auxiliary, FollowsWhatIsMadeUpOnTheFly) {
  const Fight fight, other("kick");
  const auto follows = [&](const char* what, const Goals& goals, double seconds, double within) {
    const Metrics metrics = measure(fight.perform(seconds, fight.world, goals));
    EXPECT_TRUE(metrics.completed) << what;
    EXPECT_LT(metrics.pose_error_rad, within) << what;
  };

  const Goals punch = along(fight.character, fight.reference), kick = along(fight.character, other.reference);
  follows("a transition", transition(fight.character, punch, kick, 0.5, 0.3), 1.5, 0.05);

  const VecX& first = fight.reference.q.front();
  const VecX& guard = fight.reference.q[fight.reference.q.size() / 2];
  follows("key poses", through_poses(fight.character, {{0.2, first}, {0.7, guard}, {1.2, first}}), 1.4, 0.05);

  // A puppeteer who is seen 60 times a second.
  LiveGoal live(fight.character, first);
  const Goals seen = [&](double time_s) {
    live.set(punch(std::floor(time_s * 60) / 60).q);
    return live.goals()(time_s);
  };
  follows("a live goal", seen, 1, 0.1);
}

}  // namespace
}  // namespace sinew
