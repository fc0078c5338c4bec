#pragma once

#include <vector>

#include "character/character.h"

namespace sinew {

// How a body moves: the velocity of its frame's origin and its angular velocity, both in W.
struct BodyVelocity {
  Vec3 v_WB = Vec3::Zero();  // m/s
  Vec3 w_WB = Vec3::Zero();  // rad/s
};

// Of all bodies, in their order, when the coordinates that `at` was made from change at the rate v (size nv).
std::vector<BodyVelocity> body_velocities(const Character& character, const Kinematics& at, const VecX& v);

}  // namespace sinew
