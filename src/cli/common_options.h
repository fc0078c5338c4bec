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
// Throws CLI's error if the cut ends before it begins.
void check_cut(const CutOptions& cut);

// --world --engine --step-ms --seconds --start-phase --throw --push: what is simulated, where and how long.
struct SceneOptions {
  std::string world = "flat";  // empty: what another file says; so the engine
  std::string engine = "mujoco";
  double step_ms = 0;  // 0: the engine's own
  double seconds = 0;  // 0: as long as the clip
  double start_phase = 0;
  std::vector<std::string> throws, pushes;
};
void add_scene_options(CLI::App& command, SceneOptions& options);
// The same without --start-phase; `otherwise` is how long if not said.
void add_place_options(CLI::App& command, SceneOptions& options, const std::string& otherwise);

// The options as they are typed, each with a blank before it; those at their default are left out.
std::string import_words(const ImportOptions& options);
std::string cut_words(const CutOptions& options);
std::string scene_words(const SceneOptions& options, const SceneOptions& otherwise = {});

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

void add_clip_option(CLI::App& command, std::string& clip);
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
