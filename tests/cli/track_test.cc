// What `sinew track` leaves behind, says and refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/expectations.h"
#include "cli/run_sinew.h"
#include "qp/qp_file.h"
#include "record/recording.h"

namespace sinew::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// `sinew track` by servos, unless said otherwise, without pictures, whose figures are asked for as JSON.
Outcome track(std::vector<std::string> words, const std::string& out) {
  if (std::find(words.begin(), words.end(), "mcsim") == words.end())
    words.insert(words.end(), {"--method", "servo"});
  words.insert(words.begin(), "track");
  words.insert(words.end(), {"--no-pictures", "--json", "-o", out});
  return run_sinew(words);
}

void expect_finite(const Json& summary) {
  for (const auto& [key, value] : summary.items())
    EXPECT_TRUE(!value.is_number() || std::isfinite(value.get<double>())) << key;
}

std::vector<std::vector<std::string>> table_of(const fs::path& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream in(slurp(csv));
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(Track, LeavesAllThatTheInterfaceNamesAndNothingElse) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_shell("cd " + folder.path().string() + " && " + std::string(SINEW_BINARY) +
                " track punch --seconds 0.2 --video --json --throw at=0.1 --world pebbles:count=20");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(files_in(folder.path()), std::set<std::string>{"out"});
  const fs::path out = folder.path() / "out/punch-human50-mcsim";
  EXPECT_EQ(files_in(out), (std::set<std::string>{"summary.json", "recording.sinew", "motion.bvh",
                                                  "motion.glb", "frames.csv", "contacts.csv", "pressure.svg",
                                                  "error.svg", "strip.png", "report.html", "motion.mp4"}));
  EXPECT_EQ(outcome.out, slurp(out / "summary.json"));
  const Json summary = Json::parse(outcome.out);
  expect_finite(summary);
  for (const char* field : {"sinew",
                            "command",
                            "clip",
                            "character",
                            "engine",
                            "world",
                            "seed",
                            "seconds",
                            "completed",
                            "failed_at_s",
                            "pose_error_rad",
                            "root_height_error_m",
                            "root_tilt_error_rad",
                            "root_drift_m",
                            "foot_slide_m_s",
                            "torque_rms_Nm",
                            "max_penetration_m",
                            "root_residual_N",
                            "torque_peak_share",
                            "torque_rate_Nm_s",
                            "impact_bw",
                            "impact_ratio",
                            "jerk_ratio",
                            "cpu_s",
                            "wall_s",
                            "realtime_factor",
                            "samples"})
    EXPECT_TRUE(summary.contains(field)) << field;
}

TEST(Track, AnAlteredCharacterIsSimulated) {
  const TemporaryFolder folder;
  track({"punch", "--seconds", "0.1"}, folder.file("a"));
  track({"punch", "--seconds", "0.1", "--alter", "left_leg=2,foot_length=-0.04"}, folder.file("b"));
  const Recording a = decode_recording(slurp(folder.path() / "a/recording.sinew"), "a");
  const Recording b = decode_recording(slurp(folder.path() / "b/recording.sinew"), "b");
  EXPECT_GT(b.character.mass_kg(), a.character.mass_kg() + 5);
  EXPECT_NE(b.command.find("--alter 'left_leg=2,foot_length=-0.04'"), std::string::npos) << b.command;
}

TEST(Track, AControllerMayBeWrongAboutItsCharacterAndWorld) {
  const TemporaryFolder folder;
  const std::string character = quoted(SINEW_SOURCE_DIR "/assets/characters/human50.xml");
  for (const char* recipe : {"default", "paper"}) {
    const auto frames = [&](const std::string& words) {
      const Outcome outcome = run_shell(quoted(SINEW_BINARY) + " track walk --seconds 0.3 --recipe " +
                                        recipe + words + " --no-pictures --quiet -o " + folder.file("out"));
      EXPECT_EQ(outcome.status, 0) << recipe << words << outcome.err;
      return slurp(folder.path() / "out/frames.csv");
    };

    // To believe in the truth changes nothing; all else does.
    const std::string truth = frames("");
    EXPECT_EQ(frames(" --believe legs=1,friction=0.8,softness=0"), truth) << recipe;
    EXPECT_EQ(frames(" --believe " + character), truth) << recipe;
    EXPECT_NE(frames(" --believe legs=2"), truth) << recipe;
    EXPECT_NE(frames(" --believe friction=0.1"), truth) << recipe;
  }
}

