#include <cmath>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/running.h"
#include "cli/simulation.h"
#include "cli/simulation_files.h"
#include "cli/sources.h"
#include "cli/stopwatch.h"
#include "cli/text.h"
#include "core/error.h"
#include "rollout/placement.h"
#include "sim/engines.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kDefault_s = 10;

struct RunCommandLine {
  std::string character = "man";
  std::string behaviour;
  double speed_m_s = 0;      // 0: the character's own
  double turn_radius_m = 0;  // 0: straight; positive to the left
  SceneOptions scene;
  OutputOptions output;
  RunOptions run;
  bool video = false;
};

std::string command_line(const RunCommandLine& command) {
  std::string line = "sinew run --character " + shell_word(command.character);
  if (!command.behaviour.empty()) line += " --behaviour " + shell_word(command.behaviour);
  if (command.speed_m_s > 0) line += " --speed " + shortest(command.speed_m_s);
  if (command.turn_radius_m != 0) line += " --turn-radius " + shortest(command.turn_radius_m);
  line += scene_words(command.scene);
  if (command.run.seed != 1) line += " --seed " + std::to_string(command.run.seed);
  return line + (command.video ? " --video" : "");
}

int run(const RunCommandLine& command) {
  SimulationFileOptions files;
  files.pictures = !command.output.no_pictures;
  files.video = command.video;
  Progress progress(2 + simulation_file_steps(files), command.output.quiet || command.output.json);
  progress.step("reading the run");
  const Running running = run_of(open_character(command.character), open_run(command.behaviour));
  const Character& character = running.character;
  const World world = open_world(command.scene);
  const double seconds = command.scene.seconds > 0 ? command.scene.seconds : kDefault_s;
  files.notes = running.notes;
  for (const std::string& note : never_came(world, seconds)) files.notes.push_back(note);
  const fs::path folder = command.output.folder.empty()
                              ? fs::path("out") / folder_name("run-" + character.name)
                              : fs::path(command.output.folder);
  check_folder(folder);

  const Stopwatch stopwatch;
  const auto simulator = find_engine(command.scene.engine)(
      character, world, {.step_s = run_step_s(character, command.scene.step_ms)});
  RunCommand order;
  order.speed_m_s = command.speed_m_s > 0 ? command.speed_m_s : running.behaviour.parameters.speed;
  order.turn_rate = command.turn_radius_m == 0 ? 0 : order.speed_m_s / command.turn_radius_m;
  Runner runner(character, running.behaviour.parameters, order);
  State start = running.behaviour.start;
  if (command.run.seed != 1) start = perturbed(character, start, command.run.seed);
  RunResult result = perform_run(*simulator, runner, start, seconds, progress);
  const Stopwatch::Times times = stopwatch.read();
  result.recording.clip = "run";
  result.recording.seed = command.run.seed;
  result.recording.command = command_line(command);
  files.title = "run of " + character.name;

  Summary summary = summary_of("run", result.recording, times);
  summary.gait = result.gait;
  OutputFolder out(folder);
  return finish(result.recording, summary, files, command.output, out, "", progress);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "a character that runs, by its own control");
  auto options = std::make_shared<RunCommandLine>();
  add_character_option(*command, options->character);
  command
      ->add_option("--speed", options->speed_m_s,
                   "metres a second; else the character's own, 4.4 for the man")
      ->check(between(0.5, 10, "between 0.5 and 10 metres a second"))
      ->type_name("M_S");
  command
      ->add_option("--turn-radius", options->turn_radius_m,
                   "run in a circle of this radius; to the right if negative")
      ->check(between(-1e4, 1e4, "a number of metres"))
      ->type_name("M");
  command
      ->add_option("--behaviour", options->behaviour,
                   "a run that `sinew adapt` wrote; else the one that comes with Sinew")
      ->type_name("FILE");
  add_place_options(*command, options->scene, "10 seconds");
  add_output_options(*command, options->output);
  command->add_flag("--video", options->video, "write motion.mp4 as well");
  add_run_options(*command, options->run);
  command->footer(
      examples("  sinew run --seconds 100                                 as long as you like\n"
               "  sinew run --character child --speed 2.5                 scaled to who runs\n"
               "  sinew run --speed 3.5 --turn-radius 15                  slower, in a circle\n"
               "  sinew run --push body=thorax,force=400,for=0.1,at=3,toward=left"));
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace sinew::cli
