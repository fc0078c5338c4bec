#pragma once

#include <optional>

#include "record/recording.h"

// How a motion was performed, beside whether: effort without spikes, landings without stamping, joints
// without jitter. What a recording is too short for, or has no reference for, is empty.
namespace sinew {

// The largest torque as a share of what its joint can do, over frames and joint axes that have a limit.
std::optional<double> torque_peak_share(const Recording& recording);

// How fast torques change, N m/s: rms over frames and the axes of ball joints and hinges of the difference
// from one frame to the next by the time between.
std::optional<double> torque_rate(const Recording& recording);

// The largest force that carries the body upwards, in body weights: its mean over about 30 ms, from the
// second difference of the height of the centre of mass. The same estimate of the reference; 0 in free fall,
// 1 of one who stands.
std::optional<double> impact(const Recording& recording);
std::optional<double> reference_impact(const Recording& recording);

// Rms joint jerk, rad/s^3, over time and the axes of ball joints and hinges, simulated by reference: third
// differences of both over steps of 20 ms. Empty where the reference's joints do not move.
std::optional<double> jerk_ratio(const Recording& recording);

}  // namespace sinew
