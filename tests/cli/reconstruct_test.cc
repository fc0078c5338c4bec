// What `sinew reconstruct` and `sinew replay` leave behind, say and refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/expectations.h"
#include "cli/interrupted.h"
#include "cli/run_sinew.h"
#include "record/recording.h"

namespace sinew::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Any command without pictures, whose figures are asked for as JSON.
Outcome quick(std::vector<std::string> words, const std::string& out) {
  words.insert(words.end(), {"--no-pictures", "--json", "-o", out});
  return run_sinew(words);
}

// A punch: little work for a search.
const std::vector<std::string> kShort = {"reconstruct", "punch", "--seconds", "0.3"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Reconstruct, LeavesAllThatTheInterfaceNamesAndNothingElse) {
  const TemporaryFolder folder;
  const Outcome outcome = run_shell("cd " + folder.path().string() + " && " + std::string(SINEW_BINARY) +
                                    " reconstruct punch --seconds 0.2 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const fs::path out = folder.path() / "out/punch-human50-reconstruct";
  EXPECT_EQ(files_in(out), (std::set<std::string>{"summary.json", "recording.sinew", "motion.bvh",
                                                  "motion.glb", "frames.csv", "contacts.csv", "pressure.svg",
                                                  "error.svg", "strip.png", "report.html", "control.json"}));
  EXPECT_EQ(outcome.out, slurp(out / "summary.json"));
  const Json summary = Json::parse(outcome.out);
  EXPECT_EQ(summary.at("command"), "reconstruct");
  EXPECT_TRUE(summary.at("completed").get<bool>());
  EXPECT_GT(summary.at("samples").get<long>(), 0);
  EXPECT_GT(summary.at("cpu_s").get<double>(), 0);
  EXPECT_LT(summary.at("root_residual_N").get<double>(), 5);
  EXPECT_NE(slurp(out / "report.html").find("control.json"), std::string::npos);
}

TEST(Replay, GivesTheRecordedMotionAgainByteForByte) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& scene :
       {std::vector<std::string>{},
        {"--engine", "ode"},
        {"--world", "pebbles:count=20", "--throw", "at=0.2"},
        {"--step-ms", "1.5", "--start-phase", "0.3", "--character", "robot35"},
        {"--recipe", "paper", "--samples", "8", "--save", "3"}}) {
    const Outcome found = quick(with(kShort, scene), folder.file("found"));
    ASSERT_TRUE(found.status == 0 || found.status == 3) << found.err;
    const Outcome again = quick({"replay", folder.file("found/control.json")}, folder.file("again"));
    EXPECT_EQ(again.status, found.status) << again.err;
    for (const char* file : {"frames.csv", "contacts.csv", "motion.bvh", "motion.glb", "error.svg"}) {
      const std::string bytes = slurp(folder.path() / "found" / file);
      EXPECT_FALSE(bytes.empty()) << file;
      EXPECT_TRUE(bytes == slurp(folder.path() / "again" / file)) << file;
    }
    const Json summary = Json::parse(again.out);
    EXPECT_EQ(summary.at("command"), "replay");
    EXPECT_TRUE(summary.at("samples").is_null());
    EXPECT_EQ(summary.at("pose_error_rad"), Json::parse(found.out).at("pose_error_rad"));
  }
}

TEST(Replay, CarriesACharacterOfOnesOwn) {
  const TemporaryFolder folder;
  const fs::path own = folder.path() / "own.xml";
  fs::copy_file(SINEW_SOURCE_DIR "/tests/data/foreign_humanoid.xml", own);
  const Outcome found = quick(with(kShort, {"-c", own.string()}), folder.file("found"));
  ASSERT_TRUE(found.status == 0 || found.status == 3) << found.err;
  fs::remove(own);
  const Outcome again = quick({"replay", folder.file("found/control.json")}, folder.file("again"));
  EXPECT_EQ(again.status, found.status) << again.err;
  EXPECT_EQ(slurp(folder.file("found/frames.csv")), slurp(folder.file("again/frames.csv")));
}

