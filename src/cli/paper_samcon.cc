#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "cli/find_control.h"
#include "cli/paper_table.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "motion/library.h"

// Liu et al. 2010, "Sampling-based contact-rich motion control".
namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kPaperCores = 80;

// What we ask of ourselves.
struct Limits {
  double share;     // of the seeds that complete
  double cpu_s_s;   // CPU seconds a second of motion, median of those
  double pose_rad;  // pose error, the worst of those
};
constexpr double kResidual_N = 5;
// Medians of those: planted feet (but on ice) and joints.
constexpr double kSlide_m_s = 0.05, kJerk = 2;
constexpr const char* kAskedOfAll =
    ", root residual below 5 N; planted feet slide less than 0.05 m/s, jerk at most 2";

// One row: what the paper says of it, and what stands for it here.
struct Trial {
  std::string row;
  double paper_s = 0, paper_time_s = 0;  // duration and time of reconstruction; 0: not given
  std::string paper_says;                // in the text; may be empty
  std::string clip;                      // in a clips.csv of SINEW_MOTIONS; empty: the project's own
  std::string own;                       // the project's own motion of the kind; empty: none
  std::string character, world;
  Limits limits{};
};

// ---- data

constexpr const char* kGetUp =
    "one of the get-ups fails two times out of three, with 4000 samples one of four";
constexpr const char* kSideways = "succeeds almost every time";

std::vector<Trial> table_4() {
  const Limits fast{0.9, 1.5, 0.12}, other{0.9, 4, 0.18};
  const char *who = "human50", *where = "flat";
  return {{"walk", 5.2, 143, "", "walk", "walk", who, where, fast},
          {"run", 2.0, 51, "", "run", "run", who, where, fast},
          {"roll-sideways", 3.0, 78, kSideways, "roll-sideways", "roll-sideways", who, where, other},
          {"roll-forward", 3.0, 78, "", "roll-forward", "roll-forward", who, where, other},
          {"roll-backward", 2.1, 57, "", "roll-backward", "", who, where, other},
          {"get-up-prone", 3.5, 93, kGetUp, "get-up-prone", "get-up", who, where, other},
          {"get-up-supine", 3.5, 93, kGetUp, "get-up-supine", "", who, where, other},
          {"kip-up", 6.6, 184, "", "", "kip-up", who, where, other},
          {"cartwheel", 0, 0, "is in Table 5 alone", "cartwheel", "cartwheel", who, where, other}};
}

std::vector<Trial> table_5() {
  const Limits fast{0.8, 1.5, 1.5 * 0.12}, other{0.8, 4, 1.5 * 0.18};
  const char *who = "robot35", *where = "flat";
  return {{"walk", 5.2, 193, "", "walk", "walk", who, where, fast},
          {"run", 2.0, 80, "quite sluggish", "run", "run", who, where, fast},
          {"roll-sideways", 3.0, 133, "", "roll-sideways", "roll-sideways", who, where, other},
          {"roll-forward", 3.0, 109, "", "roll-forward", "roll-forward", who, where, other},
          {"roll-backward", 2.1, 75, "only with a neck of three axes, not of one", "roll-backward", "", who,
           where, other},
          {"get-up-prone", 3.5, 140, "", "get-up-prone", "get-up", who, where, other},
          {"get-up-supine", 3.5, 140, "", "get-up-supine", "", who, where, other},
          {"kip-up", 4.3, 165, "", "", "kip-up", who, where, other},
          {"cartwheel", 2.1, 50, "", "cartwheel", "cartwheel", who, where, other}};
}

std::vector<Trial> transformations() {
  const Limits limits{0.8, 4, 0.18};
  const auto trial = [&](const char* row, const char* clip, const char* world, const char* says) {
    return Trial{row, 0, 0, says, clip, clip, "human50", world, limits};
  };
  const char *walk = "walk", *roll = "roll-forward";
  return {trial("walk-pebbles", walk, "pebbles:seed=3", "the feet adapt to the uneven ground naturally"),
          trial("walk-ice", walk, "ice", "the feet slide realistically, balance is kept"),
          trial("walk-beam-10cm", walk, "beam:width=0.10", "succeeds, the legs displaced by hand"),
          trial("walk-beam-5cm", walk, "beam:width=0.05", "succeeds, the legs displaced by hand"),
          trial("roll-ramp-10deg", roll, "ramp:deg=10", "without any difficulty"),
          trial("roll-raise-10cm", roll, "raise:height=0.1", "without any difficulty"),
          trial("roll-drop-50cm", roll, "drop:height=0.5", "without any difficulty"),
          trial("roll-drop-100cm", roll, "drop:height=1.0", "possible, but lands on the back"),
          trial("roll-pad", roll, "pad", "lags a little, more contacts of less pressure")};
}

