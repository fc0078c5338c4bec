#include "cli/tracker.h"

#include "cli/beliefs.h"
#include "control/servo_tracker.h"
#include "rollout/placement.h"
#include "search/preview.h"
#include "sim/engines.h"

namespace sinew::cli {

bool plans_forces(const TrackerOptions& options) {
  return options.method == "mcsim" && options.recipe == "paper";
}

double step_of(const SceneOptions& scene, const TrackerOptions& options) {
  return (scene.step_ms == 0 && plans_forces(options) ? 1 : scene.step_ms) / 1000;
}

Tracked track(const Scenario& scenario, const SceneOptions& scene, const TrackerOptions& options,
              const Perform& perform) {
  const auto simulator =
      find_engine(scene.engine)(scenario.character, scenario.world, {step_of(scene, options)});

  // The clip's own start, or one with small errors.
  State start = start_state(scenario.character, scenario.reference, scenario.world, scenario.start_s);
  if (options.seed != 1) start = perturbed(scenario.character, start, options.seed);
  if (options.method == "servo") {
    ServoTracker servo(scenario.character, scenario.reference, {.start_s = scenario.start_s});
    return {perform(*simulator, servo, start, RolloutOptions{}.plan_hz), {}};
  }

  // What the controller takes for true.
  const Belief belief = parse_belief(options.believe);
  const Character character = believed(scenario.character, belief);
  const World world = believed(scenario.world, belief);
  if (plans_forces(options)) {
    McsimOptions own = options.mcsim;
    own.start_s = scenario.start_s;
    own.friction = ground_friction(character, world);
    Mcsim mcsim(character, scenario.reference, own);
    Recording recording = perform(*simulator, mcsim, start, own.plan_hz);
    return {std::move(recording), mcsim.counts()};
  }
  PreviewOptions looks;
  looks.start_s = scenario.start_s;
  looks.seed = static_cast<uint64_t>(options.seed);
  looks.executor = on_threads(options.threads);
  if (scene.engine != "mujoco") looks.hard_cost = 0;  // its model is MuJoCo's: elsewhere it foresees less
  PreviewTracker preview(character, world, scenario.reference, looks);
  return {perform(*simulator, preview, start, preview.plan_hz()), {}};
}

}  // namespace sinew::cli
