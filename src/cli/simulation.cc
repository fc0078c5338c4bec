#include "cli/simulation.h"

#include <algorithm>
#include <iostream>

#include "character/retarget.h"
#include "cli/commands.h"
#include "cli/interrupt_guard.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "record/metrics.h"
#include "rollout/placement.h"
#include "rollout/rollout.h"
#include "rollout/terrain.h"

namespace sinew::cli {

namespace {

// Feet that swing keep so far above the floor: a simulated foot that scuffs it makes one stumble.
constexpr double kClearance_m = 0.025;
// A motion that repeats is simulated this long unless the user says otherwise.
constexpr double kLoop_s = 10;
// Less than a frame is nothing to simulate.
constexpr double kShortest_s = 0.01;

}  // namespace

Scenario open_scenario(const std::string& clip, const std::string& character, const ImportOptions& import,
                       const CutOptions& cut, const SceneOptions& scene, Progress& progress,
                       const Alteration& alteration) {
  Scenario scenario;
  progress.step("reading " + clip);
  const ImportedClip imported = open_clip(clip, import, cut);
  scenario.character = altered(open_character(character), alteration);
  scenario.world = open_world(scene);
  if (std::none_of(scenario.character.shapes.begin(), scenario.character.shapes.end(),
                   [](const Shape& shape) { return shape.collides; }))
    throw Error(character, 0, "has no shape that collides, and would fall through every floor");

  progress.step("retargeting");
  RetargetOptions options;
  options.loop = cut.loop;
  options.clearance_m = kClearance_m;
  scenario.reference = retarget(imported.clip, scenario.character, options).reference;
  scenario.start_s = scene.start_phase * scenario.reference.duration_s();
  const bool cyclic = scenario.reference.cyclic;
  const double at_most_s = scene.seconds > 0 ? scene.seconds : kLoop_s;
  scenario.reference =
      at_origin(scenario.character, std::move(scenario.reference), scenario.world, scenario.start_s);
  scenario.reference = onto_world(scenario.character, std::move(scenario.reference), scenario.world,
                                  scenario.start_s, at_most_s);
  const double duration = scenario.reference.duration_s();
  scenario.seconds = scene.seconds > 0 || cyclic ? at_most_s : duration - scenario.start_s;
  if (scenario.seconds < kShortest_s)
    throw Error(clip + ": nothing is left to simulate after " + shortest(scenario.start_s) + " s of " +
                shortest(duration) + " s; --seconds says how long to go on");
  return scenario;
}

std::vector<std::string> never_came(const World& world, double seconds) {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& what, double at_s) {
    if (at_s < seconds) return;
    notes.push_back(what + " at " + shortest(at_s) + " s never came: the simulation lasts " +
                    shortest(seconds) + " s");
  };
  for (const Throw& thrown : world.throws) note("the ball that hits", thrown.at_s);
  for (const Push& push : world.pushes) note("the push", push.at_s);
  return notes;
}

Recording simulate(Simulator& simulator, Controller& controller, const State& start, double seconds,
                   Progress& progress, double plan_hz) {
  progress.step("simulating");
  const InterruptGuard guard;
  return simulate(
      simulator, controller, start, seconds,
      [&](double time_s) {
        progress.within(time_s / seconds);
        return !guard.interrupted();
      },
      plan_hz);
}

Recording simulate(Simulator& simulator, Controller& controller, const State& start, double seconds,
                   const std::function<bool(double time_s)>& go_on, double plan_hz) {
  simulator.set_state(start);
  Rollout rollout(simulator, controller, {.plan_hz = plan_hz});
  bool ended = false;
  rollout.run(seconds, [&](double time_s) {
    ended = !go_on(time_s);
    return !ended;
  });
  // A frame is recorded with the step that follows it: one step more, and the end is a frame, too.
  if (!ended) rollout.advance();
  return std::move(rollout.recording());
}

Summary summary_of(const std::string& command, const Recording& recording, const Stopwatch::Times& times) {
  const Metrics metrics = measure(recording);
  Summary summary;
  summary.command = command;
  summary.clip = recording.clip;
  summary.character = recording.character.name;
  summary.engine = recording.engine;
  summary.world = recording.world.name;
  summary.seed = recording.seed;
  summary.cpu_s = times.cpu_s;
  summary.wall_s = times.wall_s;
  summary.realtime_factor = metrics.seconds / std::max(times.wall_s, 1e-9);
  take(summary, metrics);
  return summary;
}

