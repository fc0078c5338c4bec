#include <assimp/scene.h>
#include <benchmark/benchmark.h>

#include <assimp/Importer.hpp>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "core/files.h"
#include "motion/load.h"
#include "motion/write_bvh.h"

// Import of a BVH file of about 3 MB: ours beside assimp's, on the same file in the same run. The file is the
// largest clip that SINEW_MOTIONS leads to, or one made here.
namespace sinew {
namespace {

namespace fs = std::filesystem;

// A chain of 32 joints that wriggles for some thousand frames.
fs::path made_file() {
  Clip clip;
  clip.name = "made";
  for (int b = 0; b < 32; ++b) {
    Bone bone;
    bone.name = "joint" + std::to_string(b);
    bone.parent = b - 1;
    bone.X_PB.p = Vec3(0, 0.1, 0.02 * b);
    clip.bones.push_back(bone);
    clip.rest.push_back(bone.X_PB);
  }
  clip.frame_time_s = 1.0 / 120;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> turn(-1, 1);
  for (int f = 0; f < 4000; ++f) {
    Frame frame = clip.rest;
    for (Pose& X : frame) X.q = exp_map(Vec3(turn(random), turn(random), turn(random)));
    clip.frames.push_back(frame);
  }
  const fs::path file = fs::temp_directory_path() / "sinew_import_bench.bvh";
  write_file(file, write_bvh(clip));
  return file;
}

fs::path file_to_read() {
  fs::path largest;
  const char* folder = std::getenv("SINEW_MOTIONS");
  std::error_code ec;
  for (const auto& entry : fs::recursive_directory_iterator(folder ? folder : "/nowhere", ec))
    if (entry.path().extension() == ".bvh" && (largest.empty() || entry.file_size() > fs::file_size(largest)))
      largest = entry.path();
  return largest.empty() ? made_file() : largest;
}

const fs::path& file() {
  static const fs::path path = file_to_read();
  return path;
}

void report(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * fs::file_size(file())));
  state.SetLabel(file().filename().string() + ", " + std::to_string(fs::file_size(file()) / 1000) + " kB");
}

void BM_ImportSinew(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(load_clip(file()));
  report(state);
}
BENCHMARK(BM_ImportSinew)->Unit(benchmark::kMillisecond);

void BM_ImportAssimp(benchmark::State& state) {
  for (auto _ : state) {
    Assimp::Importer importer;
    const aiScene* scene = importer.ReadFile(file().string(), 0);
    if (!scene) state.SkipWithError(importer.GetErrorString());
    benchmark::DoNotOptimize(scene);
  }
  report(state);
}
BENCHMARK(BM_ImportAssimp)->Unit(benchmark::kMillisecond);

void BM_WriteBvh(benchmark::State& state) {
  const Clip clip = load_clip(file()).clip;
  for (auto _ : state) benchmark::DoNotOptimize(write_bvh(clip));
  report(state);
}
BENCHMARK(BM_WriteBvh)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sinew
