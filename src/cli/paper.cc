#include <algorithm>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/find_control.h"
#include "cli/interrupt_guard.h"
#include "cli/output_folder.h"
#include "cli/paper_table.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "record/bars.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kResults = "docs/results";

struct PaperCommand {
  std::string name;  // empty: list what there is
  PaperOptions options;
  bool quick = false;
  bool publish = false;
  bool json = false;
  bool quiet = false;
};

// Tells of every job on standard error; a signal ends the work, and takes its usual effect afterwards.
class Watch : public PaperWatch {
 public:
  explicit Watch(bool quiet) : progress_(1, quiet), quiet_(quiet) { progress_.step("preparing"); }
  void done(const std::string& what, size_t jobs) override {
    ++done_;
    const std::string so_far = std::to_string(done_) + " of " + std::to_string(jobs);
    if (!quiet_) progress_.say("sinew: " + so_far + ": " + what);
    progress_.within(static_cast<double>(done_) / static_cast<double>(jobs), so_far);
  }
  bool go_on() const override { return !guard_.interrupted(); }
  void end() { progress_.done(); }
  void say(const std::string& line) const { progress_.say(line); }

 private:
  InterruptGuard guard_;
  Progress progress_;
  bool quiet_;
  size_t done_ = 0;
};

// "2 cores, Intel(R) Xeon(R) ...".
std::string machine() {
  std::string text = count(std::max(1U, std::thread::hardware_concurrency()), "core");
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return text + ", " + line.substr(line.find(": ") + 2);
  return text;
}

// The command that makes it again.
std::string command_line(const PaperCommand& command) {
  std::string line = "sinew paper " + command.name;
  for (const std::string& row : command.options.only) line += " --only " + row;
  if (command.quick) line += " --quick";
  if (!command.quick) line += " --seeds " + std::to_string(command.options.seeds);
  if (command.options.seed != 1) line += " --seed " + std::to_string(command.options.seed);
  if (command.options.step_ms > 0) line += " --step-ms " + shortest(command.options.step_ms);
  return line;
}

Json json_of(const PaperRow& row) {
  Json out = {{"row", row.row}, {"paper", row.paper}, {"ours", row.ours}, {"meets", row.meets}};
  if (!row.note.empty()) out["note"] = row.note;
  for (const PaperCurve& curve : row.curves)
    out["curves"][curve.name] = {{"time_s", curve.x}, {"value", curve.y}};
  return out;
}

