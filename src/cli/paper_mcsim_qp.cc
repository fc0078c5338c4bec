#include <algorithm>
#include <cmath>

#include "cli/paper_table.h"
#include "cli/sources.h"
#include "cli/stopwatch.h"
#include "cli/text.h"
#include "control/tracking_qp.h"

// Table 4 of da Silva et al. 2008: how long its quadratic programs take.
namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

// What we ask of ourselves.
constexpr double kFast_ms = 0.1;
constexpr int kFastUpTo = 67;

struct Size {
  int variables;  // of the paper's form: 2 nv + 4 contacts
  double ms;      // the paper's
  const char* character;
  int contacts;
};

const std::vector<Size>& sizes() {
  static const std::vector<Size> all = {
      {36, 1.3, "biped18", 0},  {44, 1.5, "biped18", 2},   {52, 2.3, "biped18", 4},  {68, 3.0, "biped18", 8},
      {150, 7.0, "human57", 9}, {154, 7.5, "human57", 10}, {158, 9.7, "human57", 11}};
  return all;
}

// So many points of the feet that stand in the rest stance.
std::vector<PlanContact> contacts_of(const Character& character, const RigidModel& model, int count) {
  std::vector<PlanContact> contacts;
  for (size_t i = 0; i < character.contact_points.size() && static_cast<int>(contacts.size()) < count; ++i) {
    const ContactPoint& point = character.contact_points[i];
    const std::string part(part_name(character.bodies[static_cast<size_t>(point.body)].part));
    if (!part.ends_with("foot") && !part.ends_with("toes")) continue;
    contacts.push_back({static_cast<int>(i), point.body, model.X_WB(point.body) * point.p_BP, Vec3::UnitZ()});
  }
  return contacts;
}

// Median CPU time of a call, ms.
double cost_ms(int repeats, int calls, const std::function<void(int)>& call) {
  std::vector<double> costs;
  for (int r = 0; r < repeats; ++r) {
    const Stopwatch stopwatch(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < calls; ++i) call(i);
    costs.push_back(1000 * stopwatch.read().cpu_s / calls);
  }
  return median(costs);
}

struct Cost {
  int variables = 0;
  double ms = 0;
};

// Something else is wanted each time, so that the last solution is a start and not the answer.
Cost measure(const Character& character, int contacts, QpForm form, bool quick) {
  const RigidModel model(character);
  const std::vector<PlanContact> feet = contacts_of(character, model, contacts);
  TrackingQp qp(model, rest_command(character).limit, {.form = form});
  VecX desired(character.nv());
  const auto set_up = [&](int i) {
    for (int k = 0; k < desired.size(); ++k) desired[k] = 5 * std::sin(1.7 * k + 0.9 * i);
    qp.set_up(feet, desired);
  };
  const int repeats = quick ? 9 : 31, calls = 20;
  const double both = cost_ms(repeats, calls, [&](int i) {
    set_up(i);
    qp.solve();
  });
  return {qp.problem().variables(), std::max(both - cost_ms(repeats, calls, set_up), 0.0)};
}

PaperRow row_of(const Size& size, bool quick) {
  PaperRow row;
  row.row = std::to_string(size.variables);
  row.paper = {{"variables", size.variables}, {"ms", size.ms}};
  const Character character = open_character(size.character);
  const Cost full = measure(character, size.contacts, QpForm::kFull, quick);
  const Cost reduced = measure(character, size.contacts, QpForm::kReduced, quick);
  row.ours = {{"character", size.character},
              {"contacts", size.contacts},
              {"variables", full.variables},
              {"ms", full.ms},
              {"reduced_variables", reduced.variables},
              {"reduced_ms", reduced.ms},
              {"times_less", size.ms / std::max(reduced.ms, 1e-9)}};
  row.meets = full.variables == size.variables && full.ms < size.ms &&
              (reduced.variables > kFastUpTo || reduced.ms <= kFast_ms);
  row.finished = true;
  return row;
}

}  // namespace

PaperTable mcsim_table_4() {
  PaperTable table;
  table.name = "mcsim-table-4";
  table.what = "how long a quadratic program takes, by its variables (da Silva et al. 2008, Table 4)";
  table.asked =
      "in the paper's variables faster than the paper's; reduced ones at most 0.1 ms up to 67 variables";
  for (const Size& size : sizes()) table.rows.push_back(std::to_string(size.variables));
  table.columns = {{"paper ms", "/paper/ms", 1},   {"character", "/ours/character"},
                   {"contacts", "/ours/contacts"}, {"variables", "/ours/variables"},
                   {"ms", "/ours/ms", 3},          {"reduced", "/ours/reduced_variables"},
                   {"ms", "/ours/reduced_ms", 4},  {"times less", "/ours/times_less", 0}};
  table.chart_key = "ms";
  table.chart_label = "CPU milliseconds a solve, in the paper's variables";
  // One after another: they are measured.
  table.run = [](const PaperOptions& options, PaperWatch& watch) {
    std::vector<PaperRow> rows;
    std::vector<Size> all;
    for (const Size& size : sizes())
      if (wanted(options, std::to_string(size.variables))) all.push_back(size);
    run_jobs(all.size(), 1, watch, [&](size_t i) {
      rows.push_back(row_of(all[i], options.quick));
      return rows.back().row + " variables: " + fixed(rows.back().ours.at("ms").get<double>(), 3) + " ms";
    });
    return rows;
  };
  return table;
}

}  // namespace sinew::cli
