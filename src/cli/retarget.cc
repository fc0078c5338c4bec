#include "character/retarget.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/retarget_files.h"
#include "cli/sources.h"
#include "cli/stopwatch.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "record/summary.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct RetargetCommand {
  std::string clip;
  std::string character = "human50";
  ImportOptions import;
  CutOptions cut;
  OutputOptions output;
  RunOptions run;
  RetargetOptions retarget;
  bool video = false;
  bool source_bvh = false;
};

// ---- what is said about it

std::string summary_text(const RetargetCommand& command, const RetargetWork& work,
                         const Stopwatch::Times& times) {
  const RetargetReport& report = work.retargeted.report;
  Summary summary;
  summary.command = "retarget";
  summary.clip = command.clip;
  summary.character = work.character.name;
  summary.seed = command.run.seed;
  summary.seconds = work.retargeted.reference.duration_s();
  summary.completed = true;
  summary.pose_error_rad = report.pose_change_rad;
  summary.foot_slide_m_s = report.after.foot_slide_m_s;
  summary.max_penetration_m = report.after.max_penetration_m;
  summary.cpu_s = times.cpu_s;
  summary.wall_s = times.wall_s;
  summary.realtime_factor = summary.seconds / std::max(summary.wall_s, 1e-9);

  // What only this command has to say.
  Json json = Json::parse(to_json(summary));
  json["foot_slide_before_m_s"] = report.before.foot_slide_m_s;
  json["max_penetration_before_m"] = report.before.max_penetration_m;
  json["scale"] = report.scale;
  json["floor_m"] = report.floor_m;
  json["frames"] = work.retargeted.reference.q.size();
  if (work.retargeted.reference.cyclic)
    json["cycle"] = {{"from_s", report.cycle_from_s}, {"to_s", report.cycle_to_s}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string in_words(const RetargetWork& work, const Stopwatch::Times& times, const OutputFolder& out) {
  const RetargetReport& report = work.retargeted.report;
  const Reference& reference = work.retargeted.reference;
  std::string text = work.title + ": " + fixed(reference.duration_s(), 2) + " s, " +
                     count(reference.q.size(), "frame") + ", in " + fixed(times.wall_s, 2) + " s (" +
                     fixed(reference.duration_s() / std::max(times.wall_s, 1e-9), 0) + " times real time)\n";
  for (const ImportNote& note : work.import_notes)
    text += "  - " + wrapped(note.topic + ": " + note.text, 4) + "\n";
  for (const std::string& note : report.notes) text += "  - " + wrapped(note, 4) + "\n";
  if (reference.cyclic)
    text += "  - cycle: from " + fixed(report.cycle_from_s, 2) + " to " + fixed(report.cycle_to_s, 2) +
            " s of the clip\n";
  const auto row = [](const char* name, double before, double after, double unit, const char* sign) {
    return std::vector<std::string>{name, fixed(before * unit, 1), fixed(after * unit, 1), sign};
  };
  text += table({{"", "before", "after", ""},
                 row("foot slide", report.before.foot_slide_m_s, report.after.foot_slide_m_s, 100, "cm/s"),
                 row("deepest point", report.before.max_penetration_m, report.after.max_penetration_m, 100,
                     "cm below the floor")});

  std::string files;
  for (const std::string& file : out.files()) files += " " + file;
  return text + "wrote " + wrapped((out.path() / "").string() + ":" + files, 4) + "\n";
}

// The command that makes it again.
std::string command_line(const RetargetCommand& command) {
  std::string line =
      "sinew retarget " + shell_word(command.clip) + " --character " + shell_word(command.character);
  line += cut_words(command.cut);
  if (command.retarget.rate_hz != RetargetOptions().rate_hz)
    line += " --rate " + shortest(command.retarget.rate_hz);
  if (command.video) line += " --video";
  if (command.source_bvh) line += " --source-bvh";
  return line + import_words(command.import);
}

// ---- the command

// A machine on which nothing can be drawn can do all the rest.
void draw(const RetargetCommand& command, const RetargetWork& work, OutputFolder& out, Progress& progress) {
  try {
    write_pictures(work, command_line(command), command.video, out, progress);
  } catch (const Error& error) {
    throw Error(std::string(error.what()) + " (--no-pictures does without pictures)");
  }
}

int run(const RetargetCommand& command) {
  const bool quiet = command.output.quiet || command.output.json;
  Progress progress(command.output.no_pictures ? 3 : command.video ? 6 : 5, quiet);

  // Everything that can be wrong with the input shows before anything is written.
  progress.step("reading " + command.clip);
  RetargetWork work;
  ImportedClip imported = open_clip(command.clip, command.import, command.cut);
  work.clip = std::move(imported.clip);
  work.import_notes = std::move(imported.notes);
  work.character = open_character(command.character);
  const std::string name = short_name(command.clip);
  work.title = name + " on " + work.character.name;

  progress.step("retargeting");
  const Stopwatch stopwatch;
  work.retargeted = retarget(work.clip, work.character, command.retarget);
  const Stopwatch::Times times = stopwatch.read();

  // Write the results, the summary last: where it is, all is.
  const fs::path folder = command.output.folder.empty()
                              ? fs::path("out") / folder_name(name + "-" + work.character.name)
                              : fs::path(command.output.folder);
  OutputFolder out(folder);
  const std::string summary = summary_text(command, work, times);
  write_motion_files(work, command.source_bvh, out, progress);
  if (!command.output.no_pictures) draw(command, work, out, progress);
  write_file(out.add("summary.json"), summary);

  progress.done();
  if (command.output.json) std::cout << summary;
  if (!quiet) std::cout << in_words(work, times, out);
  return kOk;
}

}  // namespace

void add_retarget(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("retarget", "put a motion onto a character, feet planted on the floor");
  auto options = std::make_shared<RetargetCommand>();
  add_clip_option(*command, options->clip);
  add_character_option(*command, options->character);
  add_cut_options(*command, options->cut);
  command->add_option("--rate", options->retarget.rate_hz, "frames per second of the result")
      ->check(between(10, 1000, "between 10 and 1000 frames per second"))
      ->type_name("HZ")
      ->capture_default_str();
  add_output_options(*command, options->output);
  command->add_flag("--video", options->video, "write motion.mp4 as well");
  command->add_flag("--source-bvh", options->source_bvh, "write the result onto the clip's own skeleton too");
  add_run_options(*command, options->run);
  add_import_options(*command, options->import);
  command->footer(
      examples("  sinew retarget walk                                  the project's own walk on human50\n"
               "  sinew retarget dance.bvh --character robot35 -o out  a file of yours on a robot\n"
               "  sinew retarget run --loop --video                    close the cycle, write an MP4\n"
               "  sinew retarget dance.bvh --from 2 --to 5.5 --json    a cut of it, figures for a script\n"
               "  sinew retarget dance.bvh --character mine.xml --source-bvh"));
  command->callback([&action, options] {
    check_cut(options->cut);
    options->retarget.loop = options->cut.loop;
    action = [options] { return run(*options); };
  });
}

}  // namespace sinew::cli
