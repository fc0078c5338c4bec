#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "character/dynamics.h"
#include "sim/engines.h"
#include "sim/scenes.h"
#include "sim/simulator.h"

// What every simulator must do, whoever wrote it: the tests named Contract run for each of these.
namespace sinew {

struct Engine {
  std::string name;
  std::string find;  // what find_engine is asked for
  // What it says it cannot do.
  bool props = true;
  bool self_contacts = true;
  // How well its forces explain how its momentum changes, N and N m.
  double balance = 1;
};

inline std::ostream& operator<<(std::ostream& out, const Engine& engine) { return out << engine.name; }

inline std::vector<Engine> engines_under_contract() {
  return {{.name = "mujoco", .find = "mujoco"},
          {.name = "ode", .find = "ode"},
          {.name = "plugin", .find = SINEW_PLUGIN, .props = false, .self_contacts = false, .balance = 200}};
}

class Contract : public ::testing::TestWithParam<Engine> {
 protected:
  std::unique_ptr<Simulator> make(const Character& character, const World& world, double step_s = 0) const {
    return find_engine(GetParam().find)(character, world, {.step_s = step_s});
  }

  // Steps until so much time has passed, telling each step; fails the test when it diverges.
  template <typename Each>
  static void run(Simulator& simulator, const Command& command, double seconds, const Each& each) {
    const long steps = std::lround(seconds / simulator.step_s());
    for (long i = 0; i < steps; ++i) {
      ASSERT_EQ(simulator.step(command), StepStatus::kOk) << "at " << simulator.state().time_s << " s";
      each();
    }
  }
  static void run(Simulator& simulator, const Command& command, double seconds) {
    run(simulator, command, seconds, [] {});
  }
};

inline std::string engine_name(const ::testing::TestParamInfo<Engine>& test) { return test.param.name; }

inline Vec3 contact_force(const Simulator& simulator) {
  Vec3 sum = Vec3::Zero();
  for (const Contact& contact : simulator.contacts())
    if (contact.other_shape < 0) sum += contact.force_W;
  return sum;
}

inline Momentum momentum_of(const Simulator& simulator) {
  return momentum(simulator.character(), simulator.state().q, simulator.state().v);
}

// A state at rest at these coordinates.
inline State at_rest(const Character& character, const VecX& q) { return {0, q, VecX::Zero(character.nv())}; }

// What can be asked of an engine that has props or self contacts.
#define SKIP_WITHOUT(capability) \
  if (!GetParam().capability) GTEST_SKIP() << GetParam().name << " says that it has no " #capability

}  // namespace sinew
