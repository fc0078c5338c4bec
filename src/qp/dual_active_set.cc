#include "qp/dual_active_set.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Relative sizes below which a number is rounding: of a violation, of a multiplier, of what is left of a
// constraint's normal after those that it depends on, of the contradiction between dependent equalities.
constexpr double kViolated = 1e-11;
constexpr double kRounding = 1e-13;
constexpr double kDependent = 1e-9;
constexpr double kContradiction = 1e-9;
// What is added to the diagonal of a semi-definite H, relative to it.
constexpr double kRidge = 1e-9;

}  // namespace

void DualActiveSet::reserve(int n, int m) {
  factor_.reserve(n);
  for (VecX* v : {&d_, &ridge_, &x_, &w_, &dx_, &dw_, &v_, &gradient_}) v->setZero(n);
  for (VecX* v : {&row_unit_, &y_, &dy_, &row_values_, &row_sizes_}) v->setZero(m);
  for (VecX* v : {&c_, &normals_}) v->setZero(n + 1);
  row_vectors_.setZero(m, n);
  for (std::vector<int>* v : {&position_, &order_, &columns_}) v->reserve(static_cast<size_t>(n + m));
  bounds_.reserve(static_cast<size_t>(n));
  out_.reserve(static_cast<size_t>(n));
  rows_.reserve(static_cast<size_t>(m));
  settled_.reserve(static_cast<size_t>(m));
}

bool DualActiveSet::is_equality(int c) const {
  return c < n_ ? problem_->x_low[c] == problem_->x_high[c]
                : problem_->a_low[c - n_] == problem_->a_high[c - n_];
}

double DualActiveSet::bound(int c, QpSide side) const {
  const bool low = side == QpSide::kLower;
  if (c < n_) return low ? problem_->x_low[c] : problem_->x_high[c];
  return low ? problem_->a_low[c - n_] : problem_->a_high[c - n_];
}

QpSide& DualActiveSet::side(int c) {
  return c < n_ ? bounds_[static_cast<size_t>(c)] : rows_[static_cast<size_t>(c - n_)];
}

double& DualActiveSet::multiplier(int c) { return c < n_ ? w_[c] : y_[c - n_]; }

DualActiveSet::Outcome DualActiveSet::run(const QpProblem& problem, const double* H_data,
                                          const double* g_data, const std::vector<char>& off,
                                          const std::vector<QpSide>& bounds, const std::vector<QpSide>& rows,
                                          int max_iterations) {
  n_ = problem.variables();
  m_ = problem.rows();
  problem_ = &problem;
  H_ = H_data;
  g_ = g_data;
  off_ = &off;
  max_iterations_ = max_iterations;
  iterations_ = 0;
  regularization_ = 0;
  ridge_.head(n_).setZero();
  if (H().diagonal().minCoeff() < 0) return Outcome::kNotConvex;
  if (H().diagonal().minCoeff() == 0) regularize();
  // A matrix that turns out semi-definite gets a little on its diagonal, once.
  for (;;) {
    measure();
    const Outcome outcome = begin(bounds, rows) ? iterate() : Outcome::kNotConvex;
    if (outcome != Outcome::kNotConvex || !regularize()) return outcome;
  }
}

DualActiveSet::Outcome DualActiveSet::polish() {
  correct();
  bound_multipliers();
  return iterate();
}

bool DualActiveSet::regularize() {
  if (regularization_ > 0) return false;
  const double largest = H().diagonal().maxCoeff();
  regularization_ = kRidge * (largest > 0 ? largest : 1);
  for (int j = 0; j < n_; ++j) ridge_[j] = kRidge * (H()(j, j) > 0 ? H()(j, j) : regularization_ / kRidge);
  return true;
}

void DualActiveSet::measure() {
  d_.head(n_) = (H().diagonal() + ridge_.head(n_)).cwiseSqrt();
  size_of_x_ = (g().array() / d_.head(n_).array()).abs().maxCoeff();
  row_unit_.head(m_).setZero();
  for (int j = 0; j < n_; ++j) row_unit_.head(m_) += (problem_->A.col(j) / d_[j]).cwiseAbs2();
  row_unit_.head(m_) = row_unit_.head(m_).cwiseSqrt();
}

