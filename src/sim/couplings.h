#pragma once

#include <functional>
#include <vector>

#include "character/state.h"

namespace sinew {

// How a body moves: its frame's pose, and the velocity of its origin, in W.
struct BodyMotion {
  Pose X_WB;
  Vec3 v_WB = Vec3::Zero(), w_WB = Vec3::Zero();
};

// What the springs and chains of a character do to its bodies at a moment, as forces that sum to nothing and
// turn the whole by nothing: the same for every engine. They are taken at the beginning of a step, so their
// stiffness bounds the step: h < 2 sqrt(m / k). `motion_of` is asked for the bodies that they act on. Adds
// to `out`.
void add_coupling_forces(const Character& character, const State& state,
                         const std::function<BodyMotion(int body)>& motion_of,
                         std::vector<ExternalForce>& out);

}  // namespace sinew