Json json_of(const PaperTable& table, const std::vector<PaperRow>& rows, const PaperCommand& command) {
  Json list = Json::array();
  for (const PaperRow& row : rows) list.push_back(json_of(row));
  return {{"name", table.name},
          {"what", table.what},
          {"asked", table.asked},
          {"rows", list},
          {"command", command_line(command)},
          {"machine", machine()},
          {"sinew", SINEW_VERSION}};
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// A figure as people read it; "-" where there is none.
std::string cell(const Json& row, const PaperColumn& column) {
  const Json::json_pointer at(column.key);
  if (!row.contains(at) || row.at(at).is_null()) return "-";
  const Json& value = row.at(at);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.is_string() ? value.get<std::string>() : fixed(value.get<double>(), column.digits);
}

std::string in_words(const PaperTable& table, const Json& result) {
  std::vector<std::vector<std::string>> cells = {{""}};
  for (const PaperColumn& column : table.columns) cells.front().push_back(column.head);
  cells.front().push_back("meets");
  std::string notes;
  size_t met = 0;
  for (const Json& row : result.at("rows")) {
    cells.push_back({row.at("row").get<std::string>()});
    for (const PaperColumn& column : table.columns) cells.back().push_back(cell(row, column));
    cells.back().push_back(row.at("meets").get<bool>() ? "yes" : "no");
    met += row.at("meets").get<bool>() ? 1 : 0;
    if (row.contains("note"))
      notes += "  - " +
               wrapped(row.at("row").get<std::string>() + ": " + row.at("note").get<std::string>(), 4) + "\n";
  }
  const std::string verdict = std::to_string(met) + " of " + std::to_string(result.at("rows").size()) +
                              " rows meet what we ask: " + table.asked;
  return table.name + ": " + table.what + "\n" + cli::table(cells) + notes + wrapped(verdict, 2) + "\n" +
         result.at("machine").get<std::string>() + "\n";
}

// A value in a CSV file: with quotes where it has a comma or a quote.
std::string csv_cell(const Json& row, const std::string& key) {
  const Json::json_pointer at(key);
  if (!row.contains(at) || row.at(at).is_null()) return "";
  if (!row.at(at).is_string()) return row.at(at).dump();
  std::string text = row.at(at).get<std::string>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  for (size_t i = text.find('"'); i != std::string::npos; i = text.find('"', i + 2)) text.insert(i, "\"");
  return "\"" + text + "\"";
}

std::string csv_of(const PaperTable& table, const Json& result) {
  std::vector<std::string> keys = {"/row"};
  for (const PaperColumn& column : table.columns) keys.push_back(column.key);
  keys.insert(keys.end(), {"/meets", "/note"});
  std::string text;
  for (size_t i = 0; i < keys.size(); ++i) {
    std::string head = keys[i].substr(1);
    std::replace(head.begin(), head.end(), '/', '_');
    text += (i > 0 ? "," : "") + head;
  }
  for (const Json& row : result.at("rows"))
    for (size_t i = 0; i < keys.size(); ++i) text += (i > 0 ? "," : "\n") + csv_cell(row, keys[i]);
  return text + "\n";
}

// Bars of the table's main figure, with the share of seeds that completed beside the name of the row.
std::string bars_of(const PaperTable& table, const Json& result, const std::string& caption) {
  BarChart chart;
  chart.title = table.what;
  chart.caption = caption;
  chart.x_label = table.chart_label;
  chart.logarithmic = true;
  for (const char* side : {"paper", "ours"}) {
    BarSeries series{side, {}};
    bool any = false;
    for (const Json& row : result.at("rows")) {
      const Json::json_pointer at("/" + std::string(side) + "/" + table.chart_key);
      const bool has = row.contains(at) && row.at(at).is_number();
      series.values.push_back(has ? row.at(at).get<double>() : 0);
      any = any || has;
    }
    if (any) chart.series.push_back(std::move(series));
  }
  for (const Json& row : result.at("rows")) {
    std::string name = row.at("row").get<std::string>();
    if (row.at("ours").contains("seeds"))
      name += " (" + row.at("ours").at("completed").dump() + " of " + row.at("ours").at("seeds").dump() + ")";
    chart.rows.push_back(name);
  }
  return svg_bars(chart);
}

std::string chart_of(const PaperTable& table, const std::vector<PaperRow>& rows, const Json& result) {
  const std::string caption = result.at("command").get<std::string>() + "   (" +
                              result.at("machine").get<std::string>() + ", Sinew " SINEW_VERSION ")";
  return table.draw ? table.draw(rows, caption) : bars_of(table, result, caption);
}

void publish(const PaperTable& table, const std::vector<PaperRow>& rows, const Json& result,
             const PaperCommand& command) {
  OutputFolder out(kResults);
  write_file(out.add(table.name + ".csv"), csv_of(table, result));
  write_file(out.add(table.name + ".svg"), chart_of(table, rows, result));
  if (table.pictures) table.pictures(command.options, out);
  if (command.json) return;
  std::string files;
  for (const std::string& file : out.files()) files += (files.empty() ? "" : ", ") + file;
  std::cout << "wrote " << kResults << ": " << files << "\n";
}

int make(const PaperTable& table, const PaperCommand& command) {
  if (command.publish) check_folder(kResults);
  Watch watch(command.quiet || command.json);
  std::vector<PaperRow> rows = table.run(command.options, watch);
  watch.end();

  // What a signal left without a figure is left out, and nothing is published then.
  const bool interrupted = !watch.go_on();
  const auto finished = std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.finished; });
  const std::string of_all = std::to_string(finished) + " of " + std::to_string(rows.size());
  std::erase_if(rows, [](const PaperRow& row) { return !row.finished && row.ours.is_null(); });
  Json result = json_of(table, rows, command);
  if (interrupted) result["interrupted"] = true;
  if (command.json) std::cout << dumped(result) << std::flush;
  if (!command.json) std::cout << in_words(table, result) << std::flush;
  if (interrupted)
    watch.say("sinew: interrupted; " + of_all + " rows finished" +
              (command.publish ? ", nothing published" : ""));
  if (command.publish && !interrupted) publish(table, rows, result, command);
  return kOk;
}

// Processes of one run would share neither the searches nor standard output.
int make_alone(const PaperTable& table, const PaperCommand& command) {
  MpiSession ranks;
  if (ranks.rank() > 0) {
    serve_searches(ranks);
    return kOk;
  }
  if (ranks.size() > 1)
    throw Error(
        "paper is not for mpirun: it measures searches of one thread each, on all cores of a machine; "
        "--only ROW and --seed divide a table among several");
  return make(table, command);
}

