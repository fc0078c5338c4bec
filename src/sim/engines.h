#pragma once

#include <string>
#include <vector>

#include "sim/simulator.h"

namespace sinew {

// MuJoCo 2.2.2: reduced coordinates, stable PD in its inertia matrix, elliptic cones. Step 2 ms by default.
std::unique_ptr<Simulator> make_mujoco(const Character& character, const World& world,
                                       const SimulatorOptions& options = {});

// ODE 0.16: maximal coordinates, the engine of the papers; servos are motors with an implicit spring. Step 1
// ms by default.
std::unique_ptr<Simulator> make_ode(const Character& character, const World& world,
                                    const SimulatorOptions& options = {});

// An engine by name ("mujoco", "ode") or from a plug-in, a shared library (FILE.so, sim/plugin.h). Throws
// Error.
SimulatorFactory find_engine(const std::string& name_or_file);

// The names that find_engine knows.
std::vector<std::string> engine_names();

}  // namespace sinew
