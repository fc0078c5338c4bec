// `sinew` as the processes of an Open MPI run.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_sinew.h"
#include "search/mpi_run.h"

namespace sinew::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kSinew = quoted(SINEW_BINARY);

void expect_same_files(const fs::path& a, const fs::path& b) {
  for (const char* file : {"control.json", "frames.csv", "contacts.csv", "motion.glb"}) {
    EXPECT_FALSE(slurp(a / file).empty()) << file;
    EXPECT_TRUE(slurp(a / file) == slurp(b / file)) << file;
  }
}

TEST(ReconstructUnderMpirun, WritesWhatThreadsDo) {
  const TemporaryFolder folder;
  for (const std::string words : {" reconstruct punch --seconds 0.3",
                                  " reconstruct march --seconds 0.3 --recipe paper --samples 30 --save 5"}) {
    const std::string more = words + " --no-pictures --quiet -o ";
    const Outcome threads = run_shell(without_mpi() + kSinew + more + folder.file("threads"));
    ASSERT_EQ(threads.status, 0) << threads.err;
    const Outcome ranks = run_shell(mpirun(3) + " " + kSinew + more + folder.file("ranks"));
    EXPECT_EQ(ranks.status, 0) << ranks.err;
    EXPECT_EQ(ranks.err, "");
    expect_same_files(folder.path() / "threads", folder.path() / "ranks");
  }
}

TEST(ReconstructUnderMpirun, SearchesOneVariationAfterAnother) {
  const TemporaryFolder folder;
  const std::string words = " reconstruct punch --seconds 0.2 --variations 2 --no-pictures --json -o ";
  const Outcome threads = run_shell(without_mpi() + kSinew + words + folder.file("threads"));
  const Outcome ranks = run_shell(mpirun(2) + " " + kSinew + words + folder.file("ranks"));
  EXPECT_EQ(ranks.status, threads.status) << ranks.err;
  EXPECT_EQ(Json::parse(ranks.out).at("samples"), Json::parse(threads.out).at("samples"));
  for (const char* one : {"variation-1", "variation-2"})
    expect_same_files(folder.path() / "threads" / one, folder.path() / "ranks" / one);
}

TEST(ReconstructUnderMpirun, BadInputGetsOneSentence) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_shell(mpirun(3) + " -q " + kSinew + " reconstruct nobody-knows-this -o " + folder.file("out"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.err.starts_with("sinew: there is no motion or file 'nobody-knows-this'"))
      << outcome.err;
  EXPECT_EQ(outcome.err.find("sinew: ", 1), std::string::npos) << outcome.err;
}

// What it measures is one thread's; nothing is searched or printed twice.
TEST(PaperUnderMpirun, IsRefusedInOneSentence) {
  const Outcome outcome = run_shell(mpirun(2) + " -q " + kSinew + " paper samcon-table-4 --only run --quick");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("sinew: paper is not for mpirun")) << outcome.err;
  EXPECT_EQ(outcome.err.find("sinew: ", 1), std::string::npos) << outcome.err;
  // A run of one is like none.
  const Outcome alone = run_shell(mpirun(1) + " -x SINEW_MOTIONS= " + kSinew +
                                  " paper samcon-table-4 --only roll-backward --quick --json");
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(Json::parse(alone.out).at("rows").size(), 1U);
}

// A run whose second rank has another of its assets: after `before` a 1 is put in.
void expect_refused(const std::string& words, const std::string& asset, const std::string& before,
                    const std::string& sentence) {
  const TemporaryFolder folder;
  const std::string assets = folder.file("assets");
  fs::copy(SINEW_SOURCE_DIR "/assets", assets, fs::copy_options::recursive);
  std::string text = slurp(assets + "/" + asset);
  const size_t at = text.find(before);
  ASSERT_NE(at, std::string::npos);
  text.insert(at + before.size(), "1");
  folder.write("assets/" + asset, text);
  const std::string command = kSinew + words + " --quiet -o " + folder.file("out");
  const Outcome outcome =
      run_shell(mpirun(1) + " " + command + " : -n 1 -x SINEW_ASSETS=" + quoted(assets) + " " + command);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("sinew: rank 1 on "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(sentence), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(folder.file("out")));
}

// A character of the same name that is another on a host of the run.
TEST(ReconstructUnderMpirun, ARankWithAnotherCharacterEndsTheRun) {
  expect_refused(" reconstruct punch --seconds 0.3", "characters/human50.xml", "mass=\"",
                 "another character 'human50'");
}

// One process is killed on the way; the search goes on from where it was with what is left. It is long enough
// to be saved, which happens every three seconds.
TEST(ReconstructUnderMpirun, GoesOnAfterAProcessWasLost) {
  const TemporaryFolder folder;
  const std::string words =
      kSinew +
      " reconstruct march --seconds 1 --recipe paper --samples 1400 --save 140 --no-pictures --quiet -o ";
  // Rank 1 says who it is, and dies once the search has been saved for the first time.
  const std::string pid = folder.file("pid"), checkpoint = folder.file("parts/checkpoint.sinew");
  const Outcome outcome =
      run_shell(mpirun(2) + " sh -c \"[ \\$OMPI_COMM_WORLD_RANK = 1 ] && echo \\$\\$ >" + pid + "; exec " +
                words + folder.file("parts") + " 2>>" + folder.file("said") + "\" & while [ ! -e " +
                checkpoint + " ] && kill -0 $!; do sleep 0.05; done; kill -9 $(cat " + pid + "); wait $!");
  ASSERT_TRUE(fs::exists(checkpoint)) << outcome.err;
  EXPECT_NE(outcome.status, 0);
  // mpirun does not always pass on what is said at the end.
  const std::string said = slurp(folder.file("said"));
  EXPECT_NE(said.find("sinew: the run may be about to end"), std::string::npos) << said;
  EXPECT_NE(said.find("for --resume"), std::string::npos) << said;

  const Outcome whole = run_shell(without_mpi() + words + folder.file("whole"));
  ASSERT_TRUE(whole.status == 0 || whole.status == 3) << whole.err;
  const Outcome last = run_shell(mpirun(2) + " " + words + folder.file("parts") + " --resume");
  EXPECT_EQ(last.status, whole.status) << last.err;
  EXPECT_FALSE(fs::exists(checkpoint));
  expect_same_files(folder.path() / "whole", folder.path() / "parts");
}

TEST(AdaptUnderMpirun, WritesWhatThreadsDo) {
  const TemporaryFolder folder;
  const std::string words = kSinew + " adapt run --to woman --evaluations 17 --no-pictures --quiet -o ";
  const Outcome threads = run_shell(without_mpi() + words + folder.file("threads"));
  ASSERT_EQ(threads.status, 0) << threads.err;
  const Outcome ranks = run_shell(mpirun(3) + " " + words + folder.file("ranks"));
  EXPECT_EQ(ranks.status, 0) << ranks.err;
  EXPECT_EQ(ranks.err, "");
  for (const char* file : {"behaviour.json", "frames.csv"}) {
    EXPECT_FALSE(slurp(folder.path() / "threads" / file).empty()) << file;
    EXPECT_TRUE(slurp(folder.path() / "threads" / file) == slurp(folder.path() / "ranks" / file)) << file;
  }
}

// A behaviour of the same name that is another on a host of the run.
TEST(AdaptUnderMpirun, ARankWithAnotherBehaviourEndsTheRun) {
  expect_refused(" adapt run --to woman", "behaviours/run.json", "4.4", "another character or behaviour");
}

}  // namespace
}  // namespace sinew::testing
