#include "control/course.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

Vec3 point(const Course::Place& place, double left = 0) {
  return {place.x - left * std::sin(place.heading), place.y + left * std::cos(place.heading), 0};
}

}  // namespace

// Figure 11: 1.5 m to either side, over 25 m.
TEST(Course, SlalomGoesToEitherSide) {
  const Course course = slalom_course(200, 5);
  double least = 0, most = 0;
  std::vector<double> crossings;
  for (double s = 60; s < 180; s += 0.05) {
    const Course::Place a = course.at(s), b = course.at(s + 0.05);
    least = std::min(least, a.y);
    most = std::max(most, a.y);
    if (a.y < 0 && b.y >= 0) crossings.push_back(a.x);
  }
  EXPECT_NEAR(most, 1.5, 0.02);
  EXPECT_NEAR(least, -1.5, 0.02);
  ASSERT_GE(crossings.size(), 3U);
  EXPECT_NEAR(crossings[1] - crossings[0], 25, 0.15);
  EXPECT_NEAR(course.at(0).y, 0, 1e-9);
  EXPECT_NEAR(course.at(0).heading, 0, 1e-9);
}

// Places, headings and curvatures belong together, and a turn is as wide as its curvature says.
TEST(Course, HeadingFollowsFromCurvature) {
  for (const Course& course : {slalom_course(150, 5), turning_course(300, 0)}) {
    for (double s = 1; s < 140; s += 0.37) {
      const double ds = 0.1;
      const Course::Place a = course.at(s - ds), b = course.at(s), c = course.at(s + ds);
      EXPECT_NEAR((c.heading - a.heading) / (2 * ds), b.curvature, 0.01);
      EXPECT_NEAR(std::hypot(c.x - a.x, c.y - a.y), 2 * ds, 1e-3);
      EXPECT_NEAR(std::atan2(c.y - a.y, c.x - a.x), std::remainder(b.heading, 2 * kPi), 0.01);
    }
  }
  const double R = 12;
  const Course circle(
      2 * kPi * R, [&](double) { return 1 / R; }, [](double) { return 4.0; });
  EXPECT_NEAR(circle.at(kPi * R).y, 2 * R, 1e-3);
  EXPECT_NEAR(circle.at(kPi * R).x, 0, 1e-2);
}

TEST(Course, FindsTheNearestPlace) {
  const Course course = slalom_course(150, 5);
  for (double s = 2; s < 140; s += 3.1) {
    const Vec3 p = point(course.at(s), 0.4);
    const double found = course.nearest(p, s - 0.5);
    EXPECT_NEAR(found, s, 0.02);
    EXPECT_NEAR(course.offset(p, found), 0.4, 1e-3);
  }
  // Beyond its end it goes straight on.
  const Course line = straight_course(10, 5);
  EXPECT_NEAR(line.nearest(Vec3(14, 1, 0), 9), 14, 1e-6);
  EXPECT_NEAR(line.offset(Vec3(14, 1, 0), 14), 1, 1e-6);
}

TEST(Course, TurnsChangeTheSpeed) {
  const Course course = turning_course(400, 0);
  double slow = 100, fast = 0, turned = 0;
  for (double s = 0; s < 400; s += 0.5) {
    slow = std::min(slow, course.at(s).speed_m_s);
    fast = std::max(fast, course.at(s).speed_m_s);
    turned = std::max(turned, std::abs(course.at(s).heading));
  }
  EXPECT_EQ(slow, 3);
  EXPECT_EQ(fast, 8);
  EXPECT_GT(turned, kPi / 2);
  EXPECT_EQ(turning_course(400, 6).at(100).speed_m_s, 6);
}

}  // namespace sinew
