#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/checkpoint_file.h"
#include "cli/interrupt_guard.h"
#include "cli/progress.h"
#include "cli/stopwatch.h"
#include "search/mpi.h"
#include "search/search.h"

namespace sinew::cli {

// Tells how far a search has come, saves it now and then into a folder, which is made then, and ends it when
// a signal came, which takes its usual effect when this goes.
class SearchWatch {
 public:
  // `begun`: what an earlier run did of the same search; `seconds`: how long the motion is.
  SearchWatch(std::filesystem::path folder, SavedSearch begun, double seconds, Progress& progress, bool quiet,
              const MpiSession* ranks = nullptr);

  // As SearchHooks::progress.
  bool tell(const SearchReport& report, const std::function<Checkpoint()>& save);

  // Saves the search as it was last told of, if it was: for one that broke off.
  void save_last() const;

  // Time since it was made, with what other ranks of the run spent, and of the runs before.
  Stopwatch::Times spent() const;
  // How far the search had come when it was last told of.
  double reached_s() const { return last_s_; }
  bool interrupted() const { return guard_.interrupted(); }
  // Asked while other ranks work: whether a signal ends the run. Open MPI announces by SIGCONT that it will
  // end a run a second later, and then leaves no time: the search is saved at the announcement.
  bool ending();

 private:
  std::string in_words(const SearchReport& report) const;
  void save(double time_s, const Checkpoint& checkpoint) const;
  double others_cpu_s() const { return ranks_ != nullptr ? ranks_->others_cpu_s() : 0; }

  std::filesystem::path folder_;
  SavedSearch begun_;
  double seconds_;
  Progress& progress_;
  bool quiet_;
  Stopwatch stopwatch_;
  InterruptGuard guard_;
  ContinueNote continued_;
  const MpiSession* ranks_;
  double others_before_s_;
  double last_s_ = 0;                // how far it had come
  std::optional<Checkpoint> last_;   // where other ranks may be lost
  double saved_s_ = 0, told_s_ = 0;  // on the wall
};

}  // namespace sinew::cli
