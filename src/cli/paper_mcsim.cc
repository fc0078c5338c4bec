#include <algorithm>
#include <cmath>

#include "cli/mcsim_runs.h"
#include "cli/paper_table.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "record/bars.h"
#include "record/cell_map.h"
#include "record/plot.h"

// da Silva, Abe and Popovic 2008, "Simulation of Human Motion Data using Short-Horizon Model-Predictive
// Control".
namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;
using Motions = std::vector<MotionEntry>;

constexpr const char* kPlanar = "biped18";
constexpr const char* kSpatial = "human57";
// A floor that gives way as stiff springs do.
constexpr const char* kSprings = "pad:softness=0.02,give=0.02";
// How long a walk goes on that is followed over and over, s.
constexpr double kLoop_s = 10, kQuickLoop_s = 5;

double loop_s(const PaperOptions& options) { return options.quick ? kQuickLoop_s : kLoop_s; }

// Both recipes on one setting, drawn.
std::vector<Cell> both_recipes(Setting setting, const PaperOptions& options) {
  std::vector<Cell> cells;
  for (const char* recipe : {"default", "paper"}) {
    setting.recipe = recipe;
    cells.push_back({"/" + std::string(recipe), with_seeds(setting, options), true});
  }
  return cells;
}

const std::vector<PaperColumn>& recipe_columns() {
  static const std::vector<PaperColumn> columns = {
      {"completed", "/ours/default/completed"},        {"of", "/ours/default/runs"},
      {"pose rad", "/ours/default/pose_error_rad", 3}, {"impact", "/ours/default/impact_ratio", 2},
      {"jerk", "/ours/default/jerk_ratio", 2},         {"CPU s/s", "/ours/default/cpu_s_per_s", 2},
      {"paper's recipe", "/ours/paper/completed"},     {"of", "/ours/paper/runs"},
      {"pose rad", "/ours/paper/pose_error_rad", 3},   {"CPU s/s", "/ours/paper/cpu_s_per_s", 2}};
  return columns;
}

// What a table shows, without its source: short enough for a title.
std::string title_of(const std::string& what) {
  return what.substr(0, std::min(what.find(";"), what.find(" (")));
}

// Mean of what lies within a quarter of a second on either side: errors leap where contacts change.
std::vector<double> running_mean(const PaperCurve& curve) {
  std::vector<double> out;
  for (size_t i = 0, from = 0, to = 0; i < curve.x.size(); ++i) {
    while (curve.x[i] - curve.x[from] > 0.25) ++from;
    while (to < curve.x.size() && curve.x[to] - curve.x[i] <= 0.25) ++to;
    double sum = 0;
    for (size_t j = from; j < to; ++j) sum += curve.y[j];
    out.push_back(sum / static_cast<double>(to - from));
  }
  return out;
}

// Curves of one recipe, all rows in one plot; those that end early were lost there.
std::string draw_curves(const std::string& what, const std::vector<PaperRow>& rows,
                        const std::string& caption) {
  std::vector<Plot> plots;
  for (const auto& [curve_name, title] :
       {std::pair{"default", "our recipe"}, {"paper", "the paper's recipe"}}) {
    Plot plot;
    plot.title = title_of(what) + ": " + title;
    plot.x_label = "time, s";
    plot.y_label = "squared error, mean over 0.5 s";
    plot.height = 300;
    plot.logarithmic = true;
    for (const PaperRow& row : rows)
      for (const PaperCurve& curve : row.curves)
        if (curve.name == curve_name)
          plot.series.push_back({row.row, curve.x, running_mean(curve), "", false});
    plots.push_back(std::move(plot));
  }
  return svg_plots(plots, caption);
}

