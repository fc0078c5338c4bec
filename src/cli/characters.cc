#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "character/library.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/sources.h"
#include "cli/text.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Listed {
  std::string file;
  Character character;
};

std::vector<Listed> list_characters() {
  const auto folders = character_folders();
  std::vector<Listed> listed;
  for (const std::string& name : character_names(folders))
    for (const std::string& folder : folders) {
      const std::filesystem::path file = std::filesystem::path(folder) / (name + ".xml");
      if (!std::filesystem::exists(file)) continue;
      listed.push_back({file.string(), load_character(name, folders)});
      break;
    }
  return listed;
}

void print_json(const std::vector<Listed>& listed) {
  Json characters = Json::array();
  for (const auto& [file, character] : listed)
    characters.push_back({{"name", character.name},
                          {"file", file},
                          {"dof", character.nv()},
                          {"bodies", character.bodies.size()},
                          {"mass_kg", character.mass_kg()},
                          {"height_m", standing_height(character)}});
  std::cout << Json{{"sinew", SINEW_VERSION}, {"characters", characters}}.dump(2, ' ', false,
                                                                               Json::error_handler_t::replace)
            << "\n";
}

void print_table(const std::vector<Listed>& listed) {
  std::vector<std::vector<std::string>> rows = {{"name", "dof", "bodies", "mass kg", "height m"}};
  for (const auto& [file, character] : listed)
    rows.push_back({character.name, std::to_string(character.nv()), std::to_string(character.bodies.size()),
                    fixed(character.mass_kg(), 1), fixed(standing_height(character), 2)});
  std::cout << table(rows)
            << "Any MJCF file whose root has a free joint does as well: --character FILE.xml\n";
}

int list(const ListOptions& options) {
  if (options.names) {
    for (const std::string& name : character_names(character_folders())) std::cout << name << "\n";
  } else if (options.json) {
    print_json(list_characters());
  } else {
    print_table(list_characters());
  }
  return kOk;
}

}  // namespace

void add_characters(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("characters", "list the characters that have a name");
  auto options = std::make_shared<ListOptions>();
  add_list_options(*command, *options);
  command->footer(
      examples("  sinew characters\n"
               "  sinew characters --json                      for a script\n"
               "  sinew info human50                           more about one of them"));
  command->callback([&action, options] { action = [options] { return list(*options); }; });
}

}  // namespace sinew::cli
