#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "character/numbers.h"
#include "character/transfer.h"
#include "cli/paper_table.h"
#include "cli/running.h"
#include "cli/sources.h"
#include "cli/stopwatch.h"
#include "cli/text.h"
#include "core/random.h"
#include "record/plot.h"
#include "rollout/rollout.h"
#include "search/adapt.h"
#include "sim/engines.h"

// Figures 8 and 12 and the search of Hodgins and Pollard 1997.
namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kStable_s = 100;
constexpr std::array<Scaling, 3> kScalings{Scaling::kUnscaled, Scaling::kGeometric, Scaling::kByMass};
constexpr std::array<const char*, 3> kScalingKeys{"unscaled_s", "geometric_s", "mass_s"};
constexpr std::array<const char*, 3> kScalingWords{"unscaled", "geometric", "by mass"};

// How long a character runs with the man's run, scaled so.
double stable_seconds(const Running& man, const Character& character, Scaling scaling, double most_s) {
  RunTask task;
  task.character = character;
  task.world = open_world({});
  task.engine = find_engine("mujoco");
  task.size = leg_length(character) / leg_length(man.character);
  task.step_s = run_step_s(character);
  const RunBehaviour behaviour = scaled(man.behaviour, man.character, character, scaling);
  task.start = behaviour.start;
  const double speed = behaviour.parameters.speed;
  const auto simulator = task.engine(character, task.world, {.step_s = task.step_s});
  const RunScene scene{.seconds = most_s, .speed_m_s = speed, .then_speed_m_s = speed};
  const RunScore score = run_scene(task, scene, behaviour.parameters, *simulator);
  return score.fell ? score.seconds : most_s;
}

Running the_man() { return run_of(open_character("man"), open_run()); }

// ---- Figure 8

const std::vector<std::string> kWays{"woman", "child"};
constexpr int kPercents = 11;
constexpr double kRandomRun_s = 20;

std::string percent_row(const std::string& to, int i) { return "man-" + to + "-" + std::to_string(10 * i); }

// Legs and arms of other lengths, segments of other weights.
Character random_character(const Character& man, int seed) {
  Random random(static_cast<uint64_t>(seed), 8);
  const double size = std::exp(random.between(std::log(0.6), std::log(1.65)));
  std::vector<double> values;
  for (const Number& number : character_numbers(man))
    values.push_back(number.value * geometric_factor(number.dimension, size));
  Character out = with_numbers(man, values);

  // Weight of each part, the same on both sides.
  for (Body& body : out.bodies) {
    if (body.name.starts_with("right_")) continue;
    const double factor = std::exp(random.between(std::log(0.67), std::log(1.5)));
    for (Body& other : out.bodies) {
      const bool mirror = body.name.starts_with("left_") && other.name == "right_" + body.name.substr(5);
      if (&other != &body && !mirror) continue;
      other.mass_kg *= factor;
      other.I_C *= factor;
    }
  }
  out.name = "random" + std::to_string(seed);
  return out;
}

Json paper_figure_8(const std::string& row) {
  if (row == "man-woman-50") return {{"unscaled_s", 3.53}, {"geometric_s", 100}, {"mass_s", 100}};
  if (row == "man-woman-70") return {{"unscaled_s", 0}, {"geometric_s", 5}, {"mass_s", 100}};
  return nullptr;
}

std::vector<std::string> figure_8_rows() {
  std::vector<std::string> rows;
  for (const std::string& to : kWays)
    for (int i = 0; i < kPercents; ++i) rows.push_back(percent_row(to, i));
  rows.push_back("random");
  return rows;
}

