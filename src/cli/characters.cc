#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/assets.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/sources.h"
#include "cli/text.h"
namespace sinew::cli {
void add_characters(CLI::App& app, Action&) { app.add_subcommand("characters", "list the characters"); }
void add_motions(CLI::App& app, Action&) { app.add_subcommand("motions", "list the motions"); }
}  // namespace sinew::cli
