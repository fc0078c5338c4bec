#include "search/minimise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace sinew {
namespace {

// A valley that is 30 times narrower across than along, turned against the axes, least at (1, -2, 3, ...).
class Valley : public Evaluator {
 public:
  void evaluate(const Numbers& x, Numbers& result) override {
    double cost = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double least = (i % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(i + 1);
      const double next =
          i + 1 < x.size() ? x[i + 1] - ((i + 1) % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(i + 2) : 0;
      cost += std::pow(x[i] - least, 2) + 30 * std::pow(x[i] - least + next, 2);
    }
    result = {cost};
  }
};

std::unique_ptr<Executor> workers(int threads) {
  return on_threads(threads)([] { return std::make_unique<Valley>(); });
}

TEST(MinimiseTest, FindsTheBottomOfANarrowValley) {
  MinimiseOptions options;
  options.evaluations = 3000;
  const Minimum found = minimise(*workers(1), Numbers(4, 0.0), options);
  EXPECT_LT(found.cost, 1e-8);
  EXPECT_NEAR(found.x[0], 1, 1e-3);
  EXPECT_NEAR(found.x[3], -4, 1e-3);
  EXPECT_GT(found.first_cost, 10);
  EXPECT_EQ(static_cast<int>(found.history.size()), found.evaluations);
}

TEST(MinimiseTest, AnnealingGoesDownToo) {
  MinimiseOptions options;
  options.method = Method::kAnnealing;
  options.evaluations = 3000;
  options.heat = 0.05;
  const Minimum found = minimise(*workers(1), Numbers(4, 0.0), options);
  EXPECT_LT(found.cost, 0.02 * found.first_cost);
}

class Methods : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Both, Methods, testing::Values(Method::kCma, Method::kAnnealing));

TEST_P(Methods, AreTheSameOnAnyNumberOfThreads) {
  MinimiseOptions options;
  options.method = GetParam();
  options.evaluations = 120;
  EXPECT_EQ(minimise(*workers(1), Numbers(5, 0.0), options).x,
            minimise(*workers(3), Numbers(5, 0.0), options).x);
}

TEST_P(Methods, GoOnFromACheckpointToTheSameEnd) {
  MinimiseOptions options;
  options.method = GetParam();
  options.evaluations = 120;
  const Minimum whole = minimise(*workers(1), Numbers(5, 0.0), options);
  Checkpoint saved;
  const Minimum half =
      minimise(*workers(1), Numbers(5, 0.0), options, [&](const MinimiseReport& report, const auto& save) {
        if (report.evaluations < 50) return true;
        saved = save();
        return false;
      });
  EXPECT_TRUE(half.interrupted);
  EXPECT_LT(half.evaluations, whole.evaluations);
  const Minimum resumed = minimise(*workers(1), Numbers(5, 0.0), options, {}, saved);
  EXPECT_EQ(resumed.x, whole.x);
  EXPECT_EQ(resumed.history, whole.history);
  saved.resize(saved.size() / 2);
  EXPECT_THROW(minimise(*workers(1), Numbers(5, 0.0), options, {}, saved), Error);
}

}  // namespace
}  // namespace sinew
