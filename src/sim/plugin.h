#pragma once

#include "sim/simulator.h"

// How a simulator is added from outside: a shared library, built against the installed headers with the same
// compiler, that has these two functions. `--engine FILE.so` loads it.
//
//   extern "C" int sinew_plugin_version() { return sinew::kPluginVersion; }
//   extern "C" sinew::Simulator* sinew_make_simulator(const sinew::Character& character,
//                                                     const sinew::World& world,
//                                                     const sinew::SimulatorOptions& options,
//                                                     char* error, std::size_t error_size);
//
// No exception may cross: where it cannot build one, it writes a sentence into `error` and returns nullptr.
namespace sinew {

// Changes whenever Simulator or a value that it takes changes its layout.
inline constexpr int kPluginVersion = 2;

using PluginVersionFunction = int (*)();
using PluginMakeFunction = Simulator* (*)(const Character&, const World&, const SimulatorOptions&,
                                          char* error, std::size_t error_size);

// Loads the library, which stays loaded as long as the factory or a simulator from it lives. Throws Error.
SimulatorFactory load_plugin(const std::string& file);

}  // namespace sinew
