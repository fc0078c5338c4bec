// Two engines that share no code must make the same motion of the same character, and so must half the step.
#include <gtest/gtest.h>

#include "character/library.h"
#include "sim/engines.h"
#include "world/library.h"

namespace sinew {
namespace {

struct Start {
  const char* name;
  double lift_m;       // above the floor
  Vec3 velocity;       // of the whole body
  double joint_speed;  // rad/s, in all joints, with alternating signs
  double tolerance;    // m and rad
};

// Where a human who holds the rest stance is after 0.3 s.
VecX after(const Start& start, const SimulatorFactory& make, double step_s) {
  const Character character =
      load_character("human50", {std::string(SINEW_SOURCE_DIR) + "/assets/characters"});
  const auto simulator = make(character, make_world("flat"), {step_s});
  State state{0, character.q_rest, VecX::Zero(character.nv())};
  state.q[2] += start.lift_m;
  state.v.head<3>() = start.velocity;
  for (int i = 6; i < character.nv(); ++i) state.v[i] = start.joint_speed * std::sin(1.7 * i);
  simulator->set_state(state);
  const Command command = rest_command(character);
  for (int i = 0; i < std::lround(0.3 / step_s); ++i) EXPECT_EQ(simulator->step(command), StepStatus::kOk);
  return simulator->state().q;
}

class Agreement : public testing::TestWithParam<Start> {};

TEST_P(Agreement, OfEnginesAndSteps) {
  const Start& start = GetParam();
  const VecX mujoco = after(start, make_mujoco, 0.0005);
  const auto worst = [&](const VecX& q) { return (q - mujoco).cwiseAbs().maxCoeff(); };
  EXPECT_LT(worst(after(start, make_ode, 0.0005)), start.tolerance) << "engines differ";
  EXPECT_LT(worst(after(start, make_mujoco, 0.002)), 4 * start.tolerance) << "steps of 0.5 and 2 ms differ";
  EXPECT_LT(worst(after(start, make_ode, 0.001)), 4 * start.tolerance) << "ODE's steps differ";
}

INSTANTIATE_TEST_SUITE_P(Starts, Agreement,
                         testing::Values(Start{"flight", 1.0, Vec3::Zero(), 2, 2e-3},
                                         Start{"gliding", 0, Vec3(1, 0, 0), 0, 3e-3},
                                         Start{"landing", 0.02, Vec3(0.3, 0, -1), 0, 3e-3}),
                         [](const auto& start) { return std::string(start.param.name); });

}  // namespace
}  // namespace sinew
