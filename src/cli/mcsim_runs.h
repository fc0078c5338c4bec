#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/paper_table.h"
#include "control/mcsim.h"

// Runs of `sinew track` of which the tables and figures of da Silva et al. 2008 are made.
namespace sinew::cli {

// What `sinew track` would be told.
struct Setting {
  std::string clip, character = "biped18", world = "flat";
  std::string alter, believe;
  std::string recipe = "default";
  double k = McsimOptions{}.k, k_os = McsimOptions{}.k_os;
  double loop_s = 0;  // 0: the clip once
  double start_phase = 0;
  int seed = 1;
};

// Runs that belong together, such as one recipe on one character from several starts.
struct Cell {
  std::string at;  // JSON pointer into the row's "ours": "/biped18/default"
  std::vector<Setting> settings;
  bool curve = false;  // the squared error of the first one is kept, under the name of its recipe
};

struct RowPlan {
  std::string row;
  nlohmann::ordered_json paper;
  std::vector<Cell> cells;  // none: nothing stands for the row
  std::string note;
};

// Simulates all of it, each run on one thread. `meets` is asked of each row's "ours" once it is complete. In
// it are a cell's figures at its place: runs, completed, lost_at_s, held_s (mean time before the motion was
// lost), root_residual_N (the largest), and medians over the runs that completed. Throws Error.
std::vector<PaperRow> run_rows(const std::vector<RowPlan>& plans,
                               const std::function<bool(const nlohmann::ordered_json& ours)>& meets,
                               const PaperOptions& options, PaperWatch& watch);

// Whether so large a share of the runs of a cell completed, with nothing that helped.
bool holds(const nlohmann::ordered_json& ours, const std::string& at, double share);

// The same run from several starts: the clip's own, then with small errors in all joints.
std::vector<Setting> with_seeds(const Setting& setting, const PaperOptions& options);

}  // namespace sinew::cli