TEST(Replay, GoesElsewhere) {
  const TemporaryFolder folder;
  ASSERT_EQ(quick(kShort, folder.file("found")).status, 0);
  const std::string control = folder.file("found/control.json");
  const std::string frames = slurp(folder.file("found/frames.csv"));
  struct Elsewhere {
    std::vector<std::string> words;
    std::string field, value;
  };
  for (const Elsewhere& other : {Elsewhere{{"--world", "slope:deg=3"}, "world", "slope:deg=3"},
                                 {{"--engine", "ode"}, "engine", "ode"},
                                 {{"--step-ms", "1"}, "engine", "mujoco"},
                                 {{"--push", "at=0.1,force=300"}, "world", "flat"}}) {
    const Outcome outcome = quick(with({"replay", control}, other.words), folder.file("again"));
    ASSERT_TRUE(outcome.status == 0 || outcome.status == 3) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out).at(other.field), other.value);
    EXPECT_NE(slurp(folder.file("again/frames.csv")), frames) << other.words.back();
  }
  const Outcome longer = quick({"replay", control, "--seconds", "0.5"}, folder.file("again"));
  EXPECT_NEAR(Json::parse(longer.out).at("seconds").get<double>(), 0.5, 1e-9);

  // Into its own folder: the control stays.
  ASSERT_EQ(quick({"replay", control}, folder.file("found")).status, 0);
  EXPECT_TRUE(fs::exists(control));
  EXPECT_EQ(slurp(folder.file("found/frames.csv")), frames);
}

TEST(Replay, SaysWhenVersionOrCharacterDiffer) {
  const TemporaryFolder folder;
  ASSERT_EQ(quick(kShort, folder.file("found")).status, 0);
  std::string text = slurp(folder.file("found/control.json"));
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  const Outcome same =
      run_sinew({"replay", folder.file("found/control.json"), "--no-pictures", "-o", folder.file("again")});
  EXPECT_EQ(same.out.find("may differ"), std::string::npos) << same.out;
  replace("\"sinew\": \"", "\"sinew\": \"0.0.");
  replace("\"fingerprint\": \"", "\"fingerprint\": \"x");
  const Outcome other =
      run_sinew({"replay", folder.write("old.json", text), "--no-pictures", "-o", folder.file("again")});
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_NE(other.out.find("was found with Sinew 0.0."), std::string::npos) << other.out;
  EXPECT_NE(other.out.find("the character human50"), std::string::npos) << other.out;
}

TEST(Replay, ControlsAreToldOf) {
  const std::string file = SINEW_SOURCE_DIR "/tests/data/corpus/control/biped18.json";
  const Json told = Json::parse(run_sinew({"info", "--json", file}).out).at("files")[0];
  EXPECT_EQ(told.at("kind"), "control");
  EXPECT_EQ(told.at("character"), "biped18");
  EXPECT_EQ(told.at("knots"), 2);
  EXPECT_NE(run_sinew({"info", file}).out.find("2 knots over 0.10 s"), std::string::npos);
  const TemporaryFolder folder;
  expect_one_sentence(run_sinew({"info", folder.write("cut.json", slurp(file).substr(0, 200))}), 1,
                      "cut.json");
}

TEST(Replay, RefusesWhatIsNoControl) {
  const TemporaryFolder folder;
  for (const std::string& text :
       {std::string("dear diary"), std::string(""), std::string("{\"sinew_control\": 9}")})
    expect_one_sentence(quick({"replay", folder.write("bad.json", text)}, folder.file("out")), 1, "bad.json");
  expect_one_sentence(quick({"replay", folder.file("none.json")}, folder.file("out")), 1, "none.json");
  expect_one_sentence(quick({"replay", folder.path().string()}, folder.file("out")), 1, "folder");
  EXPECT_FALSE(fs::exists(folder.file("out")));
}

TEST(Reconstruct, ThreadsChangeNothing) {
  const TemporaryFolder folder;
  for (const char* threads : {"1", "2", "3"})
    ASSERT_EQ(quick(with(kShort, {"--seed", "5", "--threads", threads}), folder.file(threads)).status, 0);
  const std::string control = slurp(folder.file("1/control.json"));
  EXPECT_FALSE(control.empty());
  EXPECT_EQ(control, slurp(folder.file("2/control.json")));
  EXPECT_EQ(control, slurp(folder.file("3/control.json")));
}

