#include "studio/workshop.h"

#include <gtest/gtest.h>

#include <random>

#include "core/error.h"
#include "motion/write_bvh.h"
#include "record/clip_export.h"
#include "record/glb.h"
#include "studio/gallery.h"
#include "studio/shelves.h"

namespace sinew::studio {
namespace {

template <class Act>
std::string sentence(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The motion of a character as the bytes of a file.
std::string bvh() {
  const Workshop workshop(own_shelves());
  Role role;
  role.loop = false;
  const Casting casting = workshop.cast(role, {});
  return write_bvh(
      clip_from_motion(casting.character, casting.reference.q, casting.reference.frame_time_s, "walk"));
}
std::string glb() {
  const Workshop workshop(own_shelves());
  const Casting casting = workshop.cast({}, {});
  return encode_glb(casting.character, casting.reference.q, casting.reference.frame_time_s, "walk");
}

// A GLB whose numbers lie elsewhere.
std::string glb_that_refers_to(const std::string& file) {
  std::string json = R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":64,"uri":")" + file + R"("}]})";
  while (json.size() % 4 != 0) json += ' ';
  const auto word = [](size_t n) {
    return std::string{static_cast<char>(n), static_cast<char>(n >> 8), static_cast<char>(n >> 16),
                       static_cast<char>(n >> 24)};
  };
  return "glTF" + word(2) + word(20 + json.size()) + word(json.size()) + "JSON" + json;
}

// Words are names of things on a shelf, never of files.
TEST(Workshop, NoWordNamesAFile) {
  const Workshop workshop(own_shelves());
  const std::string file = std::string(SINEW_SOURCE_DIR) + "/assets/motions/walk.json";
  for (const std::string& name :
       {file, std::string("/etc/passwd"), std::string("../motions/walk.json"), std::string("walk.json")}) {
    Role role;
    role.clip = name;
    EXPECT_NE(sentence([&] { workshop.cast(role, {}); }), "") << name;
    role = {};
    role.character = name;
    EXPECT_NE(sentence([&] { workshop.cast(role, {}); }), "") << name;
    Setting setting;
    setting.world = name;
    EXPECT_NE(sentence([&] { workshop.cast({}, setting); }), "") << name;
  }
  Role role;
  role.character = std::string(SINEW_SOURCE_DIR) + "/assets/characters/human50.xml";
  EXPECT_NE(sentence([&] { workshop.cast(role, {}); }), "");
  Setting setting;
  setting.world = role.character;
  EXPECT_NE(sentence([&] { workshop.cast({}, setting); }), "");
}

TEST(Workshop, TakesInDroppedFiles) {
  Workshop workshop(own_shelves());
  EXPECT_EQ(workshop.drop("../../my walk.bvh", bvh()), "dropped/my walk");
  EXPECT_EQ(workshop.drop("mine.GLB", glb()), "dropped/mine");
  Role role;
  for (const std::string& name : workshop.drops()) {
    role.clip = name;
    EXPECT_GT(workshop.cast(role, {}).reference.duration_s(), 0.5) << name;
  }
  // Only the last few are kept.
  const std::string bytes = bvh();
  for (int i = 0; i < 12; ++i) workshop.drop(std::to_string(i) + ".bvh", bytes);
  EXPECT_EQ(workshop.drops().size(), kMostDrops);
}

TEST(Workshop, BadFilesGetTheImportersSentence) {
  Workshop workshop(own_shelves());
  const std::string said = sentence([&] { workshop.drop("bad.bvh", "HIERARCHY\nROOT a\n{\nOFFSET 0 0\n"); });
  EXPECT_EQ(said.find("bad.bvh:"), 0u) << said;
  EXPECT_EQ(said.find("/tmp"), std::string::npos) << said;
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{{"", "x"},
                                                                                    {"a.bvh", ""},
                                                                                    {"a.exe", "MZ"},
                                                                                    {"a.gltf", "{}"},
                                                                                    {"a.glb", "{}"},
                                                                                    {"a.fbx", "x"},
                                                                                    {"a.glb", "glTF"},
                                                                                    {"a.xml", "<mujoco/>"},
                                                                                    {"..", "x"},
                                                                                    {"/", "x"}})
    EXPECT_NE(sentence([&] { workshop.drop(name, bytes); }), "") << name;
}

TEST(Workshop, DroppedFilesReadNoOthers) {
  Workshop workshop(own_shelves());
  for (const char* file : {"/etc/passwd", "file:///etc/passwd", "../../etc/passwd", "a.bin"})
    EXPECT_NE(
        sentence([&] { workshop.drop("a.glb", glb_that_refers_to(file)); }).find("refers to other files"),
        std::string::npos);
}

// Changed bytes are taken in or refused with a sentence.
TEST(Workshop, BrokenFilesAreTakenInOrRefused) {
  Workshop workshop(own_shelves());
  std::mt19937 random(3);
  std::string small = bvh();
  small.resize(std::min<size_t>(small.size(), 20000));
  for (int i = 0; i < 60; ++i) {
    std::string bytes = small;
    bytes.resize(random() % bytes.size());
    for (int k = 0; k < 5 && !bytes.empty(); ++k)
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    sentence([&] { workshop.drop("a.bvh", bytes); });
  }
  SUCCEED();
}

TEST(Gallery, EverySceneCanBeCast) {
  const Workshop workshop(own_shelves());
  for (const GalleryScene& scene : gallery()) {
    ASSERT_EQ(scene.roles.size(), scene.controls.size()) << scene.id;
    for (size_t i = 0; i < scene.roles.size(); ++i) {
      Role role = scene.roles[i];
      if (role.method == Method::kControl) role.control = workshop.control(scene.controls[i]);
      const Casting casting = workshop.cast(role, scene.setting);
      EXPECT_EQ(casting.reference.q.size() > 10, follows_motion(role.method)) << scene.id;
    }
  }
}

TEST(Slope, OnlyWhereOneMakesSense) {
  EXPECT_EQ(with_slope("flat", -5), "slope:deg=-5");
  EXPECT_EQ(with_slope("slope:deg=-5", 0), "flat");
  EXPECT_EQ(with_slope("slope:deg=-5", 2.5), "slope:deg=2.5");
  EXPECT_EQ(with_slope("chair", 3), "");
}

}  // namespace
}  // namespace sinew::studio
