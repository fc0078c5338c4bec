#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "core/error.h"
#include "motion/load.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

std::string base64(const std::string& bytes) {
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    unsigned v = 0;
    for (size_t k = 0; k < 3; ++k)
      v = v << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[v >> (18 - 6 * k) & 63];
  }
  return out;
}

// A chain of three nodes below one that scales by a hundredth, as exporters in centimetres do it. "tip" is
// not animated. The middle node turns about Y by `angle` in two seconds; a second take of one second turns it
// back.
std::string gltf(double angle_rad) {
  std::string bytes;
  const auto add = [&](std::initializer_list<float> values) {
    for (const float v : values) {
      char raw[4];
      std::memcpy(raw, &v, 4);
      bytes.append(raw, 4);
    }
  };
  const auto s = static_cast<float>(std::sin(angle_rad / 2)), c = static_cast<float>(std::cos(angle_rad / 2));
  add({0, 2});
  add({0, 0, 0, 1, 0, s, 0, c});
  add({0, 1});
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": [{"name": "holder", "scale": [0.01, 0.01, 0.01], "children": [1]},
              {"name": "base", "translation": [0, 100, 0], "children": [2]},
              {"name": "arm", "translation": [50, 0, 0], "children": [3]},
              {"name": "tip", "translation": [50, 0, 0]}],
    "animations": [
      {"name": "turn", "samplers": [{"input": 0, "output": 1}],
       "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}},
                    {"sampler": 0, "target": {"node": 1, "path": "rotation"}}]},
      {"name": "short", "samplers": [{"input": 2, "output": 1}],
       "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}]}],
    "accessors": [
      {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [2]},
      {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4"},
      {"bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]}],
    "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 32},
                    {"buffer": 0, "byteOffset": 40, "byteLength": 8}],
    "buffers": [{"byteLength": 48, "uri": "data:application/octet-stream;base64,)" +
         base64(bytes) + "\"}]}";
}

class Scene : public ::testing::Test {
 protected:
  Scene() : folder_(fs::temp_directory_path() / ("sinew_scene_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Scene() override { fs::remove_all(folder_); }
  fs::path put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  fs::path folder_;
};

TEST_F(Scene, AnimationsAreSampledAndScalesBecomeLengths) {
  const ImportedClip imported = load_clip(put("a.gltf", gltf(1.0)));
  const Clip& clip = imported.clip;
  ASSERT_EQ(clip.bones.size(), 3u);
  EXPECT_EQ(clip.bones[0].name, "base");
  EXPECT_TRUE(clip.bones[2].is_end);
  EXPECT_NEAR(clip.duration_s(), 2.0, 1e-6);
  // Y up becomes Z up: the base is one metre high, the arm half a metre away along glTF's X, which is our Y.
  const auto X = world_poses(clip, clip.frames[0]);
  EXPECT_LT((X[0].p - Vec3(0, 0, 1)).norm(), 1e-6);
  EXPECT_LT((X[1].p - Vec3(0, 0.5, 1)).norm(), 1e-6);
  EXPECT_LT((X[2].p - Vec3(0, 1, 1)).norm(), 1e-6);
  // Half-way each of the two joints has turned by half a radian about the vertical.
  const Frame& middle = clip.frames[clip.frames.size() / 2];
  EXPECT_LT((log_map(middle[0].q) - Vec3(0, 0, 0.5)).norm(), 1e-4);
  EXPECT_LT((log_map(middle[1].q) - Vec3(0, 0, 0.5)).norm(), 1e-4);
}

TEST_F(Scene, ATakeIsChosenByNameOrElseTheLongest) {
  const fs::path file = put("a.gltf", gltf(1.0));
  EXPECT_NEAR(load_clip(file, {.take = "short"}).clip.duration_s(), 1.0, 1e-6);
  try {
    load_clip(file, {.take = "none"});
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("'turn', 'short'"), std::string::npos) << e.what();
  }
}

TEST_F(Scene, WhatCannotBeReadIsRefusedInOneSentence) {
  std::string still = gltf(1.0);
  const size_t begin = still.find("\"animations\""), end = still.find("\"accessors\"");
  still.erase(begin, end - begin);
  for (const fs::path& file :
       {put("still.gltf", still), put("empty.gltf", ""), put("empty.fbx", ""),
        put("cut.gltf", gltf(1).substr(0, 900)), put("words.glb", "these are words"), put("odd.xyz", "?"),
        put("odd.txt", "hello\n"), put("odd.json", "{\"a\": 1}"), folder_ / "missing.glb"}) {
    try {
      load_clip(file);
      ADD_FAILURE() << file;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(file.filename().string()), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace sinew