// Cuts a search off twice on its way, once by Ctrl-C and once by a request to end.
void expect_goes_on(const std::string& recipe) {
  const TemporaryFolder folder;
  const std::string words =
      quoted(SINEW_BINARY) + " reconstruct march --seconds 1.5 --no-pictures --quiet " + recipe;
  const Outcome whole = run_shell(words + " -o " + folder.file("whole"));
  ASSERT_TRUE(whole.status == 0 || whole.status == 3) << whole.err;
  EXPECT_FALSE(fs::exists(folder.file("whole/checkpoint.sinew")));
  const double wall_s = Json::parse(slurp(folder.file("whole/summary.json"))).at("wall_s").get<double>();

  const std::string parts = words + " -o " + folder.file("parts");
  const std::string checkpoint = folder.file("parts/checkpoint.sinew");
  const Outcome first = interrupted(parts + " --threads 1", "INT", checkpoint, 0.3 * wall_s);
  ASSERT_EQ(first.status, 128 + SIGINT) << first.err;
  EXPECT_NE(first.err.find("--resume goes on"), std::string::npos) << first.err;
  EXPECT_EQ(files_in(folder.path() / "parts"), std::set<std::string>{"checkpoint.sinew"});
  const Outcome second = interrupted(parts + " --resume --threads 1", "TERM", checkpoint, 0.2 * wall_s);
  EXPECT_EQ(second.status, 128 + SIGTERM) << second.err;

  // What is of another search is refused, and stays.
  expect_one_sentence(run_shell(parts + " --resume --seed 9"), 1, "is of another search");
  EXPECT_TRUE(fs::exists(checkpoint));

  const Outcome last = run_shell(parts + " --resume --threads 2");
  EXPECT_EQ(last.status, whole.status) << last.err;
  EXPECT_FALSE(fs::exists(checkpoint));
  for (const char* file : {"control.json", "frames.csv"})
    EXPECT_TRUE(slurp(folder.path() / "parts" / file) == slurp(folder.path() / "whole" / file)) << file;
}

TEST(Reconstruct, GoesOnAfterAnInterruptionAsIfThereHadBeenNone) { expect_goes_on(""); }

TEST(Reconstruct, ThePapersRecipeGoesOnToo) { expect_goes_on("--recipe paper --samples 60 --save 10"); }

TEST(Reconstruct, NothingToGoOnWithIsSaid) {
  const TemporaryFolder folder;
  expect_one_sentence(quick(with(kShort, {"--resume"}), folder.file("out")), 1, "checkpoint.sinew");
  expect_one_sentence(quick(with(kShort, {"--resume", "--variations", "2"}), folder.file("out")), 1,
                      "no variations");
  EXPECT_FALSE(fs::exists(folder.file("out")));
  fs::create_directory(folder.file("out"));
  folder.write("out/checkpoint.sinew", "dear diary");
  expect_one_sentence(quick(with(kShort, {"--resume"}), folder.file("out")), 1, "is no checkpoint");
  folder.write("out/checkpoint.sinew", "sinew checkpoint 7");
  expect_one_sentence(quick(with(kShort, {"--resume"}), folder.file("out")), 1, "another version");
}

TEST(Reconstruct, SmoothsWhatIsExportedAndNothingElse) {
  const TemporaryFolder folder;
  ASSERT_EQ(quick(kShort, folder.file("plain")).status, 0);
  ASSERT_EQ(quick(with(kShort, {"--smooth", "4"}), folder.file("smooth")).status, 0);
  for (const char* file : {"control.json", "frames.csv", "contacts.csv", "error.svg"})
    EXPECT_EQ(slurp(folder.path() / "plain" / file), slurp(folder.path() / "smooth" / file)) << file;
  for (const char* file : {"motion.bvh", "motion.glb"})
    EXPECT_NE(slurp(folder.path() / "plain" / file), slurp(folder.path() / "smooth" / file)) << file;
}

