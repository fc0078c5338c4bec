#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "motion/load.h"

// Options that mean the same in every command.
namespace sinew::cli {

// What is wrong with the user's reading of a motion file: --up --unit --fps --rest-frame --take.
void add_import_options(CLI::App& command, ImportOptions& options);

// --from --to --loop: which part of the clip.
struct CutOptions {
  double from_s = 0;
  double to_s = -1;  // negative: the end
  bool loop = false;
};
void add_cut_options(CLI::App& command, CutOptions& options);

// -o --json --quiet --no-pictures: what is left behind and said.
struct OutputOptions {
  std::string folder;  // empty: the command's own choice
  bool json = false;
  bool quiet = false;
  bool no_pictures = false;
};
void add_output_options(CLI::App& command, OutputOptions& options);

// --json --names: how a list is told.
struct ListOptions {
  bool json = false;
  bool names = false;
};
void add_list_options(CLI::App& command, ListOptions& options);

// --seed --threads.
struct RunOptions {
  int seed = 1;
  int threads = 0;  // 0: one a core
};
void add_run_options(CLI::App& command, RunOptions& options);

void add_character_option(CLI::App& command, std::string& character);

// Refuses what is no finite number in [low, high]; `meaning` completes "--to must be ...".
CLI::Validator between(double low, double high, const std::string& meaning);

// The same for whole numbers.
CLI::Validator whole(int low, int high, const std::string& meaning);

// Refuses all words but these.
CLI::Validator one_of(const std::vector<std::string>& words);

// The end of a command's help.
std::string examples(const std::string& lines);

}  // namespace sinew::cli