int list(const std::vector<PaperTable>& tables, bool json) {
  Json listed = Json::array();
  std::vector<std::vector<std::string>> cells = {{"name", "what it reproduces"}};
  for (const PaperTable& table : tables) {
    listed.push_back({{"name", table.name}, {"what", table.what}, {"rows", table.rows}});
    cells.push_back({table.name, table.what});
  }
  if (json)
    std::cout << dumped({{"sinew", SINEW_VERSION}, {"papers", listed}});
  else
    std::cout << cli::table(cells) << "\nsinew paper NAME makes one: ours beside the paper's.\n";
  return kOk;
}

const PaperTable& find_table(const std::vector<PaperTable>& tables, const std::string& name) {
  return *std::find_if(tables.begin(), tables.end(), [&](const PaperTable& t) { return t.name == name; });
}

// Options that only one table gives a meaning. Throws CLI's error.
void check(const PaperCommand& command, const std::vector<PaperTable>& tables) {
  const PaperOptions& options = command.options;
  if (command.name.empty()) {
    if (command.quick || command.publish || !options.only.empty())
      throw CLI::ValidationError("NAME", "is needed to make a table");
    return;
  }
  const CLI::Validator known = one_of(find_table(tables, command.name).rows);
  for (std::string row : options.only)
    if (const std::string wrong = known(row); !wrong.empty()) throw CLI::ValidationError("--only", wrong);
}

}  // namespace

std::vector<PaperTable> paper_tables() {
  std::vector<PaperTable> tables = samcon_tables();
  for (PaperTable& table : adapt_tables()) tables.push_back(std::move(table));
  for (PaperTable& table : mcsim_tables()) tables.push_back(std::move(table));
  tables.push_back(auxiliary_figures());
  for (PaperTable& table : bicycle_tables()) tables.push_back(std::move(table));
  return tables;
}

void add_paper(CLI::App& app, Action& action) {
  CLI::App* paper =
      app.add_subcommand("paper", "make a table or figure of the papers again: ours beside theirs");
  const auto tables = std::make_shared<std::vector<PaperTable>>(paper_tables());
  std::vector<std::string> names;
  std::string choices;
  for (const PaperTable& table : *tables) {
    names.push_back(table.name);
    choices += (choices.empty() ? "" : "|") + table.name;
  }
  auto command = std::make_shared<PaperCommand>();
  PaperOptions& options = command->options;
  paper->add_option("NAME", command->name, "which; without it: what there is")
      ->check(one_of(names))
      ->type_name(choices);
  auto* seeds =
      paper->add_option("--seeds", options.seeds, "searches or runs a row, with seeds one after another")
          ->check(whole(1, 1000, "a whole number from 1 to 1000"))
          ->type_name("N")
          ->capture_default_str();
  paper->add_flag("--quick", command->quick, "one seed a row, and shorter runs: a few minutes")
      ->excludes(seeds);
  auto* only = paper->add_option("--only", options.only, "this row alone; several are several rows")
                   ->type_name("ROW")
                   ->allow_extra_args(false);
  paper->add_flag("--publish", command->publish, std::string("write a CSV and an SVG into ") + kResults)
      ->excludes(only);
  paper->add_option("--seed", options.seed, "the first seed")
      ->check(whole(0, std::numeric_limits<int>::max() - 1000, "a whole number from 0 to 2147482647"))
      ->type_name("N")
      ->capture_default_str();
  paper->add_option("--step-ms", options.step_ms, "time step in milliseconds; else the engine's own")
      ->check(between(0.01, 20, "between 0.01 and 20 milliseconds"))
      ->type_name("MS");
  paper->add_option("--threads", options.threads, "searches or runs at the same time; 0: one a core")
      ->check(whole(0, 1024, "a whole number from 0 to 1024"))
      ->type_name("N");
  paper->add_flag("--json", command->json, "the same as JSON on standard output, nothing else");
  paper->add_flag("-q,--quiet", command->quiet, "no progress");
  paper->footer(
      examples("  sinew paper                                  what there is\n"
               "  sinew paper samcon-table-4 --quick           one seed a row\n"
               "  sinew paper samcon-table-5 --seeds 10        as many as a fair judgement needs\n"
               "  sinew paper samcon-table-4 --only walk       one row of it\n"
               "  sinew paper samcon-transformations --publish for docs/results\n"
               "  sinew paper mcsim-figure-4 --quick           error curves of a tracker"));
  paper->callback([&action, command, tables] {
    check(*command, *tables);
    if (command->quick) command->options.seeds = 1;
    command->options.quick = command->quick;
    action = [command, tables] {
      return command->name.empty() ? list(*tables, command->json)
                                   : make_alone(find_table(*tables, command->name), *command);
    };
  });
}

}  // namespace sinew::cli
