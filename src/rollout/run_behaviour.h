#pragma once

#include <string>

#include "control/runner.h"

namespace sinew {

// A run that was found for a character: assets/behaviours/run.json. A plain value.
struct RunBehaviour {
  std::string character;  // whose it is, by name
  RunParameters parameters;
  State start;  // amid the run, in flight, the left leg before its landing
};

// As text, and back; every parameter with its unit. Throws Error naming `where` for what is none, lacks a
// parameter or has one that is unknown.
std::string encode_run(const RunBehaviour& behaviour);
RunBehaviour decode_run(const std::string& text, const std::string& where);

// Legs against the man's; and the step of the simulator that a run of such legs needs, s: 2 ms for the man's,
// and as times scale.
double run_size(const Character& character);
double run_step_s(const Character& character);

// The run of another character, by the rules of Figure 6: parameters and state. The state keeps the angles;
// the lowest point is as high above the ground, in leg lengths.
RunBehaviour scaled(const RunBehaviour& behaviour, const Character& from, const Character& to,
                    Scaling scaling);

}  // namespace sinew
