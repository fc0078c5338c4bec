#include <algorithm>
#include <cmath>

#include "cli/paper_table.h"
#include "cli/react.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/files.h"
#include "motion/library.h"
#include "record/film.h"
#include "record/metrics.h"
#include "record/sim_plots.h"
#include "record/strip.h"
#include "rollout/placement.h"
#include "sim/engines.h"
#include "world/library.h"

// Nunes et al. 2008, "Simple feedforward control for responsive motion capture-driven simulations": figures 2
// to 4, and what the paper leaves open.
namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCharacter = "human45";
constexpr double kLongest_s = 8;  // of a clip
constexpr double kBalls_s = 5;    //   where balls are thrown at every part of it

// What we ask of ourselves.
constexpr double kByHigh = 1.2, kByWithout = 1.0 / 3, kExpected = 0.5, kBack_s = 1, kResidual_N = 5;
constexpr double kAlone = 0.75;  // of the hits, without helping forces

enum class Kind { kTracking, kReacting, kBracing, kBalls };

// One row: a scene of the paper, and what stands for it here.
struct Trial {
  std::string row;
  Kind kind = Kind::kTracking;
  std::string says;       // the paper, of it
  std::string clip, own;  // in a clips.csv of SINEW_MOTIONS, or any motion; the project's own of the kind
  std::vector<std::string> throws;
  ReactOptions react;
  std::string title = {};  // of its pictures
};

// ---- data

constexpr const char* kFaithful = "tracks as faithfully as high gains do";
constexpr const char* kReturns = "reacts, and returns to the motion in a flexible and natural way";

std::vector<Trial> trials() {
  const std::vector<std::string> arm_then_head = {"body=right_arm,mass=2,speed=7,at=1,from=front",
                                                  "body=head,mass=2,speed=7,at=2,from=front"};
  const std::vector<std::string> head_and_leg = {"body=left_leg,mass=2,speed=7,at=2,from=front",
                                                 "body=head,mass=2,speed=7,at=2,from=back"};
  ReactOptions alone, then;
  alone.balance = "tracker";
  then.then = "kick";
  then.at_s = 1.5;
  std::vector<Trial> out = {
      {"figure-2", Kind::kReacting, kReturns, "punch", "punch", arm_then_head, {}, "an arm, then the head"},
      {"figure-3-punch", Kind::kTracking, kFaithful, "punch", "punch", {}, {}},
      {"figure-3-kick", Kind::kTracking, kFaithful, "kick", "kick", {}, {}},
      {"figure-3-front-kick", Kind::kTracking, kFaithful, "front-kick", "", {}, {}},
      {"figure-3-boxing", Kind::kTracking, kFaithful, "boxing", "", {}, {}},
      {"figure-4",
       Kind::kBracing,
       "rigid where it is expected, else the knee is compliant",
       "punch",
       "punch",
       head_and_leg,
       {},
       "the head, and a leg that"},
      {"transition", Kind::kTracking, "left to future work", "punch", "punch", {}, then},
      {"no-helping-hand", Kind::kReacting, "left to other balance strategies", "punch", "punch",
       arm_then_head, alone, "without helping forces: an arm, then the head"}};
  for (const bool helped : {true, false})
    out.push_back({helped ? "balls" : "balls-alone",
                   Kind::kBalls,
                   helped ? "reacts to impacts on all parts" : "left to other balance strategies",
                   "",
                   "",
                   {},
                   helped ? ReactOptions{} : alone});
  return out;
}

// All motions that balls are thrown at, and our own of the kind.
std::vector<std::pair<std::string, std::string>> fights() {
  return {{"punch", "punch"}, {"kick", "kick"}, {"front-kick", ""}, {"boxing", ""}, {"Boxing_Toes", ""}};
}

// ---- ours

// Everything of a row that is simulated.
struct Case {
  ReactScene scene;
  State start;
  ReactEngine engine;
  std::string clip;
  bool quick = false;

  Recording perform(const World& world) const {
    return simulate_react(scene, world, start, engine, scene.scenario.seconds);
  }
};

