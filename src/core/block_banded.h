#pragma once

#include <vector>

#include "core/math.h"

namespace sinew {

// A symmetric positive definite matrix of n x n blocks, of which row i touches only rows i - band .. i.
// The normal equations of a trajectory whose cost couples neighbouring knots have this shape.
class BlockBanded {
 public:
  BlockBanded(int rows, int block_size, int band);

  // Block (row, row - back), 0 <= back <= band; the rest follows by symmetry.
  MatX& block(int row, int back) { return blocks_[static_cast<size_t>(row * (band_ + 1) + back)]; }
  void set_zero();

  // Replaces the matrix by its Cholesky factor and x by the solution. False if it is not positive definite.
  bool solve_in_place(std::vector<VecX>& x);

 private:
  int rows_;
  int band_;
  std::vector<MatX> blocks_;
};

}  // namespace sinew
