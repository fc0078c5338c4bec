#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/find_control.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/simulation.h"
#include "cli/text.h"
#include "cli/variations.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

struct ReconstructCommand {
  std::string clip;
  std::string character = "human50";
  std::string recipe = "default";
  int samples = 0;  // 0: the recipe's own
  int save = 0;
  int variations = 0;
  bool resume = false;
  double smooth_hz = 0;
  ImportOptions import;
  CutOptions cut;
  SceneOptions scene;
  OutputOptions output;
  RunOptions run;
  bool video = false;

  bool quiet() const { return output.quiet || output.json; }
};

fs::path folder_of(const ReconstructCommand& command, const Character& character) {
  if (!command.output.folder.empty()) return command.output.folder;
  return fs::path("out") / folder_name(short_name(command.clip) + "-" + character.name + "-reconstruct");
}

// The command that makes it again.
std::string command_line(const ReconstructCommand& command, int seed) {
  std::string line =
      "sinew reconstruct " + shell_word(command.clip) + " --character " + shell_word(command.character);
  if (command.recipe != "default") line += " --recipe " + command.recipe;
  if (command.samples > 0) line += " --samples " + std::to_string(command.samples);
  if (command.save > 0) line += " --save " + std::to_string(command.save);
  line += cut_words(command.cut) + scene_words(command.scene);
  if (seed != 1) line += " --seed " + std::to_string(seed);
  if (command.smooth_hz > 0) line += " --smooth " + shortest(command.smooth_hz);
  if (command.video) line += " --video";
  return line + import_words(command.import);
}

SimulationFileOptions files_of(const ReconstructCommand& command) {
  SimulationFileOptions files;
  files.pictures = !command.output.no_pictures;
  files.video = command.video;
  files.smooth_hz = command.smooth_hz;
  if (files.smooth_hz > 0)
    files.notes.push_back("motion.bvh and motion.glb are smoothed at " + shortest(files.smooth_hz) +
                          " Hz; the recording, all tables and all figures are as simulated");
  return files;
}

// How to search, as the control file says it.
ControlFile manner_of(const ReconstructCommand& command) {
  ControlFile file;
  file.clip = command.clip;
  file.recipe = command.recipe;
  file.samples = command.samples;
  file.save = command.save;
  file.seed = command.run.seed;
  file.engine = command.scene.engine;
  file.step_s = command.scene.step_ms / 1000;
  return file;
}

int run(const ReconstructCommand& command) {
  MpiSession ranks;
  if (ranks.rank() > 0) {
    serve_searches(ranks);
    return kOk;
  }
  SimulationFileOptions files = files_of(command);
  const int steps = 2 + simulation_file_steps(files);
  Progress progress(2 + steps * std::max(command.variations, 1), command.quiet());
  const Scenario scenario =
      open_scenario(command.clip, command.character, command.import, command.cut, command.scene, progress);
  for (const std::string& note : never_came(scenario.world, scenario.seconds)) files.notes.push_back(note);
  FindOptions options;
  options.folder = folder_of(command, scenario.character);
  options.resume_hint = "-o " + shell_word(options.folder.string()) + " --resume";
  options.resume = command.resume;
  options.quiet = command.quiet();
  options.threads = command.run.threads;
  options.ranks = &ranks;
  check_folder(options.folder);
  const ControlFile inputs = inputs_of(scenario, manner_of(command));
  if (command.variations > 0)
    return find_variations(
        inputs, command.variations, [&](int seed) { return command_line(command, seed); }, options, files,
        command.output, progress);

  Found found = find_control(inputs, options, progress);
  found.recording.command = command_line(command, inputs.seed);
  if (!found.lost.empty()) files.notes.push_back(found.lost);
  OutputFolder out(options.folder);
  write_found(found, files, out, progress);
  progress.done();
  if (!found.lost.empty()) progress.say("sinew: " + found.lost);
  return conclude(found.recording, found.summary, files, command.output, out);
}

}  // namespace

void add_reconstruct(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("reconstruct", "find open-loop control that performs a motion, by sampling");
  auto options = std::make_shared<ReconstructCommand>();
  add_clip_option(*command, options->clip);
  command->add_option("--recipe", options->recipe, "default: our own search; paper: SAMCON as published")
      ->check(one_of({"paper", "default"}))
      ->type_name("paper|default")
      ->capture_default_str();
  command
      ->add_option("--samples", options->samples, "simulations a step of the search; else the recipe's own")
      ->check(whole(1, 1000000, "a whole number from 1 to 1000000"))
      ->type_name("N");
  command->add_option("--save", options->save, "of which are kept (paper); else the recipe's own")
      ->check(whole(1, 1000000, "a whole number from 1 to 1000000"))
      ->type_name("N");
  command
      ->add_option("--variations", options->variations,
                   "so many performances that complete, from seeds one after another")
      ->check(whole(1, 1000, "a whole number from 1 to 1000"))
      ->type_name("N");
  command->add_flag("--resume", options->resume, "go on with the search that was interrupted in -o DIR");
  command
      ->add_option("--smooth", options->smooth_hz,
                   "smooth motion.bvh and motion.glb, and nothing else, at this frequency")
      ->check(between(0.1, 1000, "between 0.1 and 1000 Hz"))
      ->type_name("HZ");
  add_character_option(*command, options->character);
  add_scene_options(*command, options->scene);
  add_cut_options(*command, options->cut);
  add_output_options(*command, options->output);
  command->add_flag("--video", options->video, "write motion.mp4 as well");
  add_run_options(*command, options->run);
  add_import_options(*command, options->import);
  command->footer(
      examples("  sinew reconstruct walk                                  on human50, on the flat\n"
               "  sinew reconstruct roll-forward --world ramp:deg=10 --seed 3\n"
               "  sinew reconstruct walk --recipe paper --samples 200 --save 30\n"
               "  sinew reconstruct walk --variations 5                   five different ones\n"
               "  sinew reconstruct walk -o out/walk --resume             after Ctrl-C"));
  command->callback([&action, options] {
    check_cut(options->cut);
    if (options->save > 0 && options->recipe != "paper")
      throw CLI::ValidationError("--save", "is of --recipe paper alone");
    action = [options] { return run(*options); };
  });
}

}  // namespace sinew::cli