// ---- theirs

Json or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json theirs(const Trial& trial) {
  const double core_s = kPaperCores * trial.paper_time_s;
  Json paper;
  paper["seconds"] = or_null(trial.paper_s);
  paper["core_s"] = or_null(core_s);
  paper["cpu_s_per_s"] = trial.paper_s > 0 ? Json(core_s / trial.paper_s) : Json(nullptr);
  paper["says"] = trial.paper_says.empty() ? Json(nullptr) : Json(trial.paper_says);
  return paper;
}

// ---- ours

ControlFile inputs_of_trial(const Trial& trial, const std::string& clip, double step_ms) {
  Progress silent(2, true);
  SceneOptions scene;
  scene.world = trial.world;
  scene.step_ms = step_ms;
  const Scenario scenario = open_scenario(clip, trial.character, {}, {}, scene, silent);
  ControlFile manner;
  manner.clip = clip;
  manner.recipe = "default";
  manner.engine = scene.engine;
  manner.step_s = step_ms / 1000;
  return inputs_of(scenario, manner);
}

double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

// The figures over all seeds: errors and times of those that completed.
void sum_up(const Trial& trial, const ControlFile& inputs, const std::vector<Summary>& all, PaperRow& row) {
  std::vector<double> cost, pose, residual, slide, jerk;
  Json lost = Json::array();
  for (const Summary& one : all) {
    if (!one.completed) {
      lost.push_back(one.failed_at_s ? Json(*one.failed_at_s) : Json(nullptr));
      continue;
    }
    cost.push_back(one.cpu_s / one.seconds);
    pose.push_back(one.pose_error_rad.value_or(INFINITY));
    residual.push_back(std::abs(one.root_residual_N.value_or(INFINITY)));
    slide.push_back(one.planted_slide_m_s.value_or(INFINITY));
    jerk.push_back(one.jerk_ratio.value_or(INFINITY));
  }
  const auto figure = [&](const auto& of, const std::vector<double>& values) {
    return values.empty() ? Json(nullptr) : Json(of(values));
  };
  row.ours = {{"clip", inputs.clip},
              {"character", trial.character},
              {"world", trial.world},
              {"step_ms", 1000 * inputs.step_s},
              {"seconds", inputs.seconds},
              {"seeds", all.size()},
              {"completed", cost.size()},
              {"lost_at_s", lost},
              {"cpu_s_per_s", figure(median, cost)},
              {"pose_error_rad", figure(median, pose)},
              {"worst_pose_error_rad", figure(largest, pose)},
              {"planted_slide_m_s", figure(median, slide)},
              {"jerk_ratio", figure(median, jerk)},
              {"root_residual_N", figure(largest, residual)}};
  if (!cost.empty() && row.paper.at("cpu_s_per_s").is_number())
    row.ours["times_less"] = row.paper.at("cpu_s_per_s").get<double>() / median(cost);
  const double share = static_cast<double>(cost.size()) / static_cast<double>(all.size());
  row.meets = !cost.empty() && share >= trial.limits.share && median(cost) <= trial.limits.cpu_s_s &&
              largest(pose) <= trial.limits.pose_rad && largest(residual) < kResidual_N &&
              (trial.world == "ice" || median(slide) < kSlide_m_s) && median(jerk) <= kJerk;
}

// One search.
struct Job {
  size_t row;
  ControlFile inputs;
  std::optional<Summary> summary;  // once it is done
};

// What has to be searched of one row. A row that nothing stands for is finished with nothing.
void add_jobs(const Trial& trial, const std::vector<MotionEntry>& motions, const PaperOptions& options,
              std::vector<PaperRow>& rows, std::vector<Job>& jobs) {
  PaperRow row;
  row.row = trial.row;
  row.paper = theirs(trial);
  const std::string clip = clip_standing_for(trial.clip, trial.own, motions, row.note);
  row.finished = clip.empty();
  if (!clip.empty()) {
    const ControlFile inputs = inputs_of_trial(trial, clip, options.step_ms);
    for (int i = 0; i < options.seeds; ++i) {
      jobs.push_back({rows.size(), inputs, {}});
      jobs.back().inputs.seed = options.seed + i;
    }
  }
  rows.push_back(std::move(row));
}

// Searches with all seeds, and returns what came of it in words.
std::string search(Job& job, const std::string& row, const PaperWatch& watch) {
  const auto found = find_control_alone(job.inputs, [&] { return watch.go_on(); });
  if (!found) return "";
  job.summary = found->summary;
  const Summary& summary = *job.summary;
  return row + ", seed " + std::to_string(job.inputs.seed) + ": " +
         (summary.completed ? "completed" : "lost at " + fixed(summary.failed_at_s.value_or(0), 2) + " s") +
         ", " + fixed(summary.cpu_s / job.inputs.seconds, 2) + " CPU s a second of motion, pose error " +
         fixed(summary.pose_error_rad.value_or(0), 3) + " rad";
}

