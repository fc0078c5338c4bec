// A thousand random characters, poses and torques for 2 s in each engine: who crashes, who diverges, how deep
// they sink, and whether any recording holds a number that is none. `random_characters_bench N` tries N.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "control/controller.h"
#include "record/recording.h"
#include "rollout/rollout.h"
#include "sim/engines.h"
#include "sim/random_character.h"
#include "sim/scenes.h"

namespace sinew {
namespace {

constexpr double kSeconds = 2;

// New random targets and torques every 0.1 s.
class RandomController final : public Controller {
 public:
  RandomController(const Character& character, uint64_t seed) : character_(character), seed_(seed) {}
  void act(const Observation& now, Command& command) override {
    const auto when = static_cast<uint64_t>(now.state.time_s / 0.1 + 1e-9);
    if (when == last_) return;
    command = random_command(character_, seed_, when);
    last_ = when;
  }
  void target(double, VecX& q) const override { q = character_.q_rest; }

 private:
  const Character& character_;
  uint64_t seed_;
  uint64_t last_ = ~uint64_t{0};
};

// What one run tells.
struct Outcome {
  bool diverged = false;
  bool nan = false;  // in the state or the recording

  double depth_m = 0;  // deepest after the first second
  double seconds = 0;  // simulated
  double cpu_s = 0;
};

bool finite(const Recording& recording) {
  for (const RecordingFrame& frame : recording.frames) {
    bool good = frame.q.allFinite() && frame.v.allFinite() && frame.torque.allFinite() &&
                frame.momentum_rate.linear.allFinite() && frame.momentum_rate.angular.allFinite() &&
                std::isfinite(frame.time_s) && std::isfinite(frame.max_depth_m);
    for (const Contact& contact : frame.contacts)
      good = good && contact.p_W.allFinite() && contact.force_W.allFinite() && std::isfinite(contact.depth_m);
    if (!good) return false;
  }
  return true;
}

Outcome simulate(const SimulatorFactory& make, const Character& from, uint64_t seed) {
  Outcome out;
  const std::clock_t begin = std::clock();
  const Character c = random_character(from, seed);
  auto sim = make(c, scenes::flat_world(), {});
  sim->set_state(random_state(c, seed));
  RandomController controller(c, seed);
  Rollout rollout(*sim, controller, {.plan_hz = 100, .record_hz = 50});
  const long steps = std::lround(kSeconds / sim->step_s());
  for (long i = 0; i < steps && !out.diverged; ++i) {
    out.diverged = rollout.advance() == StepStatus::kDiverged;
    out.nan |= !sim->state().q.allFinite() || !sim->state().v.allFinite();
    if (sim->state().time_s < 1) continue;
    for (const Contact& contact : sim->contacts())
      if (contact.world_shape >= 0) out.depth_m = std::max(out.depth_m, contact.depth_m);
  }
  // What would be written to a file reads back as numbers.
  if (seed % 10 == 0)
    out.nan |= !finite(decode_recording(encode_recording(rollout.recording()), "recording"));
  out.seconds = sim->state().time_s;
  out.cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return out;
}

// In a process of its own, so that a crash is counted and not suffered.
bool apart(const SimulatorFactory& make, const Character& from, uint64_t seed, Outcome& out) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    Outcome result;
    try {
      result = simulate(make, from, seed);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "seed %lu: %s\n", static_cast<unsigned long>(seed), e.what());
      _exit(1);
    }
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  const bool told = child > 0 && read(ends[0], &out, sizeof out) == sizeof out;
  close(ends[0]);
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  return told && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace
}  // namespace sinew

int main(int count, char** words) {
  using namespace sinew;
  const uint64_t runs = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1000;
  std::vector<Character> characters;
  for (const std::string& name : character_names(scenes::character_folders()))
    characters.push_back(scenes::shipped(name));

  std::printf("%-8s %6s %8s %5s %9s %16s %12s %12s\n", "engine", "runs", "crashes", "NaN", "diverged",
              "deepest, median", "deepest, cm", "x real time");
  bool good = true;
  for (const std::string& engine : engine_names()) {
    const SimulatorFactory make = find_engine(engine);
    int crashes = 0, nans = 0, diverged = 0;
    double seconds = 0, cpu = 0;
    std::vector<double> depths;
    for (uint64_t seed = 1; seed <= runs; ++seed) {
      Outcome out;
      if (!apart(make, characters[seed % characters.size()], seed, out)) {
        ++crashes;
        std::fprintf(stderr, "%s: seed %lu crashed\n", engine.c_str(), static_cast<unsigned long>(seed));
        continue;
      }
      nans += out.nan;
      diverged += out.diverged;
      seconds += out.seconds;
      cpu += out.cpu_s;
      if (!out.diverged) depths.push_back(100 * out.depth_m);
    }
    std::sort(depths.begin(), depths.end());
    if (depths.empty()) depths.push_back(0);
    std::printf("%-8s %6lu %8d %5d %9d %16.2f %12.2f %12.1f\n", engine.c_str(),
                static_cast<unsigned long>(runs), crashes, nans, diverged, depths[depths.size() / 2],
                depths.back(), seconds / std::max(cpu, 1e-9));
    good = good && crashes == 0 && nans == 0;
  }
  return good ? 0 : 1;
}
