#include "cli/common_options.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "cli/text.h"

namespace sinew::cli {

namespace {

constexpr double kHuge = std::numeric_limits<double>::max();
constexpr char kImport[] = "If a conclusion about the file is wrong";

// Metres of a unit given as a number or a name; 0 if it is neither.
double metres_of(const std::string& text) {
  static const std::map<std::string, double> kUnits = {{"m", 1},         {"cm", 0.01},     {"mm", 0.001},
                                                       {"in", 0.0254},   {"inch", 0.0254}, {"ft", 0.3048},
                                                       {"cmu", 0.056444}};
  if (const auto it = kUnits.find(text); it != kUnits.end()) return it->second;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value) && value > 0 ? value : 0;
}

}  // namespace

CLI::Validator between(double low, double high, const std::string& meaning) {
  return CLI::Validator(
      [=](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool good =
            !text.empty() && *end == '\0' && std::isfinite(value) && value >= low && value <= high;
        return good ? std::string() : "must be " + meaning + ", not '" + text + "'";
      },
      "");
}

CLI::Validator whole(int low, int high, const std::string& meaning) {
  return CLI::Validator(
      [=](std::string& text) {
        char* end = nullptr;
        const long value = std::strtol(text.c_str(), &end, 10);
        const bool good = !text.empty() && *end == '\0' && value >= low && value <= high;
        return good ? std::string() : "must be " + meaning + ", not '" + text + "'";
      },
      "");
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return CLI::Validator(
      [=](std::string& text) {
        const bool good = std::find(words.begin(), words.end(), text) != words.end();
        return good ? std::string() : "must be " + list + ", not '" + text + "'";
      },
      "");
}

void add_import_options(CLI::App& command, ImportOptions& options) {
  command
      .add_option_function<std::string>(
          "--up", [&options](const std::string& axis) { options.up = axis[0]; }, "vertical axis of the file")
      ->check(one_of({"x", "y", "z"}))
      ->type_name("x|y|z")
      ->group(kImport);
  command
      .add_option_function<std::string>(
          "--unit", [&options](const std::string& unit) { options.unit_m = metres_of(unit); },
          "length of one unit of the file, in metres or by name (m cm mm in ft cmu)")
      ->check(CLI::Validator(
          [](std::string& text) {
            return metres_of(text) > 0 ? std::string()
                                       : "must be metres or one of m cm mm in ft cmu, not '" + text + "'";
          },
          ""))
      ->type_name("UNIT")
      ->group(kImport);
  command
      .add_option_function<double>(
          "--fps", [&options](double rate) { options.frame_rate_hz = rate; }, "frames per second of the file")
      ->check(between(0.1, 10000, "between 0.1 and 10000 frames per second"))
      ->type_name("HZ")
      ->group(kImport);
  command
      .add_option_function<std::string>(
          "--rest-frame",
          [&options](const std::string& word) { options.first_frame_is_rest = word == "yes"; },
          "whether the first frame is a T-pose and no part of the motion")
      ->check(one_of({"yes", "no"}))
      ->type_name("yes|no")
      ->group(kImport);
  command.add_option("--take", options.take, "which animation of a file that has several")
      ->type_name("NAME")
      ->group(kImport);
}

void add_cut_options(CLI::App& command, CutOptions& options) {
  command.add_option("--from", options.from_s, "second of the clip to begin at")
      ->check(between(0, kHuge, "a number of seconds, 0 or more"))
      ->type_name("S");
  command.add_option("--to", options.to_s, "second of the clip to end at")
      ->check(between(0, kHuge, "a number of seconds, 0 or more"))
      ->type_name("S");
  command.add_flag("--loop", options.loop, "find the cycle of the motion and close it");
}

void check_cut(const CutOptions& cut) {
  if (cut.to_s >= 0 && cut.to_s <= cut.from_s)
    throw CLI::ValidationError("--to", "must be after --from (" + fixed(cut.from_s, 3) + " s)");
}

