// `sinew adapt` and `sinew character`.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "character/library.h"
#include "character/part_meshes.h"
#include "cli/expectations.h"
#include "cli/interrupted.h"
#include "cli/run_sinew.h"

namespace sinew::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

TEST(Adapt, GoesOnAfterAnInterruptionAsIfThereHadBeenNone) {
  const TemporaryFolder folder;
  const std::string words =
      quoted(SINEW_BINARY) + " adapt run --to woman --evaluations 17 --no-pictures --quiet";
  const Outcome whole = run_shell(words + " -o " + folder.file("whole"));
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_FALSE(fs::exists(folder.file("whole/checkpoint.sinew")));
  const Json summary = Json::parse(slurp(folder.file("whole/summary.json")));

  const std::string parts = words + " -o " + folder.file("parts");
  const std::string checkpoint = folder.file("parts/checkpoint.sinew");
  const Outcome first =
      interrupted(parts + " --threads 1", "INT", checkpoint, 0.3 * summary.at("wall_s").get<double>());
  ASSERT_EQ(first.status, 128 + SIGINT) << first.err;
  EXPECT_NE(first.err.find("--resume goes on"), std::string::npos) << first.err;
  expect_one_sentence(run_shell(parts + " --resume --seed 9"), 1, "is of another search");
  EXPECT_TRUE(fs::exists(checkpoint));

  const Outcome last = run_shell(parts + " --resume --threads 2");
  EXPECT_EQ(last.status, 0) << last.err;
  EXPECT_FALSE(fs::exists(checkpoint));
  for (const char* file : {"behaviour.json", "frames.csv"})
    EXPECT_TRUE(slurp(folder.path() / "parts" / file) == slurp(folder.path() / "whole" / file)) << file;
  const Json resumed = Json::parse(slurp(folder.file("parts/summary.json")));
  for (const char* key : {"evaluations", "cost_before", "cost_after", "intermediates"})
    EXPECT_EQ(resumed.at(key), summary.at(key)) << key;
}

std::string without_lines(const std::string& text, const std::string& word) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (const std::string line = text.substr(at, end - at); line.find(word) == std::string::npos)
      out += line + '\n';
    at = end + 1;
  }
  return out;
}

// Bodies that cannot run are refused before anything is simulated or written.
TEST(Adapt, BadBodiesGetOneSentence) {
  const TemporaryFolder folder;
  const std::string man = slurp(SINEW_SOURCE_DIR "/assets/characters/man.xml");
  std::string negative = man;
  const size_t mass = negative.find("mass=\"", negative.find("<body name=\"left_thigh\"")) + 6;
  negative.insert(mass, "-");
  const auto refused = [&](const std::string& name, const std::string& text, const std::string& why) {
    const std::string file = folder.write(name, text);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"adapt", "run", "--from", "man", "--to", file},
          std::vector<std::string>{"run", "--character", file}}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"-o", folder.file("out")});
      expect_one_sentence(run_sinew(all), 1, why);
    }
    EXPECT_FALSE(fs::exists(folder.file("out")));
  };
  refused("negative.xml", negative, "mass and inertia of moving bodies");
  refused("stiff.xml", without_lines(man, "joint name=\"left_ankle\""), "left_ankle");
  refused("cut.xml", man.substr(0, man.size() / 2), "cannot be read as MJCF");
}

// From meshes to a run: a folder of OBJ files, a character, its own behaviour.
TEST(MeshCharacter, LearnsToRun) {
  const TemporaryFolder folder;
  const Character man = load_character("man", {SINEW_SOURCE_DIR "/assets/characters"});
  fs::create_directory(folder.file("parts"));
  for (const NamedMesh& mesh : part_meshes(man, 85, kPi / 2))
    folder.write("parts/" + mesh.file, obj_of(mesh));
  const std::string hero = folder.file("hero.xml");
  const Outcome made = run_sinew({"character", folder.file("parts"), "--unit", "0.01", "-o", hero, "--json"});
  ASSERT_EQ(made.status, 0) << made.err;
  const Json what = Json::parse(made.out);
  EXPECT_EQ(what.at("character"), "hero");
  EXPECT_EQ(what.at("bodies").size(), man.bodies.size());
  EXPECT_NEAR(what.at("height_m").get<double>(), 0.85 * standing_height(man), 0.01);
  EXPECT_NEAR(what.at("bodies")[0].at("density_kg_m3").get<double>(), 1010, 1);

  const Outcome adapted = run_sinew({"adapt", "run", "--from", "man", "--to", hero, "--evaluations", "9",
                                     "--no-pictures", "--json", "-o", folder.file("run")});
  ASSERT_EQ(adapted.status, 0) << adapted.err << adapted.out;
  EXPECT_EQ(Json::parse(adapted.out).at("character"), "hero");
}

TEST(MeshCharacter, BadMeshesGetOneSentence) {
  const TemporaryFolder folder;
  const Character man = load_character("man", {SINEW_SOURCE_DIR "/assets/characters"});
  fs::create_directory(folder.file("parts"));
  for (NamedMesh mesh : part_meshes(man)) {
    if (mesh.name == "left_shin") mesh.surface.faces.erase(mesh.surface.faces.begin() + 200);
    folder.write("parts/" + mesh.file, obj_of(mesh));
  }
  const std::vector<std::string> words = {"character", folder.file("parts"), "-o", folder.file("hero.xml")};
  expect_one_sentence(run_sinew(words), 1, "left_shin.obj: 'left_shin' has a hole");
  EXPECT_FALSE(fs::exists(folder.file("hero.xml")));
  expect_one_sentence(run_sinew({"character", folder.file("parts"), "-o", folder.file("hero")}), 1,
                      "the file of a character ends in .xml");
}

}  // namespace
}  // namespace sinew::testing
