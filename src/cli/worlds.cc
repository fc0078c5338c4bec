#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/text.h"
#include "world/library.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

// What every world can be told stands once, under the first: those of the flat floor, which has no others.
bool is_common(const WorldParameter& parameter) {
  for (const WorldParameter& common : list_worlds().front().parameters)
    if (common.name == parameter.name && common.meaning == parameter.meaning) return true;
  return false;
}

Json default_of(const WorldParameter& parameter) {
  return std::isnan(parameter.value) ? Json() : Json(parameter.value);
}

void print_json() {
  Json worlds = Json::array();
  for (const WorldEntry& entry : list_worlds()) {
    Json parameters = Json::array();
    for (const WorldParameter& p : entry.parameters)
      parameters.push_back({{"name", p.name},
                            {"default", default_of(p)},
                            {"lower", p.lower},
                            {"upper", p.upper},
                            {"whole", p.whole},
                            {"meaning", p.meaning}});
    worlds.push_back({{"name", entry.name}, {"meaning", entry.meaning}, {"parameters", parameters}});
  }
  std::cout << Json{{"sinew", SINEW_VERSION}, {"worlds", worlds}}.dump(2) << "\n";
}

std::vector<std::string> row_of(const WorldParameter& p) {
  const std::string otherwise = std::isnan(p.value) ? "" : "=" + shortest(p.value);
  return {"", p.name + otherwise, shortest(p.lower) + " to " + shortest(p.upper), p.meaning};
}

void print_table() {
  std::vector<std::vector<std::string>> rows = {{"name", "parameter", "range", "meaning"}};
  for (const WorldEntry& entry : list_worlds()) {
    rows.push_back({entry.name, "", "", entry.meaning});
    for (const WorldParameter& p : entry.parameters)
      if (!is_common(p)) rows.push_back(row_of(p));
  }
  rows.push_back({"(all)", "", "", "what every world can be told"});
  for (const WorldParameter& p : list_worlds().front().parameters) rows.push_back(row_of(p));
  std::cout
      << table(rows)
      << "As typed: --world slope:deg=-10,friction=0.5. Your own, as MJCF, does as well: --world FILE.xml\n";
}

int list(const ListOptions& options) {
  if (options.names) {
    for (const WorldEntry& entry : list_worlds()) std::cout << entry.name << "\n";
  } else if (options.json) {
    print_json();
  } else {
    print_table();
  }
  return kOk;
}

}  // namespace

void add_worlds(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("worlds", "list the worlds that have a name, and their parameters");
  auto options = std::make_shared<ListOptions>();
  add_list_options(*command, *options);
  command->footer(
      examples("  sinew worlds\n"
               "  sinew worlds --json                          for a script"));
  command->callback([&action, options] { action = [options] { return list(*options); }; });
}

}  // namespace sinew::cli
