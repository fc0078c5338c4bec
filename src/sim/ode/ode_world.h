#pragma once

#include <ode/ode.h>

#include "core/math.h"

// ODE's own world and its process-wide set-up.
namespace sinew::ode {

// Thrown out of ODE where it would end the process; the world that was being used is not to be stepped again.
struct Failure {};

// Starts ODE once in the process and makes it ready for the calling thread. Cheap after the first time.
void init();

// An empty world with its solver settings. Owns every body and joint made in it.
class OdeWorld {
 public:
  explicit OdeWorld(const Vec3& gravity);
  ~OdeWorld();
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  dWorldID id() const { return world_; }
  // The contacts of the step that is being made.
  dJointGroupID contacts() const { return contacts_; }

  // One step with the direct solver; false if ODE could not make sense of it.
  bool step(double h);
  // Whether a step failed in the middle: then ODE's inner state is unknown, and it is never stepped again.
  bool broken() const { return broken_; }

 private:
  dWorldID world_;
  dJointGroupID contacts_;
  dThreadingImplementationID threading_;
  bool broken_ = false;
};

// The share of a joint's position error that is corrected in one step.
inline constexpr double kJointErp = 0.8;
// Softness of joints, 1/(N s/m): nearly none, only enough to keep the solver's matrix regular.
inline constexpr double kJointCfm = 1e-10;

}  // namespace sinew::ode
