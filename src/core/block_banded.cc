#include "core/block_banded.h"

#include <algorithm>

namespace sinew {

BlockBanded::BlockBanded(int rows, int block_size, int band)
    : rows_(rows),
      band_(band),
      blocks_(static_cast<size_t>(rows * (band + 1)), MatX::Zero(block_size, block_size)) {}

void BlockBanded::set_zero() {
  for (MatX& b : blocks_) b.setZero();
}

bool BlockBanded::solve_in_place(std::vector<VecX>& x) {
  // Cholesky, row by row: L_ij = (A_ij - sum_k L_ik L_jk^T) L_jj^-T.
  for (int i = 0; i < rows_; ++i) {
    const int first = std::max(0, i - band_);
    for (int j = first; j <= i; ++j) {
      MatX& L_ij = block(i, i - j);
      for (int k = std::max(first, j - band_); k < j; ++k)
        if (j < i)
          L_ij.noalias() -= block(i, i - k) * block(j, j - k).transpose();
        else
          L_ij.selfadjointView<Eigen::Lower>().rankUpdate(block(i, i - k), -1.0);
      if (j < i) {
        block(j, 0).triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(L_ij);
      } else {
        Eigen::LLT<Eigen::Ref<MatX>> llt(L_ij);
        if (llt.info() != Eigen::Success) return false;
      }
    }
  }
  // L y = b, then L^T x = y.
  for (int i = 0; i < rows_; ++i) {
    auto& x_i = x[static_cast<size_t>(i)];
    for (int j = std::max(0, i - band_); j < i; ++j)
      x_i.noalias() -= block(i, i - j) * x[static_cast<size_t>(j)];
    block(i, 0).triangularView<Eigen::Lower>().solveInPlace(x_i);
  }
  for (int i = rows_ - 1; i >= 0; --i) {
    auto& x_i = x[static_cast<size_t>(i)];
    for (int j = i + 1; j <= std::min(rows_ - 1, i + band_); ++j)
      x_i.noalias() -= block(j, j - i).transpose() * x[static_cast<size_t>(j)];
    block(i, 0).triangularView<Eigen::Lower>().transpose().solveInPlace(x_i);
  }
  return true;
}

}  // namespace sinew
