#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "character/library.h"
#include "character/mjcf.h"
#include "character/numbers.h"
#include "character/scaling.h"
#include "character/transfer.h"
#include "character/write_mjcf.h"
#include "core/error.h"

namespace sinew {
namespace {

Character load(const std::string& name) {
  return load_character(name, {std::string(SINEW_SOURCE_DIR) + "/assets/characters"});
}

// Hodgins and Pollard 1997, Figure 3; the man's row is the others' divided by their factors.
struct Row {
  double head, torso, pelvis, leg, arm;                    // kg
  double height, leg_length, arm_length, hip_spacing;      // m
  double leg_about_hip, body_about_ankle, body_about_hip;  // kg m^2
};
const std::map<std::string, Row> kFigure3 = {
    {"man", {5.80, 26.85, 13.42, 10.76, 3.81, 1.79, 0.75, 0.495, 0.195, 2.04, 77.0, 10.97}},
    {"woman", {4.22, 17.62, 11.08, 8.32, 2.51, 1.63, 0.68, 0.50, 0.15, 1.17, 45.40, 6.50}},
    {"child", {5.63, 8.47, 3.71, 2.98, 1.20, 1.08, 0.39, 0.29, 0.13, 0.13, 10.10, 2.26}},
    {"runner", {5.98, 12.55, 9.51, 6.84, 2.38, 1.64, 0.72, 0.55, 0.17, 1.58, 36.55, 5.16}},
    {"cyclist", {7.19, 28.95, 7.89, 5.03, 2.70, 1.74, 0.70, 0.54, 0.22, 0.48, 74.80, 17.67}}};

double mass(const Character& c, std::initializer_list<Part> parts) {
  double sum = 0;
  for (const Part part : parts) sum += c.bodies[static_cast<size_t>(c.find(part))].mass_kg;
  return sum;
}

Vec3 at(const Character& c, Part part) {
  return body_poses(c, c.q_rest)[static_cast<size_t>(c.find(part))].p;
}

// Inertia about the lateral axis through a point of all bodies but the left out ones, by the parallel axes.
double inertia(const Character& c, const Vec3& about, std::initializer_list<Part> left_out) {
  const std::vector<Pose> X_WB = body_poses(c, c.q_rest);
  double sum = 0;
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    if (std::find(left_out.begin(), left_out.end(), c.bodies[b].part) != left_out.end()) continue;
    const Vec3 arm = X_WB[b] * c.bodies[b].p_BC - about;
    sum += c.bodies[b].I_C(1, 1) + c.bodies[b].mass_kg * (arm.x() * arm.x() + arm.z() * arm.z());
  }
  return sum;
}

class Figure3 : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Characters, Figure3, testing::Values("man", "woman", "child", "runner", "cyclist"));

#define EXPECT_WITHIN(value, expected) EXPECT_NEAR(value, expected, 0.05 * (expected))

TEST_P(Figure3, IsWhatTheCharacterMeasures) {
  const Character c = load(GetParam());
  const Row& row = kFigure3.at(GetParam());
  EXPECT_EQ(c.bodies.size(), 17u);
  EXPECT_EQ(c.nv(), 6 + 30);
  EXPECT_WITHIN(mass(c, {Part::kHead}), row.head);
  EXPECT_WITHIN(mass(c, {Part::kThorax}), row.torso);
  EXPECT_WITHIN(mass(c, {Part::kPelvis}), row.pelvis);
  EXPECT_WITHIN(mass(c, {Part::kLeftThigh, Part::kLeftShin, Part::kLeftFoot, Part::kLeftToes}), row.leg);
  EXPECT_WITHIN(mass(c, {Part::kRightUpperArm, Part::kRightLowerArm, Part::kRightHand}), row.arm);

  EXPECT_WITHIN(standing_height(c), row.height);
  EXPECT_WITHIN(leg_length(c), row.leg_length);
  EXPECT_WITHIN((at(c, Part::kLeftUpperArm) - at(c, Part::kLeftHand)).norm(), row.arm_length);
  EXPECT_WITHIN((at(c, Part::kLeftThigh) - at(c, Part::kRightThigh)).norm(), row.hip_spacing);

  const Vec3 hip = at(c, Part::kLeftThigh), ankle = at(c, Part::kLeftFoot);
  EXPECT_WITHIN(hanging_inertia(c, find_joint(c, "left_hip")), row.leg_about_hip);
  EXPECT_WITHIN(inertia(c, hip,
                        {Part::kLeftThigh, Part::kLeftShin, Part::kLeftFoot, Part::kLeftToes,
                         Part::kRightThigh, Part::kRightShin, Part::kRightFoot, Part::kRightToes}),
                row.body_about_hip);
  EXPECT_WITHIN(inertia(c, ankle, {Part::kLeftFoot, Part::kLeftToes, Part::kRightFoot, Part::kRightToes}),
                row.body_about_ankle);
}