// A bar for each of these cells in each row.
struct Side {
  const char *name, *at;
};
std::string draw_bars(const std::string& what, const std::string& label, const char* figure,
                      const std::vector<Side>& sides, const std::vector<PaperRow>& rows,
                      const std::string& caption) {
  BarChart chart;
  chart.title = title_of(what);
  chart.caption = caption;
  chart.x_label = label;
  for (const Side& side : sides) {
    chart.series.push_back({side.name, {}});
    for (const PaperRow& row : rows) {
      const Json::json_pointer at(std::string(side.at) + "/" + figure);
      const bool has = row.ours.contains(at) && row.ours.at(at).is_number();
      chart.series.back().values.push_back(has ? row.ours.at(at).get<double>() : 0);
    }
  }
  for (const PaperRow& row : rows) {
    std::string name = row.row;
    for (const Side& side : sides) {
      const Json::json_pointer cell(side.at);
      if (row.ours.contains(cell))
        name += (&side == sides.data() ? "  " : " ") + row.ours.at(cell).at("completed").dump() + "/" +
                row.ours.at(cell).at("runs").dump();
    }
    chart.rows.push_back(name);
  }
  return svg_bars(chart);
}

// ---- Table 1

struct Motion {
  const char* row;
  double k, k_os;  // the paper's
  const char *clip, *own;
  const char* world = "flat";
  bool strides = true;  // has phases to begin at
};

const std::vector<Motion>& table_1_motions() {
  static const std::vector<Motion> motions = {{"punch", 0.02, 1000, "punch", "punch", "flat", false},
                                              {"downhill", 0.02, 300, "walk", "walk", "slope:deg=-5"},
                                              {"wave", 0.02, 1000, "wave", "wave", "flat", false},
                                              {"sneaky", 0.005, 500, "sneaky", "", kSprings},
                                              {"jump", 0.05, 1000, "jump-forward", "jump", "flat", false},
                                              {"run", 0.2, 600, "run", "run"},
                                              {"backwards", 0.05, 1000, "backwards", ""},
                                              {"soldier", 0.01, 600, "soldier", ""},
                                              {"march", 0.05, 1000, "march", "march"},
                                              {"limp", 0.08, 1000, "limp", ""}};
  return motions;
}

// From phases of the motion, or with small errors where it has none.
std::vector<Setting> starts_of(const Motion& motion, const Setting& setting, const PaperOptions& options) {
  std::vector<Setting> out = with_seeds(setting, options);
  for (size_t i = 0; motion.strides && i < out.size(); ++i) {
    out[i].seed = 1;
    out[i].start_phase = static_cast<double>(i) / static_cast<double>(out.size());
  }
  return out;
}

