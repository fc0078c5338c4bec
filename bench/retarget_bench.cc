// Retargeting in CPU time, as multiples of real time: `x_realtime` is seconds of motion a CPU second.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "character/library.h"
#include "character/retarget.h"
#include "motion/library.h"
#include "motion/load.h"

namespace sinew {
namespace {

void put_onto(benchmark::State& state, const std::string& motion, const std::string& character_name) {
  const MotionEntry entry = find_motion(motion, standard_motion_folders(SINEW_SOURCE_DIR "/assets/motions"));
  const Clip clip = cut(load_clip(entry.file).clip, entry.from_s, entry.to_s);
  const Character character = load_character(character_name, {SINEW_SOURCE_DIR "/assets/characters"});
  for (auto _ : state) benchmark::DoNotOptimize(retarget(clip, character));
  state.counters["x_realtime"] = benchmark::Counter(
      clip.duration_s() * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

}  // namespace
}  // namespace sinew

int main(int argc, char** argv) {
  std::vector<std::string> motions = {"walk", "run", "punch", "roll-forward", "get-up"};
  if (std::getenv("SINEW_MOTIONS"))
    motions.insert(motions.end(), {"mocap:walk", "mocap:boxing", "mocap:cartwheel", "mocap:roll-forward"});
  for (const std::string& motion : motions)
    for (const char* character : {"human50", "human57", "robot35", "biped18"})
      benchmark::RegisterBenchmark((motion + " on " + character).c_str(), [=](benchmark::State& state) {
        sinew::put_onto(state, motion, character);
      })->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
