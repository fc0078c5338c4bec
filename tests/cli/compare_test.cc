// Two simulations side by side.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_sinew.h"
#include "record/recording.h"

namespace sinew::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Half a second of a roll on the hard floor and on the pad, made once.
class Compare : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    for (const char* world : {"flat", "pad"}) {
      const Outcome outcome =
          run_sinew({"track", "roll-sideways", "--method", "servo", "--seconds", "0.5", "--world", world,
                     "--no-pictures", "-q", "-o", folder_->file(world)});
      ASSERT_LE(outcome.status, 3) << outcome.err;
    }
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string file(const std::string& name) { return folder_->file(name); }

  static TemporaryFolder* folder_;
};
TemporaryFolder* Compare::folder_ = nullptr;

TEST_F(Compare, LeavesAPageWithBothAndFiguresForScripts) {
  const Outcome outcome = run_sinew({"compare", file("flat"), file("pad"), "-o", file("out"), "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* name : {"report.html", "pressure.svg", "moment.png", "summary.json"})
    EXPECT_TRUE(fs::exists(file("out/") + name)) << name;
  EXPECT_EQ(outcome.out, slurp(file("out/summary.json")));
  const std::string page = slurp(file("out/report.html"));
  for (const char* part : {"roll-sideways on human50 in flat", "roll-sideways on human50 in pad",
                           "Side by side", "highest pressure, kPa"})
    EXPECT_NE(page.find(part), std::string::npos) << part;

  // The figures are those of the recordings.
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("clip"), "roll-sideways");
  EXPECT_EQ(json.at("world"), "flat against pad");
  ASSERT_EQ(json.at("sides").size(), 2u);
  for (const Json& side : json.at("sides")) {
    const Recording recording = decode_recording(
        slurp(fs::path(side.at("folder").get<std::string>()) / "recording.sinew"), "recording");
    EXPECT_EQ(side.at("world"), recording.world.name);
    size_t contacts = 0;
    for (const RecordingFrame& frame : recording.frames)
      for (const Contact& contact : frame.contacts) contacts += contact.other_shape < 0 ? 1 : 0;
    EXPECT_NEAR(side.at("mean_contacts").get<double>(),
                static_cast<double>(contacts) / static_cast<double>(recording.frames.size()), 1e-9);
    EXPECT_FALSE(side.at("bodies").empty());
  }
  // A soft pad takes the edge off.
  EXPECT_LT(json["sides"][1]["highest_pressure_Pa"].get<double>(),
            json["sides"][0]["highest_pressure_Pa"].get<double>());
}

TEST_F(Compare, TakesRecordingsAndAMoment) {
  const Outcome outcome = run_sinew({"compare", file("flat/recording.sinew"), file("flat"), "--at", "0.25",
                                     "--no-pictures", "-o", file("same")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("(" + file("flat") + ")"), std::string::npos) << outcome.out;
  EXPECT_FALSE(fs::exists(file("same/report.html")));
  EXPECT_EQ(Json::parse(slurp(file("same/summary.json")))["at_s"], 0.25);
}

TEST_F(Compare, IsAResultThatReportCollects) {
  run_sinew({"compare", file("flat"), file("pad"), "--no-pictures", "-q", "-o", file("both")});
  const Outcome outcome = run_sinew({"report", file("flat"), file("both"), "-o", file("page.html")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(slurp(file("page.html")).find("both/pressure.svg"), std::string::npos);
}

TEST_F(Compare, RefusesWhatItCannotCompareInOneSentence) {
  const auto refused = [&](const std::vector<std::string>& words, int status, const std::string& part) {
    const Outcome outcome = run_sinew(words);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(file("bad")));
  };
  refused({"compare", file("flat"), "-o", file("bad")}, 2, "DIR_B");
  refused({"compare", file("flat"), file("none"), "-o", file("bad")}, 1, file("none"));
  fs::create_directory(file("empty"));
  refused({"compare", file("flat"), file("empty"), "-o", file("bad")}, 1, file("empty/recording.sinew"));
  refused({"compare", file("flat"), file("flat/frames.csv"), "-o", file("bad")}, 1, "is no recording");
  refused({"compare", file("flat"), file("pad"), "--at", "9", "-o", file("bad")}, 1,
          "--at 9 is after the end");
  refused({"compare", file("flat"), file("pad"), "--at", "-1", "-o", file("bad")}, 2, "--at");
  refused({"compare", file("flat"), file("pad"), "-o", file("pad")}, 1, "holds a simulation");
}

}  // namespace
}  // namespace sinew::testing
