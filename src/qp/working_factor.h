#pragma once

#include <vector>

#include "core/math.h"

namespace sinew {

// What an active-set method has to know of its working set. Of the n variables some are free, in an order of
// their own; the others stand at their bounds and are gone. On the free ones, q further constraints hold:
//
//   H_FF = L L',   L^-1 N = Q R   (N: their normals, one a column; Q'Q = 1, R upper triangular).
//
// Freeing a variable and adding or removing a constraint cost O(n^2) (Goldfarb and Idnani 1983; Gram-Schmidt
// updates after Daniel, Gragg, Kaufman and Stewart 1976). Within the reserved sizes nothing allocates.
class WorkingFactor {
 public:
  void reserve(int variables);

  // Factors H + diag(ridge) on the variables `free` and forgets all constraints. Returns the smallest pivot,
  // relative to H's diagonal: not above 1e-14 n, the matrix is not positive definite.
  using Matrix = Eigen::Map<const MatX>;
  double factor(const Matrix& H, const VecX& ridge, const std::vector<int>& free);
  // Appends one more free variable; `normals` are the entries of the q constraints at it. Returns its pivot
  // as above; if that is not positive, nothing is changed.
  double add_variable(const Matrix& H, const VecX& ridge, int variable, const VecX& normals);

  int size() const { return size_; }            // free variables
  int constraints() const { return columns_; }  // q
  int variable(int position) const { return free_[static_cast<size_t>(position)]; }

  // All vectors below have room for n entries; those on free variables use the first size().
  void forward(VecX& v) const;                     // v = L^-1 v
  void forward_unit(int position, VecX& v) const;  // v = L^-1 e
  void backward(VecX& v) const;                    // v = L^-T v
  // The same for many vectors, the first `count` rows of `vectors`.
  void forward_rows(MatX& vectors, int count) const;
  // Splits v into Q c + rest: c (q entries) and, in v, the rest. Returns the norm of the rest.
  double split(VecX& v, VecX& c) const;
  void solve_R(VecX& c) const;             // c = R^-1 c
  void solve_R_transposed(VecX& c) const;  // c = R^-T c
  // v += Q c
  void add_Q(const VecX& c, VecX& v) const;

  // The constraint whose L^-1 n was split into `c` and `rest`, of norm `norm` > 0, becomes the last one.
  void add_constraint(const VecX& rest, double norm, const VecX& c);
  void remove_constraint(int column);

 private:
  int size_ = 0;
  int columns_ = 0;
  std::vector<int> free_;
  MatX L_, Q_, R_;
  mutable VecX again_;
  VecX spike_;
};

}  // namespace sinew