// Every body's inertia is one that a body can have: no principal moment exceeds the sum of the others.
TEST_P(Figure3, IsMadeOfPossibleBodies) {
  for (const Body& body : load(GetParam()).bodies) {
    const Vec3 I = Eigen::SelfAdjointEigenSolver<Mat3>(body.I_C).eigenvalues();
    EXPECT_GT(I[0], 0) << body.name;
    EXPECT_LE(I[2], I[0] + I[1] + 1e-12) << body.name;
  }
}

TEST_P(Figure3, StandsOnHeelAndMetatarsusOfBothFeet) {
  const Character c = load(GetParam());
  const std::vector<Pose> X_WB = body_poses(c, c.q_rest);
  EXPECT_NEAR(lowest_point(c, X_WB), 0, 1e-4);
  int standing = 0;
  for (const Shape& shape : c.shapes) {
    const bool foot =
        shape.name.find("heel") != std::string::npos || shape.name.find("ball") != std::string::npos;
    if (!foot) continue;
    ++standing;
    EXPECT_NEAR(support(shape, X_WB[static_cast<size_t>(shape.body)], -Vec3::UnitZ()).z(), 0, 1e-4);
  }
  EXPECT_EQ(standing, 8);
}

TEST(NumbersTest, MakeTheSameCharacterAgain) {
  const Character man = load("man");
  std::vector<double> values;
  for (const Number& number : character_numbers(man)) values.push_back(number.value);
  EXPECT_EQ(write_mjcf(with_numbers(man, values)), write_mjcf(man));
  values.pop_back();
  EXPECT_THROW(with_numbers(man, values), Error);
}

TEST(NumbersTest, LieOnStraightLinesBetweenTwoCharacters) {
  const Character man = load("man"), child = load("child");
  const Character half = blend(man, child, 0.5);
  EXPECT_NEAR(half.mass_kg(), 0.5 * (man.mass_kg() + child.mass_kg()), 1e-12);
  EXPECT_NEAR(leg_length(half), 0.5 * (leg_length(man) + leg_length(child)), 1e-12);
  EXPECT_NEAR(standing_height(half), 0.5 * (standing_height(man) + standing_height(child)), 1e-4);
  EXPECT_EQ(write_mjcf(blend(man, child, 0)), write_mjcf(man));

  // What is between them is a character: MJCF that reads back.
  const Character back = read_mjcf(write_mjcf(half), "half");
  EXPECT_NEAR(back.mass_kg(), half.mass_kg(), 1e-9);
  EXPECT_EQ(back.nv(), half.nv());
  EXPECT_THROW(blend(man, load("human50"), 0.5), Error);
}

// Figure 6, row by row.
TEST(ScalingTest, FollowsTheRulesOfFigure6) {
  const double L = 0.6, M = 0.3, I = 0.1;
  const Ratios r{L, M, I};
  const Dimension displacement = kLength, acceleration{1, -2, 0}, stiffness{-1, 0, 1}, damping{-1, 1, 1};
  const auto expect = [&](const Dimension& d, double geometric, double by_mass) {
    EXPECT_NEAR(geometric_factor(d, L), geometric, 1e-12);
    EXPECT_NEAR(mass_factor(d, r), by_mass, 1e-12);
  };
  expect(displacement, L, L);
  expect(kTime, std::sqrt(L), std::sqrt(L));
  expect(kForce, L * L * L, M);
  expect(kTorque, std::pow(L, 4), I / L);
  expect(kSpeed, std::sqrt(L), std::sqrt(L));
  expect(acceleration, 1, 1);
  expect(kPure, 1, 1);
  expect(kRate, 1 / std::sqrt(L), 1 / std::sqrt(L));
  expect(kMass, L * L * L, M);
  expect(stiffness, L * L, M / L);
  expect(damping, std::pow(L, 2.5), M / std::sqrt(L));
  expect(kInertia, std::pow(L, 5), I);
  expect(kTorsionalStiffness, std::pow(L, 4), I / L);
  expect(kTorsionalDamping, std::pow(L, 4.5), I / std::sqrt(L));
}

}  // namespace
}  // namespace sinew
