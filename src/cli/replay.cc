#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/simulation.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/files.h"
#include "rollout/control_file.h"
#include "rollout/placement.h"
#include "sim/engines.h"
#include "world/library.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

// What is not said is as the control file has it.
SceneOptions as_the_file_says() {
  SceneOptions scene;
  scene.world.clear();
  scene.engine.clear();
  return scene;
}

struct ReplayCommand {
  std::string control;
  SceneOptions scene = as_the_file_says();
  OutputOptions output;
  bool video = false;
};

std::string command_line(const ReplayCommand& command) {
  return "sinew replay " + shell_word(command.control) + scene_words(command.scene, as_the_file_says()) +
         (command.video ? " --video" : "");
}

// Why the motion may be another than the one that the control was found with.
std::vector<std::string> differences(const ControlFile& file) {
  std::vector<std::string> notes;
  if (file.sinew != SINEW_VERSION)
    notes.push_back("the control was found with Sinew " + file.sinew +
                    ", this is " SINEW_VERSION ": the motion may differ");
  if (file.fingerprint != fingerprint(file.character))
    notes.push_back("the character " + file.character.name +
                    " is not quite the one that the control was found for: the motion may differ");
  return notes;
}

// The same motion above the ground of another world: only the root's height changes, which no servo follows.
// One that repeats is written out up to a time, for the ground does not repeat.
Reference over_ground(const ControlFile& file, const World& world, double until_s) {
  const Reference& reference = file.reference;
  const auto before = reference_ground(file.world), after = reference_ground(world);
  const double h = reference.frame_time_s;
  const size_t frames =
      reference.cyclic ? static_cast<size_t>(std::ceil(until_s / h)) + 2 : reference.q.size();
  Reference out;
  out.clip = reference.clip;
  out.frame_time_s = h;
  for (size_t i = 0; i < frames; ++i) {
    const ReferenceSample at = sample(file.character, reference, h * static_cast<double>(i));
    out.q.push_back(at.q);
    out.q.back()[2] += after(at.q[0], at.q[1]) - before(at.q[0], at.q[1]);
    out.point_contact.push_back(*at.point_contact);
    out.body_contact.push_back(*at.body_contact);
  }
  differentiate(file.character, out);
  return out;
}

// Other things in the same world, or another world with the character put down in it.
void change_scene(const SceneOptions& scene, ControlFile& file) {
  if (scene.seconds > 0) file.seconds = scene.seconds;
  if (!scene.world.empty()) {
    const World world = open_world(scene);
    file.reference = over_ground(file, world, file.start_s + file.seconds);
    file.world = world;
    file.start = start_state(file.character, file.reference, file.world, file.start_s);
  } else {
    for (const std::string& text : scene.throws) add_throw(file.world, parse_throw(text));
    for (const std::string& text : scene.pushes) file.world.pushes.push_back(parse_push(text));
  }

  // Another engine has a step of its own.
  if (!scene.engine.empty() && scene.engine != file.engine) {
    file.engine = scene.engine;
    file.step_s = 0;
  }
  if (scene.step_ms > 0) file.step_s = scene.step_ms / 1000;
}

int run(const ReplayCommand& command) {
  SimulationFileOptions files;
  files.pictures = !command.output.no_pictures;
  files.video = command.video;
  Progress progress(2 + simulation_file_steps(files), command.output.quiet || command.output.json);
  progress.step("reading " + command.control);
  ControlFile file = decode_control(read_file(command.control), command.control, character_folders());
  files.notes = differences(file);
  change_scene(command.scene, file);
  for (const std::string& note : never_came(file.world, file.seconds)) files.notes.push_back(note);
  const fs::path folder =
      command.output.folder.empty()
          ? fs::path("out") / folder_name(short_name(file.clip) + "-" + file.character.name + "-replay")
          : fs::path(command.output.folder);
  check_folder(folder);

  const Stopwatch stopwatch;
  const auto simulator = find_engine(file.engine)(file.character, file.world, {file.step_s});
  OpenLoopController controller(file.character, file.reference, file.control, file.start_s);
  Recording recording = simulate(*simulator, controller, file.start, file.seconds, progress);
  const Stopwatch::Times times = stopwatch.read();
  recording.clip = file.clip;
  recording.seed = file.seed;
  recording.command = command_line(command);
  OutputFolder out(folder);
  return finish(recording, summary_of("replay", recording, times), files, command.output, out,
                command.control, progress);
}

}  // namespace

void add_replay(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("replay", "simulate a control that was found before");
  auto options = std::make_shared<ReplayCommand>();
  command->add_option("CONTROL", options->control, "the control.json that `sinew reconstruct` left")
      ->required()
      ->type_name("CONTROL");
  add_place_options(*command, options->scene, "as long as the control");
  for (const char* name : {"--world", "--engine"}) {
    CLI::Option* option = command->get_option(name);
    option->description(option->get_description() + "; else the control's");
  }
  command->get_option("--step-ms")
      ->description("time step in milliseconds; else the control's, or that of another engine");
  add_output_options(*command, options->output);
  command->add_flag("--video", options->video, "write motion.mp4 as well");
  command->footer(
      examples("  sinew replay out/walk-human50-reconstruct/control.json\n"
               "  sinew replay control.json --world slope:deg=3 --push at=1,force=100\n"
               "  sinew replay control.json --step-ms 1                   does it hold at half the step?"));
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace sinew::cli
