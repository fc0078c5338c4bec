#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/beliefs.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/react.h"
#include "cli/simulation.h"
#include "cli/simulation_files.h"
#include "cli/stopwatch.h"
#include "cli/text.h"
#include "cli/tracker.h"
#include "core/error.h"
#include "qp/qp_file.h"
#include "rollout/placement.h"
#include "sim/engines.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

struct TrackCommand {
  std::string clip;
  std::string character = "human50";
  std::string alter;
  TrackerOptions tracker;
  std::string dump_qps;
  ReactOptions react;
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
         folder_name(short_name(command.clip) + "-" + character.name + "-" + command.tracker.method);
}

// The options of the paper's recipe as they are typed; those at their default are left out.
std::string mcsim_words(const McsimOptions& options) {
  const McsimOptions defaults;
  std::string words = " --recipe paper";
  const auto add = [&](const char* name, double value, double otherwise) {
    if (value != otherwise) words += " " + std::string(name) + " " + shortest(value);
  };
  add("--k", options.k, defaults.k);
  add("--k-os", options.k_os, defaults.k_os);
  add("--c-d", options.c_d, defaults.c_d);
  add("--c-v", options.c_v, defaults.c_v);
  add("--plan-hz", options.plan_hz, defaults.plan_hz);
  if (options.form == QpForm::kFull) words += " --full-qp";
  return words;
}

// The command that makes it again.
std::string command_line(const TrackCommand& command) {
  std::string line = "sinew track " + shell_word(command.clip) + " --character " +
                     shell_word(command.character) + " --method " + command.tracker.method +
                     cut_words(command.cut) + scene_words(command.scene);
  if (plans_forces(command.tracker)) line += mcsim_words(command.tracker.mcsim);
  if (command.tracker.method == "auxiliary") line += react_words(command.react);
  if (!command.alter.empty()) line += " --alter " + shell_word(command.alter);
  if (!command.tracker.believe.empty()) line += " --believe " + shell_word(command.tracker.believe);
  if (command.run.seed != 1) line += " --seed " + std::to_string(command.run.seed);
  if (command.video) line += " --video";
  return line + import_words(command.import);
}

// The quadratic programs of a run, kept in a file without a name until it is over, so that a run which a
// signal ends leaves nothing.
class QpDump {
 public:
  explicit QpDump(const fs::path& path)
      : path_(path), beside_(path.string() + ".part"), kept_(std::tmpfile()) {
    // Better to know now than after the run.
    require(std::ofstream(beside_).good());
    fs::remove(beside_);
    add(qp_header());
  }
  ~QpDump() {
    if (kept_) std::fclose(kept_);
  }
  QpDump(const QpDump&) = delete;
  QpDump& operator=(const QpDump&) = delete;

  void add(double time_s, const QpProblem& problem) { add(encode_qp({fixed(time_s, 3) + " s", problem})); }

  // Written beside the file's place, and renamed.
  void finish() {
    std::rewind(kept_);
    std::ofstream out(beside_, std::ios::binary);
    std::vector<char> block(size_t{1} << 16);
    for (size_t n; (n = std::fread(block.data(), 1, block.size(), kept_)) > 0;)
      out.write(block.data(), static_cast<std::streamsize>(n));
    out.close();
    require(out.good());
    fs::rename(beside_, path_);
  }

 private:
  void add(const std::string& text) {
    require(kept_ && std::fwrite(text.data(), 1, text.size(), kept_) == text.size());
  }
  void require(bool good) const {
    if (!good) throw Error(path_.string(), 0, "cannot be written");
  }

  fs::path path_, beside_;
  std::FILE* kept_;
};

// What the solver met, in words, where it is worth saying.
std::vector<std::string> notes_of(const McsimCounts& counts) {
  std::vector<std::string> notes;
  const std::string all = " of " + std::to_string(counts.plans) + " plans";
  if (counts.relaxed > 0)
    notes.push_back("in " + std::to_string(counts.relaxed) + all +
                    " feet had to slip: cones and torque limits allowed nothing else");
  if (counts.failed > 0)
    notes.push_back(std::to_string(counts.failed) + all +
                    " had no usable solution: the torques before were held");
  return notes;
}

