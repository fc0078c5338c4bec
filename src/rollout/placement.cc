#include "rollout/placement.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"

namespace sinew {

namespace {

// A motion that goes less far than this stays where it is.
constexpr double kTravels_m = 0.5;

// Where the root goes in the plane, from a time on.
Vec3 travel(const Character& character, const Reference& reference, double start_s) {
  const Vec3 from = sample(character, reference, start_s).q.head<3>();
  const double end_s = reference.cyclic ? start_s + reference.duration_s() : reference.duration_s();
  Vec3 way = sample(character, reference, end_s).q.head<3>();
  way -= from;
  way.z() = 0;
  return way;
}

}  // namespace

Reference at_origin(const Character& character, Reference reference, const World& world, double start_s) {
  const ReferenceSample start = sample(character, reference, start_s);
  const Vec3 way = travel(character, reference, start_s);
  const Quat root(start.q[3], start.q[4], start.q[5], start.q[6]);
  const double angle = way.norm() > kTravels_m ? std::atan2(way.y(), way.x()) : heading(root);
  Pose X;
  X.q = exp_map(Vec3(0, 0, -angle));
  X.p = X.q * Vec3(-start.q[0], -start.q[1], 0);
  X.p.x() += step_clear(world, character, body_poses(character, moved(start.q, X)));
  for (VecX& q : reference.q) q = moved(q, X);
  for (auto* rates : {&reference.v, &reference.a})
    for (VecX& v : *rates) v.head<3>() = X.q * Vec3(v.head<3>());
  reference.X_cycle = X * reference.X_cycle * X.inverse();
  return reference;
}

State start_state(const Character& character, const Reference& reference, const World& world,
                  double start_s) {
  const ReferenceSample start = sample(character, reference, start_s);
  State state{0, start.q, start.v};
  // The reference knows the ground that stays where it is.
  state.q[2] += ground_height(world, prop_poses(world), state.q[0], state.q[1]) -
                reference_ground(world)(state.q[0], state.q[1]);
  const double lift = lift_out(world, character, body_poses(character, state.q));
  const auto bears = [](const std::vector<char>& flags) {
    return std::any_of(flags.begin(), flags.end(), [](char flag) { return flag != 0; });
  };
  if (lift > 0 || bears(*start.point_contact) || bears(*start.body_contact)) state.q[2] += lift;
  return state;
}

State perturbed(const Character& character, const State& state, int seed) {
  Random random(static_cast<uint64_t>(seed));
  VecX dq = VecX::Zero(character.nv());
  State out = state;
  for (const Joint& joint : character.joints) {
    if (joint.type == JointType::kFree) continue;
    for (int i = joint.v; i < joint.v + joint.v_size(); ++i) {
      dq[i] = 0.02 * random.normal();
      out.v[i] += 0.2 * random.normal();
    }
  }
  out.q = integrate(character, state.q, dq);
  return out;
}

}  // namespace sinew