std::vector<PaperRow> run(const std::vector<Trial>& all, const PaperOptions& options, PaperWatch& watch) {
  std::vector<Trial> trials;
  for (const Trial& trial : all)
    if (wanted(options, trial.row)) trials.push_back(trial);

  const std::vector<MotionEntry> motions = list_motions(motion_folders());
  std::vector<PaperRow> rows;
  std::vector<Job> jobs;
  for (const Trial& trial : trials) add_jobs(trial, motions, options, rows, jobs);
  // Long ones first: no core waits long for the last.
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Job& a, const Job& b) { return a.inputs.seconds > b.inputs.seconds; });
  run_jobs(jobs.size(), options.threads, watch,
           [&](size_t i) { return search(jobs[i], rows[jobs[i].row].row, watch); });

  // Of a row that was cut off what its first seeds say is told; it is judged when all of them are done.
  for (size_t r = 0; r < rows.size(); ++r) {
    std::vector<Summary> summaries;
    const ControlFile* inputs = nullptr;
    for (const Job& job : jobs)
      if (job.row == r && job.summary) {
        summaries.push_back(*job.summary);
        inputs = &job.inputs;
      }
    if (inputs == nullptr) continue;
    sum_up(trials[r], *inputs, summaries, rows[r]);
    rows[r].finished = summaries.size() == static_cast<size_t>(options.seeds);
    if (rows[r].finished) continue;
    rows[r].meets = false;
    rows[r].note += (rows[r].note.empty() ? "" : "; ") + std::string("cut off after ") +
                    std::to_string(summaries.size()) + " of " + count(options.seeds, "seed");
  }
  return rows;
}

PaperTable table_of(const std::string& name, const std::string& what, const std::string& asked,
                    const std::vector<Trial>& trials) {
  PaperTable table;
  table.name = name;
  table.what = what;
  table.asked = asked;
  for (const Trial& trial : trials) table.rows.push_back(trial.row);
  table.columns = {{"paper s", "/paper/seconds", 1},
                   {"core s", "/paper/core_s", 0},
                   {"CPU s/s", "/paper/cpu_s_per_s", 0},
                   {"ours", "/ours/clip"},
                   {"s", "/ours/seconds", 2},
                   {"completed", "/ours/completed"},
                   {"of", "/ours/seeds"},
                   {"CPU s/s", "/ours/cpu_s_per_s", 2},
                   {"times less", "/ours/times_less", 0},
                   {"pose rad", "/ours/pose_error_rad", 3},
                   {"worst", "/ours/worst_pose_error_rad", 3},
                   {"slide m/s", "/ours/planted_slide_m_s", 3},
                   {"jerk", "/ours/jerk_ratio", 2}};
  table.chart_key = "cpu_s_per_s";
  table.chart_label = "CPU seconds a second of motion";
  table.run = [trials](const PaperOptions& options, PaperWatch& watch) {
    return run(trials, options, watch);
  };
  return table;
}

}  // namespace

std::vector<PaperTable> samcon_tables() {
  PaperTable transformed = table_of(
      "samcon-transformations", "a walk and a forward roll in other worlds (Liu et al. 2010, section 5)",
      std::string("at least 8 of 10 seeds complete, at most 4 CPU s/s, pose error 0.18 rad") + kAskedOfAll +
          " (slide: not on ice)",
      transformations());
  transformed.columns.erase(transformed.columns.begin(), transformed.columns.begin() + 3);
  std::erase_if(transformed.columns, [](const PaperColumn& c) { return c.key == "/ours/times_less"; });
  transformed.columns.insert(transformed.columns.begin(), {"the paper says", "/paper/says"});
  transformed.columns.insert(transformed.columns.begin() + 2, {"world", "/ours/world"});
  return {table_of(
              "samcon-table-4", "controls reconstructed on a human (Liu et al. 2010, Table 4)",
              std::string("at least 9 of 10 seeds complete, at most 1.5 CPU s/s (walk, run) or 4, pose error "
                          "0.12 rad (walk, run) or 0.18") +
                  kAskedOfAll,
              table_4()),
          table_of(
              "samcon-table-5", "the same motions on a humanoid robot (Liu et al. 2010, Table 5)",
              std::string("at least 8 of 10 seeds complete, at most 1.5 CPU s/s (walk, run) or 4, pose error "
                          "0.18 rad (walk, run) or 0.27") +
                  kAskedOfAll,
              table_5()),
          transformed};
}

}  // namespace sinew::cli