// The motion by name; empty if there is none.
std::string clip_of(const Trial& trial, std::string& note) {
  const std::vector<MotionEntry> motions = list_motions(motion_folders());
  for (const MotionEntry& motion : motions)
    if (motion.name.ends_with("/" + trial.clip)) return motion.name;
  return clip_standing_for(trial.clip, trial.own, motions, note);
}

Case open_case(const Trial& trial, const std::string& clip, const PaperOptions& options) {
  Progress silent(2, true);
  SceneOptions scene;
  scene.throws = trial.throws;
  Case out;
  out.clip = clip;
  out.quick = options.quick;
  out.scene = open_react(open_scenario(clip, kCharacter, {}, {}, scene, silent), trial.react, 0);
  Scenario& scenario = out.scene.scenario;
  scenario.seconds = std::min(scenario.seconds, kLongest_s);
  out.start = start_state(scenario.character, scenario.reference, scenario.world, scenario.start_s);
  out.engine = {make_mujoco, options.step_ms / 1000, options.seed, 1};
  return out;
}

PaperCurve error_curve(const std::string& name, const Recording& recording) {
  PaperCurve curve{name, {}, pose_errors(recording)};
  for (const RecordingFrame& frame : recording.frames) curve.x.push_back(frame.time_s);
  return curve;
}

// Without any disturbance.
Recording undisturbed(const Case& scene) {
  World calm = scene.scene.scenario.world;
  calm.throws.clear();
  return scene.perform(calm);
}

// Figure 3: the errors of high gains, of low ones with feedforward, and of low ones without.
struct ThreeWays {
  Recording high, with, without;
};
ThreeWays track_all(Case scene) {
  const World world = scene.scene.scenario.world;
  ThreeWays out;
  out.with = scene.perform(world);
  scene.scene.method.feedforward = false;
  out.without = scene.perform(world);
  scene.scene.method.low = 1;
  out.high = scene.perform(world);
  return out;
}

void judge_tracking(const Case& scene, PaperRow& row) {
  const ThreeWays tracked = track_all(scene);
  const double high = measure(tracked.high).pose_error_rad, without = measure(tracked.without).pose_error_rad;
  const Metrics with = measure(tracked.with);
  row.curves = {error_curve("high gains", tracked.high), error_curve("low gains, feedforward", tracked.with),
                error_curve("low gains alone", tracked.without)};
  row.ours["high_gain_rad"] = high;
  row.ours["low_gain_rad"] = with.pose_error_rad;
  row.ours["low_gain_alone_rad"] = without;
  row.meets =
      with.completed && with.pose_error_rad <= kByHigh * high && with.pose_error_rad <= kByWithout * without;
}

Json json_of(const Reaction& hit) {
  return {{"body", hit.body},
          {"expected", hit.expected},
          {"peak_rad", hit.peak_rad},
          {"back_after_s", hit.back_after_s}};
}

// Figure 2: gives way, comes back.
void judge_reacting(const Case& scene, PaperRow& row) {
  const Recording recording = scene.perform(scene.scene.scenario.world), calm = undisturbed(scene);
  const Metrics metrics = measure(recording);
  row.meets = metrics.completed;
  if (scene.scene.options.balance == "tracker")
    row.meets = row.meets && metrics.root_residual_N < kResidual_N;
  row.curves = {error_curve("undisturbed", calm), error_curve("hit", recording)};
  row.ours["reaction"] = Json::array();
  double last = 0, most = 0;
  for (const Reaction& hit : reactions(recording, calm)) {
    row.ours["reaction"].push_back(json_of(hit));
    last = hit.back_after_s;
    most = std::max(most, hit.peak_rad);
  }
  row.ours["peak_rad"] = most;
  row.ours["back_after_s"] = last;
  row.ours["root_residual_N"] = metrics.root_residual_N;
  row.meets = row.meets && last <= kBack_s;
}

// Figure 4: the first ball is expected, or it is not.
World expecting(World world, bool expected) {
  world.throws.front().expected = expected;
  return world;
}

