#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "motion/library.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

void print_json(const std::vector<MotionEntry>& motions) {
  Json list = Json::array();
  for (const MotionEntry& motion : motions)
    list.push_back({{"name", motion.name},
                    {"file", motion.file.string()},
                    {"from_s", motion.from_s},
                    {"to_s", motion.to_s < 0 ? Json(nullptr) : Json(motion.to_s)},
                    {"description", motion.description},
                    {"origin", motion.origin}});
  std::cout << Json{{"sinew", SINEW_VERSION}, {"motions", list}}.dump(2, ' ', false,
                                                                      Json::error_handler_t::replace)
            << "\n";
}

// What fits beside a name on an ordinary terminal; `--json` has all of it.
std::string shortened(const std::string& text) {
  constexpr size_t kLetters = 80;
  if (text.size() <= kLetters) return text;
  return text.substr(0, text.rfind(' ', kLetters - 3)) + "...";
}

// One table for each place that motions come from.
void print_tables(const std::vector<MotionEntry>& motions) {
  for (size_t begin = 0; begin < motions.size();) {
    size_t end = begin;
    std::vector<std::vector<std::string>> rows = {{"name", "part", "what"}};
    for (; end < motions.size() && motions[end].origin == motions[begin].origin; ++end) {
      const MotionEntry& motion = motions[end];
      const std::string part =
          motion.to_s < 0 ? "whole" : fixed(motion.from_s, 1) + " to " + fixed(motion.to_s, 1) + " s";
      rows.push_back({motion.name, part, shortened(motion.description)});
    }
    const std::string& origin = motions[begin].origin;
    std::cout << (begin > 0 ? "\n" : "") << (origin == "sinew" ? "Sinew's own" : origin) << "\n"
              << table(rows);
    begin = end;
  }
  std::cout << "\nAny motion file does as well. SINEW_MOTIONS names further folders, colon-separated.\n";
}

int list(const ListOptions& options) {
  const std::vector<MotionEntry> motions = list_motions(motion_folders());
  if (options.names) {
    for (const MotionEntry& motion : motions) std::cout << motion.name << "\n";
  } else if (options.json) {
    print_json(motions);
  } else {
    print_tables(motions);
  }
  return kOk;
}

}  // namespace

void add_motions(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("motions", "list the motions that have a name");
  auto options = std::make_shared<ListOptions>();
  add_list_options(*command, *options);
  command->footer(
      examples("  sinew motions\n"
               "  SINEW_MOTIONS=~/mocap:~/more sinew motions   with folders of yours\n"
               "  sinew motions --json                         for a script"));
  command->callback([&action, options] { action = [options] { return list(*options); }; });
}

}  // namespace sinew::cli
