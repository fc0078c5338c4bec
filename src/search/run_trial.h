#pragma once

#include <vector>

#include "control/runner.h"
#include "rollout/run_meter.h"
#include "search/executor.h"
#include "sim/simulator.h"

namespace sinew {

// One run that a set of parameters is judged by.
struct RunScene {
  double seconds = 6;
  double speed_m_s = 4.4;       // at first
  double then_speed_m_s = 4.4;  // from a sixth on
  double turn_rate = 0;         // rad/s, from the first third on
  double push_Ns = 0;           // in the middle, for 0.1 s
  Vec3 push_toward = Vec3::UnitY();
  Part push_at = Part::kPelvis;
};

// How a run is judged: Hodgins and Pollard 1997, section 4.3.1, and what it should look like.
struct RunScore {
  double cost = 0;
  double seconds = 0;  // until it fell, or all
  bool fell = false;
  Gait gait;
  RunMeter::Style style;
};

struct RunTask {
  Character character;
  World world;
  SimulatorFactory engine;
  double step_s = 0;
  State start;
  std::vector<RunScene> scenes;
  double size = 1;    // legs against the man's, by which speeds and times are judged
  bool looks = true;  // style counts, not only falling, speed and steadiness
};

// Runs one scene with parameters.
RunScore run_scene(const RunTask& task, const RunScene& scene, const RunParameters& parameters,
                   Simulator& simulator);

// The mean over all scenes.
double run_cost(const RunTask& task, const RunParameters& parameters, Simulator& simulator);

// Each of `searched` moved from its base by so many of its spreads (run_parameter_infos). Gains stay
// positive.
RunParameters moved_by(const RunParameters& base, const std::vector<const ParameterInfo*>& searched,
                       const std::vector<double>& spreads);

// All that have a spread; or those five that the paper tunes: ground speed matching, pitch, when thrust
// begins, and the extension of ankle and knee.
std::vector<const ParameterInfo*> all_searched();
std::vector<const ParameterInfo*> tuned_five();

}  // namespace sinew
