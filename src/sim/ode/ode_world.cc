#include "sim/ode/ode_world.h"

#include <mutex>

namespace sinew::ode {

namespace {

// ODE ends the process when such a handler returns, so it does not return.
[[noreturn]] void fail(int, const char*, va_list) { throw Failure(); }
void stay_quiet(int, const char*, va_list) {}

}  // namespace

void init() {
  static std::once_flag once;
  std::call_once(once, [] {
    dInitODE2(0);
    dSetErrorHandler(fail);
    dSetDebugHandler(fail);
    dSetMessageHandler(stay_quiet);
  });
  thread_local const bool ready = dAllocateODEDataForThread(dAllocateMaskAll) != 0;
  static_cast<void>(ready);
}

OdeWorld::OdeWorld(const Vec3& gravity) {
  init();
  world_ = dWorldCreate();
  contacts_ = dJointGroupCreate(0);
  dWorldSetGravity(world_, gravity.x(), gravity.y(), gravity.z());
  dWorldSetERP(world_, kJointErp);
  dWorldSetCFM(world_, kJointCfm);
  dWorldSetAutoDisableFlag(world_, 0);

  // Worlds that share ODE's default threads may not be stepped beside each other: each has its own.
  threading_ = dThreadingAllocateSelfThreadedImplementation();
  dWorldSetStepThreadingImplementation(world_, dThreadingImplementationGetFunctions(threading_), threading_);
  dWorldSetStepIslandsProcessingMaxThreadCount(world_, 1);
}

OdeWorld::~OdeWorld() {
  // ODE cannot take down what it left half done: better to lose the memory than the process.
  if (broken_) return;
  dJointGroupDestroy(contacts_);
  dWorldDestroy(world_);
  dThreadingFreeImplementation(threading_);
}

bool OdeWorld::step(double h) {
  try {
    return dWorldStep(world_, h) != 0;
  } catch (const Failure&) {
    broken_ = true;
    return false;
  }
}

}  // namespace sinew::ode
