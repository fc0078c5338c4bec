#pragma once

#include <gtest/gtest.h>

#include <string>

#include "character/library.h"
#include "character/retarget.h"
#include "motion/load.h"
#include "record/metrics.h"
#include "rollout/placement.h"
#include "rollout/rollout.h"
#include "search/search.h"
#include "sim/engines.h"
#include "world/library.h"

// Tasks for searches, from the project's own motions, and what is asked of their results.
namespace sinew::tasks {

inline Character character(const std::string& name) {
  return load_character(name, {SINEW_SOURCE_DIR "/assets/characters"});
}

inline Reference reference(const std::string& motion, const Character& character) {
  const Clip clip = load_clip(SINEW_SOURCE_DIR "/assets/motions/" + motion + ".json").clip;
  return retarget(clip, character, {.clearance_m = 0.025}).reference;
}

struct Scene {
  std::string motion = "walk";
  std::string character = "human50";
  std::string world = "flat";
  std::string engine = "mujoco";
  double step_s = 0.005;
  double start_s = 0;
};

inline SearchTask make(double seconds, const Scene& scene = {}) {
  SearchTask task;
  task.character = character(scene.character);
  task.world = make_world(scene.world);
  task.start_s = scene.start_s;
  task.reference =
      at_origin(task.character, reference(scene.motion, task.character), task.world, scene.start_s);
  task.seconds = seconds;
  task.start = start_state(task.character, task.reference, task.world, scene.start_s);
  task.engine = find_engine(scene.engine);
  task.step_s = scene.step_s;
  return task;
}

// The simulation of a control from the task's beginning, recorded at every step.
inline Recording replay(const SearchTask& task, const OpenLoop& control) {
  const auto simulator = task.engine(task.character, task.world, {task.step_s});
  simulator->set_state(task.start);
  OpenLoopController controller(task.character, task.reference, control, task.start_s);
  Rollout rollout(*simulator, controller, {.plan_hz = 1, .record_hz = 1 / simulator->step_s()});
  rollout.run(task.seconds);
  rollout.advance();  // a frame is recorded with the step that follows it
  return std::move(rollout.recording());
}

inline void expect_equal(const OpenLoop& a, const OpenLoop& b) {
  EXPECT_EQ(a.time_s, b.time_s);
  ASSERT_EQ(a.offset.size(), b.offset.size());
  for (size_t i = 0; i < a.offset.size(); ++i) EXPECT_EQ(a.offset[i], b.offset[i]) << "knot " << i;
  EXPECT_EQ(a.kp, b.kp);
  EXPECT_EQ(a.kd, b.kd);
  EXPECT_EQ(a.limit, b.limit);
}

}  // namespace sinew::tasks
