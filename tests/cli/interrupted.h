#pragma once

#include <string>

#include "cli/run_sinew.h"

namespace sinew::testing {

// Runs a command and sends it a signal after a while, later each time until it leaves a checkpoint that is
// not the one of before.
inline Outcome interrupted(const std::string& command, const std::string& signal,
                           const std::string& checkpoint, double patience_s) {
  const std::string before = slurp(checkpoint);
  Outcome outcome;
  for (double wait_s = patience_s; wait_s < 20 * patience_s; wait_s += 0.5 * patience_s) {
    outcome =
        run_shell("timeout --preserve-status -s " + signal + " " + std::to_string(wait_s) + " " + command);
    if (slurp(checkpoint) != before) break;
  }
  return outcome;
}

}  // namespace sinew::testing
