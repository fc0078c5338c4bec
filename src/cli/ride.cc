#include "rollout/ride.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/simulation.h"
#include "cli/simulation_files.h"
#include "cli/sources.h"
#include "cli/stopwatch.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "sim/engines.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kSpeed_m_s = 5, kSeconds = 20, kStep_ms = 1;
// The stiffest spring, that of a pedal, is followed well up to this step.
constexpr double kLongestStep_ms = 1;

struct RideCommand {
  std::string character = "man";
  std::string course = "straight";
  std::string parameters;  // a file; empty: the shipped one
  double speed_m_s = 0;    // 0: the course's own
  SceneOptions scene;
  OutputOptions output;
  bool video = false;
};

std::string command_line(const RideCommand& command) {
  std::string line =
      "sinew ride --course " + command.course + " --character " + shell_word(command.character);
  if (command.speed_m_s > 0) line += " --speed " + shortest(command.speed_m_s);
  if (!command.parameters.empty()) line += " --parameters " + shell_word(command.parameters);
  line += scene_words(command.scene);
  return command.video ? line + " --video" : line;
}

// Long enough for the fastest who rides it so long.
Course course_of(const RideCommand& command, double seconds) {
  const double speed = command.speed_m_s > 0 ? command.speed_m_s : kSpeed_m_s;
  const double length = 1.2 * std::max(speed, 8.0) * seconds + 50;
  if (command.course == "slalom") return slalom_course(length, speed);
  if (command.course == "turns") return turning_course(length, command.speed_m_s);
  return straight_course(length, speed);
}

int run(const RideCommand& command) {
  SimulationFileOptions files;
  files.pictures = !command.output.no_pictures;
  files.video = command.video;
  files.title = command.course + " ridden by " + short_name(command.character);
  Progress progress(2 + simulation_file_steps(files), command.output.quiet || command.output.json);
  progress.step("mounting " + command.character);
  const RideFile file = open_ride(command.parameters);
  const Character character = mounted(open_character(command.character), file);
  const World world = open_world(command.scene);
  const double seconds = command.scene.seconds > 0 ? command.scene.seconds : kSeconds;
  files.notes = never_came(world, seconds);
  const fs::path folder = command.output.folder.empty()
                              ? fs::path("out") / folder_name("ride-" + command.course + "-" + character.name)
                              : fs::path(command.output.folder);
  check_folder(folder);

  const Stopwatch stopwatch;
  const Course course = course_of(command, seconds);
  const double step_ms = command.scene.step_ms > 0 ? command.scene.step_ms : kStep_ms;
  const auto simulator = find_engine(command.scene.engine)(character, world, {step_ms / 1000});
  Cyclist cyclist(character, course, file.parameters);
  const State start = cyclist.start(simulator->state(), course.at(0).speed_m_s);
  Recording recording = simulate(*simulator, cyclist, start, seconds, progress);
  const Stopwatch::Times times = stopwatch.read();
  recording.clip = "ride-" + command.course;
  recording.command = command_line(command);

  // Without a reference there are no errors against one.
  Summary summary = summary_of("ride", recording, times);
  for (auto* none : {&summary.pose_error_rad, &summary.root_height_error_m, &summary.root_tilt_error_rad,
                     &summary.root_drift_m, &summary.foot_slide_m_s,
                     &summary.planted_slide_m_s})
    none->reset();
  summary.course_error_m = course_error(recording, course);
  OutputFolder out(folder);
  return finish(recording, summary, files, command.output, out, "", progress);
}

void check(const RideCommand& command) {
  if (command.scene.engine != "mujoco")
    throw CLI::ValidationError("--engine",
                               "can only be mujoco: wheels are ellipsoids, which no other engine has");
  if (command.scene.step_ms > kLongestStep_ms)
    throw CLI::ValidationError("--step-ms",
                               "must be at most 1: the springs of the pedals are too stiff for more");
}

}  // namespace

void add_ride(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("ride", "simulate a character that rides a bicycle along a course");
  auto options = std::make_shared<RideCommand>();
  command->add_option("--course", options->course, "where to")
      ->check(one_of({"straight", "slalom", "turns"}))
      ->type_name("straight|slalom|turns")
      ->capture_default_str();
  command->add_option("--speed", options->speed_m_s, "metres a second; else 5, and 3 to 8 on turns")
      ->check(between(2, 10, "between 2 and 10 metres a second"))
      ->type_name("M_S");
  command->add_option("--parameters", options->parameters, "how it is tuned; else behaviours/ride.json")
      ->type_name("FILE.json");
  add_character_option(*command, options->character);
  add_place_options(*command, options->scene, "20");
  command->get_option("--step-ms")->description("time step in milliseconds; else 1");
  add_output_options(*command, options->output);
  command->add_flag("--video", options->video, "write motion.mp4 as well");
  command->footer(
      examples("  sinew ride                                   straight on, 20 s\n"
               "  sinew ride --course slalom --seconds 100     1.5 m to either side over 25 m\n"
               "  sinew ride --course turns --video            turns, and speeds from 3 to 8 m/s\n"
               "  sinew ride --character cyclist --course slalom"));
  command->callback([&action, options] {
    check(*options);
    action = [options] { return run(*options); };
  });
}

}  // namespace sinew::cli
