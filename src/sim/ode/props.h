#pragma once

#include <memory>
#include <vector>

#include "sim/ode/link_joint.h"
#include "sim/ode/ode_world.h"
#include "world/world.h"

namespace sinew::ode {

// The things of a world that move.
class Props {
 public:
  // Throws Error for a prop that ODE cannot simulate.
  Props(const OdeWorld& ode, const World& world);

  const RigidBody& body(int i) const { return *things_[static_cast<size_t>(i)].body; }
  PropState state(int i) const;
  // Lets a waiting one go.
  void set_state(int i, const PropState& state);

  // Puts all that goes its own way where it is at a time, with the velocity that takes it in a step of h to
  // where it is then.
  void follow(double time_s, double h);
  // Before a step of h: springs and stops of hinges.
  void prepare(double h);
  // After it: their angles.
  void measure(double h);
  bool sensible() const;

  int doubles() const { return static_cast<int>(things_.size()) * (RigidBody::kDoubles + 3); }
  double* save(double* into) const;  // returns the end
  const double* load(const double* from);

 private:
  struct Thing;
  static void wait(Thing& thing, bool waiting);

  struct Thing {
    Prop prop;
    std::unique_ptr<RigidBody> body;
    std::unique_ptr<LinkJoint> hinge;  // nullptr: none
    bool waiting = false;
    VecX q = VecX::Zero(1), v = VecX::Zero(1);
  };
  std::vector<Thing> things_;
  Command rest_;
};

}  // namespace sinew::ode