QpFigures figures_of(const McsimCounts& counts) {
  QpFigures out;
  out.plans = counts.plans;
  out.relaxed = counts.relaxed;
  out.failed = counts.failed;
  out.mean_iterations =
      static_cast<double>(counts.iterations) / static_cast<double>(std::max(counts.plans, 1L));
  out.worst_residual = counts.worst_residual;
  out.most_variables = counts.most_variables;
  return out;
}

// Two simulations in lockstep: the method is a controller with a simulation of its own.
int run_auxiliary(const TrackCommand& command) {
  SimulationFileOptions files;
  files.pictures = !command.output.no_pictures;
  files.video = command.video;
  Progress progress(3 + simulation_file_steps(files), command.output.quiet || command.output.json);
  const ReactScene scene =
      open_react(open_scenario(command.clip, command.character, command.import, command.cut, command.scene,
                               progress, parse_alteration(command.alter)),
                 command.react, command.scene.seconds);
  const Scenario& scenario = scene.scenario;
  files.notes = never_came(scenario.world, scenario.seconds);
  files.notes.insert(files.notes.end(), scene.notes.begin(), scene.notes.end());
  const fs::path folder = folder_of(command, scenario.character);
  check_folder(folder);

  const Stopwatch stopwatch;
  const ReactEngine engine{find_engine(command.scene.engine), command.scene.step_ms / 1000, command.run.seed,
                           command.run.threads};
  const auto simulator = engine.factory(scenario.character, scenario.world, {engine.step_s});
  State start = start_state(scenario.character, scenario.reference, scenario.world, scenario.start_s);
  if (command.run.seed != 1) start = perturbed(scenario.character, start, command.run.seed);
  const React react = make_react(scene, *simulator, start, engine);
  Recording recording =
      simulate(*simulator, *react.controller, start, scenario.seconds, progress, react.plan_hz);
  const Stopwatch::Times times = stopwatch.read();
  recording.clip = command.clip;
  recording.seed = command.run.seed;
  recording.command = command_line(command);
  Summary summary = summary_of("track", recording, times);
  summary.reaction = react_reactions(scene, recording, start, engine);
  OutputFolder out(folder);
  return finish(recording, summary, files, command.output, out, command.clip, progress);
}

int run(const TrackCommand& command) {
  if (command.tracker.method == "auxiliary") return run_auxiliary(command);
  SimulationFileOptions files;
  files.pictures = !command.output.no_pictures;
  files.video = command.video;
  Progress progress(3 + simulation_file_steps(files), command.output.quiet || command.output.json);
  const Scenario scenario = open_scenario(command.clip, command.character, command.import, command.cut,
                                          command.scene, progress, parse_alteration(command.alter));
  files.notes = never_came(scenario.world, scenario.seconds);
  const fs::path folder = folder_of(command, scenario.character);
  check_folder(folder);

  const Stopwatch stopwatch;
  TrackerOptions options = command.tracker;
  options.seed = command.run.seed;
  options.threads = command.run.threads;
  std::optional<QpDump> dump;
  if (!command.dump_qps.empty()) {
    dump.emplace(command.dump_qps);
    options.mcsim.on_problem = [&](double time_s, const QpProblem& problem) { dump->add(time_s, problem); };
  }
  auto [recording, counts] =
      track(scenario, command.scene, options,
            [&](Simulator& simulator, Controller& controller, const State& start, double plan_hz) {
              return simulate(simulator, controller, start, scenario.seconds, progress, plan_hz);
            });
  const Stopwatch::Times times = stopwatch.read();
  recording.clip = command.clip;
  recording.seed = command.run.seed;
  recording.command = command_line(command);
  if (dump) dump->finish();
  Summary summary = summary_of("track", recording, times);
  if (counts) {
    summary.qp = figures_of(*counts);
    for (const std::string& note : notes_of(*counts)) files.notes.push_back(note);
  }
  OutputFolder out(folder);
  return finish(recording, summary, files, command.output, out, command.clip, progress);
}

