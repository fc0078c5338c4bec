// Whatever is wrong with the input: the right status, one sentence that names it, and nothing left behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "cli/run_sinew.h"

namespace sinew::testing {
namespace {

namespace fs = std::filesystem;

const std::string kHead =
    "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
    "End Site\n{\nOFFSET 0 1 0\n}\n}\n";

void expect_refused(const Outcome& outcome, int status, const std::string& named) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("sinew: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(named), std::string::npos) << outcome.err;
}

struct BadFile {
  std::string name, content;
};

class BadMotionFile : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadMotionFile, InfoNamesIt) {
  const TemporaryFolder folder;
  const std::string file = folder.write(GetParam().name, GetParam().content);
  expect_refused(run_sinew({"info", file}), 1, GetParam().name);
}

TEST_P(BadMotionFile, RetargetNamesItAndLeavesNoFolder) {
  const TemporaryFolder folder;
  const std::string file = folder.write(GetParam().name, GetParam().content);
  expect_refused(run_sinew({"retarget", file, "-o", folder.file("out")}), 1, GetParam().name);
  EXPECT_FALSE(fs::exists(folder.file("out")));
}

INSTANTIATE_TEST_SUITE_P(
    BadInput, BadMotionFile,
    ::testing::Values(BadFile{"empty.bvh", ""}, BadFile{"blank.bvh", " \n\n\t\n"},
                      BadFile{"cut.bvh", "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANN"},
                      BadFile{"cut-frames.bvh", kHead + "MOTION\nFrames: 3\nFrame Time: 0.01\n0 0 0\n1 1"},
                      BadFile{"nan.bvh", kHead + "MOTION\nFrames: 1\nFrame Time: 0.01\n0 0 nan\n"},
                      BadFile{"word.bvh", kHead + "MOTION\nFrames: 1\nFrame Time: 0.01\n0 0 x\n"},
                      BadFile{"huge.bvh", kHead + "MOTION\nFrames: 999999999999\nFrame Time: 0.01\n0 0 0\n"},
                      BadFile{"no-time.bvh", kHead + "MOTION\nFrames: 1\nFrame Time: 0\n0 0 0\n"},
                      BadFile{"binary.bvh", std::string("\x7f"
                                                        "ELF\0\1\2\3",
                                                        8)},
                      BadFile{"broken.json", "{\"Loop\": \"none\", \"Frames\": [[0.1,"},
                      BadFile{"empty.json", "{}"}, BadFile{"noise.glb", "glTF but not really"},
                      BadFile{"noise.fbx", "Kaydara?"}, BadFile{"noise.xyz", "what is this"}),
    [](const auto& bad) {
      std::string name = bad.param.name;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
      return name;
    });

TEST(BadInput, ErrorsInTextFilesNameTheLine) {
  const TemporaryFolder folder;
  const std::string file = folder.write("word.bvh", kHead + "MOTION\nFrames: 1\nFrame Time: 0.01\n0 0 x\n");
  expect_refused(run_sinew({"info", file}), 1, "word.bvh:14:");
}

TEST(BadInput, ABrokenCharacterIsNamed) {
  const TemporaryFolder folder;
  for (const char* text : {"", "<mujoco><worldbody><body>", "<mujoco/>",
                           "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"}) {
    const std::string file = folder.write("broken.xml", text);
    expect_refused(run_sinew({"info", file}), 1, "broken.xml");
    expect_refused(run_sinew({"retarget", "walk", "--character", file, "-o", folder.file("out")}), 1,
                   "broken.xml");
    EXPECT_FALSE(fs::exists(folder.file("out")));
  }
}

TEST(BadInput, UnknownNamesAreTold) {
  expect_refused(run_sinew({"retarget", "no-such-clip"}), 1, "no-such-clip");
  expect_refused(run_sinew({"retarget", "walk", "--character", "nobody"}), 1, "nobody");
  expect_refused(run_sinew({"info", "no/such/file.bvh"}), 1, "no/such/file.bvh");
}

TEST(BadInput, NothingIsLeftOfTheCut) {
  expect_refused(run_sinew({"retarget", "walk", "--from", "1000"}), 1, "walk: nothing is left after 1000 s;");
  expect_refused(run_sinew({"retarget", "walk", "--from", "99", "--to", "99.5"}), 1,
                 "between 99 s and 99.5 s;");
}

TEST(BadInput, WhatIsThereButNoFileIsNotCalledMissing) {
  const TemporaryFolder folder;
  expect_refused(run_sinew({"info", folder.path().string()}), 1, "is no file");
  expect_refused(run_sinew({"info", "/dev/null"}), 1, "is no file");
}

TEST(Interrupted, AFilmLeavesNothingHalfWritten) {
  // The longest film of ours, ended as soon as its unfinished file is there.
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const Outcome outcome = run_shell(quoted(SINEW_BINARY) + " retarget sit --video -q -o " + quoted(out) +
                                    " & pid=$!\n"
                                    "while kill -0 $pid && ! ls " +
                                    quoted(out) + "/motion.mp4.part*; do sleep 0.05; done >/dev/null 2>&1\n" +
                                    "kill -TERM $pid; wait $pid");
  EXPECT_EQ(outcome.status, 128 + SIGTERM) << outcome.err;
  for (const auto& entry : fs::directory_iterator(out))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
  EXPECT_TRUE(fs::exists(out + "/motion.bvh"));
  EXPECT_FALSE(fs::exists(out + "/summary.json"));
}

TEST(BadInput, ResultsCannotGoIntoAFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write("taken", "dear diary");
  expect_refused(run_sinew({"retarget", "walk", "--no-pictures", "-o", file}), 1, "taken");
  expect_refused(run_sinew({"retarget", "walk", "--no-pictures", "-o", file + "/below"}), 1, "taken");
  EXPECT_EQ(slurp(file), "dear diary");
}

TEST(BadInput, ResultsCannotGoWhereNobodyMayWrite) {
  // Even the superuser cannot make folders here.
  expect_refused(run_sinew({"retarget", "walk", "--no-pictures", "-o", "/proc/sinew"}), 1, "/proc/sinew");
}

TEST(BadInput, AReportNeedsResults) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("broken"));
  folder.write("broken/summary.json", "{\"sinew\":");
  for (const char* name : {"nothing-here", "broken"})
    expect_refused(run_sinew({"report", folder.file(name), "-o", folder.file("page.html")}), 1, name);
  EXPECT_FALSE(fs::exists(folder.file("page.html")));
}

