// What it costs to reconstruct a motion, in CPU seconds a second of motion: our recipe over seeds, the
// paper's recipe on MuJoCo, and the paper's own set-up (ODE, 0.5 ms), of which a few windows are searched
// with fewer samples and the rest is extrapolated. Then two threads against one, beside what the machine
// gives two searches at once. `reconstruct_bench N` takes N seeds. Motions are those of SINEW_MOTIONS where
// it names a folder that has them, else the project's own.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "character/retarget.h"
#include "clocks.h"
#include "motion/library.h"
#include "motion/load.h"
#include "record/metrics.h"
#include "rollout/placement.h"
#include "rollout/rollout.h"
#include "search/reconstruct.h"
#include "search/samcon.h"
#include "sim/engines.h"
#include "sim/scenes.h"
#include "world/library.h"

namespace sinew {
namespace {

constexpr double kLongest_s = 4;        // of a motion, so that a run takes minutes
constexpr double kClearance_m = 0.025;  // as the command has it
// The paper's recipe, and how much of it is searched.
constexpr int kSamples = 1400, kSave = 200;
constexpr double kWindows_s = 0.3;
constexpr int kFewer = 40;  // times fewer samples in the paper's own set-up

struct Motion {
  const char* name;
  const char* own;  // what stands for it where there are no clips
  double limit;     // CPU seconds a second
};
constexpr Motion kMotions[] = {{"walk", "walk", 1.5},
                               {"run", "run", 1.5},
                               {"cartwheel", "cartwheel", 4},
                               {"get-up-prone", "get-up", 4},
                               {"roll-sideways", "roll-sideways", 4}};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

bool has_clips() {
  const char* folders = std::getenv("SINEW_MOTIONS");
  return folders && *folders;
}

SearchTask make_task(const Motion& motion, double at_most_s) {
  const MotionEntry entry = find_motion(has_clips() ? std::string("mocap:") + motion.name : motion.own,
                                        standard_motion_folders(SINEW_SOURCE_DIR "/assets/motions"));
  SearchTask task;
  task.character = scenes::shipped("human50");
  task.world = make_world("flat");
  const Clip clip = cut(load_clip(entry.file).clip, entry.from_s, entry.to_s);
  task.reference = at_origin(
      task.character, retarget(clip, task.character, {.clearance_m = kClearance_m}).reference, task.world, 0);
  task.seconds = std::min(at_most_s, task.reference.duration_s());
  task.start = start_state(task.character, task.reference, task.world, 0);
  task.engine = make_mujoco;
  return task;
}

bool performs(const SearchTask& task, const SearchResult& result) {
  const auto simulator = task.engine(task.character, task.world, {task.step_s});
  simulator->set_state(task.start);
  OpenLoopController controller(task.character, task.reference, result.control, task.start_s);
  Rollout rollout(*simulator, controller);
  rollout.run(task.seconds);
  rollout.advance();
  return measure(rollout.recording()).completed;
}

SearchHooks threads(int count) {
  SearchHooks hooks;
  hooks.executor = on_threads(count);
  return hooks;
}

const char* verdict(bool good) { return good ? "ok" : "MISSED"; }

// Our recipe, search and final simulation, all threads together; the medians over the motions' seeds.
std::vector<double> measure_ours(int seeds) {
  std::printf("%-16s %8s %10s %10s %10s %10s\n", "our recipe", "seconds", "completed", "CPU s / s", "limit",
              "");
  std::vector<double> medians;
  for (const Motion& motion : kMotions) {
    SearchTask task = make_task(motion, kLongest_s);
    std::vector<double> costs;
    int completed = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      task.seed = static_cast<uint64_t>(seed);
      const double from = cpu_s();
      const SearchResult result = reconstruct(task, {}, threads(0));
      completed += performs(task, result);
      costs.push_back((cpu_s() - from) / task.seconds);
    }
    medians.push_back(median(costs));
    std::printf("%-16s %8.2f %7d/%-2d %10.2f %10.1f %10s\n", has_clips() ? motion.name : motion.own,
                task.seconds, completed, seeds, medians.back(), motion.limit,
                verdict(medians.back() <= motion.limit));
    std::fflush(stdout);
  }
  return medians;
}

// The paper's recipe for a few windows of the walk; CPU seconds a second at 1400 samples of which 200 are
// kept.
double measure_paper(const SimulatorFactory& engine, double step_s, int fewer) {
  SearchTask task = make_task(kMotions[0], kWindows_s);
  task.engine = engine;
  task.step_s = step_s;
  const SamconOptions options = {.samples = kSamples / fewer, .save = kSave / fewer};
  const double from = cpu_s();
  const SearchResult result = samcon(task, options, threads(0));
  return fewer * (cpu_s() - from) / std::max(result.reached_s, 1e-9);
}

// How much sooner two threads are done than one on the same search, and how much of it the machine could
// give: two searches at once, a thread each, against one. Cores that share their parts give less than 2. The
// best of a few turns.
struct Sooner {
  double two_threads, machine;
};
Sooner measure_two_threads(const Motion& motion) {
  const SearchTask task = make_task(motion, kLongest_s);
  const auto search = [&](int count) { reconstruct(task, {}, threads(count)); };
  double alone = 1e9, both = 1e9, apart = 1e9;
  const auto time = [](double& best, const std::function<void()>& work) {
    const double from = wall_s();
    work();
    best = std::min(best, wall_s() - from);
  };
  for (int turn = 0; turn < 3; ++turn) {
    time(alone, [&] { search(1); });
    time(both, [&] { search(2); });
    time(apart, [&] {
      std::thread other([&] { search(1); });
      search(1);
      other.join();
    });
  }
  return {alone / both, 2 * alone / apart};
}

}  // namespace
}  // namespace sinew

