// Characters, poses and torques at random: no crash, no NaN, and what diverges says so.
// bench/random_characters tries a thousand of them.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "sim/engines.h"
#include "sim/random_character.h"
#include "sim/scenes.h"

namespace sinew {
namespace {

class RandomCharacters : public ::testing::TestWithParam<std::string> {};

TEST_P(RandomCharacters, AreSimulatedOrReportedAsDiverged) {
  const std::vector<std::string> names = character_names(scenes::character_folders());
  const SimulatorFactory make = find_engine(GetParam());
  const std::clock_t begin = std::clock();
  int runs = 0;
  for (uint64_t seed = 1; seed <= 20 && std::clock() - begin < 2 * CLOCKS_PER_SEC; ++seed, ++runs) {
    const Character c = random_character(scenes::shipped(names[seed % names.size()]), seed);
    auto sim = make(c, scenes::flat_world(), {});
    sim->set_state(random_state(c, seed));
    const long steps = std::lround(0.5 / sim->step_s()), every = std::lround(0.05 / sim->step_s());
    Command command;
    for (long i = 0; i < steps; ++i) {
      if (i % every == 0) command = random_command(c, seed, static_cast<uint64_t>(i / every));
      const StepStatus status = sim->step(command);
      ASSERT_TRUE(sim->state().q.allFinite() && sim->state().v.allFinite()) << "seed " << seed;
      ASSERT_TRUE(sim->torques().allFinite() && sim->momentum_rate().linear.allFinite()) << "seed " << seed;
      for (const Contact& contact : sim->contacts()) ASSERT_TRUE(contact.force_W.allFinite());
      if (status == StepStatus::kDiverged) break;
      const VecX over = sim->torques().cwiseAbs() - command.limit;
      ASSERT_LE(over.maxCoeff(), 1e-9 * command.limit.cwiseMin(1e9).maxCoeff()) << "seed " << seed;
    }
  }
  EXPECT_GE(runs, 3);
}

INSTANTIATE_TEST_SUITE_P(Engines, RandomCharacters, ::testing::ValuesIn(engine_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace sinew
