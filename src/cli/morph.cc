#include <algorithm>
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
#include "rollout/metamorphosis.h"
#include "sim/engines.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kBefore_s = 2;  // of plain running at first

struct MorphCommand {
  std::string behaviour, from = "man", to = "woman";
  double over_s = 20, after_s = 10;
  OutputOptions output;
  double step_ms = 0;
};

int run(const MorphCommand& command) {
  SimulationFileOptions files;
  files.pictures = !command.output.no_pictures;
  Progress progress(2 + simulation_file_steps(files), command.output.quiet || command.output.json);
  progress.step("reading the run");
  const Running first = run_of(open_character(command.from), open_run());
  const Character to = open_character(command.to);
  const Metamorphosis way(first.behaviour.parameters, first.character, to);
  const fs::path folder = command.output.folder.empty()
                              ? fs::path("out") / folder_name("morph-" + first.character.name + "-" + to.name)
                              : fs::path(command.output.folder);
  check_folder(folder);

  // The step is right for the smaller of both.
  const Stopwatch stopwatch;
  const double step_s =
      std::min(run_step_s(first.character, command.step_ms), run_step_s(to, command.step_ms));
  SceneOptions scene;
  const auto simulator = find_engine("mujoco")(first.character, open_world(scene), {.step_s = step_s});
  Runner runner(first.character, first.behaviour.parameters, {first.behaviour.parameters.speed, 0});
  double done = 0;
  Character body = first.character;
  const auto change = [&](double time_s) {
    const double part = std::clamp((time_s - kBefore_s) / command.over_s, 0.0, 1.0);
    if (part == done) return;
    done = part;
    way.body(part, body);
    simulator->reshape(body);
    const RunParameters parameters = way.parameters(part);
    runner.reshape(simulator->character(), parameters);
    runner.set_command({parameters.speed, 0});
  };
  RunResult result = perform_run(*simulator, runner, first.behaviour.start,
                                 kBefore_s + command.over_s + command.after_s, progress, change);
  const Stopwatch::Times times = stopwatch.read();
  result.recording.clip = "run";
  result.recording.command = "sinew morph run --from " + shell_word(command.from) + " --to " +
                             shell_word(command.to) + " --over " + shortest(command.over_s) + " --after " +
                             shortest(command.after_s);
  files.title = first.character.name + " becomes " + to.name;
  files.notes = {"a recording has one body: pictures and files show " + to.name + " throughout"};
  result.recording.character = to;

  Summary summary = summary_of("morph", result.recording, times);

  // Judged at every step by the body of that step.
  summary.completed = !result.fell;
  summary.failed_at_s = result.fell ? std::optional<double>(result.seconds) : std::nullopt;
  summary.gait = result.gait;
  OutputFolder out(folder);
  return finish(result.recording, summary, files, command.output, out, "", progress);
}

}  // namespace

void add_morph(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("morph", "a character that becomes another while it runs");
  auto options = std::make_shared<MorphCommand>();
  command->add_option("BEHAVIOUR", options->behaviour, "what it does meanwhile")
      ->required()
      ->check(one_of({"run"}))
      ->type_name("run");
  command->add_option("--from", options->from, "who begins")
      ->type_name("NAME|FILE.xml")
      ->capture_default_str();
  command->add_option("--to", options->to, "who it becomes")
      ->type_name("NAME|FILE.xml")
      ->capture_default_str();
  command->add_option("--over", options->over_s, "how long it takes")
      ->check(between(0.01, 3600, "between 0.01 and 3600 seconds"))
      ->type_name("S")
      ->capture_default_str();
  command->add_option("--after", options->after_s, "how long it goes on after that")
      ->check(between(0, 3600, "between 0 and 3600 seconds"))
      ->type_name("S")
      ->capture_default_str();
  command->add_option("--step-ms", options->step_ms, "time step in milliseconds; else by size")
      ->check(between(0.01, 20, "between 0.01 and 20 milliseconds"))
      ->type_name("MS");
  add_output_options(*command, options->output);
  command->footer(
      examples("  sinew morph run --from man --to woman --over 20\n"
               "  sinew morph run --from man --to child --over 5 --after 10"));
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace sinew::cli