void add_place_options(CLI::App& command, SceneOptions& options, const std::string& otherwise) {
  command.add_option("--world", options.world, "where: a name from `sinew worlds`, or an MJCF file")
      ->type_name("NAME[:KEY=VALUE,...]|FILE.xml")
      ->capture_default_str();
  command.add_option("--engine", options.engine, "what simulates: mujoco, ode, or a plug-in FILE.so")
      ->type_name("NAME|FILE.so")
      ->capture_default_str();
  command.add_option("--step-ms", options.step_ms, "time step in milliseconds; else the engine's own")
      ->check(between(0.01, 20, "between 0.01 and 20 milliseconds"))
      ->type_name("MS");
  command.add_option("--seconds", options.seconds, "how long to simulate; else " + otherwise)
      ->check(between(0.01, 3600, "between 0.01 and 3600 seconds"))
      ->type_name("S");
  command
      .add_option("--throw", options.throws, "a ball: body=head,mass=2,speed=8,at=1.2,from=front[,expected]")
      ->type_name("BALL")
      ->allow_extra_args(false);
  command.add_option("--push", options.pushes, "a force: body=pelvis,force=200,for=0.2,at=2,toward=left")
      ->type_name("FORCE")
      ->allow_extra_args(false);
}

void add_scene_options(CLI::App& command, SceneOptions& options) {
  add_place_options(command, options, "as long as the clip, 10 for a loop");
  command.add_option("--start-phase", options.start_phase, "where in the clip to begin, 0 to 1")
      ->check(between(0, 1, "between 0 and 1"))
      ->type_name("P");
}

std::string import_words(const ImportOptions& options) {
  std::string line;
  if (options.up) line += std::string(" --up ") + *options.up;
  if (options.unit_m) line += " --unit " + shortest(*options.unit_m);
  if (options.frame_rate_hz) line += " --fps " + shortest(*options.frame_rate_hz);
  if (options.first_frame_is_rest)
    line += *options.first_frame_is_rest ? " --rest-frame yes" : " --rest-frame no";
  if (!options.take.empty()) line += " --take " + shell_word(options.take);
  return line;
}

std::string cut_words(const CutOptions& options) {
  std::string line;
  if (options.from_s > 0) line += " --from " + shortest(options.from_s);
  if (options.to_s >= 0) line += " --to " + shortest(options.to_s);
  if (options.loop) line += " --loop";
  return line;
}

std::string scene_words(const SceneOptions& options, const SceneOptions& otherwise) {
  std::string line;
  if (options.world != otherwise.world) line += " --world " + shell_word(options.world);
  if (options.engine != otherwise.engine) line += " --engine " + shell_word(options.engine);
  if (options.step_ms > 0) line += " --step-ms " + shortest(options.step_ms);
  if (options.seconds > 0) line += " --seconds " + shortest(options.seconds);
  if (options.start_phase > 0) line += " --start-phase " + shortest(options.start_phase);
  for (const std::string& thrown : options.throws) line += " --throw " + shell_word(thrown);
  for (const std::string& push : options.pushes) line += " --push " + shell_word(push);
  return line;
}

void add_output_options(CLI::App& command, OutputOptions& options) {
  command.add_option("-o,--out", options.folder, "folder for the results")->type_name("DIR");
  command.add_flag("--json", options.json, "the summary on standard output, nothing else");
  command.add_flag("-q,--quiet", options.quiet, "say nothing unless something is wrong");
  command.add_flag("--no-pictures", options.no_pictures, "leave out pictures and the report");
}

void add_list_options(CLI::App& command, ListOptions& options) {
  command.add_flag("--json", options.json, "the same as JSON on standard output");
  command.add_flag("--names", options.names, "the names alone, one a line");
}

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("--seed", options.seed, "seed of all random numbers")
      ->check(whole(0, std::numeric_limits<int>::max(), "a whole number from 0 to 2147483647"))
      ->type_name("N");
  command.add_option("--threads", options.threads, "worker threads; 0: one a core")
      ->check(whole(0, 1024, "a whole number from 0 to 1024"))
      ->type_name("N");
}

void add_clip_option(CLI::App& command, std::string& clip) {
  command.add_option("CLIP", clip, "a motion file, a recording, or a name from `sinew motions`")
      ->required()
      ->type_name("CLIP");
}

void add_character_option(CLI::App& command, std::string& character) {
  command.add_option("-c,--character", character, "a name from `sinew characters` or an MJCF file")
      ->type_name("NAME|FILE.xml")
      ->capture_default_str();
}

std::string examples(const std::string& lines) { return "Examples:\n" + lines; }

}  // namespace sinew::cli
