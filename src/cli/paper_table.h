#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Tables and figures of the papers that `sinew paper` makes again. A further one is its data, a function that
// fills its rows, and a line in paper_tables().
namespace sinew::cli {

struct PaperOptions {
  std::vector<std::string> only;  // rows; empty: all
  int seeds = 3;                  // of each row, beginning with `seed`
  int seed = 1;
  int threads = 0;     // 0: one a core
  double step_ms = 0;  // 0: the engine's own
};

// What was done of it: "ours" is null where nothing was, or where it cannot be made.
struct PaperRow {
  std::string row;
  nlohmann::ordered_json paper, ours;
  bool meets = false;     // holds what we ask of ourselves
  bool finished = false;  // nothing is missing because of a signal
  std::string note;       // what a reader of the row must know; may be empty
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
  std::function<std::vector<PaperRow>(const PaperOptions&, PaperWatch&)> run;  // throws Error
};

// All that there is, in the order in which it is listed.
std::vector<PaperTable> paper_tables();

// Tables 4 and 5 and the motion transformations of Liu et al. 2010.
std::vector<PaperTable> samcon_tables();

// Figures 8 and 12 and the search of Hodgins and Pollard 1997.
std::vector<PaperTable> adapt_tables();

// The bicyclists of Hodgins and Pollard 1997.
std::vector<PaperTable> bicycle_tables();

// Jobs 0 to n - 1, begun in order on so many threads (0: one a core) as long as the watch goes on. `job`
// returns what came of it in words; what it throws is thrown here when all have ended.
void run_jobs(size_t n, int threads, PaperWatch& watch, const std::function<std::string(size_t)>& job);

}  // namespace sinew::cli
