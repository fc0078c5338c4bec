#include "cli/running.h"

#include <algorithm>
#include <cmath>

#include "character/transfer.h"
#include "cli/assets.h"
#include "cli/interrupt_guard.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "rollout/rollout.h"

namespace sinew::cli {

namespace {

std::string percent(double factor) { return fixed(100 * factor, 0) + " %"; }

}  // namespace

RunBehaviour open_run(const std::string& file) {
  const std::filesystem::path path =
      file.empty() ? assets_folder() / "behaviours" / "run.json" : std::filesystem::path(file);
  return decode_run(read_file(path), path.string());
}

Running run_of(const Character& character, const RunBehaviour& behaviour) {
  Running out{character, behaviour, {}};
  if (character.name == behaviour.character) return out;
  const Character from = open_character(behaviour.character);
  out.behaviour = scaled(behaviour, from, character, Scaling::kByMass);
  const double length = leg_length(character) / leg_length(from);
  out.notes.push_back("the run of '" + from.name + "' was scaled: legs " + percent(length) + ", weight " +
                      percent(character.mass_kg() / from.mass_kg()) + ", so times " +
                      percent(geometric_factor(kTime, length)) + ", speed " +
                      fixed(out.behaviour.parameters.speed, 2) + " m/s, and each gain by what it moves");
  return out;
}

double run_step_s(const Character& character, double asked_ms) {
  return asked_ms > 0 ? asked_ms / 1000 : run_step_s(character);
}

RunResult perform_run(Simulator& simulator, Runner& runner, const State& start, double seconds,
                      Progress& progress, const std::function<void(double time_s)>& before) {
  progress.step("running");
  const InterruptGuard guard;
  simulator.set_state(start);
  Rollout rollout(simulator, runner);
  RunMeter meter(simulator.character());
  const long steps = std::lround(seconds / simulator.step_s());
  for (long i = 0; i <= steps && !guard.interrupted(); ++i) {
    if (before) before(simulator.state().time_s);
    if (rollout.advance() != StepStatus::kOk) break;
    meter.look(simulator, runner);
    if (i % 100 == 0) progress.within(static_cast<double>(i) / static_cast<double>(steps));
  }
  RunResult result;
  result.recording = std::move(rollout.recording());
  result.gait = meter.gait();
  result.fell = meter.fallen() || result.recording.diverged;
  result.seconds = meter.seconds();
  return result;
}

}  // namespace sinew::cli
