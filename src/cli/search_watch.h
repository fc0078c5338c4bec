#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "cli/checkpoint_file.h"
#include "cli/interrupt_guard.h"
#include "cli/progress.h"
#include "cli/stopwatch.h"
#include "search/mpi.h"
#include "search/search.h"

namespace sinew::cli {

// How and where a search is run that may be interrupted.
struct FindOptions {
  std::filesystem::path folder;  // in which it waits then
  std::string resume_hint;       // what to add to the command to go on with it
  bool resume = false;           // go on with the one that waits there
  bool quiet = false;
  int threads = 0;              // 0: one a core
  MpiSession* ranks = nullptr;  // where they are several, they search instead of threads
};

// How long a search is: "2.60 s", "120 evaluations".
struct SearchExtent {
  double whole = 0;
  int digits = 0;
  std::string unit;

  std::string in_words(double amount) const;
};

// Tells how far a search has come, saves it now and then into a folder, which is made then, and ends it when
// a signal came, which takes its usual effect when this goes.
class SearchWatch {
 public:
  // `begun`: what an earlier run did of the same search.
  SearchWatch(const FindOptions& options, SavedSearch begun, SearchExtent extent, Progress& progress);

  // The search has come so far, in words, and can be saved; false: it shall stop here.
  bool tell(double reached, const std::string& words, const std::function<Checkpoint()>& save);

  // Saves the search as it was last told of, if it was: for one that broke off.
  void save_last() const;

  // Time since it was made, with what other ranks of the run spent, and of the runs before.
  Stopwatch::Times spent() const;
  // How far the search had come when it was last told of.
  double reached() const { return reached_; }
  bool interrupted() const { return guard_.interrupted(); }
  // Asked while other ranks work: whether a signal ends the run. Open MPI announces by SIGCONT that it will
  // end a run a second later, and then leaves no time: the search is saved at the announcement.
  bool ending();

 private:
  std::string with_rest(const std::string& words, double reached) const;
  void save(double reached, const Checkpoint& checkpoint) const;
  double others_cpu_s() const { return ranks_ != nullptr ? ranks_->others_cpu_s() : 0; }

  std::filesystem::path folder_;
  SavedSearch begun_;
  SearchExtent extent_;
  Progress& progress_;
  bool quiet_;
  Stopwatch stopwatch_;
  InterruptGuard guard_;
  ContinueNote continued_;
  const MpiSession* ranks_;
  double others_before_s_;
  double reached_ = 0;               // how far it had come
  std::optional<Checkpoint> last_;   // where other ranks may be lost
  double saved_s_ = 0, told_s_ = 0;  // on the wall
};

// Runs a search under watch: on threads, or on the ranks of the run, which are sent `task`; from where an
// earlier one was interrupted, if that is asked for. `inputs` is a fingerprint of all that it is given.
// `spent` becomes the time that it took. A search that a signal or a lost rank ends waits in the folder; the
// first ends the program after this returns, the second is thrown on.
void watch_search(const std::string& inputs, const std::string& task, const SearchExtent& extent,
                  const FindOptions& options, Progress& progress, Stopwatch::Times& spent,
                  const std::function<void(SearchWatch& watch, const ExecutorFactory& executor,
                                           const std::optional<Checkpoint>& resume)>& search);

}  // namespace sinew::cli
