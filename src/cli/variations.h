#pragma once

#include <functional>
#include <string>

#include "cli/common_options.h"
#include "cli/find_control.h"

namespace sinew::cli {

// Searches from the inputs' seed on until `count` of the performances are completed, at most twice as many
// and three; each goes into its own folder variation-1, variation-2, ... below that of the options, beside
// summary.json, variations.svg and report.html of all. `command_of` is the command that makes the one of a
// seed. Returns the exit status.
int find_variations(const ControlFile& inputs, int count,
                    const std::function<std::string(int seed)>& command_of, const FindOptions& options,
                    const SimulationFileOptions& files, const OutputOptions& output, Progress& progress);

}  // namespace sinew::cli
