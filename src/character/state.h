#pragma once

#include <vector>

#include "character/character.h"

// What passes between a controller and a simulator: where the character is, what it touches, what its joints
// shall do.
namespace sinew {

// Coordinates and velocities of a character (docs/conventions.md) at a time.
struct State {
  double time_s = 0;
  VecX q, v;
};

// One place where a shape of the character touches something.
struct Contact {
  int body = 0;                   // of the character
  int shape = 0;                  // of the character: Character::shapes
  int other_shape = -1;           // the character's own shape that it touches, or -1
  int world_shape = -1;           // what it touches of the world: World::shapes, or -1
  Vec3 p_W = Vec3::Zero();        // middle of the overlap
  Vec3 normal_W = Vec3::UnitZ();  // from what is touched towards the character's body, unit length
  Vec3 force_W = Vec3::Zero();    // on the character's body, N; the opposite acts on what is touched
  double depth_m = 0;             // overlap, positive when they overlap
};

// Where a thing of the world is and how it moves, both of its frame's origin, in the world.
struct PropState {
  Pose X_WP;
  Vec3 v_WP = Vec3::Zero();
  Vec3 w_WP = Vec3::Zero();
};

// A force and a torque on a body of the character, for one step.
struct ExternalForce {
  int body = 0;
  Vec3 force_W = Vec3::Zero();   // N
  Vec3 p_W = Vec3::Zero();       // where it acts
  Vec3 torque_W = Vec3::Zero();  // N m, beside that of the force
};

// Linear momentum, and angular momentum about the world's origin, of all of a character; or their rates,
// which are a force and a torque.
struct Momentum {
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
};

// What the servos shall do until the next command. The torque along coordinate i of v is
//   kp e_i + kd (v_target_i - v_i) + torque_i, cut to [-limit_i, limit_i],
// where e leads from q to q_target: a difference for hinges and slides, for ball joints the rotation vector
// of q^-1 q_target in the child's axes. A simulator takes spring and damper implicitly (stable PD), so that
// any gain is stable at any step. The root's six entries are not read: no servo acts on it.
struct Command {
  VecX q_target;  // nq
  VecX v_target;  // nv
  VecX kp, kd;    // nv, N m/rad and N m s/rad (N/m and N s/m for slides)
  VecX torque;    // nv, feedforward, N m
  VecX limit;     // nv, N m; infinity: none
};

// The character's own gains and limits; the target is the rest stance.
Command rest_command(const Character& character);

}  // namespace sinew
