#pragma once

#include <memory>
#include <vector>

#include "character/state.h"
#include "sim/ode/rigid_body.h"

// The joints of a character (and of hinged props) in ODE. Body 1 of every joint of ODE is the child, so that
// rates and forces have the signs of the character's coordinates.
namespace sinew::ode {

// Between which bodies a joint is.
struct Attachment {
  const RigidBody* child = nullptr;
  const RigidBody* parent = nullptr;  // nullptr: the world
  Pose X_PB;                          // the child's frame in the parent's when all coordinates are 0
};

// All joints of one body: holds it to its parent, drives it, stops it at its limits.
class LinkJoint {
 public:
  virtual ~LinkJoint() = default;

  // Before a step of h: servos, passive springs and stops for the present coordinates and velocities.
  virtual void prepare(double h, const VecX& q, const VecX& v, const Command& command) = 0;
  // After it: what the servos did, into the joint's entries of `torques`.
  virtual void collect(VecX& torques) const = 0;
  // Writes the joint's coordinates and velocities as the bodies are now. `q` and `v` hold those of h before
  // (h = 0: of now), from which turns are counted on.
  virtual void measure(double h, VecX& q, VecX& v) const = 0;
  // How far the two ends are apart, m.
  virtual double gap() const = 0;
};

// The joints of a body, made while child and parent are as X_PB says. Throws Error naming `body` for what
// maximal coordinates cannot do: joints with anchors apart, slides together with others.
std::unique_ptr<LinkJoint> make_link_joint(dWorldID world, const Attachment& between,
                                           const std::vector<Joint>& joints, const std::string& body);

}  // namespace sinew::ode
