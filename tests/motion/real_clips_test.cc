#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "core/error.h"
#include "motion/convention.h"
#include "motion/library.h"
#include "motion/load.h"
#include "motion/skeleton_parts.h"
#include "motion/write_bvh.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

// Real motions are found, never shipped: without them these tests have nothing to say.
std::vector<fs::path> files_with(const std::vector<fs::path>& folders,
                                 const std::vector<std::string>& endings) {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      for (const std::string& ending : endings) {
        std::string own = entry.path().extension().string();
        for (char& c : own) c = static_cast<char>(std::tolower(c));
        if (own == ending) files.push_back(entry.path());
      }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> all_folders() { return standard_motion_folders("").others; }

#define SKIP_WITHOUT(files)                                                                        \
  if ((files).empty()) {                                                                           \
    const char* required = std::getenv("SINEW_REQUIRE_MOTIONS");                                   \
    if (required && std::string(required) == "1") FAIL() << "SINEW_MOTIONS leads to no such clip"; \
    GTEST_SKIP() << "SINEW_MOTIONS leads to no such clip";                                         \
  }

TEST(RealClips, EveryBvhIsAPersonOfBelievableHeightOnTheGround) {
  const auto files = files_with(all_folders(), {".bvh"});
  SKIP_WITHOUT(files);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const ImportedClip imported = load_clip(file);
    const double stature = estimated_stature(imported.clip);
    EXPECT_GT(stature, 1.4);
    EXPECT_LT(stature, 2.1);
    EXPECT_TRUE(imported.clip.rest_is_t_pose);
    const SkeletonParts parts = find_parts(imported.clip);
    for (int p = 1; p < kPartCount; ++p)
      EXPECT_GE(parts.bone[static_cast<size_t>(p)], 0) << part_name(static_cast<Part>(p));
    // The rest pose faces +X: toes before ankles, left is +Y.
    const auto X = world_poses(imported.clip, imported.clip.rest);
    const auto at = [&](Part p) { return X[static_cast<size_t>(parts[p])].p; };
    EXPECT_GT(at(Part::kLeftToes).x(), at(Part::kLeftFoot).x() + 0.05);
    EXPECT_GT(at(Part::kLeftHand).y(), 0.4);
    EXPECT_LT(at(Part::kRightHand).y(), -0.4);
  }
}

TEST(RealClips, CmuClipsLoseTheirTPoseAndKeepTheirRate) {
  std::vector<fs::path> files;
  for (const fs::path& file : files_with(all_folders(), {".bvh"}))
    if (file.parent_path().filename() == "cmu") files.push_back(file);
  SKIP_WITHOUT(files);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const ImportedClip imported = load_clip(file);
    EXPECT_TRUE(imported.clip.source.rest_in_frame_0);
    EXPECT_NEAR(imported.clip.frame_time_s, 1.0 / 120, 1e-6);
    EXPECT_NEAR(imported.clip.source.unit_m, 0.0254 / 0.45, 1e-9);
    // People start above the floor and below its double height.
    EXPECT_GT(imported.clip.frames[0][0].p.z(), 0.0);
    EXPECT_LT(imported.clip.frames[0][0].p.z(), 1.3);
  }
}

TEST(RealClips, WhatIsWrittenReadsBackTheSame) {
  const auto files = files_with(all_folders(), {".bvh"});
  SKIP_WITHOUT(files);
  for (size_t k = 0; k < files.size(); k += 7) {
    SCOPED_TRACE(files[k]);
    const Clip clip = load_clip(files[k]).clip;
    const Clip again = read_bvh(write_bvh(clip), "again.bvh").clip;
    ASSERT_EQ(clip.frames.size(), again.frames.size());
    double worst_rad = 0, worst_m = 0;
    for (size_t f = 0; f < clip.frames.size(); ++f)
      for (size_t b = 0; b < clip.bones.size(); ++b) {
        worst_rad = std::max(worst_rad, angle_between(clip.frames[f][b].q, again.frames[f][b].q));
        worst_m = std::max(worst_m, (clip.frames[f][b].p - again.frames[f][b].p).norm());
      }
    EXPECT_LT(worst_rad, 1e-5);
    EXPECT_LT(worst_m, 1e-5);
    for (size_t b = 0; b < clip.bones.size(); ++b)
      EXPECT_LT(angle_between(clip.rest[b].q, again.rest[b].q), 1e-5);
  }
}

TEST(RealClips, DeepMimicClipsLoad) {
  std::vector<fs::path> files;
  for (const fs::path& file : files_with(all_folders(), {".txt"}))
    if (file.parent_path().filename() == "deepmimic") files.push_back(file);
  SKIP_WITHOUT(files);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const Clip clip = load_clip(file).clip;
    EXPECT_GT(clip.duration_s(), 0.5);
    EXPECT_NEAR(estimated_stature(clip), 1.69, 0.05);
    for (const Pose& X : world_poses(clip, clip.frames[0])) EXPECT_GT(X.p.z(), -0.1);
  }
}

TEST(RealClips, SceneFilesLoadOrAreRefusedInASentence) {
  const auto files = files_with({"/usr/share/assimp/models"}, {".gltf", ".glb", ".fbx"});
  SKIP_WITHOUT(files);
  std::vector<std::string> loaded;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    try {
      const Clip clip = load_clip(file).clip;
      EXPECT_GE(clip.frames.size(), 1u);
      loaded.push_back(file.stem().string());
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()).find(file.string()), 0u);
    }
  }
  // Those with animated nodes in them.
  for (const char* name : {"simple_skin", "animation_with_skeleton", "huesitos"})
    EXPECT_EQ(std::count(loaded.begin(), loaded.end(), name), 1) << name;
}

TEST(RealClips, EveryMotionThatIsListedLoads) {
  const auto motions = list_motions(standard_motion_folders(""));
  SKIP_WITHOUT(motions);
  std::set<fs::path> files;
  for (const MotionEntry& entry : motions) files.insert(entry.file);
  for (const fs::path& file : files) {
    if (fs::file_size(file) > 1'000'000) continue;  // the large ones are loaded above
    EXPECT_NO_THROW(load_clip(file)) << file;
  }
}

}  // namespace
}  // namespace sinew