TEST(Track, RefusesBeliefsThatMakeNoSense) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::vector<std::string>& words, int status, const std::string& named) {
    std::vector<std::string> all = {"track", "punch", "--seconds", "0.1", "-o", folder.file("out")};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_sinew(all);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_NE(outcome.err.find(named), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(folder.path() / "out"));
  };
  refused({"--alter", "left_wing=2"}, 1, "left_wing");
  refused({"--alter", "left_leg=heavy"}, 1, "heavy");
  refused({"--alter", "friction=1"}, 1, "friction");
  refused({"--believe", "foot_length=-0.4"}, 1, "feet");
  refused({"--believe", SINEW_SOURCE_DIR "/assets/characters/robot35.xml"}, 1, "robot35.xml");
  refused({"--method", "servo", "--believe", "legs=2"}, 2, "--believe");
}

TEST(Track, GoesAsLongAsItIsTold) {
  const TemporaryFolder folder;
  for (const char* engine : {"mujoco", "ode"}) {
    const Outcome outcome = track({"punch", "--seconds", "0.5", "--engine", engine}, folder.file("out"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NEAR(Json::parse(outcome.out).at("seconds").get<double>(), 0.5, 1e-9);
    // A head line, then both ends and all between.
    EXPECT_EQ(table_of(folder.path() / "out/frames.csv").size(), 1U + 51U);
  }
}

TEST(Track, TheSameCommandGivesTheSameBytes) {
  const TemporaryFolder folder;
  for (const char* engine : {"mujoco", "ode"}) {
    for (const char* name : {"a", "b"})
      track({"punch", "--seconds", "0.3", "--engine", engine, "--throw", "at=0.1", "--seed", "7"},
            folder.file(name));
    for (const char* file : {"motion.bvh", "motion.glb", "frames.csv", "contacts.csv", "pressure.svg",
                             "error.svg", "recording.sinew"}) {
      const std::string a = slurp(folder.path() / "a" / file);
      EXPECT_FALSE(a.empty()) << file;
      EXPECT_EQ(a, slurp(folder.path() / "b" / file)) << engine << " " << file;
    }
  }
}

TEST(Track, FeetBearTheWeightOfOneWhoStands) {
  const TemporaryFolder folder;
  for (const char* engine : {"mujoco", "ode"}) {
    track({"punch", "--to", "0.1", "--seconds", "0.6", "--engine", engine}, folder.file("out"));
    const Recording recording = decode_recording(slurp(folder.path() / "out/recording.sinew"), "recording");
    const double weight = 9.81 * recording.character.mass_kg();

    // What the ground does, once the character has settled.
    double sum = 0;
    std::set<std::string> times;
    for (const RecordingFrame& frame : recording.frames) {
      if (frame.time_s < 0.2) continue;
      times.insert(std::to_string(frame.time_s));
      for (const Contact& contact : frame.contacts)
        if (contact.other_shape < 0) sum += contact.force_W.z();
    }
    EXPECT_NEAR(sum / static_cast<double>(times.size()), weight, 0.1 * weight) << engine;

    // contacts.csv tells the same.
    sum = 0;
    for (const auto& row : table_of(folder.path() / "out/contacts.csv"))
      if (row[0] != "time_s" && std::stod(row[0]) > 0.195 && row[9] == "floor") sum += std::stod(row[7]);
    EXPECT_NEAR(sum / static_cast<double>(times.size()), weight, 0.1 * weight) << engine;
  }
}

TEST(Track, NoJointIsStrongerThanItsLimit) {
  const TemporaryFolder folder;
  for (const char* engine : {"mujoco", "ode"}) {
    track({"kick", "--seconds", "1", "--engine", engine, "--push", "at=0.1,force=2000"}, folder.file("out"));
    const Recording recording = decode_recording(slurp(folder.path() / "out/recording.sinew"), "recording");
    for (const RecordingFrame& frame : recording.frames)
      for (const Joint& joint : recording.character.joints)
        for (int k = 0; joint.type != JointType::kFree && k < joint.v_size(); ++k) {
          const double limit = joint.torque_limit[k] > 0 ? joint.torque_limit[k] : HUGE_VAL;
          EXPECT_LE(std::abs(frame.torque[joint.v + k]), limit * (1 + 1e-6))
              << engine << " " << joint.name << " at " << frame.time_s;
        }
  }
}

TEST(Track, OneWhoFallsEndsWithStatusThreeAndAllFiles) {
  const TemporaryFolder folder;
  const Outcome outcome = track({"punch", "--seconds", "1", "--push", "force=3000,at=0"}, folder.file("out"));
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.err, "");
  const Json summary = Json::parse(outcome.out);
  expect_finite(summary);
  EXPECT_FALSE(summary.at("completed").get<bool>());
  EXPECT_TRUE(summary.at("failed_at_s").is_number());
  EXPECT_TRUE(fs::exists(folder.file("out/recording.sinew")));
}

TEST(Track, OneThatDivergesLeavesItsSummaryAlone) {
  const TemporaryFolder folder;
  ASSERT_EQ(track({"punch", "--seconds", "0.1"}, folder.file("out")).status, 0);
  folder.write("out/diary.txt", "mine");
  folder.write("out/source.bvh", "mine too");
  const Outcome outcome =
      track({"punch", "--seconds", "1", "--push", "body=left_hand,force=1e5,for=1,at=0"}, folder.file("out"));
  expect_one_sentence(outcome, 3, "diverged");
  expect_finite(Json::parse(outcome.out));
  EXPECT_EQ(files_in(folder.path() / "out"),
            (std::set<std::string>{"summary.json", "diary.txt", "source.bvh"}));
}

// Servos alone do not balance it for long, but a quadruped runs its first stride on both engines.
TEST(Track, ACheetahGallops) {
  for (const char* engine : {"mujoco", "ode"}) {
    const TemporaryFolder folder;
    const Outcome outcome = track(
        {"gallop", "--character", "cheetah", "--seconds", "0.4", "--engine", engine}, folder.file("out"));
    EXPECT_EQ(outcome.status, 0) << engine << outcome.err;
    const Json summary = Json::parse(outcome.out);
    expect_finite(summary);
    EXPECT_TRUE(summary.at("completed").get<bool>()) << engine;
    EXPECT_LT(summary.at("max_penetration_m").get<double>(), 0.03) << engine;
  }
}

TEST(Track, NothingOfOthersIsRemoved) {
  const TemporaryFolder folder;
  folder.write("report.html", "mine");
  folder.write("summary.json", "{\"mine\": 1}");
  EXPECT_EQ(track({"punch", "--seconds", "0.1"}, folder.path().string()).status, 0);
  EXPECT_EQ(slurp(folder.file("report.html")), "mine");

  // Nor what the motion is read from.
  EXPECT_EQ(
      track({folder.file("motion.bvh"), "--push", "body=left_hand,force=1e5,for=1,at=0", "--seconds", "1"},
            folder.path().string())
          .status,
      3);
  EXPECT_TRUE(fs::exists(folder.file("motion.bvh")));
  EXPECT_FALSE(fs::exists(folder.file("frames.csv")));
}

TEST(Track, SaysWhatLiesBeyondTheEnd) {
  const TemporaryFolder folder;
  const Outcome outcome = run_sinew({"track", "punch", "--seconds", "0.1", "--throw", "at=5", "--push",
                                     "at=0", "--no-pictures", "-o", folder.file("out")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("the ball that hits at 5 s never came"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("the push"), std::string::npos) << outcome.out;
}

TEST(Track, ARecordingIsToldOfAndTrackedAgain) {
  const TemporaryFolder folder;
  ASSERT_EQ(track({"punch", "--seconds", "0.4", "--engine", "ode"}, folder.file("first")).status, 0);
  const std::string file = folder.file("first/recording.sinew");
  const Json told = Json::parse(run_sinew({"info", "--json", file}).out).at("files")[0];
  EXPECT_EQ(told.at("kind"), "recording");
  EXPECT_EQ(told.at("frames"), 41);
  EXPECT_NEAR(told.at("seconds").get<double>(), 0.4, 1e-9);
  EXPECT_TRUE(told.at("completed").get<bool>());
  const Outcome again = track({file, "-c", "robot35", "--world", "slope:deg=3"}, folder.file("second"));
  ASSERT_TRUE(again.status == 0 || again.status == 3) << again.err;
  EXPECT_NEAR(Json::parse(again.out).at("seconds").get<double>(), 0.4, 0.011);
}

TEST(Track, WhatIsNoRecordingIsNamed) {
  const TemporaryFolder folder;
  ASSERT_EQ(track({"punch", "--seconds", "0.05"}, folder.file("first")).status, 0);
  const std::string bytes = slurp(folder.file("first/recording.sinew"));
  std::string flipped = bytes, later = bytes;
  flipped[bytes.size() / 2] ^= 4;
  later[8] = 99;
  const std::map<std::string, std::string> bad = {{"empty.sinew", ""},
                                                  {"words.sinew", "dear diary"},
                                                  {"cut.sinew", bytes.substr(0, bytes.size() / 3)},
                                                  {"flipped.sinew", flipped},
                                                  {"later.sinew", later},
                                                  {"longer.sinew", bytes + "x"}};
  for (const auto& [name, content] : bad) {
    const std::string file = folder.write(name, content);
    expect_one_sentence(track({file}, folder.file("out")), 1, name);
    const Outcome told = run_sinew({"info", file});
    expect_one_sentence(told, 1, name);
    EXPECT_NE(told.err.find("recording"), std::string::npos) << told.err;
  }
  EXPECT_FALSE(fs::exists(folder.file("out")));
}

TEST(Track, FilesNeedNoProperNames) {
  const TemporaryFolder folder;
  ASSERT_EQ(track({"punch", "--seconds", "0.1"}, folder.file("out")).status, 0);
  fs::copy_file(folder.file("out/motion.bvh"), folder.file("b\xff d'\"<.bvh"));
  const Outcome outcome = track({folder.file("b\xff d'\"<.bvh")}, folder.file("out2"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NO_THROW(Json::parse(outcome.out));
}

TEST(Track, WrongOptionsAreUsage) {
  const std::vector<std::vector<std::string>> mistakes = {{"--step-ms", "0"},
                                                          {"--step-ms", "nan"},
                                                          {"--step-ms", "-1"},
                                                          {"--step-ms", "50"},
                                                          {"--seconds", "0"},
                                                          {"--seconds", "-1"},
                                                          {"--seconds", "inf"},
                                                          {"--seconds", "1e9"},
                                                          {"--start-phase", "1.1"},
                                                          {"--start-phase", "x"},
                                                          {"--seed", "-1"},
                                                          {"--seed", "99999999999"},
                                                          {"--seed", "1.5"},
                                                          {"--method", "magic"},
                                                          {"--from", "2", "--to", "1"},
                                                          {"run"}};
  const TemporaryFolder folder;
  for (auto words : mistakes) {
    const std::string named = words[0];
    words.insert(words.begin(), "walk");
    expect_one_sentence(track(words, folder.file("out")), 2, named == "--from" ? "--to" : named);
  }
  expect_one_sentence(track({"walk", "--seconds", "1", "--seconds", "2"}, folder.file("out")), 2,
                      "--seconds can be given only once");
  EXPECT_FALSE(fs::exists(folder.file("out")));
}

TEST(Track, BadInputIsNamed) {
  const TemporaryFolder folder;
  const std::string human = slurp(SINEW_SOURCE_DIR "/assets/characters/human50.xml");
  std::string negative = human, ghost = human;
  negative.replace(negative.find("kd=10 "), 6, "kd=-9 ");
  for (size_t at = 0; (at = ghost.find("<geom class", at)) != std::string::npos;)
    ghost.erase(at, ghost.find("/>", at) + 2 - at);
  struct Bad {
    std::vector<std::string> words;
    std::string named;
  };
  const std::vector<Bad> all = {
      {{"--world", "nowhere"}, "'nowhere'"},
      {{"--world", "slope:deg=90"}, "deg"},
      {{"--world", "slope:wrong=1"}, "'wrong'"},
      {{"--world", folder.file("none.xml")}, "none.xml"},
      {{"--world", folder.write("broken.xml", "<mujoco><worldbody>")}, "broken.xml"},
      {{"--world", folder.write("void.xml", "<mujoco/>")}, "void.xml"},
      {{"--world", folder.path().string()}, "folder"},
      {{"--world", SINEW_SOURCE_DIR "/assets/characters/human50.xml"}, "human50.xml"},
      {{"--engine", "warp"}, "'warp'"},
      {{"--engine", folder.file("none.so")}, "none.so"},
      {{"--engine", folder.write("text.so", "dear diary")}, "text.so"},
      {{"--throw", "body=tail"}, "'tail'"},
      {{"--throw", "mass=nan"}, "mass"},
      {{"--throw", "at=-1"}, "at"},
      {{"--throw", "at=1,at=2"}, "twice"},
      {{"--throw", ""}, "throw"},
      {{"--push", "force=-1"}, "force"},
      {{"--push", "toward=inwards"}, "'inwards'"},
      {{"--start-phase", "1"}, "walk: nothing is left to simulate"},
      {{"-c", folder.write("negative.xml", negative)}, "servo:neck kd=-9: must not be negative"},
      {{"-c", folder.write("ghost.xml", ghost)}, "ghost.xml: has no shape that collides"},
  };
  for (const Bad& bad : all) {
    auto words = bad.words;
    words.insert(words.begin(), "walk");
    const Outcome outcome = track(words, folder.file("out"));
    expect_one_sentence(outcome, 1, bad.named);
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_FALSE(fs::exists(folder.file("out")));
}

TEST(Track, WhereResultsCannotGoIsSaidBeforeALongSimulation) {
  const TemporaryFolder folder;
  const std::string file = folder.write("taken", "dear diary");
  for (const std::string& out : {file, file + "/below"})
    expect_one_sentence(track({"walk", "--loop", "--seconds", "3600"}, out), 1, out);
  EXPECT_EQ(slurp(file), "dear diary");
}

TEST(Track, AnInterruptedOneLeavesNothing) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_shell(quoted(SINEW_BINARY) + " track walk --loop --seconds 3600 -o " + quoted(folder.file("out")) +
                " & pid=$!\nsleep 0.7; kill -TERM $pid; wait $pid");
  EXPECT_EQ(outcome.status, 128 + SIGTERM) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(files_in(folder.path()).empty());
}

TEST(Track, McsimTellsOfItsQuadraticProgramsAndWritesThem) {
  const TemporaryFolder folder;
  const Outcome outcome = track({"punch", "--method", "mcsim", "--recipe", "paper", "-c", "biped18",
                                 "--seconds", "0.2", "--dump-qps", folder.file("qps.txt")},
                                folder.file("out"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  expect_finite(summary);
  EXPECT_EQ(summary["qp"]["failed"], 0);
  EXPECT_LT(summary["qp"]["worst_residual"].get<double>(), 1e-8);
  const auto problems = load_qps(folder.file("qps.txt"));
  ASSERT_EQ(static_cast<long>(problems.size()), summary["qp"]["plans"].get<long>());
  EXPECT_EQ(QpSolver().solve(problems.front().problem).status, QpStatus::kOptimal);
  EXPECT_EQ(files_in(folder.path()), (std::set<std::string>{"out", "qps.txt"}));
}

TEST(Track, KeepsItsBalanceByDefault) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_sinew({"track", "walk", "--seconds", "1.5", "--no-pictures", "--json", "-o", folder.file("out")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  EXPECT_TRUE(summary["completed"]);
  EXPECT_LT(summary["root_residual_N"].get<double>(), 1);
}

TEST(Track, McsimOptionsBelongToMcsim) {
  const TemporaryFolder folder;
  expect_one_sentence(track({"punch", "--dump-qps", folder.file("qps.txt")}, folder.file("out")), 2, "mcsim");
  expect_one_sentence(track({"punch", "--method", "mcsim", "--recipe", "soup"}, folder.file("out")), 2,
                      "soup");
  expect_one_sentence(
      track({"punch", "--method", "mcsim", "--dump-qps", folder.file("qps.txt")}, folder.file("out")), 2,
      "--recipe paper");
  expect_one_sentence(
      track({"punch", "--method", "mcsim", "--recipe", "paper", "--dump-qps", folder.file("no/qps.txt")},
            folder.file("out")),
      1, "no/qps.txt");
  EXPECT_TRUE(files_in(folder.path()).empty());
}

TEST(Track, SimulationsShareAPage) {
  const TemporaryFolder folder;
  track({"punch", "--seconds", "0.1"}, folder.file("a"));
  track({"punch", "--seconds", "1", "--push", "body=left_hand,force=1e5,for=1,at=0"}, folder.file("b"));
  const Outcome outcome =
      run_sinew({"report", folder.file("a"), folder.file("b"), "-o", folder.file("page.html")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(slurp(folder.file("page.html")).find("punch"), std::string::npos);
}

}  // namespace
}  // namespace sinew::testing
