// Runs of several processes, started by mpirun, against threads of one.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "cli/run_sinew.h"
#include "search/mpi_run.h"

namespace sinew::testing {
namespace {

Outcome run_program(int processes, const std::string& what) {
  return run_shell(mpirun(processes) + " " SINEW_MPI_PROGRAM " " + what);
}

TEST(Mpi, GivesTheResultsOfThreadsToTheLastBit) {
  for (const int processes : {1, 2, 3, 5}) {
    const Outcome outcome = run_program(processes, "compare");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "equal\n") << processes;
  }
}

TEST(Mpi, StaysAsleepInAPlainRun) {
  const Outcome outcome = run_shell(without_mpi() + SINEW_MPI_PROGRAM " compare");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "equal\n");
}

TEST(Mpi, TellsWhichRankFailedAndGoesOn) {
  const Outcome outcome = run_program(3, "fail");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("rank 1 on ")) << outcome.out;
  EXPECT_TRUE(outcome.out.ends_with(": a bad job\ngoes on\n")) << outcome.out;
}

TEST(Mpi, ARankThatDisagreesEndsTheSearch) {
  const Outcome outcome = run_program(3, "disagree");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("rank 1 on ")) << outcome.out;
  EXPECT_TRUE(outcome.out.ends_with(": this is another search\nequal\n")) << outcome.out;
}

TEST(Mpi, ALostProcessEndsTheRunSoon) {
  const auto from = std::chrono::steady_clock::now();
  for (const std::string way : {"", "--mca btl tcp,self "}) {
    const Outcome outcome = run_shell(mpirun(3) + " " + way + SINEW_MPI_PROGRAM " lose-one");
    EXPECT_NE(outcome.status, 0);
    EXPECT_EQ(outcome.out, "a process of the run was lost (or it was told to end)\n") << outcome.err;
    EXPECT_NE(outcome.err.find("rank 1"), std::string::npos) << outcome.err;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(30));
}

}  // namespace
}  // namespace sinew::testing
