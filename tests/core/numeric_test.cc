#include <gtest/gtest.h>

#include "core/block_banded.h"
#include "core/smooth.h"

namespace sinew {
namespace {

TEST(BlockBanded, SolvesLikeTheDenseMatrix) {
  const int rows = 7, n = 3, band = 2;
  BlockBanded banded(rows, n, band);
  MatX dense = MatX::Zero(rows * n, rows * n);
  for (int i = 0; i < rows; ++i)
    for (int back = 0; back <= std::min(band, i); ++back) {
      MatX b = 0.2 * MatX::Random(n, n);
      if (back == 0) b = MatX(b * b.transpose() + 4.0 * MatX::Identity(n, n));
      banded.block(i, back) = b;
      dense.block(i * n, (i - back) * n, n, n) = b;
      dense.block((i - back) * n, i * n, n, n) = b.transpose();
    }
  const VecX rhs = VecX::Random(rows * n);
  std::vector<VecX> x;
  for (int i = 0; i < rows; ++i) x.push_back(rhs.segment(i * n, n));
  ASSERT_TRUE(banded.solve_in_place(x));
  const VecX expected = dense.llt().solve(rhs);
  for (int i = 0; i < rows; ++i)
    EXPECT_LT((x[static_cast<size_t>(i)] - expected.segment(i * n, n)).norm(), 1e-10);
}

TEST(BlockBanded, RefusesAnIndefiniteMatrix) {
  BlockBanded banded(2, 1, 1);
  banded.block(0, 0)(0, 0) = 1;
  banded.block(1, 0)(0, 0) = -1;
  std::vector<VecX> x(2, VecX::Ones(1));
  EXPECT_FALSE(banded.solve_in_place(x));
}

TEST(Smooth, KeepsLinesAndNeverOvershootsAStep) {
  std::vector<double> line, step;
  for (int i = 0; i < 200; ++i) {
    line.push_back(0.3 * i - 4);
    step.push_back(i < 100 ? 0.0 : 1.0);
  }
  const auto smooth_line = smooth(line, 1.0 / 120, 8);
  for (size_t i = 0; i < line.size(); ++i) EXPECT_NEAR(smooth_line[i], line[i], 1e-9);
  for (double y : smooth(step, 1.0 / 120, 8)) {
    EXPECT_GE(y, -1e-12);
    EXPECT_LE(y, 1 + 1e-12);
  }
}

TEST(Smooth, HalvesThePowerAtItsCutoff) {
  std::vector<double> wave;
  for (int i = 0; i < 1200; ++i) wave.push_back(std::sin(2 * kPi * 8 * i / 240.0));
  const auto out = smooth(wave, 1.0 / 240, 8);
  double top = 0;
  for (size_t i = 300; i < 900; ++i) top = std::max(top, out[i]);
  EXPECT_NEAR(top, std::sqrt(0.5), 0.01);
}

}  // namespace
}  // namespace sinew
