#include "rollout/ride.h"

#include <gtest/gtest.h>

#include <cmath>

#include "character/library.h"
#include "character/rider.h"
#include "control/cyclist.h"
#include "record/metrics.h"
#include "rollout/rollout.h"
#include "sim/engines.h"
#include "world/library.h"

namespace sinew {

namespace {

Character rider(const std::string& name) {
  return load_character(name, {SINEW_SOURCE_DIR "/assets/characters"});
}

Recording ride(const Character& mounted, const Course& course, double seconds, double step_s = 0.001) {
  const auto simulator = find_engine("mujoco")(mounted, make_world("flat"), {.step_s = step_s});
  Cyclist cyclist(mounted, course);
  simulator->set_state(cyclist.start(simulator->state(), course.at(0).speed_m_s));
  Rollout rollout(*simulator, cyclist);
  rollout.run(seconds);
  return std::move(rollout.recording());
}

}  // namespace

// Meijaard et al. 2007: the benchmark bicycle stays up by itself from 4.292 m/s on.
TEST(Bicycle, WeavesAsTheBenchmark) {
  const double speed = weave_speed(find_engine("mujoco"), make_world("flat"), 0.001);
  EXPECT_NEAR(speed, 4.292, 0.02 * 4.292);
}

TEST(Ride, KeepsToAStraightAndToTheSlalom) {
  const Character man = rider("man");
  const Character mounted = mount(man, bicycle_for(man));
  for (const Course& course : {straight_course(60, 5), slalom_course(60, 5)}) {
    const Recording recording = ride(mounted, course, 10);
    const Metrics metrics = measure(recording);
    EXPECT_TRUE(metrics.completed);
    EXPECT_LT(course_error(recording, course), 0.25);
    EXPECT_LT(metrics.root_residual_N, 1);
  }
}

}  // namespace sinew
