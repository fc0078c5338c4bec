#pragma once

#include <vector>

#include "qp/qp.h"

namespace sinew {

// Judges a solution by the problem's own numbers; docs/qp.md has the formulas.
class KktCheck {
 public:
  using Vector = QpSolution::Vector;

  void reserve(int variables, int rows);

  // H x + g - A'y, for `residuals`.
  void gradient(const QpProblem& problem, const Vector& x, const Vector& y);
  const VecX& gradient() const { return gradient_; }  // the first n entries

  // Of the x and y that `gradient` saw last and the bounds' multipliers w. Rows whose `off` is not 0 are no
  // constraints: their multipliers are the slopes of penalties.
  QpResiduals residuals(const QpProblem& problem, const Vector& x, const Vector& y, const Vector& w,
                        const std::vector<char>& off);

 private:
  VecX gradient_, Hx_, Ay_, unit_, row_unit_, row_value_, row_size_;
};

}  // namespace sinew