// What only --method mcsim has, most of it only the paper's recipe.
void add_mcsim_options(CLI::App& command, TrackCommand& options) {
  command
      .add_option(
          "--recipe", options.tracker.recipe,
          "mcsim; default: our own, a sampled preview; paper: quadratic programs as da Silva et al. 2008 "
          "published them")
      ->check(one_of({"paper", "default"}))
      ->type_name("paper|default")
      ->capture_default_str();
  McsimOptions& mcsim = options.tracker.mcsim;
  command.add_option("--k", mcsim.k, "paper: scale of the joints' stiffness in its servos")
      ->check(between(0, 100, "a number from 0 to 100"))
      ->type_name("K")
      ->capture_default_str();
  command.add_option("--k-os", mcsim.k_os, "paper: gain of errors on desired accelerations, 1/s^2")
      ->check(between(0, 1e6, "a number from 0 to 1e6"))
      ->type_name("K")
      ->capture_default_str();
  command.add_option("--c-d", mcsim.c_d, "paper: balance on the swing hip, rad a metre")
      ->check(between(-10, 10, "a number from -10 to 10"))
      ->type_name("C")
      ->capture_default_str();
  command.add_option("--c-v", mcsim.c_v, "paper: balance on the swing hip, rad a metre a second")
      ->check(between(-10, 10, "a number from -10 to 10"))
      ->type_name("C")
      ->capture_default_str();
  command.add_option("--plan-hz", mcsim.plan_hz, "paper: how often a second it solves its quadratic program")
      ->check(between(1, 1e4, "a number from 1 to 10000"))
      ->type_name("HZ")
      ->capture_default_str();
  command.add_flag_callback(
      "--full-qp", [&mcsim] { mcsim.form = QpForm::kFull; },
      "paper: the program in the paper's variables, accelerations and all");
  command
      .add_option("--dump-qps", options.dump_qps, "paper: write the quadratic programs of the run to FILE")
      ->type_name("FILE");
}

// What another method or recipe would pass over in silence.
void refuse_options_of_others(const CLI::App& command, const TrackCommand& options) {
  for (const char* name : {"--recipe", "--believe"})
    if (options.tracker.method != "mcsim" && command.count(name) > 0)
      throw CLI::ValidationError(name, "is an option of --method mcsim");
  for (const std::string& name : react_option_names())
    if (options.tracker.method != "auxiliary" && command.count(name) > 0)
      throw CLI::ValidationError(name, "is an option of --method auxiliary");
  if (plans_forces(options.tracker)) return;
  for (const char* name : {"--k", "--k-os", "--c-d", "--c-v", "--plan-hz", "--full-qp", "--dump-qps"})
    if (command.count(name) > 0)
      throw CLI::ValidationError(name, "is an option of --method mcsim --recipe paper");
}

}  // namespace

void add_track(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("track", "simulate a character that follows a motion");
  auto options = std::make_shared<TrackCommand>();
  add_clip_option(*command, options->clip);
  command
      ->add_option(
          "--method", options->tracker.method,
          "mcsim: follows the motion, keeps its balance; auxiliary: low gains and feedforward from a "
          "second simulation, soft to surprises; servo: every joint follows the motion, nothing "
          "balances")
      ->check(one_of({"mcsim", "auxiliary", "servo"}))
      ->type_name("METHOD")
      ->capture_default_str();
  add_mcsim_options(*command, *options);
  add_react_options(*command, options->react);
  add_character_option(*command, options->character);
  command
      ->add_option(
          "--alter", options->alter,
          "another character: masses of groups multiplied, feet longer, as left_leg=2,foot_length=-0.04")
      ->type_name("WORDS");
  command
      ->add_option(
          "--believe", options->tracker.believe,
          "mcsim: what the controller takes for true against what is simulated: words as of --alter, "
          "friction=MU, softness=S, or a character")
      ->type_name("WORDS|FILE.xml");
  add_scene_options(*command, options->scene);
  add_cut_options(*command, options->cut);
  add_output_options(*command, options->output);
  command->add_flag("--video", options->video, "write motion.mp4 as well");
  add_run_options(*command, options->run);
  add_import_options(*command, options->import);
  command->footer(examples(
      "  sinew track walk --loop --seconds 60                    follows it and keeps its balance\n"
      "  sinew track punch --recipe paper -c human57             forces planned by a quadratic program\n"
      "  sinew track walk --world slope:deg=-5                   downhill\n"
      "  sinew track punch --method servo                        the baseline\n"
      "  sinew track kick --method auxiliary -c human45 --throw body=left_leg,at=1,expected   braced for it\n"
      "  sinew track punch --throw body=head,mass=2,speed=8,at=1.2,from=front\n"
      "  sinew track wave --push body=pelvis,force=200,for=0.2,at=2,toward=left --video"));
  command->callback([&action, options, command] {
    check_cut(options->cut);
    refuse_options_of_others(*command, *options);
    action = [options] { return run(*options); };
  });
}

}  // namespace sinew::cli