std::vector<RowPlan> plan_table_1(const PaperOptions& options) {
  const std::vector<MotionEntry> motions = list_motions(motion_folders());
  std::vector<RowPlan> plans;
  for (const Motion& motion : table_1_motions()) {
    if (!wanted(options, motion.row)) continue;
    RowPlan plan{motion.row, {{"k", motion.k}, {"k_os", motion.k_os}}, {}, ""};
    Setting setting;
    setting.clip = clip_standing_for(motion.clip, motion.own, motions, plan.note);
    setting.world = motion.world;
    for (const char* character : {kPlanar, kSpatial}) {
      if (setting.clip.empty()) break;
      setting.character = character;
      const std::string at = "/" + std::string(character);
      setting.recipe = "default";
      plan.cells.push_back({at + "/default", starts_of(motion, setting, options)});
      Setting paper = setting;
      paper.recipe = "paper";
      paper.k = motion.k;
      paper.k_os = motion.k_os;
      plan.cells.push_back({at + "/paper", starts_of(motion, paper, options)});
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

PaperTable table_1() {
  PaperTable table;
  table.name = "mcsim-table-1";
  table.what = "motions that are tracked (da Silva et al. 2008, Table 1)";
  table.asked =
      "our recipe completes from at least 8 of 10 starts on biped18 and on human57, root residual below 5 N; "
      "the "
      "paper's recipe, with the paper's gains, is shown beside it";
  for (const Motion& motion : table_1_motions()) table.rows.emplace_back(motion.row);
  table.columns = {{"k", "/paper/k", 3},
                   {"k_os", "/paper/k_os"},
                   {"ours", "/ours/clip"},
                   {"world", "/ours/world"},
                   {"biped18", "/ours/biped18/default/completed"},
                   {"of", "/ours/biped18/default/runs"},
                   {"pose rad", "/ours/biped18/default/pose_error_rad", 3},
                   {"paper's recipe", "/ours/biped18/paper/completed"},
                   {"pose rad", "/ours/biped18/paper/pose_error_rad", 3},
                   {"human57", "/ours/human57/default/completed"},
                   {"pose rad", "/ours/human57/default/pose_error_rad", 3},
                   {"impact", "/ours/human57/default/impact_ratio", 2},
                   {"jerk", "/ours/human57/default/jerk_ratio", 2},
                   {"CPU s/s", "/ours/human57/default/cpu_s_per_s", 2},
                   {"paper's recipe", "/ours/human57/paper/completed"}};
  table.draw = [what = table.what](const std::vector<PaperRow>& rows, const std::string& caption) {
    return draw_bars(what, "pose error of the runs that completed, rad", "pose_error_rad",
                     {{"biped18", "/biped18/default"},
                      {"human57", "/human57/default"},
                      {"biped18 (paper's recipe)", "/biped18/paper"},
                      {"human57 (paper's recipe)", "/human57/paper"}},
                     rows, caption);
  };
  table.run = [](const PaperOptions& options, PaperWatch& watch) {
    return run_rows(
        plan_table_1(options),
        [](const Json& ours) {
          return holds(ours, "/biped18/default", 0.8) && holds(ours, "/human57/default", 0.8);
        },
        options, watch);
  };
  return table;
}

// ---- slopes

const std::vector<int>& slopes() {
  static const std::vector<int> degrees = {-15, -10, -5, 0, 5, 8, 12};
  return degrees;
}

std::vector<RowPlan> plan_slopes(const PaperOptions& options) {
  const Motions motions = list_motions(motion_folders());
  std::vector<RowPlan> plans;
  for (const int degrees : slopes()) {
    const std::string row = std::to_string(degrees);
    if (!wanted(options, row)) continue;
    RowPlan plan{row, {{"completed", degrees >= -10 && degrees <= 5}}, {}, ""};
    Setting setting;
    setting.clip = clip_standing_for("walk", "walk", motions, plan.note);
    setting.world = "slope:deg=" + row;
    setting.loop_s = loop_s(options);
    plan.cells.push_back({"/biped18/default", with_seeds(setting, options)});
    setting.recipe = "paper";
    plan.cells.push_back({"/biped18/paper", with_seeds(setting, options)});
    setting.recipe = "default";
    setting.character = kSpatial;
    plan.cells.push_back({"/human57/default", with_seeds(setting, options)});
    plans.push_back(std::move(plan));
  }
  return plans;
}

PaperTable slopes_table() {
  PaperTable table;
  table.name = "mcsim-slopes";
  table.what = "a walk on slopes, degrees; the paper: from -10 to 5 (da Silva et al. 2008, section 7.1)";
  table.asked = "our recipe completes on biped18 and on human57, root residual below 5 N";
  for (const int degrees : slopes()) table.rows.push_back(std::to_string(degrees));
  table.columns = {{"the paper", "/paper/completed"},
                   {"ours", "/ours/clip"},
                   {"biped18", "/ours/biped18/default/completed"},
                   {"of", "/ours/biped18/default/runs"},
                   {"held s", "/ours/biped18/default/held_s", 1},
                   {"pose rad", "/ours/biped18/default/pose_error_rad", 3},
                   {"paper's recipe", "/ours/biped18/paper/completed"},
                   {"held s", "/ours/biped18/paper/held_s", 1},
                   {"human57", "/ours/human57/default/completed"},
                   {"held s", "/ours/human57/default/held_s", 1},
                   {"pose rad", "/ours/human57/default/pose_error_rad", 3}};
  table.draw = [what = table.what](const std::vector<PaperRow>& rows, const std::string& caption) {
    return draw_bars(what, "how long the walk was held, s", "held_s",
                     {{"biped18", "/biped18/default"},
                      {"human57", "/human57/default"},
                      {"biped18 (paper's recipe)", "/biped18/paper"}},
                     rows, caption);
  };
  table.run = [](const PaperOptions& options, PaperWatch& watch) {
    return run_rows(
        plan_slopes(options),
        [](const Json& ours) {
          return holds(ours, "/biped18/default", 0.8) && holds(ours, "/human57/default", 0.8);
        },
        options, watch);
  };
  return table;
}

// ---- figures: squared errors over time

struct Version {
  const char* row;
  const char *alter = "", *believe = "", *world = "flat";
  const char* says = "";  // the paper of it
};

using Plan = std::function<std::vector<RowPlan>(const PaperOptions&)>;

PaperTable figure(const std::string& name, const std::string& what, std::vector<std::string> rows,
                  Plan plan) {
  PaperTable table;
  table.name = name;
  table.what = what;
  table.asked = "our recipe completes, as the paper's did, root residual below 5 N";
  table.rows = std::move(rows);
  table.columns = {{"the paper says", "/paper/says"}, {"ours", "/ours/clip"}};
  table.columns.insert(table.columns.end(), recipe_columns().begin(), recipe_columns().end());
  table.draw = [what](const std::vector<PaperRow>& done, const std::string& caption) {
    return draw_curves(what, done, caption);
  };
  table.run = [plan = std::move(plan)](const PaperOptions& options, PaperWatch& watch) {
    return run_rows(
        plan(options), [](const Json& ours) { return holds(ours, "/default", 0.8); }, options, watch);
  };
  return table;
}

// The walk of the planar character, over and over, in several versions.
PaperTable walk_figure(const std::string& name, const std::string& what,
                       const std::vector<Version>& versions) {
  std::vector<std::string> rows;
  for (const Version& version : versions) rows.emplace_back(version.row);
  return figure(name, what, rows, [versions](const PaperOptions& options) {
    const Motions motions = list_motions(motion_folders());
    std::vector<RowPlan> plans;
    for (const Version& version : versions) {
      if (!wanted(options, version.row)) continue;
      const Json says = std::string(version.says).empty() ? Json(nullptr) : Json(version.says);
      RowPlan plan{version.row, {{"completed", true}, {"says", says}}, {}, ""};
      Setting setting;
      setting.clip = clip_standing_for("walk", "walk", motions, plan.note);
      setting.world = version.world;
      setting.alter = version.alter;
      setting.believe = version.believe;
      setting.loop_s = loop_s(options);
      plan.cells = both_recipes(setting, options);
      plans.push_back(std::move(plan));
    }
    return plans;
  });
}

PaperTable figure_3() {
  struct Selected {
    const char *row, *clip, *own, *says;
  };
  static const std::vector<Selected> selected = {
      {"walk", "walk-from-standing", "walk", "it stands first, which is little trouble"},
      {"march", "march", "march", "spikes where contacts change"},
      {"jump", "jump-forward", "jump", "more energy, more error"},
      {"run", "run", "run", "more energy, more error"}};
  std::vector<std::string> rows;
  for (const Selected& one : selected) rows.emplace_back(one.row);
  return figure("mcsim-figure-3", "squared error of four motions (da Silva et al. 2008, Figure 3)", rows,
                [](const PaperOptions& options) {
                  const Motions motions = list_motions(motion_folders());
                  std::vector<RowPlan> plans;
                  for (const Selected& one : selected) {
                    if (!wanted(options, one.row)) continue;
                    RowPlan plan{one.row, {{"completed", true}, {"says", one.says}}, {}, ""};
                    Setting setting;
                    setting.clip = clip_standing_for(one.clip, one.own, motions, plan.note);
                    plan.cells = both_recipes(setting, options);
                    plans.push_back(std::move(plan));
                  }
                  return plans;
                });
}

PaperTable figure_4() {
  const char *legs = "more sensitive to the legs", *half = "upper_body=0.5,lower_body=2";
  return walk_figure("mcsim-figure-4",
                     "squared error of a walk with other masses (da Silva et al. 2008, Figure 4)",
                     {{"standard"},
                      {"heavy-left-leg", "left_leg=2", "", "flat", legs},
                      {"heavy-upper-body", "upper_body=2,lower_body=0.5"},
                      {"heavy-legs", "legs=2", "", "flat", legs},
                      {"heavy-left-leg-unknown", "left_leg=2", "left_leg=0.5"},
                      {"heavy-upper-body-unknown", "upper_body=2,lower_body=0.5", half},
                      {"heavy-legs-unknown", "legs=2", "legs=0.5"}});
}

PaperTable figure_5() {
  const char *one = "flat:friction=1", *worse = "worse, but only slightly";
  return walk_figure(
      "mcsim-figure-5",
      "squared error of a walk by predicted friction, 1.0 simulated (da Silva et al. 2008, Figure 5)",
      {{"predicted-0.5", "", "friction=0.5", one},
       {"predicted-0.75", "", "friction=0.75", one},
       {"predicted-1.0", "", "", one},
       {"predicted-1.25", "", "friction=1.25", one, worse},
       {"predicted-1.5", "", "friction=1.5", one, worse},
       {"springs-unknown", "", "softness=0", kSprings, "stiff springs are tracked well"}});
}

PaperTable figure_6() {
  const char* shrunk = "slightly better with smaller feet";
  return walk_figure("mcsim-figure-6",
                     "squared error of a walk with other feet (da Silva et al. 2008, Figure 6)",
                     {{"standard"},
                      {"big-4cm", "foot_length=0.04"},
                      {"small-4cm", "foot_length=-0.04", "", "flat", shrunk},
                      {"smallest-8cm", "foot_length=-0.08", "", "flat", shrunk},
                      {"big-4cm-unknown", "foot_length=0.04", "foot_length=-0.04"},
                      {"small-4cm-unknown", "foot_length=-0.04", "foot_length=0.04"},
                      {"smallest-8cm-unknown", "foot_length=-0.08", "foot_length=0.08"}});
}

// ---- gains

constexpr double kLeastK = 0.005, kMostK = 0.5, kLeastKos = 300, kMostKos = 2000;  // the paper's ranges

struct GainMotion {
  const char *clip, *own, *world = "flat";
};

struct Grid {
  std::vector<double> k, k_os;
  std::vector<GainMotion> motions;
};

// The motions are those that the paper's recipe holds on the planar character with some gains; Table 1 shows
// the others.
Grid grid_of(bool quick) {
  if (quick)
    return {{0.005, 0.02, 0.05, 0.2, 0.5},
            {300, 600, 1000, 2000},
            {{"walk", "walk"}, {"limp", ""}, {"", "punch"}}};
  return {{0.002, 0.005, 0.02, 0.05, 0.2, 0.5, 1},
          {100, 300, 600, 1000, 2000, 4000},
          {{"walk", "walk"},
           {"march", "march"},
           {"limp", ""},
           {"sneaky", "", kSprings},
           {"", "punch"},
           {"", "wave"}}};
}

std::string at_gain(double k_os) { return "/k_os " + shortest(k_os); }

std::vector<RowPlan> plan_gains(const PaperOptions& options) {
  const Motions motions = list_motions(motion_folders());
  const Grid grid = grid_of(options.quick);
  std::vector<RowPlan> plans;
  for (const double k : grid.k) {
    const std::string row = "k=" + shortest(k);
    if (!wanted(options, row)) continue;
    RowPlan plan{row, {{"completed", k >= kLeastK && k <= kMostK}}, {}, ""};
    for (const double k_os : grid.k_os) {
      Cell cell{at_gain(k_os), {}};
      for (const GainMotion& motion : grid.motions) {
        Setting setting;
        setting.clip = clip_standing_for(motion.clip, motion.own, motions, plan.note);
        if (setting.clip.empty()) continue;
        setting.world = motion.world;
        setting.recipe = "paper";
        setting.k = k;
        setting.k_os = k_os;
        for (const Setting& start : with_seeds(setting, options)) cell.settings.push_back(start);
      }
      plan.cells.push_back(std::move(cell));
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

// Most runs of the motions, as the paper says of most values.
bool meets_gains(const Json& ours) {
  bool all = true;
  for (const auto& [key, cell] : ours.items()) {
    if (!key.starts_with("k_os ")) continue;
    const double k_os = std::stod(key.substr(5));
    if (k_os >= kLeastKos && k_os <= kMostKos) all = all && holds(ours, "/" + key, 0.51);
  }
  return all;
}

std::string draw_gains(const std::string& what, const std::vector<PaperRow>& rows,
                       const std::string& caption) {
  CellMap map;
  map.title = title_of(what);
  map.caption = caption;
  map.x_label = "k_os, 1/s²: how desired accelerations answer to errors";
  map.y_label = "k: scale of the servos";
  map.frame = "the ranges that the paper gives; in each cell: runs completed";
  std::vector<std::string> keys;
  for (const auto& [key, cell] : rows.front().ours.items())
    if (key.starts_with("k_os ")) keys.push_back(key);
  for (size_t c = 0; c < keys.size(); ++c) {
    map.columns.push_back(keys[c].substr(5));
    const double k_os = std::stod(map.columns.back());
    if (k_os < kLeastKos) map.first_column = c + 1;
    if (k_os <= kMostKos) map.last_column = c;
  }
  for (const PaperRow& row : rows) {
    map.rows.push_back(row.row.substr(2));
    const double k = std::stod(map.rows.back());
    if (k < kLeastK) map.first_row = map.rows.size();
    if (k <= kMostK) map.last_row = map.rows.size() - 1;
    map.share.emplace_back();
    map.text.emplace_back();
    for (const std::string& key : keys) {
      const Json& cell = row.ours.at(key);
      map.share.back().push_back(cell.at("completed").get<double>() / cell.at("runs").get<double>());
      map.text.back().push_back(cell.at("completed").dump() + " of " + cell.at("runs").dump());
    }
  }
  return svg_map(map);
}

PaperTable gains() {
  PaperTable table;
  table.name = "mcsim-gains";
  table.what = "gains with which the paper's recipe holds planar motions (da Silva et al. 2008, Table 1)";
  table.asked =
      "most runs complete wherever the paper says that motions do: k from 0.005 to 0.5, k_os from 300 to "
      "2000";
  for (const double k : grid_of(false).k) table.rows.push_back("k=" + shortest(k));
  for (const double k_os : grid_of(false).k_os)
    table.columns.push_back({"k_os " + shortest(k_os), "/ours" + at_gain(k_os) + "/completed"});
  table.columns.push_back({"of", "/ours" + at_gain(1000) + "/runs"});
  table.draw = [what = table.what](const std::vector<PaperRow>& rows, const std::string& caption) {
    return draw_gains(what, rows, caption);
  };
  table.run = [](const PaperOptions& options, PaperWatch& watch) {
    return run_rows(plan_gains(options), meets_gains, options, watch);
  };
  return table;
}

}  // namespace

std::vector<PaperTable> mcsim_tables() {
  return {table_1(),  mcsim_table_4(), slopes_table(), figure_3(),
          figure_4(), figure_5(),      figure_6(),     gains()};
}

}  // namespace sinew::cli
