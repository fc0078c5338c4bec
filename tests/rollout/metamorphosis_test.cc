#include "rollout/metamorphosis.h"

#include <gtest/gtest.h>

#include "character/library.h"
#include "character/numbers.h"
#include "core/error.h"

namespace sinew {
namespace {

Character character(const std::string& name) {
  return load_character(name, {std::string(SINEW_SOURCE_DIR) + "/assets/characters"});
}

TEST(Metamorphosis, BeginsAsOneAndEndsAsTheOther) {
  const Character man = character("man"), child = character("child");
  const RunParameters run;
  const Metamorphosis way(run, man, child);
  const RunParameters last = scaled(run, man, child, Scaling::kByMass);
  Character now = man;
  for (const double part : {0.0, 0.37, 1.0}) {
    way.body(part, now);
    EXPECT_NEAR(now.mass_kg(), blend(man, child, part).mass_kg(), 1e-9) << part;
  }
  EXPECT_EQ(way.parameters(0).speed, run.speed);
  EXPECT_NEAR(way.parameters(1).speed, last.speed, 1e-12);
  EXPECT_NEAR(way.parameters(1).knee_kp, last.knee_kp, 1e-9);
}

TEST(Metamorphosis, OnlyBetweenTheSameBodies) {
  EXPECT_THROW(Metamorphosis({}, character("man"), character("human50")), Error);
}

}  // namespace
}  // namespace sinew
