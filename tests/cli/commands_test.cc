// What the commands say and leave behind when all is well.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_sinew.h"

namespace sinew::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Parses standard output as one JSON value: anything beside it is an error.
Json json_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

TEST(Help, EveryCommandEndsWithExamples) {
  for (const char* command : {"info", "retarget", "run", "adapt", "morph", "characters", "motions", "worlds",
                              "compare", "paper", "report", "completion", "help"}) {
    const Outcome asked = run_sinew({command, "--help"});
    EXPECT_EQ(asked.status, 0);
    EXPECT_EQ(asked.err, "");
    EXPECT_TRUE(contains(asked.out.substr(std::min(asked.out.size(), asked.out.find("Examples:\n"))),
                         "sinew " + std::string(command)))
        << asked.out;
    EXPECT_EQ(run_sinew({"help", command}).out, asked.out);
  }
  EXPECT_EQ(run_sinew({"help"}).out, run_sinew({"--help"}).out);
}

TEST(Help, FitsAnOrdinaryTerminal) {
  for (const char* command : {"info", "retarget", "run", "adapt", "morph", "characters", "motions", "worlds",
                              "compare", "paper", "report", "completion", "help"})
    for (const std::string& line : lines_of(run_sinew({"help", command}).out))
      EXPECT_LE(line.size(), 110u) << line;
}

TEST(Version, IsOneLine) {
  const Outcome outcome = run_sinew({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "sinew " SINEW_VERSION "\n");
}

TEST(Completion, BashAcceptsItAndCompletes) {
  const TemporaryFolder folder;
  const std::string script = folder.write("sinew.bash", run_sinew({"completion", "bash"}).out);
  EXPECT_EQ(run_shell("bash -n " + script).status, 0);
  const auto complete = [&](const std::string& words, int at) {
    return run_shell("bash -c 'PATH=" + fs::path(SINEW_BINARY).parent_path().string() + ":$PATH; source " +
                     script + "; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                     "; _sinew; printf \"%s\\n\" \"${COMPREPLY[@]}\"'")
        .out;
  };
  EXPECT_EQ(complete("sinew ret", 1), "retarget\n");
  EXPECT_EQ(complete("sinew retarget --no", 2), "--no-pictures\n");
  EXPECT_EQ(complete("sinew retarget walk --character human5", 4), "human50\nhuman57\n");
  EXPECT_EQ(complete("sinew paper samcon-tr", 2), "samcon-transformations\n");
  EXPECT_EQ(complete("sinew info --up \"\"", 3), "x\ny\nz\n");
}

TEST(Completion, KnowsEveryOptionInEveryShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = run_sinew({"completion", shell});
    EXPECT_EQ(outcome.status, 0);
    for (const char* option : {"character", "from", "loop", "no-pictures", "rest-frame", "source-bvh"})
      EXPECT_TRUE(contains(outcome.out, option)) << shell << " " << option;
  }
}

TEST(Characters, AreListedByNameAndFile) {
  const Json listed = json_of(run_sinew({"characters", "--json"}));
  std::vector<std::string> names;
  for (const Json& one : listed.at("characters")) {
    names.push_back(one.at("name"));
    EXPECT_TRUE(fs::exists(one.at("file").get<std::string>()));
    EXPECT_GT(one.at("mass_kg").get<double>(), 1);
    EXPECT_GT(one.at("dof").get<int>(), 6);
  }
  for (const char* wanted :
       {"human50", "human57", "biped18", "human45", "robot35", "cheetah", "man", "woman", "child"})
    EXPECT_EQ(std::count(names.begin(), names.end(), wanted), 1) << wanted;
  EXPECT_EQ(lines_of(run_sinew({"characters", "--names"}).out), names);
}

TEST(Motions, OursAreAlwaysThere) {
  const Json listed = json_of(run_sinew({"motions", "--json"}));
  std::vector<std::string> names;
  for (const Json& one : listed.at("motions")) names.push_back(one.at("name"));
  for (const char* wanted : {"walk", "run", "jump", "gallop"})
    EXPECT_EQ(std::count(names.begin(), names.end(), wanted), 1);
  EXPECT_EQ(lines_of(run_sinew({"motions", "--names"}).out), names);
}

