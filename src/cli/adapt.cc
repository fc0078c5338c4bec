#include "search/adapt.h"

#include <iostream>
#include <memory>
#include <string>

#include "character/transfer.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/interrupt_guard.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/running.h"
#include "cli/search_watch.h"
#include "cli/simulation.h"
#include "cli/simulation_files.h"
#include "cli/sources.h"
#include "cli/stopwatch.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "rollout/control_file.h"
#include "search/design_run.h"
#include "sim/engines.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kStable_s = 100;  // a run that lasts so long is stable
constexpr int kDesignEvaluations = 1000;
constexpr int kDesignPopulation = 24;

struct AdaptCommand {
  std::string behaviour, from = "man", to, method = "cma";
  int evaluations = 0;  // 0: the task's own
  std::string design;   // the stage; empty: none
  std::string start;    // a file of the run to begin with
  double step = 0.25;   // of a design
  bool resume = false;
  OutputOptions output;
  RunOptions run;
};

// The command that makes it again.
std::string command_line(const AdaptCommand& command) {
  std::string line = "sinew adapt run --from " + shell_word(command.from) + " --to " + shell_word(command.to);
  if (command.method != "cma") line += " --method " + command.method;
  if (command.evaluations > 0) line += " --evaluations " + std::to_string(command.evaluations);
  if (!command.start.empty()) line += " --start " + shell_word(command.start);
  return command.run.seed != 1 ? line + " --seed " + std::to_string(command.run.seed) : line;
}

// What was tuned, in words.
std::vector<std::string> words_of(const AdaptResult& result, const RunParameters& before) {
  std::vector<std::string> notes;
  if (!result.intermediates.empty()) {
    std::string list;
    for (const double part : result.intermediates)
      list += (list.empty() ? "" : ", ") + fixed(100 * part, 0) + " %";
    notes.push_back("tuned on the way at " + list);
  }
  std::string tuned;
  for (const ParameterInfo* info : tuned_five())
    tuned += (tuned.empty() ? "" : ", ") + std::string(info->name) + " " + fixed(before.*info->member, 3) +
             " -> " + fixed(result.behaviour.parameters.*info->member, 3);
  notes.push_back("tuned: " + tuned);
  notes.push_back("cost " + fixed(result.cost_before, 2) + " as it was scaled, " +
                  fixed(result.cost_after, 2) + " tuned, " + std::to_string(result.evaluations) +
                  " evaluations");
  return notes;
}

AdaptTask task_of(const AdaptCommand& command) {
  AdaptTask task;
  const Running first = run_of(open_character(command.from), open_run(command.start));
  task.from = first.character;
  task.to = open_character(command.to);
  task.behaviour = first.behaviour;
  task.world = open_world({});
  task.engine = find_engine("mujoco");
  task.method = command.method == "annealing" ? Method::kAnnealing : Method::kCma;
  if (command.evaluations > 0) task.evaluations = command.evaluations;
  task.seed = static_cast<uint64_t>(command.run.seed);
  return task;
}

// A text that changes with anything that a search is given.
std::string text_of(const AdaptTask& task) {
  std::string text = "adapt, sinew " SINEW_VERSION;
  for (const std::string& part :
       {fingerprint(task.from), fingerprint(task.to), fingerprint(encode_run(task.behaviour)),
        std::string(task.method == Method::kCma ? "cma" : "annealing"), std::to_string(task.evaluations),
        std::to_string(task.seed)})
    text += "\n" + part;
  return text;
}

// What ranks other than 0 do: they open the same files, and simulate for rank 0.
int serve_adapt(MpiSession& ranks, const AdaptCommand& command) {
  serve(ranks, [&](const std::string& text, const ExecutorFactory& executor) {
    const AdaptTask task = task_of(command);
    if (text_of(task) != text)
      throw Error(
          "here is another Sinew, or another character or behaviour, than on rank 0; all must be the same");
    adapt_run(task, executor);
  });
  return kOk;
}

