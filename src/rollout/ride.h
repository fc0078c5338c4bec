#pragma once

#include "control/course.h"
#include "record/recording.h"
#include "sim/simulator.h"

namespace sinew {

// Rms over the frames of how far the rear wheel's contact with the ground is from a course, m.
double course_error(const Recording& ride, const Course& course);

// Rms over the frames of the difference between the speed along the course and that which it asks for, m/s,
// from `after_s` on.
double speed_error(const Recording& ride, const Course& course, double after_s);

// How a bicycle without a rider oscillates when it rolls by itself at a speed: the rate at which the weave,
// its slow oscillation, grows, 1/s. Below the weave speed it grows, above it dies away. Small disturbances;
// 3.5 s are simulated.
double weave_growth(const SimulatorFactory& engine, const World& world, double speed_m_s, double step_s);

// The speed at which the benchmark bicycle of Meijaard et al. 2007 begins to stay up by itself, m/s (there
// 4.292): where the line between the growths at two speeds near it is 0.
double weave_speed(const SimulatorFactory& engine, const World& world, double step_s);

}  // namespace sinew
