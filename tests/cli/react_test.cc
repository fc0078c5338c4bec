// `sinew track --method auxiliary`: what it says of hits, and what it refuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_sinew.h"
#include "record/recording.h"

namespace sinew::testing {
namespace {

using Json = nlohmann::json;

Outcome react(std::vector<std::string> words, const std::string& out) {
  words.insert(words.begin(), {"track", "punch", "--method", "auxiliary", "-c", "human45"});
  words.insert(words.end(), {"--no-pictures", "--json", "-o", out});
  return run_sinew(words);
}

// The command that makes it again.
std::string command_in(const std::filesystem::path& folder) {
  return decode_recording(slurp(folder / "recording.sinew"), "recording.sinew").command;
}

TEST(React, TellsWhatBallsDid) {
  const TemporaryFolder folder;
  const Outcome outcome =
      react({"--seconds", "1", "--throw", "body=left_leg,mass=2,speed=7,at=0.5,from=front,expected",
             "--throw", "body=head,mass=2,speed=7,at=0.5,from=back"},
            folder.path() / "out");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  EXPECT_GT(summary.at("root_residual_N"), 1);
  const Json& hits = summary.at("reaction");
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(hits[0].at("body"), "left_leg");
  EXPECT_TRUE(hits[0].at("expected"));
  EXPECT_FALSE(hits[1].at("expected"));
  EXPECT_GT(hits[1].at("peak_rad"), hits[0].at("peak_rad"));
  EXPECT_NE(command_in(folder.path() / "out").find("--balance forces"), std::string::npos);
}

TEST(React, GoesOnWithAnotherClip) {
  const TemporaryFolder folder;
  const Outcome outcome =
      react({"--then", "kick", "--at", "0.4", "--over", "0.3", "--seconds", "1"}, folder.path() / "out");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  EXPECT_LT(summary.at("pose_error_rad"), 0.05);
  EXPECT_NE(command_in(folder.path() / "out").find("--then kick --at 0.4 --over 0.3"), std::string::npos);
}

TEST(React, OptionsBelongToTheMethod) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"--balance", "tracker"}, {"--no-feedforward"}, {"--then", "kick"}}) {
    std::vector<std::string> all{"track", "punch"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_sinew(all);
    EXPECT_EQ(outcome.status, 2) << words[0];
    EXPECT_NE(outcome.err.find("--method auxiliary"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace sinew::testing
