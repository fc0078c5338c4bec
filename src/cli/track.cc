#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "character/retarget.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/interrupt_guard.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/sources.h"
#include "cli/stopwatch.h"
#include "cli/text.h"
#include "cli/track_files.h"
#include "control/servo_tracker.h"
#include "core/error.h"
#include "core/files.h"
#include "record/metrics.h"
#include "record/summary.h"
#include "rollout/placement.h"
#include "rollout/rollout.h"
#include "rollout/terrain.h"
#include "sim/engines.h"
#include "world/library.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

// A motion that repeats is simulated this long unless the user says otherwise.
constexpr double kLoop_s = 10;
// Less than a frame is nothing to simulate.
constexpr double kShortest_s = 0.01;

struct TrackCommand {
  std::string clip;
  std::string character = "human50";
  std::string method = "servo";
  ImportOptions import;
  CutOptions cut;
  SceneOptions scene;
  OutputOptions output;
  RunOptions run;
  bool video = false;
};

// Everything that was chosen by name, as values.
struct TrackWork {
  Character character;
  World world;
  Reference reference;
  double start_s = 0;
  double seconds = 0;
};

fs::path folder_of(const TrackCommand& command, const Character& character) {
  if (!command.output.folder.empty()) return command.output.folder;
  return fs::path("out") /
         folder_name(short_name(command.clip) + "-" + character.name + "-" + command.method);
}

TrackWork prepare(const TrackCommand& command, Progress& progress) {
  TrackWork work;
  progress.step("reading " + command.clip);
  const ImportedClip imported = open_clip(command.clip, command.import, command.cut);
  work.character = open_character(command.character);
  work.world = open_world(command.scene);
  if (std::none_of(work.character.shapes.begin(), work.character.shapes.end(),
                   [](const Shape& shape) { return shape.collides; }))
    throw Error(command.character, 0, "has no shape that collides, and would fall through every floor");

  progress.step("retargeting");
  RetargetOptions options;
  options.loop = command.cut.loop;
  work.reference = retarget(imported.clip, work.character, options).reference;
  work.start_s = command.scene.start_phase * work.reference.duration_s();
  const bool cyclic = work.reference.cyclic;
  const double at_most_s = command.scene.seconds > 0 ? command.scene.seconds : kLoop_s;
  work.reference = at_origin(work.character, std::move(work.reference), work.world, work.start_s);
  work.reference = onto_world(work.character, std::move(work.reference), work.world, work.start_s, at_most_s);
  const double duration = work.reference.duration_s();
  work.seconds = command.scene.seconds > 0 || cyclic ? at_most_s : duration - work.start_s;
  if (work.seconds < kShortest_s)
    throw Error(command.clip + ": nothing is left to simulate after " + shortest(work.start_s) + " s of " +
                shortest(duration) + " s; --seconds says how long to go on");
  return work;
}

// The simulation itself; a signal ends the program before anything is written.
Recording simulate(const TrackCommand& command, const TrackWork& work, Progress& progress) {
  progress.step("simulating");
  const InterruptGuard guard;
  const auto simulator =
      find_engine(command.scene.engine)(work.character, work.world, {command.scene.step_ms / 1000});
  State start = start_state(work.character, work.reference, work.world, work.start_s);
  if (command.run.seed != 1) start = perturbed(work.character, start, command.run.seed);
  simulator->set_state(start);

  ServoTracker controller(work.character, work.reference, {.start_s = work.start_s});
  Rollout rollout(*simulator, controller);
  rollout.run(work.seconds, [&](double time_s) {
    progress.within(time_s / work.seconds);
    return !guard.interrupted();
  });
  // A frame is recorded with the step that follows it: one step more, and the end is a frame, too.
  if (!guard.interrupted()) rollout.advance();
  Recording recording = std::move(rollout.recording());
  recording.clip = command.clip;
  recording.seed = command.run.seed;
  return recording;
}

Summary summarise(const TrackCommand& command, const Recording& recording, const Metrics& metrics,
                  const Stopwatch::Times& times) {
  Summary summary;
  summary.command = "track";
  summary.clip = command.clip;
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

// What was asked for and lies beyond the end.
std::vector<std::string> never_came(const TrackWork& work) {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& what, double at_s) {
    if (at_s < work.seconds) return;
    notes.push_back(what + " at " + shortest(at_s) + " s never came: the simulation lasts " +
                    shortest(work.seconds) + " s");
  };
  for (const Throw& thrown : work.world.throws) note("the ball that hits", thrown.at_s);
  for (const Push& push : work.world.pushes) note("the push", push.at_s);
  return notes;
}