void judge_bracing(const Case& scene, PaperRow& row) {
  const Recording calm = undisturbed(scene);
  double peak[2] = {0, 0}, back = 0;
  row.meets = true;
  row.curves = {error_curve("undisturbed", calm)};
  for (const bool expected : {false, true}) {
    const std::string word = expected ? "expected" : "unexpected";
    const Recording recording = scene.perform(expecting(scene.scene.scenario.world, expected));
    const Reaction hit = reactions(recording, calm).front();
    peak[expected] = hit.peak_rad;
    back = std::max(back, hit.back_after_s);
    row.meets = row.meets && measure(recording).completed;
    row.ours[word] = json_of(hit);
    row.curves.push_back(error_curve("leg " + word, recording));
  }
  row.ours["peak_rad"] = peak[0];
  row.ours["expected_peak_rad"] = peak[1];
  row.ours["back_after_s"] = back;
  row.meets = row.meets && peak[1] < kExpected * peak[0] && back <= kBack_s;
}

// One ball at every part in the first seconds of a motion; alone, or in a hurry, at one speed: a tracker
// takes its time.
struct Stood {
  int hits = 0, stood = 0;
  double residual_N = 0;
};
Stood throw_balls(const Case& scene) {
  const bool alone = scene.scene.options.balance == "tracker";
  Stood out;
  for (const char* part : {"head", "thorax", "left_arm", "right_arm", "left_leg", "right_leg"})
    for (const double speed : {4.0, 7.0, 10.0}) {
      if ((alone || scene.quick) && speed != 7) continue;
      World world = scene.scene.scenario.world;
      add_throw(world, parse_throw(std::string("body=") + part +
                                   ",mass=2,at=2,from=front,speed=" + shortest(speed)));
      const Metrics metrics = measure(simulate_react(scene.scene, world, scene.start, scene.engine,
                                                     std::min(scene.scene.scenario.seconds, kBalls_s)));
      ++out.hits;
      out.stood += metrics.completed ? 1 : 0;
      out.residual_N = std::max(out.residual_N, metrics.root_residual_N);
    }
  return out;
}

void judge_balls(Trial trial, const PaperOptions& options, PaperRow& row) {
  const auto in_words = [](const Stood& of) {
    return std::to_string(of.stood) + " of " + std::to_string(of.hits);
  };
  Stood all;
  for (const auto& [clip, own] : fights()) {
    std::string note;
    trial.clip = clip;
    trial.own = own;
    const std::string name = clip_of(trial, note);
    if (!note.empty()) row.note += (row.note.empty() ? "" : "; ") + note;
    if (name.empty()) continue;
    const Stood one = throw_balls(open_case(trial, name, options));
    row.ours["clips"][short_name(name)] = in_words(one);
    all.hits += one.hits;
    all.stood += one.stood;
    all.residual_N = std::max(all.residual_N, one.residual_N);
  }
  row.ours["clip"] = "all";
  row.ours["balance"] = trial.react.balance;
  row.ours["stood"] = in_words(all);
  row.ours["root_residual_N"] = all.residual_N;
  row.meets = trial.react.balance == "tracker"
                  ? all.stood >= kAlone * all.hits && all.residual_N < kResidual_N
                  : all.stood == all.hits;
}

PaperRow judge(const Trial& trial, const PaperOptions& options) {
  PaperRow row;
  row.row = trial.row;
  row.paper["says"] = trial.says;
  row.finished = true;
  if (trial.kind == Kind::kBalls) {
    judge_balls(trial, options, row);
    return row;
  }
  const std::string clip = clip_of(trial, row.note);
  const Case scene = open_case(trial, clip, options);
  row.ours["clip"] = clip;
  row.ours["seconds"] = scene.scene.scenario.seconds;
  row.ours["balance"] = trial.react.balance;
  if (trial.kind == Kind::kTracking) judge_tracking(scene, row);
  if (trial.kind == Kind::kReacting) judge_reacting(scene, row);
  if (trial.kind == Kind::kBracing) judge_bracing(scene, row);
  return row;
}

// Rows whose clip is not there are left out: nothing can be said of them.
std::vector<PaperRow> run(const PaperOptions& options, PaperWatch& watch) {
  std::vector<Trial> chosen;
  for (const Trial& trial : trials()) {
    std::string note;
    const bool there = trial.kind == Kind::kBalls || !clip_of(trial, note).empty();
    if (there && wanted(options, trial.row)) chosen.push_back(trial);
  }
  std::vector<PaperRow> rows(chosen.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].row = chosen[i].row;
    rows[i].paper["says"] = chosen[i].says;
  }
  run_jobs(rows.size(), options.threads, watch, [&](size_t i) {
    rows[i] = judge(chosen[i], options);
    return rows[i].row + (rows[i].meets ? ": holds" : ": falls short");
  });
  return rows;
}

