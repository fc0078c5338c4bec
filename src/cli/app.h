#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands.h"

namespace sinew::cli {

// All commands, options and help texts of `sinew`. After parsing, `action` is what the user asked for, or
// empty if no command was named.
void build_app(CLI::App& app, Action& action);

// What is wrong with the command line, in one sentence that ends with where to look.
std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sinew::cli
