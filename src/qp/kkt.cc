#include "qp/kkt.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

// A row's terms count at least as this share of what they would be at the size of the unconstrained minimum.
constexpr double kSmallTerm = 1e-6;

double ratio(double part, double whole) { return part == 0 ? 0 : part / whole; }

// One constraint low <= value <= high with multiplier u; sizes: of the value's terms, and of u's.
void judge(double value, double low, double high, double u, double value_size, double u_size,
           QpResiduals& r) {
  const double outside = std::max(0.0, std::max(low - value, value - high));
  const double at = low - value > value - high ? low : high;
  r.primal = std::max(r.primal, ratio(outside, std::abs(at) + value_size));
  if (u == 0) return;
  // A multiplier acts at the bound that its sign names.
  const double acting = u > 0 ? low : high;
  const double push = ratio(std::abs(u), u_size);
  if (!std::isfinite(acting)) {
    r.dual = std::max(r.dual, push);
  } else {
    r.complementarity =
        std::max(r.complementarity, push * ratio(std::abs(value - acting), std::abs(acting) + value_size));
  }
}

}  // namespace

void KktCheck::reserve(int n, int m) {
  for (VecX* v : {&gradient_, &Hx_, &Ay_, &unit_}) v->setZero(n);
  for (VecX* v : {&row_unit_, &row_value_, &row_size_}) v->setZero(m);
}

void KktCheck::gradient(const QpProblem& p, const Vector& x, const Vector& y) {
  const auto n = x.size();
  Hx_.head(n).noalias() = p.H * x;
  Ay_.head(n).setZero();
  if (y.size() > 0) Ay_.head(n).noalias() = p.A.transpose() * y;
  gradient_.head(n) = Hx_.head(n) + p.g - Ay_.head(n);
}

QpResiduals KktCheck::residuals(const QpProblem& p, const Vector& x, const Vector& y, const Vector& w,
                                const std::vector<char>& off) {
  const auto n = x.size(), m = y.size();
  // Comparisons are false for NaN, so that it has to be told first.
  constexpr double kNonsense = std::numeric_limits<double>::infinity();
  if (!x.allFinite() || !y.allFinite() || !w.allFinite()) return {kNonsense, kNonsense, kNonsense, kNonsense};
  // The metric of H's diagonal, in which all variables are alike.
  const double largest = p.H.diagonal().maxCoeff();
  for (Eigen::Index j = 0; j < n; ++j)
    unit_[j] = std::sqrt(p.H(j, j) > 0 ? p.H(j, j) : largest > 0 ? 1e-9 * largest : 1.0);

  QpResiduals r;
  double size = 0, rest = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    const double terms =
        std::max(std::max(std::abs(p.g[j]), std::abs(Hx_[j])), std::max(std::abs(Ay_[j]), std::abs(w[j])));
    size = std::max(size, terms / unit_[j]);
    rest = std::max(rest, std::abs(gradient_[j] - w[j]) / unit_[j]);
  }
  r.stationarity = ratio(rest, size);

  for (Eigen::Index j = 0; j < n; ++j)
    judge(x[j], p.x_low[j], p.x_high[j], w[j], std::abs(x[j]) + kSmallTerm * size / unit_[j], size * unit_[j],
          r);

  row_value_.head(m).setZero();
  row_size_.head(m).setZero();
  row_unit_.head(m).setZero();
  for (Eigen::Index j = 0; j < n && m > 0; ++j) {
    row_value_.head(m) += p.A.col(j) * x[j];
    row_size_.head(m) += p.A.col(j).cwiseAbs() * (std::abs(x[j]) + kSmallTerm * size / unit_[j]);
    row_unit_.head(m) += p.A.col(j).cwiseAbs2() / (unit_[j] * unit_[j]);
  }
  for (Eigen::Index i = 0; i < m; ++i)
    if (!off[static_cast<size_t>(i)])
      judge(row_value_[i], p.a_low[i], p.a_high[i], y[i], row_size_[i], size / std::sqrt(row_unit_[i]), r);
  return r;
}

}  // namespace sinew
