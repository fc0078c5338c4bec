#include "core/polygon.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace sinew {
namespace {

TEST(Polygon, HullOfASquareHasItsCorners) {
  const auto hull = convex_hull({{0, 0}, {0.5, 0.5}, {1, 0}, {1, 1}, {0.2, 0.9}, {0, 1}, {0.5, 0}, {1, 1}});
  ASSERT_EQ(hull.size(), 4u);
  EXPECT_EQ(hull[0], Vec2(0, 0));
  EXPECT_EQ(hull[1], Vec2(1, 0));
  EXPECT_EQ(hull[2], Vec2(1, 1));
  EXPECT_EQ(hull[3], Vec2(0, 1));
}

TEST(Polygon, PointsInALineMakeASegment) {
  const auto hull = convex_hull({{0, 0}, {2, 2}, {1, 1}});
  EXPECT_TRUE(nearest_point(hull, Vec2(2, 0)).isApprox(Vec2(1, 1)));
  EXPECT_TRUE(nearest_point(hull, Vec2(5, 5)).isApprox(Vec2(2, 2)));
  EXPECT_EQ(nearest_point(convex_hull({{3, 4}}), Vec2(0, 0)), Vec2(3, 4));
}

TEST(Polygon, NearestPoints) {
  const auto square = convex_hull({{0, 0}, {1, 0}, {1, 1}, {0, 1}});
  EXPECT_EQ(nearest_point(square, Vec2(0.3, 0.6)), Vec2(0.3, 0.6));
  EXPECT_TRUE(nearest_point(square, Vec2(0.3, -2)).isApprox(Vec2(0.3, 0)));
  EXPECT_TRUE(nearest_point(square, Vec2(2, 3)).isApprox(Vec2(1, 1)));
}

TEST(Polygon, AllPointsAreInTheirHull) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<Vec2> points;
    for (int i = 0; i < 12; ++i) points.emplace_back(random.normal(), random.normal());
    const auto hull = convex_hull(points);
    for (const Vec2& p : points) EXPECT_LT((nearest_point(hull, p) - p).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace sinew
