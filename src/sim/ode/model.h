#pragma once

#include <memory>
#include <vector>

#include "character/state.h"
#include "sim/ode/collider.h"
#include "sim/ode/link_joint.h"
#include "sim/ode/links.h"
#include "sim/ode/ode_world.h"
#include "sim/ode/props.h"

namespace sinew::ode {

// All of a character and a world in ODE.
class Model {
 public:
  // Throws Error for what ODE cannot do.
  Model(const Character& character, const World& world, const std::vector<ShapePair>& self);

  OdeWorld& ode() { return ode_; }
  Props& props() { return props_; }
  const Props& props() const { return props_; }
  Collider& collider() { return collider_; }
  std::vector<RigidBody>& links() { return bodies_; }
  const std::vector<RigidBody>& links() const { return bodies_; }
  std::vector<std::unique_ptr<LinkJoint>>& joints() { return joints_; }
  const RigidBody& link_of(int body) const;

  // Puts the character where coordinates and velocities say, and reads them back as it is now (from those of
  // h before in `state`).
  void place(const Character& character, const VecX& q, const VecX& v);
  void measure(double h, State& state) const;

  // Whether everything is where something can be: finite, not too fast, joints whole.
  bool sensible() const;

 private:
  OdeWorld ode_;
  Links links_;
  std::vector<RigidBody> bodies_;                   // per link
  std::vector<std::unique_ptr<LinkJoint>> joints_;  // of all links but the root
  Props props_;
  Collider collider_;
};

}  // namespace sinew::ode
