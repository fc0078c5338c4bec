#include <algorithm>
#include <cmath>

#include "cli/paper_table.h"
#include "cli/simulation.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "record/metrics.h"
#include "rollout/ride.h"
#include "sim/engines.h"
#include "world/library.h"

// Hodgins and Pollard 1997, "Adapting simulated behaviors for new characters": the bicyclists.
namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kSeconds = 100, kStep_s = 0.001;
constexpr double kCourse_m = 0.25, kWeave_m_s = 4.292, kWeaveShare = 0.02, kResidual_N = 5;

struct Trial {
  std::string row, rider, course;
  double speed_m_s;  // 0: the course's own
  std::string paper_says;
};

std::vector<Trial> trials() {
  const char* tuned = "rides a course of straights, turns and speed changes";
  const char* slalom = "follows a slalom course (Figure 11)";
  return {{"man-straight", "man", "straight", 5, tuned},
          {"man-slow", "man", "straight", 3, tuned},
          {"man-fast", "man", "straight", 8, tuned},
          {"man-turns", "man", "turns", 0, tuned},
          {"man-slalom", "man", "slalom", 5, slalom},
          {"cyclist-straight", "cyclist", "straight", 5, tuned},
          {"cyclist-slalom", "cyclist", "slalom", 5, slalom}};
}

Course course_of(const Trial& trial) {
  const double length = 1.2 * 8 * kSeconds + 50;
  if (trial.course == "slalom") return slalom_course(length, trial.speed_m_s);
  if (trial.course == "turns") return turning_course(length, trial.speed_m_s);
  return straight_course(length, trial.speed_m_s);
}

void ride(const Trial& trial, const PaperOptions& options, const PaperWatch& watch, PaperRow& row) {
  const RideFile file = open_ride();
  const Character character = mounted(open_character(trial.rider), file);
  const Course course = course_of(trial);
  const double step_s = options.step_ms > 0 ? options.step_ms / 1000 : kStep_s;
  const auto simulator = find_engine("mujoco")(character, make_world("flat"), {step_s});
  Cyclist cyclist(character, course, file.parameters);
  const State start = cyclist.start(simulator->state(), course.at(0).speed_m_s);
  const Stopwatch stopwatch;
  const Recording recording =
      simulate(*simulator, cyclist, start, kSeconds, [&](double) { return watch.go_on(); });
  if (!watch.go_on()) return;
  const Metrics metrics = measure(recording);
  const double error_m = course_error(recording, course);
  row.ours = {{"seconds", metrics.failed_at_s.value_or(metrics.seconds)},
              {"course_error_m", error_m},
              {"speed_error_m_s", speed_error(recording, course, 5)},
              {"root_residual_N", metrics.root_residual_N},
              {"cpu_s", stopwatch.read().cpu_s}};
  row.meets = metrics.completed && error_m <= kCourse_m && metrics.root_residual_N < kResidual_N;
  row.finished = true;
}

void weave(const PaperOptions& options, PaperRow& row) {
  const double step_s = options.step_ms > 0 ? options.step_ms / 1000 : kStep_s;
  const double speed = weave_speed(find_engine("mujoco"), make_world("flat"), step_s);
  row.ours = {{"weave_m_s", speed}};
  row.meets = std::abs(speed - kWeave_m_s) <= kWeaveShare * kWeave_m_s;
  row.finished = true;
}

std::vector<PaperRow> run(const PaperOptions& options, PaperWatch& watch) {
  const auto wanted = [&](const std::string& row) {
    return options.only.empty() ||
           std::find(options.only.begin(), options.only.end(), row) != options.only.end();
  };
  std::vector<PaperRow> rows;
  std::vector<Trial> rides;
  if (wanted("weave-speed"))
    rows.push_back({"weave-speed",
                    {{"weave_m_s", kWeave_m_s}, {"says", "Meijaard et al. 2007"}},
                    nullptr,
                    false,
                    false,
                    ""});
  const size_t first = rows.size();
  for (const Trial& trial : trials())
    if (wanted(trial.row)) {
      rides.push_back(trial);
      rows.push_back({trial.row, {{"says", trial.paper_says}}, nullptr, false, false, ""});
    }
  run_jobs(rows.size(), options.threads, watch, [&](size_t i) {
    if (i < first)
      weave(options, rows[i]);
    else
      ride(rides[i - first], options, watch, rows[i]);
    return rows[i].row + (rows[i].meets ? ": good" : ": not as asked");
  });
  return rows;
}

}  // namespace

std::vector<PaperTable> bicycle_tables() {
  PaperTable table;
  table.name = "adapt-bicycle";
  table.what = "Hodgins and Pollard 1997: bicycling, 100 s each; and the benchmark bicycle";
  table.asked =
      "rides 100 s within 0.25 m rms of the course, nothing but the rider drives; weave speed within 2 %";
  table.rows = {"weave-speed"};
  for (const Trial& trial : trials()) table.rows.push_back(trial.row);
  table.columns = {{"paper", "/paper/says", 0},
                   {"weave m/s", "/paper/weave_m_s", 3},
                   {"ours m/s", "/ours/weave_m_s", 3},
                   {"seconds", "/ours/seconds", 1},
                   {"course error m", "/ours/course_error_m", 3},
                   {"speed error m/s", "/ours/speed_error_m_s", 3},
                   {"residual N", "/ours/root_residual_N", 3},
                   {"CPU s", "/ours/cpu_s", 1}};
  table.chart_key = "course_error_m";
  table.chart_label = "distance from the course, rms, m";
  table.run = run;
  return {table};
}

}  // namespace sinew::cli
