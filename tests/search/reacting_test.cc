// Feedforward from an auxiliary simulation where nothing helps: a tracker balances.
#include <gtest/gtest.h>

#include "character/overlaps.h"
#include "character/retarget.h"
#include "motion/load.h"
#include "record/metrics.h"
#include "record/reaction.h"
#include "rollout/auxiliary.h"
#include "rollout/placement.h"
#include "search/preview.h"
#include "sim/engines.h"
#include "sim/scenes.h"
#include "world/library.h"

namespace sinew {
namespace {

struct Boxer {
  Character character = scenes::shipped("human45");
  World world = make_world("flat");
  Reference reference;
  State start;

  Boxer() {
    const Clip clip = load_clip(SINEW_SOURCE_DIR "/assets/motions/punch.json").clip;
    reference = at_origin(character, retarget(clip, character, {.clearance_m = 0.025}).reference, world, 0);
    for (const auto& pair : overlapping_bodies(character, reference)) character.excluded.push_back(pair);
    start = start_state(character, reference, world, 0);
  }

  Recording perform(double seconds, const std::vector<std::string>& throws = {}) const {
    World in = world;
    for (const std::string& words : throws) add_throw(in, parse_throw(words));
    const auto simulator = make_mujoco(character, in);
    auto auxiliary = make_mujoco(that_passes_itself(character), as_expected(in));
    simulator->set_state(start);
    auxiliary->set_state(start);
    auto preview =
        std::make_unique<PreviewTracker>(character, in, reference, PreviewOptions{.feedforward = false});
    const double plan_hz = preview->plan_hz();
    AuxiliaryTracker tracker(std::move(auxiliary), along(character, reference), {}, std::move(preview));
    tracker.watch(*simulator);
    Rollout rollout(*simulator, tracker, {.plan_hz = plan_hz});
    rollout.run(seconds);
    return std::move(rollout.recording());
  }
};

TEST(Reacting, StandsBallsWithoutAHelpingHand) {
  const Boxer boxer;
  for (const char* part : {"head", "left_leg"}) {
    const Recording recording =
        boxer.perform(1.5, {"body=" + std::string(part) + ",mass=2,speed=7,at=0.5,from=front"});
    const Metrics metrics = measure(recording);
    EXPECT_TRUE(metrics.completed) << part;
    EXPECT_LT(metrics.root_residual_N, 1) << part;
    for (const RecordingFrame& frame : recording.frames) EXPECT_TRUE(frame.helping.empty()) << part;
  }
}

TEST(Reacting, AnArmIsBracedForWhatItExpectsThereToo) {
  const Boxer boxer;
  const std::string ball = "body=right_arm,mass=2,speed=7,at=0.5,from=front";
  const Recording calm = boxer.perform(0.9);
  const double surprised = reactions(boxer.perform(0.9, {ball}), calm).at(0).peak_rad;
  const double braced = reactions(boxer.perform(0.9, {ball + ",expected"}), calm).at(0).peak_rad;
  EXPECT_GT(surprised, 0.05);
  EXPECT_LT(braced, 0.5 * surprised);
}

}  // namespace
}  // namespace sinew