std::string in_words(const std::string& title, const Summary& summary, const std::vector<std::string>& notes,
                     const OutputFolder& out) {
  std::string text = title + " in " + summary.world + " (" + summary.engine + "): ";
  text += summary.completed ? "completed " + fixed(summary.seconds, 2) + " s"
                            : "lost the motion at " + fixed(summary.failed_at_s.value_or(0), 2) + " s of " +
                                  fixed(summary.seconds, 2);
  text += ", " + fixed(summary.realtime_factor.value_or(0), 0) + " times real time\n";
  for (const std::string& note : notes) text += "  - " + wrapped(note, 4) + "\n";
  const auto row = [](const char* name, const std::optional<double>& value, double unit, int digits,
                      const char* sign) {
    return std::vector<std::string>{name, value ? fixed(*value * unit, digits) : "-", sign};
  };
  text += table({{"", "", ""},
                 row("pose error", summary.pose_error_rad, 1, 3, "rad"),
                 row("root height error", summary.root_height_error_m, 100, 1, "cm"),
                 row("root tilt error", summary.root_tilt_error_rad, 180 / kPi, 1, "degrees"),
                 row("drift", summary.root_drift_m, 100, 1, "cm"),
                 row("foot slide", summary.foot_slide_m_s, 100, 1, "cm/s"),
                 row("torque", summary.torque_rms_Nm, 1, 1, "N m rms"),
                 row("deepest point", summary.max_penetration_m, 1000, 1, "mm"),
                 row("root residual", summary.root_residual_N, 1, 3, "N")});
  std::string files;
  for (const std::string& file : out.files()) files += " " + file;
  return text + "wrote " + wrapped((out.path() / "").string() + ":" + files, 4) + "\n";
}

// The command that makes it again.
std::string command_line(const TrackCommand& command) {
  std::string line = "sinew track " + shell_word(command.clip) + " --character " +
                     shell_word(command.character) + " --method " + command.method + cut_words(command.cut) +
                     scene_words(command.scene);
  if (command.run.seed != 1) line += " --seed " + std::to_string(command.run.seed);
  if (command.video) line += " --video";
  return line + import_words(command.import);
}

int run(const TrackCommand& command) {
  const bool quiet = command.output.quiet || command.output.json;
  SimulationFileOptions files;
  files.pictures = !command.output.no_pictures;
  files.video = command.video;
  Progress progress(3 + simulation_file_steps(files), quiet);
  const TrackWork work = prepare(command, progress);
  files.notes = never_came(work);
  const fs::path folder = folder_of(command, work.character);
  check_folder(folder);
  const Stopwatch stopwatch;
  Recording recording = simulate(command, work, progress);
  const Stopwatch::Times times = stopwatch.read();
  recording.command = command_line(command);

  OutputFolder out(folder);
  remove_old_simulation(folder, command.clip);
  const Summary summary = summarise(command, recording, measure(recording), times);
  if (!recording.frames.empty() && !recording.diverged)
    write_simulation_files(recording, summary, files, out, progress);
  write_file(out.add("summary.json"), to_json(summary));

  progress.done();
  if (command.output.json) std::cout << to_json(summary);
  if (!quiet)
    std::cout << in_words(short_name(command.clip) + " on " + work.character.name, summary, files.notes, out);
  if (recording.diverged)
    std::cerr << "sinew: the simulation diverged at " << fixed(recording.duration_s(), 3)
              << " s; no motion is written (try a smaller --step-ms)\n";
  return summary.completed ? kOk : kNotCompleted;
}

}  // namespace

void add_track(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("track", "simulate a character that follows a motion");
  auto options = std::make_shared<TrackCommand>();
  command->add_option("CLIP", options->clip, "a motion file, a recording, or a name from `sinew motions`")
      ->required()
      ->type_name("CLIP");
  command->add_option("--method", options->method, "servo: every joint follows the motion, nothing balances")
      ->check(one_of({"servo"}))
      ->type_name("METHOD")
      ->capture_default_str();
  add_character_option(*command, options->character);
  add_scene_options(*command, options->scene);
  add_cut_options(*command, options->cut);
  add_output_options(*command, options->output);
  command->add_flag("--video", options->video, "write motion.mp4 as well");
  add_run_options(*command, options->run);
  add_import_options(*command, options->import);
  command->footer(
      examples("  sinew track punch                                       the baseline on human50\n"
               "  sinew track walk --engine ode --world slope:deg=-5      another engine, downhill\n"
               "  sinew track punch --throw body=head,mass=2,speed=8,at=1.2,from=front\n"
               "  sinew track wave --push body=pelvis,force=200,for=0.2,at=2,toward=left --video"));
  command->callback([&action, options] {
    check_cut(options->cut);
    action = [options] { return run(*options); };
  });
}

}  // namespace sinew::cli
