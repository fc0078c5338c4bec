#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "character/from_meshes.h"
#include "character/write_mjcf.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct CharacterCommand {
  std::string meshes;
  std::string like = "man";
  std::string file;
  double unit_m = 1;
  bool json = false;
  bool quiet = false;
};

void print_json(const CharacterCommand& command, const MeshCharacter& made) {
  Json bodies = Json::array();
  for (const MeshBody& body : made.bodies)
    bodies.push_back({{"name", body.name},
                      {"volume_l", 1000 * body.volume_m3},
                      {"density_kg_m3", body.mass_kg / body.volume_m3},
                      {"mass_kg", body.mass_kg}});
  const Json all = {{"sinew", SINEW_VERSION},
                    {"command", "character"},
                    {"character", made.character.name},
                    {"file", command.file},
                    {"template", command.like},
                    {"mass_kg", made.character.mass_kg()},
                    {"height_m", standing_height(made.character)},
                    {"bodies", bodies},
                    {"notes", made.character.notes}};
  std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

void print_table(const CharacterCommand& command, const MeshCharacter& made) {
  std::vector<std::vector<std::string>> rows = {{"body", "litres", "kg/m3", "kg"}};
  for (const MeshBody& body : made.bodies)
    rows.push_back({body.name, fixed(1000 * body.volume_m3, 2), fixed(body.mass_kg / body.volume_m3, 0),
                    fixed(body.mass_kg, 2)});
  std::cout << table(rows);
  for (const std::string& note : made.character.notes) std::cout << "  - " << note << "\n";
  std::cout << "'" << made.character.name << "' weighs " << fixed(made.character.mass_kg(), 1)
            << " kg and is " << fixed(standing_height(made.character), 2) << " m tall; wrote " << command.file
            << "\n";
}

int run(const CharacterCommand& command) {
  const fs::path file(command.file);
  if (file.extension() != ".xml") throw Error(command.file, 0, "the file of a character ends in .xml");
  const MeshCharacter made = character_from_meshes(load_meshes(command.meshes), open_character(command.like),
                                                   file.stem().string(), command.meshes, command.unit_m);
  write_file(file, write_mjcf(made.character));
  if (command.json)
    print_json(command, made);
  else if (!command.quiet)
    print_table(command, made);
  return kOk;
}

}  // namespace

void add_character(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("character", "make a character from meshes of the parts of its body");
  auto options = std::make_shared<CharacterCommand>();
  command
      ->add_option("MESHES", options->meshes,
                   "a file with an object for each part (OBJ, GLB, ...), or a folder with a file for each")
      ->required()
      ->type_name("FILE|FOLDER");
  command->add_option("--template", options->like, "whose bodies and joints it gets")
      ->type_name("NAME|FILE.xml")
      ->capture_default_str();
  command->add_option("--unit", options->unit_m, "metres in one unit of the file")
      ->check(between(1e-6, 1e6, "between 0.000001 and 1000000 metres"))
      ->type_name("M")
      ->capture_default_str();
  command->add_option("-o,--output", options->file, "the character's file, in MJCF")
      ->required()
      ->type_name("FILE.xml");
  command->add_flag("--json", options->json, "what it was made of as JSON on standard output, nothing else");
  command->add_flag("-q,--quiet", options->quiet, "say nothing");
  command->footer(examples(
      "  sinew character hero.glb -o hero.xml             parts named left_thigh, head, ...\n"
      "  sinew character parts/ --unit 0.01 -o hero.xml   left_thigh.obj, head.obj, ... in centimetres\n"
      "  sinew adapt run --from man --to hero.xml         teach it to run"));
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace sinew::cli
