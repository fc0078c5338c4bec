// A recording is read wherever a clip is.
#include "record/recording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "character/library.h"
#include "cli/run_sinew.h"

namespace sinew::testing {
namespace {

// Half a second of human50 bending its knees.
Recording knee_bend() {
  Recording recording;
  recording.command = "sinew track squat";
  recording.clip = "squat";
  recording.engine = "mujoco";
  recording.step_s = 0.002;
  recording.frame_time_s = 0.01;
  recording.character = load_character("human50", {SINEW_SOURCE_DIR "/assets/characters"});
  const Character& character = recording.character;
  for (int i = 0; i < 51; ++i) {
    VecX dv = VecX::Zero(character.nv());
    for (const Part part : {Part::kLeftShin, Part::kRightShin}) {
      const Body& shin = character.bodies[static_cast<size_t>(character.find(part))];
      dv[character.joints[static_cast<size_t>(shin.first_joint)].v] = 0.3 * std::sin(0.1 * i);
    }
    RecordingFrame frame;
    frame.time_s = 0.01 * i;
    frame.q = frame.q_reference = integrate(character, character.q_rest, dv);
    frame.v = frame.torque = VecX::Zero(character.nv());
    recording.frames.push_back(frame);
  }
  recording.events = {{0.2, "a ball is thrown at head"}};
  return recording;
}

TEST(Recordings, AreToldOfInWordsAndAsJson) {
  const TemporaryFolder folder;
  const std::string file = folder.write("recording.sinew", encode_recording(knee_bend()));
  const Outcome words = run_sinew({"info", file});
  EXPECT_EQ(words.status, 0) << words.err;
  for (const char* part : {"A recording", "squat", "human50", "mujoco", "flat", "0.50 s", "51 frames",
                           "version 1", "a ball is thrown at head"})
    EXPECT_NE(words.out.find(part), std::string::npos) << part << " is not in\n" << words.out;
  const Outcome asked = run_sinew({"info", file, "--json"});
  const auto json = nlohmann::json::parse(asked.out)["files"][0];
  EXPECT_EQ(json["kind"], "recording");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["frames"], 51);
  EXPECT_EQ(json["character"], "human50");
}

TEST(Recordings, AreClips) {
  const TemporaryFolder folder;
  const std::string file = folder.write("recording.sinew", encode_recording(knee_bend()));
  const Outcome outcome = run_sinew(
      {"retarget", file, "--character", "robot35", "--no-pictures", "--json", "-o", folder.file("out")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto summary = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(summary["seconds"].get<double>(), 0.5, 0.02);
  EXPECT_TRUE(std::filesystem::exists(folder.file("out/motion.bvh")));
}

TEST(Recordings, ThatWereCutAreRefusedInOneSentence) {
  const TemporaryFolder folder;
  const std::string bytes = encode_recording(knee_bend());
  const std::string file = folder.write("cut.sinew", bytes.substr(0, bytes.size() / 2));
  for (const Outcome& outcome : {run_sinew({"info", file}),
                                 run_sinew({"retarget", file, "--no-pictures", "-o", folder.file("out")})}) {
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "sinew: " + file + ": is a recording that was cut short\n");
  }
}

}  // namespace
}  // namespace sinew::testing
