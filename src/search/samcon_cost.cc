#include "search/samcon_cost.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "character/dynamics.h"

namespace sinew {

namespace {

// What a velocity counts beside its position.
constexpr double kVelocity = 0.1;

}  // namespace

std::vector<int> end_effectors(const Character& character) {
  const std::array<std::array<Part, 3>, 4> limbs = {
      {{Part::kLeftFoot, Part::kLeftShin, Part::kLeftThigh},
       {Part::kRightFoot, Part::kRightShin, Part::kRightThigh},
       {Part::kLeftHand, Part::kLeftLowerArm, Part::kLeftUpperArm},
       {Part::kRightHand, Part::kRightLowerArm, Part::kRightUpperArm}}};
  std::vector<int> bodies;
  for (const auto& limb : limbs) {
    const auto part = std::find_if(limb.begin(), limb.end(),
                                   [&](Part candidate) { return character.find(candidate) >= 0; });
    if (part != limb.end()) bodies.push_back(character.find(*part));
  }
  return bodies;
}

SamconMoment samcon_moment(const Character& character, const std::vector<int>& effectors, const VecX& q,
                           const VecX& v) {
  SamconMoment moment;
  moment.q = q;
  moment.v = v;
  const std::vector<Pose> X_WB = body_poses(character, q);
  for (const int body : effectors) {
    const auto b = static_cast<size_t>(body);
    moment.p_effector.push_back(X_WB[b] * character.bodies[b].p_BC);
  }
  moment.p_centre = centre_of_mass(character, X_WB);
  moment.v_centre = momentum(character, q, v).linear / character.mass_kg();
  return moment;
}

SamconErrors samcon_errors(const Character& character, const SamconMoment& simulated,
                           const SamconMoment& reference, double height_m, const HeightError& higher) {
  SamconErrors errors;
  const VecX turned = difference(character, simulated.q, reference.q);
  const VecX faster = reference.v - simulated.v;

  // Eqs. 2 and 3: joints and root, angles and angular velocities.
  int joints = 0;
  for (const Joint& joint : character.joints) {
    const bool root = joint.type == JointType::kFree;
    const int v = root ? joint.v + 3 : joint.v, size = root ? 3 : joint.v_size();
    const double error = turned.segment(v, size).norm() + kVelocity * faster.segment(v, size).norm();
    (root ? errors.root : errors.pose) += error;
    if (!root) ++joints;
  }
  errors.pose /= std::max(joints, 1);

  // Eqs. 4 and 5: end effectors over the ground, and about the centre of mass.
  const auto count = static_cast<double>(std::max<size_t>(simulated.p_effector.size(), 1));
  for (size_t i = 0; i < simulated.p_effector.size(); ++i) {
    const Vec3 p = simulated.p_effector[i], p_reference = reference.p_effector[i];
    const Vec3 shift = (simulated.p_centre - p) - (reference.p_centre - p_reference);
    errors.effectors += std::abs(higher(p, p_reference)) / count;
    errors.balance += shift.head<2>().norm() / (height_m * count);
  }
  errors.balance += kVelocity * (simulated.v_centre - reference.v_centre).norm();
  return errors;
}

double samcon_cost(const SamconErrors& errors, const SamconWeights& weights) {
  return weights.pose * errors.pose + weights.root * errors.root + weights.effectors * errors.effectors +
         weights.balance * errors.balance;
}

}  // namespace sinew
