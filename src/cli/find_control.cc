#include "cli/find_control.h"

#include <utility>

#include "character/library.h"
#include "character/write_mjcf.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "rollout/placement.h"
#include "search/reconstruct.h"
#include "search/samcon.h"
#include "sim/engines.h"

namespace sinew::cli {

namespace fs = std::filesystem;

namespace {

// The text of a character that a reader of the file could not find by its name.
std::string text_unless_known(const Character& character) {
  for (const std::string& name : character_names(character_folders()))
    if (name == character.name &&
        fingerprint(load_character(name, character_folders())) == fingerprint(character))
      return "";
  return write_mjcf(character);
}

// The recipe that the file names.
SearchResult search(const ControlFile& file, const SearchHooks& hooks) {
  SearchTask task;
  task.character = file.character;
  task.world = file.world;
  task.reference = file.reference;
  task.start_s = file.start_s;
  task.seconds = file.seconds;
  task.start = file.start;
  task.engine = find_engine(file.engine);
  task.step_s = file.step_s;
  task.seed = static_cast<uint64_t>(file.seed);
  if (file.recipe == "paper") {
    SamconOptions options;
    if (file.samples > 0) options.samples = file.samples;
    if (file.save > 0) options.save = file.save;
    return samcon(task, options, hooks);
  }
  ReconstructOptions options;
  if (file.samples > 0) options.samples = file.samples;
  return reconstruct(task, options, hooks);
}

std::string in_words(const SearchReport& report, double seconds) {
  std::string text = fixed(report.time_s, 2) + " of " + fixed(seconds, 2) + " s, cost " +
                     fixed(report.cost, 2) + ", root at " + fixed(report.root_height_m, 2) +
                     " m (reference " + fixed(report.reference_height_m, 2) + ")";
  if (report.rewinds > 0) text += ", " + count(static_cast<size_t>(report.rewinds), "rewind");
  return text;
}

// The search under watch; a signal that came ends the program when the watch goes.
SearchResult watched_search(const ControlFile& inputs, const FindOptions& options, Progress& progress,
                            Stopwatch::Times& spent) {
  SearchResult result;
  watch_search(fingerprint_of_inputs(inputs), encode_control(inputs), {inputs.seconds, 2, "s"}, options,
               progress, spent, [&](SearchWatch& watch, const auto& executor, const auto& resume) {
                 SearchHooks hooks;
                 hooks.executor = executor;
                 hooks.resume = resume;
                 hooks.progress = [&](const SearchReport& report, const auto& save) {
                   return watch.tell(report.time_s, in_words(report, inputs.seconds), save);
                 };
                 result = search(inputs, hooks);
               });
  return result;
}

// What the control does, simulated once from the start.
Found performed(const ControlFile& inputs, const SearchResult& result,
                const std::function<Recording(Simulator&, Controller&)>& perform) {
  Found found{inputs, {}, {}, result.lost};
  found.file.control = result.control;
  const ControlFile& file = found.file;
  const auto simulator = find_engine(file.engine)(file.character, file.world, {file.step_s});
  OpenLoopController controller(file.character, file.reference, file.control, file.start_s);
  found.recording = perform(*simulator, controller);
  found.recording.clip = file.clip;
  found.recording.seed = file.seed;
  return found;
}

// The figures of search and simulation, and a word about a control that is none.
void sum_up(Found& found, const Stopwatch::Times& times, long samples) {
  found.summary = summary_of("reconstruct", found.recording, times);
  found.summary.samples = samples;
  if (found.lost.empty() && !found.summary.completed)
    found.lost = "the control that was found loses the motion at " +
                 fixed(found.summary.failed_at_s.value_or(0), 2) +
                 " s; another --seed, more --samples or a smaller --step-ms may help";
}

}  // namespace

ControlFile inputs_of(const Scenario& scenario, ControlFile file) {
  file.step_s = find_engine(file.engine)(scenario.character, scenario.world, {file.step_s})->step_s();
  file.character = scenario.character;
  file.mjcf = text_unless_known(file.character);
  file.world = scenario.world;
  file.reference = scenario.reference;
  file.start_s = scenario.start_s;
  file.seconds = scenario.seconds;
  file.start = start_state(file.character, file.reference, file.world, file.start_s);
  file.control = open_loop(file.character);
  return as_written(file, character_folders());
}

std::string fingerprint_of_inputs(ControlFile file) {
  file.clip.clear();
  file.control = open_loop(file.character);
  return fingerprint(encode_control(file));
}

Found find_control(const ControlFile& inputs, const FindOptions& options, Progress& progress) {
  progress.step("searching");
  Stopwatch::Times spent;
  const SearchResult result = watched_search(inputs, options, progress, spent);
  if (result.interrupted) throw Error("the search was interrupted");
  const Stopwatch stopwatch;
  Found found = performed(inputs, result, [&](Simulator& simulator, Controller& controller) {
    return simulate(simulator, controller, inputs.start, inputs.seconds, progress);
  });
  const Stopwatch::Times after = stopwatch.read();
  sum_up(found, {spent.cpu_s + after.cpu_s, spent.wall_s + after.wall_s}, result.samples);
  return found;
}

std::optional<Found> find_control_alone(const ControlFile& inputs, const std::function<bool()>& go_on) {
  const Stopwatch stopwatch(CLOCK_THREAD_CPUTIME_ID);
  SearchHooks hooks;
  hooks.progress = [&](const SearchReport&, const auto&) { return go_on(); };
  const SearchResult result = search(inputs, hooks);
  if (result.interrupted) return {};
  Found found = performed(inputs, result, [&](Simulator& simulator, Controller& controller) {
    return simulate(simulator, controller, inputs.start, inputs.seconds, [&](double) { return go_on(); });
  });
  if (!go_on()) return {};
  sum_up(found, stopwatch.read(), result.samples);
  return found;
}

void serve_searches(MpiSession& ranks) {
  serve(ranks, [](const std::string& task, const ExecutorFactory& executor) {
    const ControlFile inputs = decode_control(task, "the task of rank 0", character_folders());
    if (inputs.sinew != SINEW_VERSION || encode_control(inputs) != task)
      throw Error("here is another Sinew or another character '" + inputs.character.name +
                  "' than on rank 0; all must be the same");
    SearchHooks hooks;
    hooks.executor = executor;
    search(inputs, hooks);
  });
}

void write_found(const Found& found, const SimulationFileOptions& files, OutputFolder& out,
                 Progress& progress) {
  remove_old_simulation(out.path(), found.file.clip);
  write_file(out.add("control.json"), encode_control(found.file));
  write_simulation(found.recording, found.summary, files, out, progress);
  std::error_code ec;
  fs::remove(out.path() / kCheckpointFile, ec);
}

}  // namespace sinew::cli
