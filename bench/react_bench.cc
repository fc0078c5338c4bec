// What both simulations of `--method auxiliary` cost together: CPU time of a second of motion on one core.
// The paper's ran at a third of real time.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "character/overlaps.h"
#include "character/retarget.h"
#include "clocks.h"
#include "motion/load.h"
#include "rollout/auxiliary.h"
#include "rollout/placement.h"
#include "sim/engines.h"
#include "sim/scenes.h"
#include "world/library.h"

namespace sinew {
namespace {

constexpr double kSeconds = 2;
constexpr int kRepeats = 5;
constexpr double kAsked = 10;  // times real time

void measure(const char* engine, const char* motion) {
  Character character = scenes::shipped("human45");
  const World world = make_world("flat");
  const Clip clip = load_clip(std::string(SINEW_SOURCE_DIR "/assets/motions/") + motion + ".json").clip;
  const Reference reference =
      at_origin(character, retarget(clip, character, {.clearance_m = 0.025}).reference, world, 0);
  for (const auto& pair : overlapping_bodies(character, reference)) character.excluded.push_back(pair);
  const State start = start_state(character, reference, world, 0);
  std::vector<double> factors;
  for (int i = 0; i < kRepeats; ++i) {
    const auto simulator = find_engine(engine)(character, world, {});
    auto auxiliary = find_engine(engine)(that_passes_itself(character), as_expected(world), {});
    simulator->set_state(start);
    auxiliary->set_state(start);
    AuxiliaryTracker tracker(std::move(auxiliary), along(character, reference));
    Rollout rollout(*simulator, tracker, {.record_hz = 0});
    const double from = cpu_s();
    rollout.run(kSeconds);
    factors.push_back(kSeconds / (cpu_s() - from));
  }
  std::nth_element(factors.begin(), factors.begin() + kRepeats / 2, factors.end());
  const double factor = factors[kRepeats / 2];
  const bool asked = std::string(engine) == "mujoco";
  std::printf("%-8s %-8s %8.1f times real time  %s\n", engine, motion, factor,
              !asked             ? ""
              : factor >= kAsked ? "at least 10 asked: ok"
                                 : "at least 10 asked: MISSED");
}

}  // namespace
}  // namespace sinew

int main() {
  for (const char* motion : {"punch", "kick"})
    for (const char* engine : {"mujoco", "ode"}) sinew::measure(engine, motion);
}
