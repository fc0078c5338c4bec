#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/search_watch.h"
#include "cli/simulation.h"
#include "rollout/control_file.h"
#include "search/mpi.h"

// The search behind `sinew reconstruct`.
namespace sinew::cli {

// A control that was found, and what it does.
struct Found {
  ControlFile file;
  Recording recording;
  Summary summary;   // of the search and the simulation
  std::string lost;  // in words, where the search lost the motion
};

// A scenario as the control file will say it, ready to be searched. The rest of the file says how: engine,
// step (0: the engine's own), recipe, samples, seed, clip. Throws Error.
ControlFile inputs_of(const Scenario& scenario, ControlFile rest);

// A word that changes with anything that a search is given.
std::string fingerprint_of_inputs(ControlFile file);

// Searches, then simulates what was found once from the start. A signal ends the program, and the search
// waits in the folder. Two steps of progress. Throws Error.
Found find_control(const ControlFile& inputs, const FindOptions& options, Progress& progress);

// The same on the calling thread alone, whose CPU time it is, in silence and without a checkpoint: many of
// them may run beside each other. `go_on` is asked often; false ends it, and nothing is returned. Throws
// Error.
std::optional<Found> find_control_alone(const ControlFile& inputs, const std::function<bool()>& go_on);

// What ranks other than 0 do instead: they take part in its searches until it ends.
void serve_searches(MpiSession& ranks);

// control.json and all files of its simulation; what waited of its search goes.
void write_found(const Found& found, const SimulationFileOptions& files, OutputFolder& out,
                 Progress& progress);

}  // namespace sinew::cli
