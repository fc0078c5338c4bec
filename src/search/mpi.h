#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/error.h"
#include "search/executor.h"

// Searches whose evaluators are the processes of an Open MPI run: rank 0 leads and simulates, all others
// simulate. Rank 0 searches as it would with threads, with on_ranks() as its executor; the others serve().
namespace sinew {

// The run that this process is part of, one at a time. Where nobody started it as part of a run, it is a run
// of one and MPI stays asleep. When rank 0 lets go of it, the others are told that there is nothing left to
// do. Throws Error if MPI cannot be started.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const;
  int size() const;
  // On rank 0: CPU time that the others spent on jobs.
  double others_cpu_s() const;

  struct Run;  // what the functions below share

 private:
  friend ExecutorFactory on_ranks(MpiSession&, std::string, std::function<bool()>, double);
  friend void serve(MpiSession&, const std::function<void(const std::string&, const ExecutorFactory&)>&);
  std::unique_ptr<Run> run_;
};

// The run cannot go on: a process of it was lost, or it was told to end.
class RunLost : public Error {
  using Error::Error;
};

// For rank 0: all ranks, this one among them; for one search, which calls it once. `task` is sent to the
// others, who make the same search of it. The executor throws Error, naming the rank, for what goes wrong on
// others. Open MPI ends a run that lost a process by signals to all (SIGCONT; a second later
// SIGTERM and at once SIGKILL): `ending` is asked while jobs are done,
// and RunLost thrown when it says so; and when, with nothing else left to do, no rank has answered for
// `silence_s`, which no job should take: a host can go without a word.
ExecutorFactory on_ranks(MpiSession& session, std::string task, std::function<bool()> ending = {},
                         double silence_s = 120);

// For the other ranks: takes part in every search of rank 0, and returns when that lets go of its session.
// `search` begins the search that the task describes, with the executor that it is given: this never comes
// back from making its executor, but does jobs until rank 0 has done with the search, and then leaves
// `search` by an exception that only serve() knows. An Error of `search` is told to rank 0.
void serve(MpiSession& session,
           const std::function<void(const std::string& task, const ExecutorFactory& executor)>& search);

}  // namespace sinew
