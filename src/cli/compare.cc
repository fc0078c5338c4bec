#include "record/compare.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/simulation_files.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "record/film.h"
#include "record/metrics.h"
#include "record/pressure.h"
#include "record/strip.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct CompareCommand {
  std::array<std::string, 2> folders;
  double at_s = -1;  // negative: where they differ most
  OutputOptions output;
};

// One of the two.
struct Side {
  std::string folder;
  std::string title;
  Recording recording;
  std::vector<BodyLoad> loads;
  Metrics metrics;
};

Side read_side(const std::string& folder) {
  const fs::path file = fs::is_directory(folder) ? fs::path(folder) / "recording.sinew" : fs::path(folder);
  std::optional<Recording> recording = open_recording(file.string());
  if (!recording)
    throw Error(file.string(), 0,
                fs::exists(file) ? "is no recording" : "is not there; simulations leave it");
  if (recording->frames.empty()) throw Error(file.string(), 0, "is a recording without frames");
  Side side{folder, "", std::move(*recording), {}, {}};
  side.title = short_name(side.recording.clip) + " on " + side.recording.character.name + " in " +
               side.recording.world.name;
  side.loads = body_loads(side.recording);
  side.metrics = measure(side.recording);
  return side;
}

// What tells one from the other.
void tell_apart(std::array<Side, 2>& sides) {
  if (sides[0].title != sides[1].title) return;
  const bool engines = sides[0].recording.engine != sides[1].recording.engine;
  for (Side& side : sides) side.title += engines ? ", " + side.recording.engine : " (" + side.folder + ")";
}

// ---- what is said about them

// Places at which a frame touches the world, on average.
double mean_contacts(const Recording& recording) {
  double sum = 0;
  for (const RecordingFrame& frame : recording.frames)
    for (const Contact& contact : frame.contacts) sum += contact.other_shape < 0 ? 1 : 0;
  return sum / static_cast<double>(recording.frames.size());
}

double most(const Side& side, double BodyLoad::*value) {
  double out = 0;
  for (const BodyLoad& load : side.loads) out = std::max(out, load.*value);
  return out;
}

Json json_of(const Side& side) {
  Json json = {{"folder", side.folder},
               {"clip", side.recording.clip},
               {"character", side.recording.character.name},
               {"engine", side.recording.engine},
               {"world", side.recording.world.name},
               {"seconds", side.metrics.seconds},
               {"completed", side.metrics.completed},
               {"mean_contacts", mean_contacts(side.recording)},
               {"highest_force_N", most(side, &BodyLoad::peak_force_N)},
               {"highest_pressure_Pa", most(side, &BodyLoad::peak_pressure_Pa)},
               {"lasting_pressure_Pa", most(side, &BodyLoad::lasting_pressure_Pa)},
               {"bodies", Json::array()}};
  for (size_t i = 0; i < side.loads.size(); ++i) {
    const BodyLoad& load = side.loads[i];
    if (!load.touched()) continue;
    json["bodies"].push_back({{"body", side.recording.character.bodies[i].name},
                              {"highest_force_N", load.peak_force_N},
                              {"impulse_Ns", load.impulse_Ns},
                              {"highest_pressure_Pa", load.peak_pressure_Pa},
                              {"lasting_pressure_Pa", load.lasting_pressure_Pa}});
  }
  return json;
}

