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

constexpr const char* kLost = "a process of the run was lost (or it was told to end)\n";

// A run that ends before its time. mpirun does not always pass on what is said then, so that it goes to a
// file. Over TCP Open MPI may see the broken connection and end rank 0 before it can say anything.
Outcome run_to_its_loss(const std::string& start, const std::string& what) {
  const TemporaryFolder folder;
  Outcome outcome =
      run_shell(start + " sh -c 'exec " SINEW_MPI_PROGRAM " " + what + " >>" + folder.file("said") + "'");
  outcome.out = slurp(folder.file("said"));
  return outcome;
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
  for (const bool tcp : {false, true}) {
    const Outcome outcome = run_to_its_loss(mpirun(3) + (tcp ? " --mca btl tcp,self" : ""), "lose-one");
    EXPECT_NE(outcome.status, 0);
    EXPECT_TRUE(outcome.out == kLost || (tcp && outcome.out.empty())) << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find("rank 1"), std::string::npos) << outcome.err;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(30));
}

TEST(Mpi, AProcessThatNeverAnswersEndsTheRun) {
  const Outcome outcome = run_to_its_loss(mpirun(3), "wait-for-one");
  EXPECT_NE(outcome.status, 0);
  EXPECT_EQ(outcome.out, "a process of the run was lost: 1 s without an answer\n") << outcome.err;
}

// Hosts with addresses of their own on this machine.
TEST(Mpi, WorksFromHostToHost) {
  const std::string hosts =
      without_mpi() + "timeout 60 " SINEW_SOURCE_DIR "/tests/search/hosts.sh mpirun --host HOSTS -n 3 ";
  const Outcome names = run_shell(hosts + "hostname | sort -u | wc -l");
  const Outcome outcome = run_shell(hosts + SINEW_MPI_PROGRAM " compare");
  if (outcome.status == 77) GTEST_SKIP() << "only root can make network namespaces";
  EXPECT_EQ(names.out, "3\n") << names.err;
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "equal\n");
  const Outcome lost = run_to_its_loss(hosts, "lose-one");
  EXPECT_NE(lost.status, 0);
  EXPECT_TRUE(lost.out == kLost || lost.out.empty()) << lost.out << lost.err;
  EXPECT_NE(lost.err.find("rank 1"), std::string::npos) << lost.err;
}

}  // namespace
}  // namespace sinew::testing