std::vector<PaperRow> figure_8(const PaperOptions& options, PaperWatch& watch) {
  const Running man = the_man();
  struct Job {
    std::string row;
    Character character;
    double most_s;
  };
  std::vector<Job> jobs;
  for (const std::string& to : kWays) {
    const Character other = open_character(to);
    for (int i = 0; i < kPercents; ++i)
      if (wanted(options, percent_row(to, i)))
        jobs.push_back({percent_row(to, i), blend(man.character, other, 0.1 * i), kStable_s});
  }
  // One seed: a look at it; three or more: all 200.
  const int count = options.seeds >= 3 ? 200 : 25;
  if (wanted(options, "random"))
    for (int i = 0; i < count; ++i)
      jobs.push_back({"random", random_character(man.character, options.seed + i), kRandomRun_s});

  std::vector<std::array<double, 3>> seconds(jobs.size());
  run_jobs(jobs.size(), options.threads, watch, [&](size_t i) {
    std::string words = jobs[i].row + ":";
    for (size_t k = 0; k < kScalings.size(); ++k) {
      seconds[i][k] = stable_seconds(man, jobs[i].character, kScalings[k], jobs[i].most_s);
      words += " " + fixed(seconds[i][k], 1);
    }
    return words + " s";
  });

  std::vector<PaperRow> rows;
  std::array<double, 3> held{};
  int random = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].row == "random") {
      ++random;
      for (size_t k = 0; k < 3; ++k) held[k] += seconds[i][k] >= jobs[i].most_s ? 1 : 0;
      continue;
    }
    PaperRow row{jobs[i].row, paper_figure_8(jobs[i].row), Json::object(), false, watch.go_on(), ""};
    for (size_t k = 0; k < 3; ++k) row.ours[kScalingKeys[k]] = seconds[i][k];
    row.meets = seconds[i][2] >= kStable_s;
    rows.push_back(std::move(row));
  }
  if (random > 0) {
    PaperRow row{"random", nullptr, Json::object(), false, watch.go_on(), ""};
    for (size_t k = 0; k < 3; ++k) row.ours[kScalingKeys[k]] = 100 * held[k] / random;
    row.meets = held[2] >= 0.95 * random;
    row.note = "percent of " + std::to_string(random) + " characters that run " + shortest(kRandomRun_s) +
               " s: size x0.6 to x1.65, weights of parts x0.67 to x1.5";
    rows.push_back(std::move(row));
  }
  return rows;
}

// As the paper draws it: seconds against the part of the way, with the points that its text gives.
std::string draw_figure_8(const std::vector<PaperRow>& rows, const std::string& caption) {
  std::vector<Plot> plots;
  std::string small_print = caption;
  for (const std::string& to : kWays) {
    Plot plot;
    plot.title = "how long the man's run lasts on the way to the " + to;
    plot.x_label = "percent of the way";
    plot.y_label = "seconds, of 100";
    plot.from_zero = true;
    for (size_t k = 0; k < kScalings.size(); ++k) {
      PlotSeries ours{kScalingWords[k], {}, {}, "", false}, paper{"", {}, {}, "", true};
      for (int i = 0; i < kPercents; ++i)
        for (const PaperRow& row : rows) {
          if (row.row != percent_row(to, i)) continue;
          ours.x.push_back(10 * i);
          ours.y.push_back(row.ours.at(kScalingKeys[k]).get<double>());
          if (!row.paper.is_object()) continue;
          paper.x.push_back(10 * i);
          paper.y.push_back(row.paper.at(kScalingKeys[k]).get<double>());
        }
      if (!paper.x.empty()) paper.name = std::string("the paper's, ") + kScalingWords[k];
      plot.series.push_back(std::move(ours));
      if (!paper.x.empty()) plot.series.push_back(std::move(paper));
    }
    plots.push_back(std::move(plot));
  }
  for (const PaperRow& row : rows)
    if (row.row == "random")
      small_print = "random characters that run: unscaled " +
                    fixed(row.ours.at("unscaled_s").get<double>(), 1) + " %, geometric " +
                    fixed(row.ours.at("geometric_s").get<double>(), 1) + " %, by mass " +
                    fixed(row.ours.at("mass_s").get<double>(), 1) + " %.   " + caption;
  return svg_plots(plots, small_print);
}

// ---- Figure 12

