#include "cli/mcsim_runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "cli/beliefs.h"
#include "cli/text.h"
#include "cli/tracker.h"
#include "record/metrics.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kResidual_N = 5;
// Points of a curve a second: what a picture shows.
constexpr double kCurve_hz = 50;

struct Ran {
  Summary summary;
  PaperCurve error;
};

// The squared error until the motion was lost.
PaperCurve error_curve(const Recording& recording, const Summary& summary, const std::string& name) {
  PaperCurve curve{name, {}, {}};
  const std::vector<double> errors = squared_state_errors(recording);
  const auto every = static_cast<size_t>(std::max(1L, std::lround(1 / (kCurve_hz * recording.frame_time_s))));
  for (size_t i = 0; i < errors.size(); i += every) {
    if (recording.frames[i].time_s > summary.failed_at_s.value_or(INFINITY)) break;
    curve.x.push_back(recording.frames[i].time_s);
    curve.y.push_back(errors[i]);
  }
  return curve;
}

// Simulates on the thread that calls; nothing if the watch says so.
std::optional<Ran> run(const Setting& setting, double step_ms, const PaperWatch& watch) {
  Progress silent(2, true);
  SceneOptions scene;
  scene.world = setting.world;
  scene.step_ms = step_ms;
  scene.seconds = setting.loop_s;
  scene.start_phase = setting.start_phase;
  CutOptions cut;
  cut.loop = setting.loop_s > 0;
  const Scenario scenario =
      open_scenario(setting.clip, setting.character, {}, cut, scene, silent, parse_alteration(setting.alter));
  TrackerOptions options;
  options.recipe = setting.recipe;
  options.believe = setting.believe;
  options.mcsim.k = setting.k;
  options.mcsim.k_os = setting.k_os;
  options.seed = setting.seed;
  const Stopwatch stopwatch(CLOCK_THREAD_CPUTIME_ID);
  const Tracked tracked = track(
      scenario, scene, options,
      [&](Simulator& simulator, Controller& controller, const State& start, double plan_hz) {
        return simulate(
            simulator, controller, start, scenario.seconds, [&](double) { return watch.go_on(); }, plan_hz);
      });
  if (!watch.go_on()) return {};
  Ran ran;
  ran.summary = summary_of("track", tracked.recording, stopwatch.read());
  ran.error = error_curve(tracked.recording, ran.summary, setting.recipe);
  return ran;
}

// The figures of a cell over all of its runs: errors and times are medians of those that completed.
Json figures_of(const std::vector<Ran>& runs) {
  Json lost = Json::array();
  std::map<std::string, std::vector<double>> of;
  double residual = 0, held = 0;
  for (const Ran& run : runs) {
    const Summary& s = run.summary;
    held += s.failed_at_s.value_or(s.seconds) / static_cast<double>(runs.size());
    residual = std::max(residual, std::abs(s.root_residual_N.value_or(INFINITY)));
    if (!s.completed) {
      lost.push_back(s.failed_at_s.value_or(0));
      continue;
    }
    of["cpu_s_per_s"].push_back(s.cpu_s / std::max(s.seconds, 1e-9));
    of["pose_error_rad"].push_back(s.pose_error_rad.value_or(0));
    of["foot_slide_m_s"].push_back(s.foot_slide_m_s.value_or(0));
    if (s.impact_ratio) of["impact_ratio"].push_back(*s.impact_ratio);
    if (s.jerk_ratio) of["jerk_ratio"].push_back(*s.jerk_ratio);
  }
  Json out = {
      {"runs", runs.size()}, {"completed", runs.size() - lost.size()}, {"lost_at_s", lost}, {"held_s", held}};
  for (const char* key : {"cpu_s_per_s", "pose_error_rad", "foot_slide_m_s", "impact_ratio", "jerk_ratio"})
    out[key] = of[key].empty() ? Json(nullptr) : Json(median(of[key]));
  out["root_residual_N"] = residual;
  return out;
}

std::string in_words(const std::string& row, const Cell& cell, const Ran& ran) {
  return row + ", " + cell.at.substr(1) + ": " +
         (ran.summary.completed ? "completed"
                                : "lost at " + fixed(ran.summary.failed_at_s.value_or(0), 2) + " s") +
         ", pose error " + fixed(ran.summary.pose_error_rad.value_or(0), 3) + " rad";
}

}  // namespace

bool holds(const Json& ours, const std::string& at, double share) {
  const Json& cell = ours.at(Json::json_pointer(at));
  return cell.at("completed").get<double>() >= share * cell.at("runs").get<double>() &&
         cell.at("root_residual_N").get<double>() < kResidual_N;
}

std::vector<PaperRow> run_rows(const std::vector<RowPlan>& plans,
                               const std::function<bool(const Json&)>& meets, const PaperOptions& options,
                               PaperWatch& watch) {
  struct Job {
    size_t plan, cell, setting;
  };
  std::vector<Job> jobs;
  std::vector<std::vector<std::vector<std::optional<Ran>>>> results;
  for (size_t p = 0; p < plans.size(); ++p) {
    results.emplace_back();
    for (size_t c = 0; c < plans[p].cells.size(); ++c) {
      results[p].emplace_back(plans[p].cells[c].settings.size());
      for (size_t s = 0; s < plans[p].cells[c].settings.size(); ++s) jobs.push_back({p, c, s});
    }
  }
  run_jobs(jobs.size(), options.threads, watch, [&](size_t i) -> std::string {
    const Cell& cell = plans[jobs[i].plan].cells[jobs[i].cell];
    auto& result = results[jobs[i].plan][jobs[i].cell][jobs[i].setting];
    result = run(cell.settings[jobs[i].setting], options.step_ms, watch);
    return result ? in_words(plans[jobs[i].plan].row, cell, *result) : "";
  });

  // A row counts when all of it is done.
  std::vector<PaperRow> rows;
  for (size_t p = 0; p < plans.size(); ++p) {
    PaperRow row{plans[p].row, plans[p].paper, nullptr, false, true, plans[p].note};
    Json ours;
    for (size_t c = 0; c < plans[p].cells.size(); ++c) {
      const Cell& cell = plans[p].cells[c];
      std::vector<Ran> done;
      for (const std::optional<Ran>& result : results[p][c])
        if (result) done.push_back(*result);
      row.finished = row.finished && done.size() == cell.settings.size();
      if (done.empty()) continue;
      ours[Json::json_pointer(cell.at)] = figures_of(done);
      if (cell.curve) row.curves.push_back(done.front().error);
    }
    if (row.finished && !ours.is_null()) {
      const Setting& first = plans[p].cells.front().settings.front();
      ours["clip"] = first.clip;
      ours["world"] = first.world;
      if (!first.alter.empty()) ours["alter"] = first.alter;
      if (!first.believe.empty()) ours["believe"] = first.believe;
      row.meets = meets(ours);
      row.ours = std::move(ours);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Setting> with_seeds(const Setting& setting, const PaperOptions& options) {
  std::vector<Setting> out;
  for (int i = 0; i < options.seeds; ++i) {
    out.push_back(setting);
    out.back().seed = options.seed + i;
  }
  return out;
}

}  // namespace sinew::cli
