#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace {

TEST(Random, SameKeySameNumbersOtherKeyOthers) {
  Random a(1, 2, 3), b(1, 2, 3), c(1, 3, 2), d(2, 2, 3);
  for (int i = 0; i < 100; ++i) {
    const uint64_t x = a.bits();
    EXPECT_EQ(x, b.bits());
    EXPECT_NE(x, c.bits());
    EXPECT_NE(x, d.bits());
  }
}

TEST(Random, HasTheRightMeanAndDeviation) {
  Random random(7);
  const int n = 100000;
  double sum = 0, squares = 0, uniform = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    uniform += u;
  }
  // Four deviations of the mean.
  EXPECT_NEAR(sum / n, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 4 * std::sqrt(2.0 / n));
  EXPECT_NEAR(uniform / n, 0.5, 4 * std::sqrt(1.0 / 12 / n));
}

}  // namespace
}  // namespace sinew