struct Figure12 {
  const char* who;
  std::array<double, 4> human, paper;  // speed, steps a second, step length, stance
};
constexpr std::array<Figure12, 3> kFigure12{{{"man", {4.83, 2.92, 1.66, 0.579}, {4.41, 3.18, 1.39, 0.596}},
                                             {"woman", {4.83, 3.05, 1.60, 0.552}, {4.45, 3.33, 1.33, 0.543}},
                                             {"child", {2.13, 3.8, 0.56, 0.685}, {2.52, 4.3, 0.58, 0.633}}}};
constexpr std::array<const char*, 4> kGaitKeys{"speed_m_s", "steps_per_s", "step_length_m",
                                               "stance_fraction"};

Json gait_json(const std::array<double, 4>& values, double off) {
  Json out = Json::object();
  for (size_t k = 0; k < 4; ++k) out[kGaitKeys[k]] = values[k];
  out["off_percent"] = off;
  return out;
}

// Mean deviation from people, percent.
double off_percent(const std::array<double, 4>& values, const std::array<double, 4>& human) {
  double sum = 0;
  for (size_t k = 0; k < 4; ++k) sum += std::abs(values[k] / human[k] - 1);
  return 25 * sum;
}

std::vector<PaperRow> figure_12(const PaperOptions& options, PaperWatch& watch) {
  const RunBehaviour run = open_run();
  std::vector<PaperRow> rows(kFigure12.size());
  run_jobs(rows.size(), options.threads, watch, [&](size_t i) -> std::string {
    const Figure12& figure = kFigure12[i];
    PaperRow& row = rows[i];
    row = {figure.who, gait_json(figure.paper, off_percent(figure.paper, figure.human)), nullptr, false, true,
           ""};
    if (!wanted(options, row.row)) return row.row + ": left out";

    // At the speed of the people whom it is compared with.
    const Running running = run_of(open_character(figure.who), run);
    RunTask task;
    task.character = running.character;
    task.world = open_world({});
    task.engine = find_engine("mujoco");
    task.step_s = run_step_s(task.character);
    task.start = running.behaviour.start;
    task.size = leg_length(task.character) / 0.75;
    const auto simulator = task.engine(task.character, task.world, {.step_s = task.step_s});
    const RunScene scene{.seconds = 30, .speed_m_s = figure.human[0], .then_speed_m_s = figure.human[0]};
    const RunScore score = run_scene(task, scene, running.behaviour.parameters, *simulator);
    const std::array<double, 4> ours{score.gait.speed_m_s, score.gait.steps_per_s, score.gait.step_length_m,
                                     score.gait.stance_fraction};
    row.ours = gait_json(ours, off_percent(ours, figure.human));
    row.meets = !score.fell && off_percent(ours, figure.human) <= off_percent(figure.paper, figure.human);
    row.note = "people: " + shortest(figure.human[0]) + " m/s, " + shortest(figure.human[1]) + " steps/s, " +
               shortest(figure.human[2]) + " m, " + shortest(100 * figure.human[3]) + " %";
    if (score.fell) row.note += "; fell after " + fixed(score.seconds, 1) + " s";
    return row.row + ": " + fixed(off_percent(ours, figure.human), 1) + " % off";
  });
  std::erase_if(rows, [](const PaperRow& row) { return row.row.empty() || row.ours.is_null(); });
  return rows;
}

// ---- the search

