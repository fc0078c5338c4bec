// Characters that differ from their files in masses and feet.
#include "character/alter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "sim/scenes.h"

namespace sinew {
namespace {

double mass_of(const Character& character, const std::string& side) {
  double sum = 0;
  for (const Body& body : character.bodies)
    for (const char* part : {"thigh", "shin", "foot", "toes"})
      if (part_name(body.part) == side + "_" + part) sum += body.mass_kg;
  return sum;
}

double foot_length(const Character& character, const std::string& side) {
  const auto X_WB = body_poses(character, character.q_rest);
  double first = 1e9, last = -1e9;
  for (const ContactPoint& point : character.contact_points) {
    const auto body = static_cast<size_t>(point.body);
    const auto part = part_name(character.bodies[body].part);
    if (part != side + "_foot" && part != side + "_toes") continue;
    first = std::min(first, (X_WB[body] * point.p_BP).x());
    last = std::max(last, (X_WB[body] * point.p_BP).x());
  }
  return last - first;
}

class Altered : public ::testing::TestWithParam<std::string> {};

TEST_P(Altered, ALegIsTwiceAsHeavyAndTheOtherIsNot) {
  const Character standard = scenes::shipped(GetParam());
  const Character heavy = altered(standard, {.masses = {{"left_leg", 2}}});
  EXPECT_NEAR(mass_of(heavy, "left"), 2 * mass_of(standard, "left"), 1e-12);
  EXPECT_NEAR(mass_of(heavy, "right"), mass_of(standard, "right"), 1e-12);
  EXPECT_NEAR(heavy.mass_kg(), standard.mass_kg() + mass_of(standard, "left"), 1e-12);
  for (size_t i = 0; i < heavy.bodies.size(); ++i) {
    const double factor = heavy.bodies[i].mass_kg / standard.bodies[i].mass_kg;
    EXPECT_NEAR((heavy.bodies[i].I_C - factor * standard.bodies[i].I_C).norm(), 0, 1e-12);
  }
}

TEST_P(Altered, UpperAndLowerBodyAreAllOfIt) {
  const Character standard = scenes::shipped(GetParam());
  const Character other = altered(standard, {.masses = {{"upper_body", 2}, {"lower_body", 0.5}}});
  const double legs = mass_of(standard, "left") + mass_of(standard, "right");
  EXPECT_NEAR(other.mass_kg(), 2 * (standard.mass_kg() - legs) + 0.5 * legs, 1e-9);
  const Character back = altered(other, {.masses = {{"upper_body", 0.5}, {"legs", 2}}});
  EXPECT_NEAR(back.mass_kg(), standard.mass_kg(), 1e-9);
}

TEST_P(Altered, FeetAreLongerByWhatWasAskedAndStandAsHigh) {
  const Character standard = scenes::shipped(GetParam());
  for (const double by : {0.04, -0.04, -0.08}) {
    const Character other = altered(standard, {.foot_length_m = by});
    for (const char* side : {"left", "right"})
      EXPECT_NEAR(foot_length(other, side), foot_length(standard, side) + by, 1e-9) << by;
    EXPECT_NEAR(lowest_point(other, body_poses(other, other.q_rest)),
                lowest_point(standard, body_poses(standard, standard.q_rest)), 1e-3);
    EXPECT_EQ(other.mass_kg(), standard.mass_kg());
    const Character back = altered(other, {.foot_length_m = -by});
    EXPECT_NEAR(foot_length(back, "left"), foot_length(standard, "left"), 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Characters, Altered, ::testing::Values("biped18", "human50", "human57"),
                         [](const auto& test) { return test.param; });

TEST(Alter, RefusesWhatCannotBe) {
  const Character biped = scenes::shipped("biped18");
  EXPECT_THROW(altered(biped, {.foot_length_m = -0.19}), Error);
  EXPECT_THROW(altered(biped, {.masses = {{"left_leg", 0}}}), Error);
  EXPECT_THROW(altered(biped, {.masses = {{"left_toes", 2}}}), Error);
}

TEST(Alter, EveryGroupHasANameOfItsOwn) {
  std::vector<std::string> names = body_groups();
  for (const char* name : {"legs", "left_leg", "upper_body", "left_thigh", "pelvis"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace sinew