// The head is that of every summary; where the two differ, both are named.
std::string summary_text(const std::array<Side, 2>& sides, double at_s) {
  const Recording &a = sides[0].recording, &b = sides[1].recording;
  const auto both = [](const std::string& x, const std::string& y) {
    return x == y ? x : x + " against " + y;
  };
  Json json = {{"sinew", SINEW_VERSION},
               {"command", "compare"},
               {"clip", both(a.clip, b.clip)},
               {"character", both(a.character.name, b.character.name)},
               {"world", both(a.world.name, b.world.name)},
               {"seconds", std::max(sides[0].metrics.seconds, sides[1].metrics.seconds)},
               {"at_s", at_s}};
  json["sides"] = {json_of(sides[0]), json_of(sides[1])};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string in_words(const std::array<Side, 2>& sides, const OutputFolder& out) {
  std::vector<std::vector<std::string>> rows = {
      {"", "seconds", "ended", "contacts", "highest N", "highest kPa", "lasting kPa"}};
  for (const Side& side : sides)
    rows.push_back({side.title, fixed(side.metrics.seconds, 2), side.metrics.completed ? "completed" : "lost",
                    fixed(mean_contacts(side.recording), 1), fixed(most(side, &BodyLoad::peak_force_N), 0),
                    fixed(most(side, &BodyLoad::peak_pressure_Pa) / 1000, 0),
                    fixed(most(side, &BodyLoad::lasting_pressure_Pa) / 1000, 0)});
  std::string files;
  for (const std::string& file : out.files()) files += " " + file;
  return table(rows) + "wrote " + wrapped((out.path() / "").string() + ":" + files, 4) + "\n";
}

// ---- the page

ReportSection side_section(const Side& side) {
  Summary summary;
  take(summary, side.metrics);
  SimulationFileOptions options;
  options.title = side.title;
  ReportSection section = simulation_section(side.recording, summary, options);
  section.maps.clear();  // they stand above, with one scale
  const std::vector<ReportFigure> contacts = {
      {"points that touch, mean", fixed(mean_contacts(side.recording), 1)},
      {"highest force on a part, N", fixed(most(side, &BodyLoad::peak_force_N), 0)},
      {"highest pressure, kPa", fixed(most(side, &BodyLoad::peak_pressure_Pa) / 1000, 0)},
      {"pressure for 0.03 s, kPa", fixed(most(side, &BodyLoad::lasting_pressure_Pa) / 1000, 0)}};
  section.figures.insert(section.figures.begin() + 1, contacts.begin(), contacts.end());
  StripOptions strip;
  strip.title = section.title;
  strip.subtitle = section.subtitle;
  section.strip_png = encode_png(film_strip(side.recording.character, make_film(side.recording), strip));
  return section;
}

void write_page(const CompareCommand& command, const std::array<Side, 2>& sides, double at_s,
                const std::string& map, OutputFolder& out, Progress& progress) {
  progress.step("drawing");
  ReportSection both;
  both.title = "Side by side";
  both.subtitle =
      "at " + fixed(at_s, 2) + " s" + (command.at_s < 0 ? ", where their pressures differ most" : "");
  both.strip_png = encode_png(
      moment_picture({{sides[0].title, &sides[0].recording}, {sides[1].title, &sides[1].recording}}, {at_s}));
  write_file(out.add("moment.png"), both.strip_png);
  both.notes.push_back(
      "an arrow for each patch that bears load, 1 m for 600 N, coloured by its pressure as below");
  both.notes.push_back(
      "pressure is normal force by area, and the area an estimate: bodies as if covered by 1 cm of flesh");
  if (!map.empty()) both.maps.push_back(map);
  both.command = "sinew compare " + shell_word(sides[0].folder) + " " + shell_word(sides[1].folder) +
                 (command.at_s < 0 ? "" : " --at " + shortest(command.at_s));

  Report report;
  report.title = "sinew compare: " + sides[0].title + " against " + sides[1].title;
  report.sections = {std::move(both), side_section(sides[0]), side_section(sides[1])};
  write_file(out.add("report.html"), html_report(report));
}

// ---- the command

fs::path folder_of(const CompareCommand& command) {
  if (!command.output.folder.empty()) return command.output.folder;
  std::string name = "compare";
  for (const std::string& folder : command.folders) {
    const fs::path path = fs::path(folder).lexically_normal();
    name += "-" + (path.has_filename() ? path : path.parent_path()).filename().string();
  }
  return fs::path("out") / folder_name(name);
}

int run(const CompareCommand& command) {
  const bool quiet = command.output.quiet || command.output.json;
  Progress progress(command.output.no_pictures ? 1 : 2, quiet);
  progress.step("reading");
  std::array<Side, 2> sides = {read_side(command.folders[0]), read_side(command.folders[1])};
  tell_apart(sides);
  const double end_s = std::max(sides[0].metrics.seconds, sides[1].metrics.seconds);
  if (command.at_s > end_s)
    throw Error("--at " + shortest(command.at_s) + " is after the end of both, " + shortest(end_s) + " s");
  const double at_s =
      command.at_s < 0 ? telling_moment_s(sides[0].recording, sides[1].recording) : command.at_s;

  // No simulation may lose its page, neither of the two nor a third.
  const fs::path folder = folder_of(command);
  if (fs::exists(folder / "recording.sinew"))
    throw Error(folder.string(), 0, "holds a simulation; -o takes another folder");
  OutputFolder out(folder);
  const std::string map =
      svg_body_map({{sides[0].title, &sides[0].recording}, {sides[1].title, &sides[1].recording}});
  if (!map.empty()) write_file(out.add("pressure.svg"), map);
  if (!command.output.no_pictures) {
    try {
      write_page(command, sides, at_s, map, out, progress);
    } catch (const Error& error) {
      throw Error(std::string(error.what()) + " (--no-pictures does without pictures)");
    }
  }
  const std::string summary = summary_text(sides, at_s);
  write_file(out.add("summary.json"), summary);
  progress.done();
  if (command.output.json) std::cout << summary;
  if (!quiet) std::cout << in_words(sides, out);
  return kOk;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("compare", "two simulations side by side: contacts, pressure, pictures");
  auto options = std::make_shared<CompareCommand>();
  for (size_t i = 0; i < 2; ++i)
    command
        ->add_option(i == 0 ? "DIR_A" : "DIR_B", options->folders[i],
                     "a folder that a simulation left, or its recording")
        ->required()
        ->type_name("DIR");
  command
      ->add_option("--at", options->at_s,
                   "the moment that is shown; if not said, where the pressures differ most")
      ->check(between(0, 1e6, "a time in seconds, not negative"))
      ->type_name("S");
  add_output_options(*command, options->output);
  command->footer(
      examples("  sinew track roll-sideways -o hard\n"
               "  sinew track roll-sideways --world pad -o soft\n"
               "  sinew compare hard soft -o out               hard floor against soft pad"));
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace sinew::cli