int main(int count, char** words) {
  using namespace sinew;
  const int seeds = count > 1 ? std::max(1, std::atoi(words[1])) : 3;
  std::printf(
      "human50 on the flat, MuJoCo at its own step, %s; at most %g s of each; median over %d seeds\n\n",
      has_clips() ? "captured motions" : "the project's own motions", kLongest_s, seeds);
  const std::vector<double> ours = measure_ours(seeds);

  std::printf("\n%-58s %10s %10s\n", "the paper's recipe, 1400 samples of which 200 are kept", "CPU s / s",
              "limit");
  double quick = 1e9;
  for (int turn = 0; turn < 3; ++turn) quick = std::min(quick, measure_paper(make_mujoco, 0.005, 1));
  std::printf("%-58s %10.1f %10s %10s\n", "MuJoCo, 5 ms; the first 0.3 s of the walk, best of 3", quick, "12",
              verdict(quick <= 12));
  std::fflush(stdout);
  const double theirs = measure_paper(make_ode, 0.0005, kFewer);
  std::printf("%-58s %10.0f\n", "ODE, 0.5 ms; extrapolated from 35 samples over 0.3 s", theirs);
  for (size_t i = 0; i < ours.size(); ++i) {
    const std::string name = has_clips() ? kMotions[i].name : kMotions[i].own;
    std::printf("%-58s %9.0fx %10s %10s\n", ("  that by ours, " + name).c_str(), theirs / ours[i], ">= 300",
                verdict(theirs >= 300 * ours[i]));
  }
  std::fflush(stdout);
  std::printf("\n%-58s %10s %10s %10s %10s\n", "two threads against one, wall clock, best of 3", "sooner",
              "limit", "", "machine");
  for (size_t i = 0; i < 3; ++i) {
    const Sooner sooner = measure_two_threads(kMotions[i]);
    std::printf("%-58s %9.2fx %10s %10s %9.2fx\n", has_clips() ? kMotions[i].name : kMotions[i].own,
                sooner.two_threads, ">= 1.7", verdict(sooner.two_threads >= 1.7), sooner.machine);
    std::fflush(stdout);
  }
  return 0;
}