bool DualActiveSet::begin(const std::vector<QpSide>& bounds, const std::vector<QpSide>& rows) {
  // The working set that was asked for, as far as its bounds exist; equalities are always in it.
  const auto sane = [this](int c, QpSide wanted) {
    if (is_equality(c)) return QpSide::kLower;
    return wanted != QpSide::kNone && std::isfinite(bound(c, wanted)) ? wanted : QpSide::kNone;
  };
  bounds_.resize(static_cast<size_t>(n_));
  rows_.resize(static_cast<size_t>(m_));
  for (int j = 0; j < n_; ++j) side(j) = sane(j, bounds[static_cast<size_t>(j)]);
  for (int i = 0; i < m_; ++i)
    side(n_ + i) =
        (*off_)[static_cast<size_t>(i)] ? QpSide::kNone : sane(n_ + i, rows[static_cast<size_t>(i)]);
  settled_.assign(static_cast<size_t>(m_), 0);
  if (!factor()) return false;
  return drop_wrong_signs();
}

bool DualActiveSet::factor() {
  // Variables at bounds are gone.
  out_.assign(static_cast<size_t>(n_), 0);
  position_.assign(static_cast<size_t>(n_), -1);
  order_.clear();
  x_.head(n_).setZero();
  w_.head(n_).setZero();
  for (int j = 0; j < n_; ++j) {
    if (bounds_[static_cast<size_t>(j)] == QpSide::kNone) {
      position_[static_cast<size_t>(j)] = static_cast<int>(order_.size());
      order_.push_back(j);
    } else {
      out_[static_cast<size_t>(j)] = 1;
      x_[j] = bound(j, bounds_[static_cast<size_t>(j)]);
    }
  }
  columns_.clear();
  y_.head(m_).setZero();
  if (!order_.empty() && !(factor_.factor(H(), ridge_, order_) > 0)) return false;
  add_working_rows(true);
  add_working_rows(false);
  return true;
}

void DualActiveSet::add_working_rows(bool equalities) {
  order_.clear();
  for (int i = 0; i < m_; ++i)
    if (rows_[static_cast<size_t>(i)] != QpSide::kNone && is_equality(n_ + i) == equalities)
      order_.push_back(i);
  const int count = static_cast<int>(order_.size());
  for (int k = 0; k < factor_.size(); ++k)
    for (int i = 0; i < count; ++i)
      row_vectors_(i, k) = problem_->A(order_[static_cast<size_t>(i)], factor_.variable(k));
  factor_.forward_rows(row_vectors_, count);
  // A row that depends on those before waits outside; there it is found if it does not hold.
  for (int i = 0; i < count; ++i) {
    const int row = order_[static_cast<size_t>(i)];
    v_.head(factor_.size()) = row_vectors_.row(i).head(factor_.size());
    const double whole = v_.head(factor_.size()).norm();
    const double rest = factor_.split(v_, c_);
    if (factor_.constraints() < factor_.size() && rest > kDependent * whole) {
      factor_.add_constraint(v_, rest, c_);
      columns_.push_back(n_ + row);
    } else {
      rows_[static_cast<size_t>(row)] = QpSide::kNone;
    }
  }
}

void DualActiveSet::correct() {
  // Newton's step on the working set's KKT system, from where x and the multipliers are.
  gradient_.head(n_) = g();
  gradient_.head(n_).noalias() += H() * x_.head(n_);
  gradient_.head(n_).noalias() -= problem_->A.transpose() * y_.head(m_);
  const int q = factor_.constraints();
  for (int k = 0; k < factor_.size(); ++k) {
    const int var = factor_.variable(k);
    v_[k] = w_[var] - gradient_[var];
  }
  for (int k = 0; k < q; ++k) {
    const int c = columns_[static_cast<size_t>(k)];
    const double value = c < n_ ? x_[c] : problem_->A.row(c - n_).dot(x_.head(n_));
    normals_[k] = bound(c, side(c)) - value;
  }
  factor_.forward(v_);
  factor_.solve_R_transposed(normals_);
  c_.head(q).noalias() = normals_.head(q);
  // L' dx = v + Q (R^-T b - Q'v); the multipliers change by R^-1 of what stands in brackets.
  VecX& along = dx_;
  along.head(factor_.size()) = v_.head(factor_.size());
  factor_.split(along, c_);
  normals_.head(q) -= c_.head(q);
  factor_.add_Q(normals_, v_);
  factor_.solve_R(normals_);
  factor_.backward(v_);
  for (int k = 0; k < factor_.size(); ++k) x_[factor_.variable(k)] += v_[k];
  for (int k = 0; k < q; ++k) multiplier(columns_[static_cast<size_t>(k)]) += normals_[k];
}

