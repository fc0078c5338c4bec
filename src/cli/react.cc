#include "cli/react.h"

#include <algorithm>

#include "character/overlaps.h"
#include "character/retarget.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/error.h"
#include "search/preview.h"

namespace sinew::cli {

void add_react_options(CLI::App& command, ReactOptions& options) {
  command
      .add_option("--balance", options.balance,
                  "auxiliary; forces: helping forces on pelvis and feet, as Nunes et al. 2008 published it; "
                  "tracker: without any, by the preview of mcsim")
      ->check(one_of({"forces", "tracker"}))
      ->type_name("forces|tracker")
      ->capture_default_str();
  command.add_flag_callback(
      "--no-feedforward", [&options] { options.feedforward = false; },
      "auxiliary: low gains alone, for comparison");
  auto* then = command
                   .add_option("--then", options.then,
                               "auxiliary: go on with another clip, blended while the simulation runs")
                   ->type_name("CLIP");
  command
      .add_option("--at", options.at_s,
                  "auxiliary: when the other clip begins; as the first one ends if not said")
      ->check(between(0, 1e4, "a number from 0 to 10000"))
      ->type_name("S")
      ->needs(then);
  command.add_option("--over", options.over_s, "auxiliary: how long both are blended")
      ->check(between(0, 100, "a number from 0 to 100"))
      ->type_name("S")
      ->capture_default_str()
      ->needs(then);
}

std::string react_words(const ReactOptions& options) {
  const ReactOptions defaults;
  std::string words = " --balance " + options.balance;
  if (!options.feedforward) words += " --no-feedforward";
  if (options.then.empty()) return words;
  words += " --then " + shell_word(options.then);
  if (options.at_s >= 0) words += " --at " + shortest(options.at_s);
  if (options.over_s != defaults.over_s) words += " --over " + shortest(options.over_s);
  return words;
}

std::vector<std::string> react_option_names() {
  return {"--balance", "--no-feedforward", "--then", "--at", "--over"};
}

Goals ReactScene::goals() const {
  const Character& character = scenario.character;
  Goals first = along(character, scenario.reference, scenario.start_s);
  if (!second) return first;
  return transition(character, std::move(first), along(character, *second), options.at_s, options.over_s);
}

ReactScene open_react(Scenario scenario, const ReactOptions& options, double seconds) {
  ReactScene scene{std::move(scenario), {}, options, {}, {}};
  Character& character = scene.scenario.character;
  scene.method.feedforward = options.feedforward;
  // What the motion puts into each other cannot be kept apart by a body that follows it.
  const auto let_through = [&](const Reference& motion) {
    for (const auto& pair : overlapping_bodies(character, motion)) {
      const auto name = [&](int body) { return character.bodies[static_cast<size_t>(body)].name; };
      character.excluded.push_back(pair);
      scene.notes.push_back("the motion puts " + name(pair[0]) + " and " + name(pair[1]) +
                            " into each other: they do not collide");
    }
  };
  let_through(scene.scenario.reference);
  if (options.then.empty()) return scene;
  const Scenario& first = scene.scenario;
  scene.second = retarget(open_clip(options.then, {}).clip, character, {.clearance_m = 0.025}).reference;
  let_through(*scene.second);
  if (options.at_s < 0) {
    if (first.reference.cyclic) throw Error("--at is needed: a motion that repeats has no end");
    scene.options.at_s = first.reference.duration_s() - first.start_s;
  }
  if (seconds <= 0) scene.scenario.seconds = scene.options.at_s + scene.second->duration_s();
  return scene;
}

React make_react(const ReactScene& scene, const Simulator& main, const State& start,
                 const ReactEngine& engine) {
  const Character& character = scene.scenario.character;
  const World& world = main.world();
  React out;
  std::unique_ptr<Controller> tracker;
  if (scene.options.balance == "tracker") {
    PreviewOptions looks;
    looks.seed = static_cast<uint64_t>(engine.seed);
    looks.executor = on_threads(engine.threads);
    looks.start_s = scene.second ? 0 : scene.scenario.start_s;
    // A hit moves the whole body: the motion goes on from there.
    looks.astray_m = looks.astray_rad = 0.05;
    // Feedforward is what the auxiliary simulation gives.
    looks.feedforward = false;
    // A preview looks ahead, and wants a motion that is known.
    const Reference& known = scene.scenario.reference;
    auto preview = std::make_unique<PreviewTracker>(
        character, world,
        scene.second ? as_reference(character, scene.goals(), scene.scenario.seconds, known.frame_time_s,
                                    reference_ground(world))
                     : known,
        looks);
    out.plan_hz = preview->plan_hz();
    tracker = std::move(preview);
  }
  auto auxiliary = engine.factory(that_passes_itself(character), as_expected(world), {engine.step_s});
  auxiliary->set_state(start);
  auto controller = std::make_unique<AuxiliaryTracker>(std::move(auxiliary), scene.goals(), scene.method,
                                                       std::move(tracker));
  controller->watch(main);
  out.controller = std::move(controller);
  return out;
}

Recording simulate_react(const ReactScene& scene, const World& world, const State& start,
                         const ReactEngine& engine, double seconds) {
  const auto simulator = engine.factory(scene.scenario.character, world, {engine.step_s});
  const React react = make_react(scene, *simulator, start, engine);
  return simulate(
      *simulator, *react.controller, start, seconds, [](double) { return true; }, react.plan_hz);
}

std::vector<Reaction> react_reactions(const ReactScene& scene, const Recording& recording, const State& start,
                                      const ReactEngine& engine) {
  World calm = recording.world;
  double seconds = 0;
  for (const Throw& thrown : calm.throws)
    if (thrown.at_s < scene.scenario.seconds)
      seconds = std::max(seconds, std::min(thrown.at_s + kReaction_s, scene.scenario.seconds));
  if (seconds == 0) return {};
  calm.throws.clear();
  calm.pushes.clear();
  return reactions(recording, simulate_react(scene, calm, start, engine, seconds));
}

}  // namespace sinew::cli