TEST(Reconstruct, VariationsLieBesideEachOther) {
  const TemporaryFolder folder;
  const Outcome outcome = quick(with(kShort, {"--variations", "3", "--seed", "4"}), folder.file("out"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  EXPECT_EQ(summary.at("variations").size(), 3U);
  EXPECT_TRUE(summary.at("completed").get<bool>());
  EXPECT_GT(summary.at("spread_rad").get<double>(), 0);
  EXPECT_EQ(
      files_in(folder.path() / "out"),
      (std::set<std::string>{"summary.json", "variations.svg", "variation-1", "variation-2", "variation-3"}));
  std::set<std::string> controls;
  for (int i = 1; i <= 3; ++i) {
    const fs::path one = folder.path() / "out" / ("variation-" + std::to_string(i));
    EXPECT_EQ(Json::parse(slurp(one / "summary.json")).at("seed"), 3 + i);
    EXPECT_FALSE(slurp(one / "frames.csv").empty());
    controls.insert(slurp(one / "control.json"));
  }
  EXPECT_EQ(controls.size(), 3U);

  // The second is what its seed gives alone, and a finished one is not searched again.
  ASSERT_EQ(quick(with(kShort, {"--seed", "5"}), folder.file("alone")).status, 0);
  EXPECT_EQ(slurp(folder.file("alone/control.json")), slurp(folder.file("out/variation-2/control.json")));
  fs::remove_all(folder.path() / "out/variation-3");
  const auto untouched = fs::last_write_time(folder.path() / "out/variation-1/control.json");
  ASSERT_EQ(quick(with(kShort, {"--variations", "3", "--seed", "4", "--resume"}), folder.file("out")).status,
            0);
  EXPECT_EQ(fs::last_write_time(folder.path() / "out/variation-1/control.json"), untouched);
  EXPECT_TRUE(controls.contains(slurp(folder.file("out/variation-3/control.json"))));
}

TEST(Reconstruct, OneThatIsLostEndsWithStatusThreeAndAllFiles) {
  const TemporaryFolder folder;
  // Nobody stands through a third of a second of ten times his weight.
  const Outcome outcome =
      quick({"reconstruct", "punch", "--seconds", "0.8", "--push", "force=6000,at=0.1,for=0.3"},
            folder.file("out"));
  expect_one_sentence(outcome, 3, "los");
  const Json summary = Json::parse(outcome.out);
  EXPECT_FALSE(summary.at("completed").get<bool>());
  EXPECT_TRUE(summary.at("failed_at_s").is_number());
  for (const char* file : {"control.json", "recording.sinew", "frames.csv"})
    EXPECT_TRUE(fs::exists(folder.path() / "out" / file)) << file;
  EXPECT_FALSE(fs::exists(folder.file("out/checkpoint.sinew")));
}

TEST(Reconstruct, WrongOptionsAreUsage) {
  const std::vector<std::vector<std::string>> mistakes = {
      {"--recipe", "magic"},        {"--samples", "0"}, {"--samples", "x"},  {"--save", "5"},
      {"--variations", "0"},        {"--smooth", "0"},  {"--smooth", "nan"}, {"--threads", "-1"},
      {"--from", "2", "--to", "1"}, {"--seconds", "0"}, {"--control", "x"}};
  for (const auto& words : mistakes) {
    const Outcome outcome = run_sinew(with({"reconstruct", "walk"}, words));
    expect_one_sentence(outcome, 2, "sinew reconstruct --help");
  }
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"--start-phase", "0.5"}, {"--seed", "2"}, {"--step-ms", "0"}})
    expect_one_sentence(run_sinew(with({"replay", "x.json"}, words)), 2, "sinew replay --help");
  expect_one_sentence(run_sinew({"replay"}), 2, "CONTROL");
}

TEST(Reconstruct, BadInputIsSaidBeforeALongSearch) {
  const TemporaryFolder folder;
  const std::string file = folder.write("taken", "dear diary");
  expect_one_sentence(quick({"reconstruct", "walk"}, file), 1, file);
  expect_one_sentence(quick({"reconstruct", "nobody-knows-this"}, folder.file("out")), 1,
                      "nobody-knows-this");
  expect_one_sentence(quick({"reconstruct", "walk", "--world", "moon"}, folder.file("out")), 1, "moon");
  expect_one_sentence(quick({"reconstruct", "walk", "--engine", "magic"}, folder.file("out")), 1, "magic");
  EXPECT_FALSE(fs::exists(folder.file("out")));
}

}  // namespace
}  // namespace sinew::testing