std::string in_words(const std::string& title, const Summary& summary, const std::vector<std::string>& notes,
                     const OutputFolder& out) {
  std::string text = title + " in " + summary.world + " (" + summary.engine + "): ";
  text += summary.completed ? "completed " + fixed(summary.seconds, 2) + " s"
                            : "lost the motion at " + fixed(summary.failed_at_s.value_or(0), 2) + " s of " +
                                  fixed(summary.seconds, 2);
  const double factor = summary.realtime_factor.value_or(0);
  text += ", " + (factor < 10 ? fixed(factor, 2) : fixed(factor, 0)) + " times real time\n";
  for (const std::string& note : notes) text += "  - " + wrapped(note, 4) + "\n";
  const auto row = [](const char* name, const std::optional<double>& value, double unit, int digits,
                      const char* sign) {
    return std::vector<std::string>{name, value ? fixed(*value * unit, digits) : "-", sign};
  };
  std::vector<std::vector<std::string>> rows = {
      {"", "", ""},
      row("pose error", summary.pose_error_rad, 1, 3, "rad"),
      row("root height error", summary.root_height_error_m, 100, 1, "cm"),
      row("root tilt error", summary.root_tilt_error_rad, 180 / kPi, 1, "degrees"),
      row("drift", summary.root_drift_m, 100, 1, "cm"),
      row("foot slide", summary.foot_slide_m_s, 100, 1, "cm/s"),
      row("of planted feet", summary.planted_slide_m_s, 100, 1, "cm/s"),
      row("torque", summary.torque_rms_Nm, 1, 1, "N m rms"),
      row("torque peak", summary.torque_peak_share, 100, 0, "% of its limit"),
      row("torque rate", summary.torque_rate_Nm_s, 1, 0, "N m/s rms"),
      row("landing impact", summary.impact_bw, 1, 2, "body weights"),
      row("against the motion's", summary.impact_ratio, 1, 2, "times"),
      row("joint jerk", summary.jerk_ratio, 1, 2, "times the motion's"),
      row("deepest point", summary.max_penetration_m, 1000, 1, "mm"),
      row("root residual", summary.root_residual_N, 1, 3, "N")};
  if (summary.course_error_m) rows.push_back(row("course error", summary.course_error_m, 100, 1, "cm"));
  text += table(rows);
  if (summary.reaction && !summary.reaction->empty()) {
    std::vector<std::vector<std::string>> hits = {{"", "", "turned by", "back after"}};
    for (const Reaction& hit : *summary.reaction)
      hits.push_back({"hit on " + hit.body, hit.expected ? "expected" : "a surprise",
                      fixed(degrees(hit.peak_rad), 1) + " degrees", fixed(hit.back_after_s, 2) + " s"});
    text += table(hits);
  }
  std::string files;
  for (const std::string& file : out.files()) files += " " + file;
  return text + "wrote " + wrapped((out.path() / "").string() + ":" + files, 4) + "\n";
}

void write_simulation(const Recording& recording, const Summary& summary, const SimulationFileOptions& files,
                      OutputFolder& out, Progress& progress) {
  if (!recording.frames.empty() && !recording.diverged)
    write_simulation_files(recording, summary, files, out, progress);
  write_file(out.add("summary.json"), to_json(summary));
}

int finish(const Recording& recording, const Summary& summary, const SimulationFileOptions& files,
           const OutputOptions& output, OutputFolder& out, const std::filesystem::path& source,
           Progress& progress) {
  remove_old_simulation(out.path(), source);
  write_simulation(recording, summary, files, out, progress);
  progress.done();
  return conclude(recording, summary, files, output, out);
}

int conclude(const Recording& recording, const Summary& summary, const SimulationFileOptions& files,
             const OutputOptions& output, const OutputFolder& out) {
  if (output.json) std::cout << to_json(summary);
  if (!output.json && !output.quiet)
    std::cout << in_words(short_name(summary.clip) + " on " + summary.character, summary, files.notes, out);
  if (recording.diverged)
    std::cerr << "sinew: the simulation diverged at " << fixed(recording.duration_s(), 3)
              << " s; no motion is written (try a smaller --step-ms)\n";
  return summary.completed ? kOk : kNotCompleted;
}

}  // namespace sinew::cli
