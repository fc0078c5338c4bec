#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "character/alter.h"
#include "cli/common_options.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/simulation_files.h"
#include "cli/stopwatch.h"
#include "control/controller.h"
#include "record/summary.h"
#include "rollout/rollout.h"
#include "sim/simulator.h"

// What all commands have in common that simulate a character.
namespace sinew::cli {

// Everything that was chosen by name, as values.
struct Scenario {
  Character character;
  World world;
  Reference reference;  // placed in the world
  double start_s = 0;   // time in the reference at the simulation's beginning
  double seconds = 0;   // how long to simulate
};

// A clip on a character, altered perhaps, in a world. Two steps of progress. Throws Error.
Scenario open_scenario(const std::string& clip, const std::string& character, const ImportOptions& import,
                       const CutOptions& cut, const SceneOptions& scene, Progress& progress,
                       const Alteration& alteration = {});

// What was asked for and lies beyond the end, in words.
std::vector<std::string> never_came(const World& world, double seconds);

// One simulation from a start, recorded; a signal ends the program before anything is written. One step of
// progress.
Recording simulate(Simulator& simulator, Controller& controller, const State& start, double seconds,
                   Progress& progress, double plan_hz = RolloutOptions{}.plan_hz);
// The same without a bar or a signal: `go_on` is asked after each frame, and false ends it there.
Recording simulate(Simulator& simulator, Controller& controller, const State& start, double seconds,
                   const std::function<bool(double time_s)>& go_on,
                   double plan_hz = RolloutOptions{}.plan_hz);

// The figures of a recording under the name of a command.
Summary summary_of(const std::string& command, const Recording& recording, const Stopwatch::Times& times);

// The simulation in words: how it ended, notes, figures and the files that were written.
std::string in_words(const std::string& title, const Summary& summary, const std::vector<std::string>& notes,
                     const OutputFolder& out);

// Writes all files of a simulation, the summary last; one that diverged leaves the summary alone.
void write_simulation(const Recording& recording, const Summary& summary, const SimulationFileOptions& files,
                      OutputFolder& out, Progress& progress);

// Writes all files of a simulation in place of those of an earlier one, but not of `source`, which it was
// made from, and concludes.
int finish(const Recording& recording, const Summary& summary, const SimulationFileOptions& files,
           const OutputOptions& output, OutputFolder& out, const std::filesystem::path& source,
           Progress& progress);

// Says what came of it, on standard output or in one sentence on standard error, and returns the exit status.
int conclude(const Recording& recording, const Summary& summary, const SimulationFileOptions& files,
             const OutputOptions& output, const OutputFolder& out);

}  // namespace sinew::cli