TEST(Worlds, AreListedWithTheirParameters) {
  const Json listed = json_of(run_sinew({"worlds", "--json"}));
  std::vector<std::string> names;
  for (const Json& one : listed.at("worlds")) {
    names.push_back(one.at("name"));
    EXPECT_GE(one.at("parameters").size(), 2u);
    for (const Json& parameter : one.at("parameters"))
      EXPECT_LT(parameter.at("lower").get<double>(), parameter.at("upper").get<double>());
  }
  EXPECT_EQ(lines_of(run_sinew({"worlds", "--names"}).out), names);
  const Outcome told = run_sinew({"worlds"});
  EXPECT_EQ(told.status, 0);
  for (const std::string& name : names) EXPECT_TRUE(contains(told.out, "\n" + name)) << name;
  for (const std::string& line : lines_of(told.out)) EXPECT_LE(line.size(), 110u) << line;
}

TEST(Info, TellsOfEveryCharacterAndEveryMotionOfOurs) {
  std::vector<std::string> words = {"info", "--json"};
  for (const std::string& name : lines_of(run_sinew({"characters", "--names"}).out)) words.push_back(name);
  for (const Json& one : json_of(run_sinew({"motions", "--json"})).at("motions"))
    if (contains(one.at("file"), "assets/motions") || contains(one.at("file"), "share/sinew"))
      words.push_back(one.at("name"));
  const Json told = json_of(run_sinew(words));
  ASSERT_EQ(told.at("files").size(), words.size() - 2);
  for (const Json& file : told.at("files")) {
    if (file.at("kind") == "clip") {
      EXPECT_GT(file.at("seconds").get<double>(), 0);
      EXPECT_TRUE(file.at("parts").contains("left_thigh")) << file.at("name");
    } else {
      EXPECT_GT(file.at("dof").get<int>(), 6);
    }
  }
}

TEST(Info, SaysWhatWasConcludedAndWhatOverridesIt) {
  const TemporaryFolder folder;
  const std::string file = folder.write("stick.bvh",
                                        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition "
                                        "Yposition Zposition Zrotation Xrotation Yrotation\n"
                                        "JOINT Spine\n{\nOFFSET 0 20 0\nCHANNELS 3 Zrotation Xrotation "
                                        "Yrotation\nEnd Site\n{\nOFFSET 0 60 0\n}\n}\n"
                                        "JOINT LeftUpLeg\n{\nOFFSET 10 0 0\nCHANNELS 3 Zrotation Xrotation "
                                        "Yrotation\nEnd Site\n{\nOFFSET 0 -90 0\n}\n}\n"
                                        "JOINT RightUpLeg\n{\nOFFSET -10 0 0\nCHANNELS 3 Zrotation Xrotation "
                                        "Yrotation\nEnd Site\n{\nOFFSET 0 -90 0\n}\n}\n}\n"
                                        "MOTION\nFrames: 2\nFrame Time: 0.01\n0 90 0 0 0 0 0 0 0 0 0 0 0 0 "
                                        "0\n0 90 1 0 0 0 0 0 0 0 0 0 0 0 0\n");
  const Outcome words = run_sinew({"info", file});
  EXPECT_EQ(words.status, 0) << words.err;
  for (const char* option : {"--up", "--unit"}) EXPECT_TRUE(contains(words.out, option)) << words.out;

  // An override is believed.
  const Json told = json_of(run_sinew({"info", file, "--json", "--unit", "0.5", "--fps", "50"}));
  EXPECT_DOUBLE_EQ(told.at("files")[0].at("unit_m").get<double>(), 0.5);
  EXPECT_NEAR(told.at("files")[0].at("frame_rate_hz").get<double>(), 50, 1e-9);
}

TEST(Retarget, LeavesEveryFileAndTheSummary) {
  const TemporaryFolder folder;
  const std::string out = folder.file("deep/er/out");
  const Json summary =
      json_of(run_sinew({"retarget", "walk", "--character", "human50", "-o", out, "--json", "--source-bvh"}));
  for (const char* file : {"summary.json", "motion.bvh", "motion.glb", "frames.csv", "source.bvh",
                           "strip.png", "contacts.svg", "report.html"})
    EXPECT_TRUE(fs::exists(fs::path(out) / file) && fs::file_size(fs::path(out) / file) > 0) << file;
  // Nothing half written lies about.
  for (const auto& entry : fs::directory_iterator(out))
    EXPECT_FALSE(contains(entry.path().string(), ".part"));

  EXPECT_EQ(summary, Json::parse(slurp(fs::path(out) / "summary.json")));
  EXPECT_EQ(summary.at("command"), "retarget");
  EXPECT_EQ(summary.at("clip"), "walk");
  EXPECT_EQ(summary.at("character"), "human50");
  EXPECT_TRUE(summary.at("engine").is_null());
  EXPECT_EQ(summary.at("completed"), true);
  EXPECT_GT(summary.at("seconds").get<double>(), 0.5);
  EXPECT_LT(summary.at("foot_slide_m_s").get<double>(), 0.03);
  EXPECT_LT(summary.at("max_penetration_m").get<double>(), 0.01);
}