// ---- pictures

// A window of a recording about its hits.
Recording around(const Recording& recording, double from_s, double to_s) {
  Recording out = recording;
  std::erase_if(out.frames, [&](const RecordingFrame& f) { return f.time_s < from_s || f.time_s > to_s; });
  return out;
}

void draw(const Recording& recording, double from_s, double to_s, const std::string& title,
          const std::filesystem::path& path) {
  StripOptions options;
  options.panels = 8;
  options.title = title;
  options.subtitle = "from " + fixed(from_s, 1) + " s; the motion that it follows is grey";
  write_png(path, film_strip(recording.character, make_film(around(recording, from_s, to_s)), options));
}

// Strips of the rows with balls.
void draw_strips(const PaperOptions& options, OutputFolder& out) {
  for (const Trial& trial : trials()) {
    std::string note;
    const std::string clip = clip_of(trial, note);
    if (trial.throws.empty() || clip.empty()) continue;
    const Case scene = open_case(trial, clip, options);
    const World& world = scene.scene.scenario.world;
    const std::string file = "auxiliary-" + trial.row;
    if (trial.kind == Kind::kReacting)
      draw(scene.perform(world), 0.9, 2.9, trial.title, out.add(file + ".png"));
    if (trial.kind != Kind::kBracing) continue;
    for (const bool expected : {false, true}) {
      const std::string word = expected ? "expected" : "unexpected";
      draw(scene.perform(expecting(world, expected)), 1.9, 2.5, trial.title + " is hit as " + word,
           out.add(file + "-" + word + ".png"));
    }
  }
}

// Errors over time, a plot a row that has curves; when balls hit is marked.
std::string draw_curves(const std::vector<PaperRow>& rows, const std::string& caption) {
  std::vector<Plot> plots;
  for (const PaperRow& row : rows) {
    if (row.curves.empty()) continue;
    Plot plot;
    plot.title = row.row + ": " + short_name(row.ours.at("clip").get<std::string>());
    plot.x_label = "time, s";
    plot.y_label = "pose error, rad";
    plot.from_zero = true;
    for (const PaperCurve& curve : row.curves)
      plot.series.push_back({curve.name, curve.x, curve.y, "", false});
    for (const Trial& trial : trials())
      for (const std::string& words : trial.throws) {
        if (trial.row != row.row) continue;
        const Throw thrown = parse_throw(words);
        plot.bands.push_back({"ball at " + thrown.body, thrown.at_s, thrown.at_s + 0.04});
      }
    plots.push_back(std::move(plot));
  }
  return svg_plots(plots, caption);
}

}  // namespace

PaperTable auxiliary_figures() {
  PaperTable table;
  table.name = "auxiliary-figures";
  table.what = "reactions to impacts by an auxiliary simulation (Nunes et al. 2008, figures 2 to 4)";
  table.asked =
      "low gains with feedforward err at most 1.2 times as much as high gains and a third of low gains "
      "alone; an expected hit turns the knee less than half as far; back to the motion within 1 s; balls at "
      "every part "
      "are stood, without helping forces three quarters, and with no residual";
  for (const Trial& trial : trials()) table.rows.push_back(trial.row);
  table.columns = {{"the paper says", "/paper/says"},
                   {"ours", "/ours/clip"},
                   {"high rad", "/ours/high_gain_rad", 4},
                   {"low rad", "/ours/low_gain_rad", 4},
                   {"alone rad", "/ours/low_gain_alone_rad", 4},
                   {"turned rad", "/ours/peak_rad", 3},
                   {"expected", "/ours/expected_peak_rad", 3},
                   {"back s", "/ours/back_after_s", 2},
                   {"stood", "/ours/stood"}};
  table.run = run;
  table.draw = draw_curves;
  table.pictures = draw_strips;
  return table;
}

}  // namespace sinew::cli
