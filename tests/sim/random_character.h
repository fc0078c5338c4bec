#pragma once

#include <algorithm>
#include <cmath>

#include "character/character.h"
#include "character/dynamics.h"
#include "character/state.h"
#include "core/random.h"

// Characters, poses and commands at random, for those who try to break a simulator. The same seed gives the
// same ones everywhere.
namespace sinew {

// `from` with other masses (x 0.3 to 3), lengths (x 0.5 to 2 a body), thicknesses, gains (x 0.1 to 10 or
// none) and torque limits; standing on z = 0.
inline Character random_character(const Character& from, uint64_t seed) {
  Random random(seed, 1);
  Character c = from;
  // A ratio from 1/most to most, each way as likely.
  const auto ratio = [&](double least, double most) {
    return least * std::pow(most / least, random.uniform());
  };
  std::vector<double> length(c.bodies.size());
  for (double& x : length) x = ratio(0.5, 2);

  // A body's own things grow with it, and so does where its children hang.
  for (size_t i = 0; i < c.bodies.size(); ++i) {
    Body& body = c.bodies[i];
    const double mass = ratio(0.3, 3);
    body.mass_kg *= mass;
    body.I_C *= mass * length[i] * length[i];
    body.p_BC *= length[i];
    if (body.parent >= 0) body.X_PB.p *= length[static_cast<size_t>(body.parent)];
  }
  for (Shape& shape : c.shapes) {
    const double by = length[static_cast<size_t>(shape.body)];
    shape.X_BS.p *= by;
    shape.size *= by * ratio(0.8, 1.25);
    for (Vec3& p : shape.vertices) p *= by;
  }
  for (ContactPoint& point : c.contact_points) point.p_BP *= length[static_cast<size_t>(point.body)];

  for (Joint& joint : c.joints) {
    joint.p_BJ *= length[static_cast<size_t>(joint.body)];
    const double gain = random.uniform() < 0.1 ? 0 : ratio(0.1, 10);
    joint.kp *= gain;
    joint.kd *= random.uniform() < 0.1 ? 0 : gain * ratio(0.3, 3);
    joint.torque_limit *= ratio(0.1, 10);
    if (random.uniform() < 0.1) joint.torque_limit.setZero();
  }
  c.q_rest[2] -= lowest_point(c, body_poses(c, c.q_rest));
  return c;
}

// Anywhere near the rest stance and within the stops, or anyhow (every third); every fifth in the floor.
inline State random_state(const Character& c, uint64_t seed) {
  Random random(seed, 2);
  const double wild = seed % 3 == 0 ? 1.5 : 0.3;
  VecX dv(c.nv());
  for (double& x : dv) x = wild * random.normal();
  dv.head<3>() *= 0.2;
  State state{0, integrate(c, c.q_rest, dv), VecX(c.nv())};
  for (const Joint& joint : c.joints)
    if (joint.limited && joint.q_size() == 1 && seed % 3 != 0)
      state.q[joint.q] = std::clamp(state.q[joint.q], joint.lower[0], joint.upper[0]);
  const double low = lowest_point(c, body_poses(c, state.q));
  state.q[2] += seed % 5 == 0 ? -0.3 : random.between(0, 0.3) - low;
  for (double& x : state.v) x = wild * random.normal();
  return state;
}

// Targets, and for every second seed torques that alone would turn each joint at some 300 rad/s^2; changes
// with `when`.
inline Command random_command(const Character& c, uint64_t seed, uint64_t when) {
  Random random(seed, 3, when);
  Command command = rest_command(c);
  VecX dv = VecX::Zero(c.nv());
  const VecX inertia = mass_matrix(c, c.q_rest).diagonal();
  for (int i = 6; i < c.nv(); ++i) {
    dv[i] = 0.4 * random.normal();
    command.torque[i] = seed % 2 == 0 ? 300 * inertia[i] * random.normal() : 0;
  }
  command.q_target = integrate(c, c.q_rest, dv);
  return command;
}

}  // namespace sinew