// The search on threads or ranks, which can be interrupted and goes on with --resume.
AdaptResult search(const AdaptTask& task, const AdaptCommand& command, const fs::path& folder,
                   MpiSession& ranks, Progress& progress, Stopwatch::Times& spent) {
  FindOptions options;
  options.folder = folder;
  options.resume_hint = "-o " + shell_word(folder.string()) + " --resume";
  options.resume = command.resume;
  options.quiet = command.output.quiet || command.output.json;
  options.threads = command.run.threads;
  options.ranks = &ranks;
  const std::string text = text_of(task);
  AdaptResult result;
  watch_search(fingerprint(text), text, {static_cast<double>(task.evaluations), 0, "evaluations"}, options,
               progress, spent, [&](SearchWatch& watch, const auto& executor, const auto& resume) {
                 const auto tell = [&](const AdaptReport& report, const auto& save) {
                   return watch.tell(report.evaluations,
                                     count(static_cast<size_t>(report.evaluations), "evaluation") + ", " +
                                         fixed(100 * report.part, 0) + " % of the way, cost " +
                                         fixed(report.search.best, 2),
                                     save);
                 };
                 result = adapt_run(task, executor, tell, resume);
               });
  if (result.interrupted) throw Error("the search was interrupted");
  return result;
}

int run(const AdaptCommand& command) {
  MpiSession ranks;
  if (ranks.rank() > 0) return serve_adapt(ranks, command);
  SimulationFileOptions files;
  files.pictures = !command.output.no_pictures;
  Progress progress(2 + simulation_file_steps(files), command.output.quiet || command.output.json);
  progress.step("scaling and tuning");
  const AdaptTask task = task_of(command);
  const fs::path folder = command.output.folder.empty()
                              ? fs::path("out") / folder_name("adapt-" + task.from.name + "-" + task.to.name)
                              : fs::path(command.output.folder);
  check_folder(folder);
  Stopwatch::Times times;
  const AdaptResult result = search(task, command, folder, ranks, progress, times);

  // What was found, as long as it must last.
  const Stopwatch stopwatch;
  const Running scaled = run_of(task.to, task.behaviour);
  files.notes = scaled.notes;
  for (const std::string& note : words_of(result, scaled.behaviour.parameters)) files.notes.push_back(note);
  const auto simulator = task.engine(task.to, task.world, {.step_s = run_step_s(task.to)});
  Runner runner(task.to, result.behaviour.parameters, {result.behaviour.parameters.speed, 0});
  RunResult performed = perform_run(*simulator, runner, result.behaviour.start, kStable_s, progress);
  times.cpu_s += stopwatch.read().cpu_s;
  times.wall_s += stopwatch.read().wall_s;
  performed.recording.clip = "run";
  performed.recording.seed = command.run.seed;
  performed.recording.command = command_line(command);
  files.title = "run of " + task.to.name;

  Summary summary = summary_of("adapt", performed.recording, times);
  summary.gait = performed.gait;
  summary.adapt =
      AdaptFigures{result.evaluations, result.cost_before, result.cost_after, result.intermediates};
  OutputFolder out(folder);
  write_file(out.add("behaviour.json"), encode_run(result.behaviour));
  const int status = finish(performed.recording, summary, files, command.output, out, "", progress);
  std::error_code ec;
  fs::remove(folder / kCheckpointFile, ec);
  return status;
}

DesignTask design_task(const AdaptCommand& command) {
  DesignTask task;
  const Running running = run_of(open_character(command.to), open_run(command.start));
  task.character = running.character;
  task.from = running.behaviour;
  for (const auto& [name, speed_m_s] :
       {std::pair("woman", 4.83), std::pair("child", 2.13), std::pair("runner", 4.3)})
    if (name != task.character.name) task.others.push_back({open_character(name), speed_m_s});
  task.world = open_world({});
  task.engine = find_engine("mujoco");
  task.stage = command.design == "straight" ? DesignStage::kStraight
               : command.design == "speeds" ? DesignStage::kSpeeds
                                            : DesignStage::kAll;
  task.search.evaluations = command.evaluations > 0 ? command.evaluations : kDesignEvaluations;
  task.search.population = kDesignPopulation;
  task.search.step = command.step;
  task.search.seed = static_cast<uint64_t>(command.run.seed);
  return task;
}

