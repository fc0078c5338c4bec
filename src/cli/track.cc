#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/simulation.h"
#include "cli/simulation_files.h"
#include "cli/stopwatch.h"
#include "cli/text.h"
#include "control/servo_tracker.h"
#include "rollout/placement.h"
#include "sim/engines.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

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

fs::path folder_of(const TrackCommand& command, const Character& character) {
  if (!command.output.folder.empty()) return command.output.folder;
  return fs::path("out") /
         folder_name(short_name(command.clip) + "-" + character.name + "-" + command.method);
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
  SimulationFileOptions files;
  files.pictures = !command.output.no_pictures;
  files.video = command.video;
  Progress progress(3 + simulation_file_steps(files), command.output.quiet || command.output.json);
  const Scenario scenario =
      open_scenario(command.clip, command.character, command.import, command.cut, command.scene, progress);
  files.notes = never_came(scenario.world, scenario.seconds);
  const fs::path folder = folder_of(command, scenario.character);
  check_folder(folder);

  // The clip's own start, or one with small errors.
  const Stopwatch stopwatch;
  const auto simulator =
      find_engine(command.scene.engine)(scenario.character, scenario.world, {command.scene.step_ms / 1000});
  State start = start_state(scenario.character, scenario.reference, scenario.world, scenario.start_s);
  if (command.run.seed != 1) start = perturbed(scenario.character, start, command.run.seed);
  ServoTracker controller(scenario.character, scenario.reference, {.start_s = scenario.start_s});
  Recording recording = simulate(*simulator, controller, start, scenario.seconds, progress);
  const Stopwatch::Times times = stopwatch.read();
  recording.clip = command.clip;
  recording.seed = command.run.seed;
  recording.command = command_line(command);
  return finish("track", recording, times, files, command.output, folder, command.clip, progress);
}

}  // namespace

void add_track(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("track", "simulate a character that follows a motion");
  auto options = std::make_shared<TrackCommand>();
  add_clip_option(*command, options->clip);
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