void DualActiveSet::bound_multipliers() {
  for (int j = 0; j < n_; ++j)
    if (out_[static_cast<size_t>(j)])
      w_[j] = g()[j] + H().col(j).dot(x_.head(n_)) - problem_->A.col(j).dot(y_.head(m_));
}

bool DualActiveSet::drop_wrong_signs() {
  const auto wrong = [this](int c) {
    if (side(c) == QpSide::kNone || is_equality(c)) return false;
    const double u = side(c) == QpSide::kLower ? multiplier(c) : -multiplier(c);
    return u < -kRounding * size_of_x_ * (c < n_ ? d_[c] : 1 / row_unit_[c - n_]);
  };
  // Without them x is another one, and so are the multipliers of the rest.
  for (bool again = true; again;) {
    again = false;
    correct();
    bound_multipliers();
    for (int c = 0; c < n_ + m_; ++c) {
      if (!wrong(c)) continue;
      ++iterations_;
      again = true;
      if (!leave(c)) return false;
    }
  }
  return true;
}

bool DualActiveSet::leave(int c) {
  side(c) = QpSide::kNone;
  multiplier(c) = 0;
  const auto column = std::find(columns_.begin(), columns_.end(), c);
  if (column != columns_.end()) {
    factor_.remove_constraint(static_cast<int>(column - columns_.begin()));
    columns_.erase(column);
    return true;
  }
  // A variable that the factor did not have joins it.
  for (size_t k = 0; k < columns_.size(); ++k)
    normals_[static_cast<Eigen::Index>(k)] = columns_[k] < n_ ? 0.0 : problem_->A(columns_[k] - n_, c);
  if (!(factor_.add_variable(H(), ridge_, c, normals_) > 0)) return false;
  position_[static_cast<size_t>(c)] = factor_.size() - 1;
  out_[static_cast<size_t>(c)] = 0;
  return true;
}

DualActiveSet::Violated DualActiveSet::most_violated() {
  Violated worst;
  double score = 0;
  const auto look = [&](int c, double value, double low, double high, double size, double unit) {
    const double below = low - value, above = value - high;
    const double amount = std::max(below, above);
    if (amount <= 0) return;
    const double at = below > above ? low : high;
    if (amount <= kViolated * (std::abs(at) + size) + kRounding * size_of_x_ * unit) return;
    if (amount / unit <= score) return;
    score = amount / unit;
    worst = {c, below > above ? 1.0 : -1.0, amount};
  };
  for (int k = 0; k < factor_.size(); ++k) {
    const int j = factor_.variable(k);
    if (bounds_[static_cast<size_t>(j)] == QpSide::kNone)
      look(j, x_[j], problem_->x_low[j], problem_->x_high[j], std::abs(x_[j]), 1 / d_[j]);
  }
  // Rows cost more to look at, and often all of them are working or hold.
  if (worst.constraint >= 0) return worst;
  const auto outside = [this](int i) {
    const auto at = static_cast<size_t>(i);
    return rows_[at] == QpSide::kNone && !(*off_)[at] && !settled_[at];
  };
  int first = 0;
  while (first < m_ && !outside(first)) ++first;
  if (first == m_) return worst;
  row_values_.head(m_).setZero();
  row_sizes_.head(m_).setZero();
  for (int j = 0; j < n_; ++j) {
    if (x_[j] == 0) continue;
    row_values_.head(m_) += problem_->A.col(j) * x_[j];
    row_sizes_.head(m_) += problem_->A.col(j).cwiseAbs() * std::abs(x_[j]);
  }
  for (int i = first; i < m_; ++i)
    if (outside(i))
      look(n_ + i, row_values_[i], problem_->a_low[i], problem_->a_high[i], row_sizes_[i], row_unit_[i]);
  return worst;
}

