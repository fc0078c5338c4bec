#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/output_folder.h"
#include "motion/library.h"

// Tables and figures of the papers that `sinew paper` makes again. A further one is its data, a function that
// fills its rows, and a line in paper_tables().
namespace sinew::cli {

struct PaperOptions {
  std::vector<std::string> only;  // rows; empty: all
  int seeds = 3;                  // of each row, beginning with `seed`
  bool quick = false;             // less of each than a fair judgement needs
  int seed = 1;
  int threads = 0;     // 0: one a core
  double step_ms = 0;  // 0: the engine's own
};

// Something over time.
struct PaperCurve {
  std::string name;          // which of a row's: "default"
  std::vector<double> x, y;  // of one length
};

// What was done of it: "ours" is null where nothing was, or where it cannot be made.
struct PaperRow {
  std::string row;
  nlohmann::ordered_json paper, ours;
  bool meets = false;     // holds what we ask of ourselves
  bool finished = false;  // nothing is missing because of a signal
  std::string note;       // what a reader of the row must know; may be empty
  std::vector<PaperCurve> curves = {};
};

// A figure of a row, as it is printed.
struct PaperColumn {
  std::string head;
  std::string key;  // JSON pointer into the row: "/ours/seconds"
  int digits = 0;   // after the point
};

// How far a reproduction has come, and whether to go on. One thread at a time.
class PaperWatch {
 public:
  virtual ~PaperWatch() = default;
  // One of `jobs` is done; in words, what came of it.
  virtual void done(const std::string& what, size_t jobs) = 0;
  // May be asked from all threads. False: end as soon as possible, and keep what is finished.
  virtual bool go_on() const = 0;
};

struct PaperTable {
  std::string name;   // "samcon-table-4"
  std::string what;   // it reproduces, in words
  std::string asked;  // when a row meets what we ask of ourselves
  std::vector<std::string> rows;
  std::vector<PaperColumn> columns;
  std::string chart_key, chart_label;  // the figure that is drawn: the same key of "paper" and "ours"
  // How it is drawn otherwise, with small print below; empty: bars of the figure.
  std::function<std::string(const std::vector<PaperRow>&, const std::string& caption)> draw;
  std::function<std::vector<PaperRow>(const PaperOptions&, PaperWatch&)> run;  // throws Error
  std::function<void(const PaperOptions&, OutputFolder&)> pictures;  // further ones to publish; may be empty
};

// All that there is, in the order in which it is listed.
std::vector<PaperTable> paper_tables();

// Tables 4 and 5 and the motion transformations of Liu et al. 2010.
std::vector<PaperTable> samcon_tables();

// Figures 8 and 12 and the search of Hodgins and Pollard 1997.
std::vector<PaperTable> adapt_tables();
// Tables 1 and 4, Figures 3 to 6, slopes and ranges of gains of da Silva et al. 2008.
std::vector<PaperTable> mcsim_tables();
PaperTable mcsim_table_4();

// The rows that are wanted, by name.
bool wanted(const PaperOptions& options, const std::string& row);

// The motion that stands for a paper's: the one that a clips.csv names so, else one of our own; empty if
// there is none. Either name may be empty. `note` says what a reader must know of it.
std::string clip_standing_for(const std::string& clip, const std::string& own,
                              const std::vector<MotionEntry>& motions, std::string& note);

// The middle one, of two the larger; of at least one.
double median(std::vector<double> values);

// Figures 2 to 4 of Nunes et al. 2008.
PaperTable auxiliary_figures();

// The bicyclists of Hodgins and Pollard 1997.
std::vector<PaperTable> bicycle_tables();

// Jobs 0 to n - 1, begun in order on so many threads (0: one a core) as long as the watch goes on. `job`
// returns what came of it in words; what it throws is thrown here when all have ended.
void run_jobs(size_t n, int threads, PaperWatch& watch, const std::function<std::string(size_t)>& job);

}  // namespace sinew::cli