TEST(BadInput, OneBadFileDoesNotHideTheOthers) {
  const TemporaryFolder folder;
  const Outcome outcome = run_sinew({"info", folder.write("empty.bvh", ""), "walk"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("empty.bvh"), std::string::npos);
  EXPECT_NE(outcome.out.find("walk"), std::string::npos);
}

TEST(Usage, MistakesEndWithStatusTwoAndWhereToLook) {
  const std::vector<std::vector<std::string>> mistakes = {
      {"retarget"},
      {"retarget", "walk", "--form", "1"},
      {"retarget", "walk", "run"},
      {"retarget", "walk", "--from", "soon"},
      {"retarget", "walk", "--from", "nan"},
      {"retarget", "walk", "--from", "-1"},
      {"retarget", "walk", "--from", "2", "--to", "1"},
      {"retarget", "walk", "--rate", "0"},
      {"retarget", "walk", "--seed", "1.5"},
      {"retarget", "walk", "--seed"},
      {"info", "walk", "--up", "w"},
      {"info", "walk", "--unit", "yard"},
      {"completion", "tcsh"},
      {"jump"},
      {"--wrong"},
      {"help", "jump"},
  };
  for (const auto& words : mistakes) expect_refused(run_sinew(words), 2, "--help`)");
}

TEST(Usage, MistypedWordsGetASuggestion) {
  expect_refused(run_sinew({"retraget", "walk"}), 2, "'retarget'");
  expect_refused(run_sinew({"retarget", "walk", "--carachter", "human50"}), 2, "'--character'");
}

TEST(Usage, WithoutACommandTheHelpIsShown) {
  const Outcome outcome = run_sinew({});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("Commands:"), std::string::npos);
}

}  // namespace
}  // namespace sinew::testing
