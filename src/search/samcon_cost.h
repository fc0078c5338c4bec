#pragma once

#include <functional>
#include <vector>

#include "character/character.h"

// How far a simulated character is from the motion: Eqs. 1-5 of 004.
namespace sinew {

// Of Eq. 1; the one set that served all motions of the paper.
struct SamconWeights {
  double pose = 8, root = 5, effectors = 20, balance = 20;
};

// What the cost looks at, of a character at one moment.
struct SamconMoment {
  VecX q, v;
  std::vector<Vec3> p_effector;  // m, in W
  Vec3 p_centre = Vec3::Zero();  // of mass
  Vec3 v_centre = Vec3::Zero();
};

// The terms of Eq. 1, without weights.
struct SamconErrors {
  double pose = 0;       // Eq. 2, mean over the joints: rad + 0.1 rad/s
  double root = 0;       // Eq. 3, rad + 0.1 rad/s
  double effectors = 0;  // Eq. 4, mean difference of heights above the ground, m
  double balance = 0;  // Eq. 5, of the effectors' places about the centre of mass, by the character's height
};

// Bodies of feet and hands; of a limb that ends earlier, its last. May be empty.
std::vector<int> end_effectors(const Character& character);

SamconMoment samcon_moment(const Character& character, const std::vector<int>& effectors, const VecX& q,
                           const VecX& v);

// How much higher a place of the simulated character is than the reference's, m.
using HeightError = std::function<double(const Vec3& p_W, const Vec3& p_reference_W)>;

// `height_m` is the character's.
SamconErrors samcon_errors(const Character& character, const SamconMoment& simulated,
                           const SamconMoment& reference, double height_m, const HeightError& higher);

double samcon_cost(const SamconErrors& errors, const SamconWeights& weights);

}  // namespace sinew