// All parameters of a character's own run, found anew from where they are: what assets/behaviours/run.json
// was made by. What is best so far is written when the search is interrupted, too.
int design(const AdaptCommand& command) {
  const MpiSession ranks;
  if (ranks.size() > 1) throw Error("--design is not for mpirun: it runs on the threads of one machine");
  Progress progress(1, command.output.quiet || command.output.json);
  progress.step("designing");
  const DesignTask task = design_task(command);
  const fs::path folder = command.output.folder.empty()
                              ? fs::path("out") / folder_name("design-" + task.character.name)
                              : fs::path(command.output.folder);
  check_folder(folder);
  const InterruptGuard guard;
  const DesignResult result =
      design_run(task, on_threads(command.run.threads), [&](const MinimiseReport& report) {
        progress.within(static_cast<double>(report.evaluations) / task.search.evaluations,
                        "designing, cost " + fixed(report.best, 2) + ", step " + fixed(report.step, 3));
        return !guard.interrupted();
      });
  OutputFolder out(folder);
  write_file(out.add("behaviour.json"), encode_run(result.behaviour));
  progress.done();
  if (!command.output.quiet)
    std::cout << "cost " << fixed(result.search.first_cost, 3) << " -> " << fixed(result.search.cost, 3)
              << " in " << result.search.evaluations << " evaluations; wrote "
              << (folder / "behaviour.json").string() << "\n";
  return kOk;
}

}  // namespace

void add_adapt(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("adapt", "scale and tune a behaviour for a new character");
  auto options = std::make_shared<AdaptCommand>();
  command->add_option("BEHAVIOUR", options->behaviour, "which")
      ->required()
      ->check(one_of({"run"}))
      ->type_name("run");
  command->add_option("--from", options->from, "who can do it")
      ->type_name("NAME|FILE.xml")
      ->capture_default_str();
  command->add_option("--to", options->to, "who shall: any character with the same joints")
      ->required()
      ->type_name("NAME|FILE.xml");
  command
      ->add_option("--method", options->method, "cma: covariance matrix adaptation; annealing: as the paper")
      ->check(one_of({"cma", "annealing"}))
      ->type_name("METHOD")
      ->capture_default_str();
  command->add_option("--evaluations", options->evaluations, "runs of 15 s to try; else 120")
      ->check(whole(1, 1000000, "a whole number from 1 to 1000000"))
      ->type_name("N");
  command->add_option("--design", options->design, "instead: improve all parameters of --to's own run")
      ->check(one_of({"straight", "speeds", "all"}))
      ->type_name("STAGE");
  command->add_option("--start", options->start, "the run to begin with; else the one that comes with Sinew")
      ->type_name("FILE");
  command->add_flag("--resume", options->resume, "go on with the search that was interrupted in -o DIR");
  command->add_option("--step", options->step, "of a design: how far it looks at first")
      ->check(between(0.001, 10, "between 0.001 and 10"))
      ->type_name("SPREADS")
      ->capture_default_str();
  add_output_options(*command, options->output);
  add_run_options(*command, options->run);
  command->footer(
      examples("  sinew adapt run --from man --to child\n"
               "  sinew adapt run --from man --to my.xml -o my-run\n"
               "  sinew adapt run --to my.xml -o my-run --resume      after Ctrl-C\n"
               "  sinew run --character my.xml --behaviour my-run/behaviour.json"));
  command->callback([&action, options] {
    if (options->resume && !options->design.empty())
      throw CLI::ValidationError("--resume",
                                 "is not for --design: begin again with --start out/behaviour.json");
    action = [options] { return options->design.empty() ? run(*options) : design(*options); };
  });
}

}  // namespace sinew::cli
