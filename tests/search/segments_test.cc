#include "search/segments.h"

#include <gtest/gtest.h>

#include <cmath>

#include "character/library.h"
#include "character/retarget.h"
#include "motion/load.h"

namespace sinew {
namespace {

Character human() {
  return load_character("human50", {std::string(SINEW_SOURCE_DIR) + "/assets/characters"});
}

// Steps on the spot, one second a stride: the thighs swing as sines, each foot bears load for 0.6 s, in turn.
Reference stepping(const Character& character) {
  Reference reference;
  reference.frame_time_s = 0.01;
  for (int i = 0; i <= 300; ++i) {
    const double phase = std::fmod(i * 0.01, 1.0);
    VecX dq = VecX::Zero(character.nv());
    for (const Joint& joint : character.joints)
      if (joint.name.ends_with("hip"))
        dq[joint.v + 1] = (joint.name.starts_with("left") ? 0.5 : -0.5) * std::sin(2 * kPi * phase);
    reference.q.push_back(integrate(character, character.q_rest, dq));
    std::vector<char> bears;
    for (const ContactPoint& point : character.contact_points) {
      const bool left = point.name.starts_with("left_foot"), right = point.name.starts_with("right_foot");
      bears.push_back((left && phase < 0.6) || (right && std::fmod(phase + 0.5, 1.0) < 0.6));
    }
    reference.point_contact.push_back(bears);
    reference.body_contact.emplace_back(character.bodies.size(), 0);
  }
  differentiate(character, reference);
  return reference;
}

double distance_to(const std::vector<double>& times, double t) {
  double nearest = 1e9;
  for (const double other : times) nearest = std::min(nearest, std::abs(other - t));
  return nearest;
}

TEST(Segments, ALimbThatSwingsAsASineTurnsBackAtItsPeaks) {
  std::vector<Vec3> path;
  for (int i = 0; i <= 250; ++i) path.emplace_back(0.3 * std::sin(2 * kPi * i / 100.0), 0, -0.4);
  EXPECT_EQ(centroid_segments(path, 0.1), (std::vector<size_t>{25, 75, 125, 175, 225}));
  EXPECT_TRUE(centroid_segments(path, 0.7).empty());
  EXPECT_TRUE(centroid_segments(std::vector<Vec3>(50, Vec3::Ones()), 0).empty());
}

TEST(Segments, FeetThatComeDownOrLeaveAndLimbsThatTurnBackAreCritical) {
  const Character character = human();
  const Reference reference = stepping(character);
  const std::vector<double> critical = critical_times(character, reference, 0, 3);
  // The left foot leaves at 0.6 and comes down at 1, the right one at 0.1 and 0.5; thighs turn at 0.25, 0.75.
  for (const double t : {0.1, 0.5, 0.6, 1.0, 1.1, 1.5, 1.6, 2.0, 2.1, 2.5, 2.6})
    EXPECT_LT(distance_to(critical, t), 0.006) << t;
  for (const double t : {0.25, 0.75, 1.25, 1.75, 2.25, 2.75}) EXPECT_LT(distance_to(critical, t), 0.011) << t;
  for (size_t i = 1; i < critical.size(); ++i) EXPECT_GE(critical[i] - critical[i - 1], 0.05);
  EXPECT_EQ(critical.size(), 17u);

  // From another phase the same moments come earlier.
  const std::vector<double> later = critical_times(character, reference, 0.3, 1.5);
  for (const double t : {0.2, 0.3, 0.7, 0.8}) EXPECT_LT(distance_to(later, t), 0.006) << t;
}

TEST(Segments, RollingIsSampledUniformly) {
  const Character character = human();
  Reference reference = stepping(character);
  const auto back = static_cast<size_t>(character.find(Part::kThorax));
  for (size_t i = 150; i <= 300; ++i) reference.body_contact[i][back] = 1;
  const std::vector<double> critical = critical_times(character, reference, 0, 3);
  ASSERT_FALSE(critical.empty());
  EXPECT_LE(critical.back(), 1.0);
  for (auto& on : reference.body_contact) on[back] = 1;
  EXPECT_TRUE(critical_times(character, reference, 0, 3).empty());
}

TEST(Segments, StepsEndAtCriticalTimesAndAreWholeStepsOfTheSimulator) {
  EXPECT_EQ(sampling_steps({}, 0.5, 0.002), (std::vector<long>{50, 100, 150, 200, 250}));
  // Whole ones first; the last three before the critical time share what is left.
  EXPECT_EQ(sampling_steps({0.35}, 0.35 + 0.2, 0.005), (std::vector<long>{20, 37, 53, 70, 90, 110}));
  // A little longer is no reason for another.
  EXPECT_EQ(sampling_steps({0.115}, 0.215, 0.005), (std::vector<long>{23, 43}));
  for (const double step : {0.0005, 0.002, 0.004}) {
    const std::vector<double> critical = {0.13, 0.31, 0.52, 0.581, 1.2};
    const std::vector<long> ends = sampling_steps(critical, 1.71, step);
    EXPECT_EQ(ends.back(), std::lround(1.71 / step));
    for (const double t : critical)
      EXPECT_EQ(std::count(ends.begin(), ends.end(), std::lround(t / step)), 1) << t;
    long last = 0;
    for (const long end : ends) {
      EXPECT_GT(end, last);
      EXPECT_LE(static_cast<double>(end - last) * step, 0.12 + step);
      last = end;
    }
  }
}

// The paper took 62 steps for 5.2 s of walking, 27 for 2 s of running, and 10 a second for rolls.
TEST(Segments, AsManyStepsAsThePaper) {
  const Character character = human();
  const auto steps_a_second = [&](const std::string& motion) {
    const std::string file = std::string(SINEW_SOURCE_DIR) + "/assets/motions/" + motion + ".json";
    const Reference reference = retarget(load_clip(file).clip, character).reference;
    const double seconds = reference.duration_s();
    const std::vector<double> critical = critical_times(character, reference, 0, seconds);
    return static_cast<double>(sampling_steps(critical, seconds, 0.002).size()) / seconds;
  };
  EXPECT_NEAR(steps_a_second("walk"), 62 / 5.2, 1.2);
  EXPECT_NEAR(steps_a_second("run"), 27 / 2.0, 2.0);
  EXPECT_NEAR(steps_a_second("roll-sideways"), 10, 0.3);
}

}  // namespace
}  // namespace sinew
