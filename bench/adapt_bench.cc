// What running and its tuning cost: 100 s of the man's run, five parameters tuned for the child as `sinew
// adapt` does it, and the paper's annealing. The figures of docs/adapt.md are of this.
//   adapt_bench [N]   evaluations of annealing to measure; else 150, from which 1,500 are told
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "character/library.h"
#include "clocks.h"
#include "core/files.h"
#include "search/adapt.h"
#include "sim/engines.h"
#include "world/library.h"

namespace sinew {
namespace {

const std::string kAssets = SINEW_SOURCE_DIR "/assets/";
constexpr double kAnnealing = 1500, kTuningLimit_s = 180, kAnnealingLimit_s = 1200, kRunLimit_s = 4;

AdaptTask task_for(const std::string& to) {
  const std::vector<std::string> folders = {kAssets + "characters"};
  AdaptTask task;
  task.from = load_character("man", folders);
  task.to = load_character(to, folders);
  task.behaviour = decode_run(read_file(kAssets + "behaviours/run.json"), "run.json");
  task.world = make_world("flat");
  task.engine = find_engine("mujoco");
  return task;
}

double run_cost_s() {
  const AdaptTask adapt = task_for("man");
  RunTask task;
  task.character = adapt.from;
  task.world = adapt.world;
  task.engine = adapt.engine;
  task.start = adapt.behaviour.start;
  const double from_s = cpu_s();
  const auto simulator = task.engine(task.character, task.world, {.step_s = run_step_s(task.character)});
  const RunScore score = run_scene(task, {.seconds = 100}, adapt.behaviour.parameters, *simulator);
  if (score.fell) std::printf("the man fell after %.1f s\n", score.seconds);
  return cpu_s() - from_s;
}

int measure(int annealing) {
  const double run_s = run_cost_s();
  std::printf("100 s of running             %7.1f CPU s (at most %.0f)\n", run_s, kRunLimit_s);

  AdaptTask task = task_for("child");
  double from_s = cpu_s();
  const AdaptResult tuned = adapt_run(task, on_threads(1));
  const double tuning_s = cpu_s() - from_s;
  std::printf("five parameters, man to child %6.1f CPU s (at most %.0f), %d evaluations, cost %.2f -> %.2f\n",
              tuning_s, kTuningLimit_s, tuned.evaluations, tuned.cost_before, tuned.cost_after);

  task.method = Method::kAnnealing;
  task.evaluations = annealing;
  from_s = cpu_s();
  const AdaptResult annealed = adapt_run(task, on_threads(1));
  const double annealing_s = (cpu_s() - from_s) / annealed.evaluations * kAnnealing;
  std::printf(
      "1,500 evaluations of annealing %5.0f CPU s (at most %.0f; the paper's: 54000), from %d, cost %.2f -> "
      "%.2f\n",
      annealing_s, kAnnealingLimit_s, annealed.evaluations, annealed.cost_before, annealed.cost_after);
  return run_s <= kRunLimit_s && tuning_s <= kTuningLimit_s && annealing_s <= kAnnealingLimit_s ? 0 : 1;
}

}  // namespace
}  // namespace sinew

int main(int argc, char** argv) { return sinew::measure(argc > 1 ? std::max(1, std::atoi(argv[1])) : 150); }