std::vector<PaperRow> search_rows(const PaperOptions& options, PaperWatch& watch) {
  struct Job {
    std::string row;
    Method method;
    std::string to;
  };
  std::vector<Job> jobs;
  for (const char* to : {"woman", "child", "runner"})
    for (const Method method : {Method::kAnnealing, Method::kCma})
      jobs.push_back({std::string(to) + (method == Method::kCma ? "-cma" : "-annealing"), method, to});
  std::erase_if(jobs, [&](const Job& job) { return !wanted(options, job.row); });
  const Running man = the_man();
  std::vector<PaperRow> rows(jobs.size());
  run_jobs(jobs.size(), options.threads, watch, [&](size_t i) {
    AdaptTask task;
    task.from = man.character;
    task.to = open_character(jobs[i].to);
    task.behaviour = man.behaviour;
    task.world = open_world({});
    task.engine = find_engine("mujoco");
    task.method = jobs[i].method;
    task.evaluations = options.seeds >= 3 ? 200 : 60;
    task.seed = static_cast<uint64_t>(options.seed);
    const Stopwatch stopwatch(CLOCK_THREAD_CPUTIME_ID);
    const AdaptResult result =
        adapt_run(task, on_threads(1), [&](const AdaptReport&, const auto&) { return watch.go_on(); });
    PaperRow& row = rows[i];
    row.row = jobs[i].row;
    row.paper = {{"evaluations", 1500}, {"seconds", 54000}};
    row.ours = {{"evaluations", result.evaluations},
                {"cost_before", result.cost_before},
                {"cost_after", result.cost_after},
                {"seconds", stopwatch.read().cpu_s}};
    row.meets = result.found && stopwatch.read().cpu_s <= 180;
    row.finished = !result.interrupted;
    return row.row + ": cost " + fixed(result.cost_before, 2) + " -> " + fixed(result.cost_after, 2);
  });
  std::erase_if(rows, [](const PaperRow& row) { return row.row.empty(); });
  return rows;
}

}  // namespace

std::vector<PaperTable> adapt_tables() {
  PaperTable eight;
  eight.name = "adapt-figure-8";
  eight.what =
      "how long scaled runs last between man and woman and man and child (Hodgins and Pollard 1997, Figure "
      "8)";
  eight.asked = "scaled by mass it lasts 100 s; of random characters 95 % run";
  eight.rows = figure_8_rows();
  eight.columns = {{"unscaled", "/ours/unscaled_s", 1},
                   {"geometric", "/ours/geometric_s", 1},
                   {"mass", "/ours/mass_s", 1},
                   {"paper unscaled", "/paper/unscaled_s", 1},
                   {"geometric", "/paper/geometric_s", 1},
                   {"mass", "/paper/mass_s", 1}};
  eight.chart_key = "mass_s";
  eight.chart_label = "seconds";
  eight.draw = draw_figure_8;
  eight.run = figure_8;

  PaperTable twelve;
  twelve.name = "adapt-figure-12";
  twelve.what = "gaits of man, woman and child beside people's (Hodgins and Pollard 1997, Figure 12)";
  twelve.asked = "on average as near to people as the paper's";
  for (const Figure12& figure : kFigure12) twelve.rows.emplace_back(figure.who);
  for (const char* side : {"/ours/", "/paper/"}) {
    const std::string who = side == std::string("/ours/") ? "" : "paper ";
    twelve.columns.push_back({who + "m/s", side + std::string("speed_m_s"), 2});
    twelve.columns.push_back({"steps/s", side + std::string("steps_per_s"), 2});
    twelve.columns.push_back({"m", side + std::string("step_length_m"), 2});
    twelve.columns.push_back({"stance", side + std::string("stance_fraction"), 3});
    twelve.columns.push_back({"off %", side + std::string("off_percent"), 1});
  }
  twelve.chart_key = "off_percent";
  twelve.chart_label = "percent off what people do";
  twelve.run = figure_12;

  PaperTable search;
  search.name = "adapt-search";
  search.what =
      "tuning of five parameters: annealing, and covariance matrix adaptation (Hodgins and Pollard 1997, "
      "4.3)";
  search.asked = "a run that lasts, in at most 180 CPU s";
  for (const char* to : {"woman", "child", "runner"})
    for (const char* method : {"-annealing", "-cma"}) search.rows.push_back(std::string(to) + method);
  search.columns = {{"evaluations", "/ours/evaluations", 0},
                    {"cost before", "/ours/cost_before", 2},
                    {"after", "/ours/cost_after", 2},
                    {"CPU s", "/ours/seconds", 1},
                    {"paper evaluations", "/paper/evaluations", 0},
                    {"CPU s", "/paper/seconds", 0}};
  search.chart_key = "seconds";
  search.chart_label = "CPU seconds";
  search.run = search_rows;
  return {eight, twelve, search};
}

}  // namespace sinew::cli