TEST(Retarget, ItsExportsReadBack) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const Json summary =
      json_of(run_sinew({"retarget", "walk", "--no-pictures", "--source-bvh", "--json", "-o", out}));
  for (const char* file : {"motion.bvh", "motion.glb", "source.bvh"}) {
    const Json told = json_of(run_sinew({"info", "--json", out + "/" + file}));
    EXPECT_NEAR(told.at("files")[0].at("seconds").get<double>(), summary.at("seconds").get<double>(), 0.05)
        << file;
  }
  EXPECT_FALSE(fs::exists(out + "/strip.png"));
}

TEST(Retarget, TheReportSaysHowToMakeItAgain) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_sinew({"retarget", "wave", "--no-pictures", "-o", folder.file("out")}).status, 0);
  const std::string clip = folder.file("a wave.bvh");
  fs::rename(folder.file("out/motion.bvh"), clip);
  ASSERT_EQ(run_sinew({"retarget", clip, "--rate", "30", "--unit", "cm", "-o", folder.file("again")}).status,
            0);

  // The command on the page, typed into a shell, works from any folder.
  const std::string page = slurp(folder.file("again/report.html"));
  const size_t from = page.find("sinew retarget", page.find("<pre>")) + 6;
  std::string words = page.substr(from, page.find("</pre>", from) - from);
  for (const std::string& quote : std::vector<std::string>{"&#39;", "&apos;"})
    for (size_t at; (at = words.find(quote)) != std::string::npos;) words.replace(at, quote.size(), "'");
  EXPECT_TRUE(contains(words, "'" + clip + "'")) << words;
  EXPECT_TRUE(contains(words, " --rate 30 --unit 0.01")) << words;
  const Json summary = json_of(
      run_shell(quoted(SINEW_BINARY) + " " + words + " --no-pictures --json -o " + folder.file("third")));
  const Json first = Json::parse(slurp(folder.file("again/summary.json")));
  EXPECT_EQ(summary.at("frames"), first.at("frames"));
}

TEST(Retarget, SaysWhatItDidAndIsSilentWhenAsked) {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"retarget", "walk", "--no-pictures", "-o", folder.file("out")};
  const Outcome said = run_sinew(words);
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.err, "");
  for (const char* part : {"walk on human50", "foot slide", "deepest point", "before", "after", "motion.bvh"})
    EXPECT_TRUE(contains(said.out, part)) << part << "\n" << said.out;

  auto quiet = words;
  quiet.push_back("--quiet");
  const Outcome silent = run_sinew(quiet);
  EXPECT_EQ(silent.status, 0);
  EXPECT_EQ(silent.out + silent.err, "");
}

TEST(Retarget, TheSameCommandGivesTheSameBytes) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"})
    ASSERT_EQ(run_sinew({"retarget", "jump", "--no-pictures", "-o", folder.file(name)}).status, 0);
  for (const char* file : {"motion.bvh", "motion.glb", "frames.csv"})
    EXPECT_EQ(slurp(folder.path() / "a" / file), slurp(folder.path() / "b" / file)) << file;
}

TEST(Retarget, CutsByTime) {
  const TemporaryFolder folder;
  const Json summary = json_of(run_sinew({"retarget", "jump", "--from", "0.2", "--to", "0.7", "--no-pictures",
                                          "--json", "-o", folder.file("out")}));
  EXPECT_NEAR(summary.at("seconds").get<double>(), 0.5, 0.05);
}

TEST(Retarget, TheDefaultFolderIsNamedAfterClipAndCharacter) {
  const TemporaryFolder folder;
  const Outcome outcome = run_shell("cd " + folder.path().string() + " && " + std::string(SINEW_BINARY) +
                                    " retarget walk --character robot35 --no-pictures --quiet");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(folder.path() / "out/walk-robot35/summary.json"));
}

}  // namespace
}  // namespace sinew::testing