void DualActiveSet::find_direction(const Violated& p, double& curvature, bool& dependent) {
  // n = L (Q c + rest): along L^-T rest, the working set stays as it is and p's constraint gets better.
  if (p.constraint < n_) {
    factor_.forward_unit(position_[static_cast<size_t>(p.constraint)], v_);
  } else {
    for (int k = 0; k < factor_.size(); ++k) v_[k] = problem_->A(p.constraint - n_, factor_.variable(k));
    factor_.forward(v_);
  }
  const double whole = v_.head(factor_.size()).norm();
  const double rest = factor_.split(v_, c_);
  curvature = rest * rest;
  dependent = factor_.constraints() == factor_.size() || !(rest > kDependent * whole);

  dx_.head(n_).setZero();
  dy_.head(m_).setZero();
  dw_.head(n_).setZero();
  if (!dependent) {
    normals_.head(factor_.size()) = v_.head(factor_.size());
    factor_.backward(normals_);
    for (int k = 0; k < factor_.size(); ++k) dx_[factor_.variable(k)] = p.sign * normals_[k];
  }
  // Multipliers of the factor's constraints change by -R^-1 c, those of the others by what is left over.
  normals_.head(factor_.constraints()) = c_.head(factor_.constraints());
  factor_.solve_R(normals_);
  for (size_t k = 0; k < columns_.size(); ++k) {
    const int c = columns_[k];
    (c < n_ ? dw_[c] : dy_[c - n_]) = -p.sign * normals_[static_cast<Eigen::Index>(k)];
  }
  if (p.constraint >= n_) dy_[p.constraint - n_] = p.sign;
  for (int j = 0; j < n_; ++j)
    if (out_[static_cast<size_t>(j)])
      dw_[j] = H().col(j).dot(dx_.head(n_)) - problem_->A.col(j).dot(dy_.head(m_));
}

DualActiveSet::Step DualActiveSet::longest_step() const {
  Step step{kInfinity, -1};
  const auto look = [&](int c, QpSide at, double u, double du) {
    if (at == QpSide::kNone || is_equality(c)) return;
    const double sign = at == QpSide::kLower ? 1 : -1;
    if (!(sign * du < 0)) return;
    const double t = std::max(0.0, sign * u) / (-sign * du);
    if (t < step.length) step = {t, c};
  };
  for (int j = 0; j < n_; ++j) look(j, bounds_[static_cast<size_t>(j)], w_[j], dw_[j]);
  for (int i = 0; i < m_; ++i) look(n_ + i, rows_[static_cast<size_t>(i)], y_[i], dy_[i]);
  return step;
}

DualActiveSet::Outcome DualActiveSet::add(Violated p) {
  double u = 0;
  for (;;) {
    if (++iterations_ > max_iterations_) return Outcome::kIterationLimit;
    double curvature = 0;
    bool dependent = false;
    find_direction(p, curvature, dependent);
    const Step partial = longest_step();
    const double full = dependent ? kInfinity : p.amount / curvature;
    if (std::isinf(full) && partial.leaves < 0) {
      // It contradicts the working set, unless by rounding alone.
      if (p.constraint < n_ ||
          p.amount >
              kContradiction * (std::abs(bound(p.constraint, p.sign > 0 ? QpSide::kLower : QpSide::kUpper)) +
                                row_sizes_[p.constraint - n_]))
        return Outcome::kInfeasible;
      settled_[static_cast<size_t>(p.constraint - n_)] = 1;
      return Outcome::kSolved;
    }
    const double t = std::min(full, partial.length);
    x_.head(n_) += t * dx_.head(n_);
    y_.head(m_) += t * dy_.head(m_);
    w_.head(n_) += t * dw_.head(n_);
    u += p.sign * t;
    multiplier(p.constraint) = u;
    if (full <= partial.length) {
      factor_.add_constraint(v_, std::sqrt(curvature), c_);
      columns_.push_back(p.constraint);
      side(p.constraint) = p.sign > 0 ? QpSide::kLower : QpSide::kUpper;
      return Outcome::kSolved;
    }
    p.amount -= dependent ? 0 : t * curvature;
    if (!leave(partial.leaves)) return Outcome::kNotConvex;
  }
}

DualActiveSet::Outcome DualActiveSet::iterate() {
  for (;;) {
    const Violated p = most_violated();
    if (p.constraint < 0) return Outcome::kSolved;
    const Outcome outcome = add(p);
    if (outcome != Outcome::kSolved) return outcome;
  }
}

}  // namespace sinew
