#include "qp/qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.h"
#include "qp/dual_active_set.h"
#include "qp/kkt.h"

namespace sinew {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Residuals below it are not worth another step of refinement.
constexpr double kRounding = 1e-11;

}  // namespace

QpProblem make_qp(int variables, int rows) {
  return {MatX::Zero(variables, variables),     VecX::Zero(variables),
          MatX::Zero(rows, variables),          VecX::Constant(rows, -kInfinity),
          VecX::Constant(rows, kInfinity),      VecX::Constant(variables, -kInfinity),
          VecX::Constant(variables, kInfinity), VecX()};
}

const char* to_string(QpStatus status) {
  switch (status) {
    case QpStatus::kOptimal:
      return "optimal";
    case QpStatus::kRelaxed:
      return "relaxed";
    case QpStatus::kInfeasible:
      return "infeasible";
    case QpStatus::kNotConvex:
      return "not convex";
    case QpStatus::kIterationLimit:
      return "iteration limit";
    case QpStatus::kInaccurate:
      return "inaccurate";
    case QpStatus::kBadNumber:
      return "bad number";
  }
  return "unknown";
}

double QpResiduals::largest() const {
  double largest = 0;
  for (const double r : {stationarity, primal, dual, complementarity})
    if (!(r <= largest)) largest = std::isnan(r) ? kInfinity : r;
  return largest;
}

struct QpSolver::Work {
  int max_variables = 0, max_rows = 0;
  QpOptions options;
  QpSolution solution;
  DualActiveSet set;
  KktCheck check;
  // Where the next solve begins.
  std::vector<QpSide> bounds, rows;
  std::vector<char> off;     // rows that are penalties now
  std::vector<double> H, g;  // with the penalties

  void reserve(int n, int m);
  void attempt(const QpProblem& problem, bool relaxed);
  void take(const QpProblem& problem, bool relaxed);
  void add_penalties(const QpProblem& problem);
};

namespace {

bool any_active(const std::vector<QpSide>& sides) {
  return std::any_of(sides.begin(), sides.end(), [](QpSide s) { return s != QpSide::kNone; });
}

// Throws unless all parts belong to one problem.
void check_sizes(const QpProblem& p) {
  const auto n = p.g.size(), m = p.a_low.size();
  const bool fits = n > 0 && p.H.rows() == n && p.H.cols() == n && p.x_low.size() == n &&
                    p.x_high.size() == n && p.a_high.size() == m && p.A.rows() == m &&
                    (m == 0 || p.A.cols() == n) && (p.soft.size() == 0 || p.soft.size() == m);
  if (!fits) throw Error("the parts of a quadratic program have sizes that do not fit each other");
  for (Eigen::Index i = 0; i < p.soft.size(); ++i)
    if (p.soft[i] != 0 && !(p.soft[i] > 0 && std::isfinite(p.soft[i]) && p.a_low[i] == p.a_high[i]))
      throw Error("row " + std::to_string(i) +
                  " of a quadratic program is soft, but no equality or its weight is no positive number");
}

// NaN and infinity are the numbers that are not 0 when multiplied by it.
bool all_finite(const MatX& m) { return m.size() == 0 || (m.array() * 0.0).sum() == 0.0; }

bool numbers_are_good(const QpProblem& p) {
  return all_finite(p.H) && p.g.allFinite() && all_finite(p.A) && !p.a_low.hasNaN() && !p.a_high.hasNaN() &&
         !p.x_low.hasNaN() && !p.x_high.hasNaN();
}

// Whether each pair of bounds leaves room for a number.
bool bounds_are_open(const VecX& low, const VecX& high) {
  for (Eigen::Index i = 0; i < low.size(); ++i)
    if (low[i] > high[i] || low[i] == kInfinity || high[i] == -kInfinity) return false;
  return true;
}

}  // namespace

void QpSolver::Work::reserve(int n, int m) {
  if (n <= max_variables && m <= max_rows) return;
  max_variables = std::max(n, max_variables);
  max_rows = std::max(m, max_rows);
  const auto variables = static_cast<size_t>(max_variables), rows_size = static_cast<size_t>(max_rows);
  set.reserve(max_variables, max_rows);
  check.reserve(max_variables, max_rows);
  for (std::vector<double>* v : {&solution.x_, &solution.w_}) v->reserve(variables);
  for (std::vector<double>* v : {&solution.y_, &solution.slack_}) v->reserve(rows_size);
  for (std::vector<QpSide>* v : {&solution.active_bounds_, &bounds}) v->reserve(variables);
  for (std::vector<QpSide>* v : {&solution.active_rows_, &rows}) v->reserve(rows_size);
  off.reserve(rows_size);
  H.reserve(variables * variables);
  g.reserve(variables);
}

QpSolver::QpSolver(int max_variables, int max_rows, const QpOptions& options)
    : work_(std::make_unique<Work>()) {
  work_->options = options;
  work_->reserve(max_variables, max_rows);
}
QpSolver::~QpSolver() = default;
QpSolver::QpSolver(QpSolver&&) noexcept = default;
QpSolver& QpSolver::operator=(QpSolver&&) noexcept = default;

void QpSolver::start_from(const std::vector<QpSide>& active_bounds, const std::vector<QpSide>& active_rows) {
  work_->bounds = active_bounds;
  work_->rows = active_rows;
}

void QpSolver::forget() {
  work_->bounds.clear();
  work_->rows.clear();
}

const QpSolution& QpSolver::solve(const QpProblem& problem) {
  check_sizes(problem);
  Work& work = *work_;
  const auto n = static_cast<size_t>(problem.variables()), m = static_cast<size_t>(problem.rows());
  work.reserve(problem.variables(), problem.rows());
  if (work.bounds.size() != n || work.rows.size() != m) {
    work.bounds.assign(n, QpSide::kNone);
    work.rows.assign(m, QpSide::kNone);
  }
  QpSolution& s = work.solution;
  s.residuals = {};
  s.iterations = 0;
  s.regularization = 0;
  for (std::vector<double>* v : {&s.x_, &s.w_}) v->assign(n, 0.0);
  for (std::vector<double>* v : {&s.y_, &s.slack_}) v->assign(m, 0.0);
  s.active_bounds_.assign(n, QpSide::kNone);
  s.active_rows_.assign(m, QpSide::kNone);
  work.off.assign(m, 0);
  if (!numbers_are_good(problem)) {
    s.status = QpStatus::kBadNumber;
    return s;
  }
  if (!bounds_are_open(problem.x_low, problem.x_high) || !bounds_are_open(problem.a_low, problem.a_high)) {
    s.status = QpStatus::kInfeasible;
    return s;
  }
  // The problem as it is; if that cannot be, with the soft rows as penalties.
  work.attempt(problem, false);
  if (s.status == QpStatus::kInfeasible && problem.soft.size() > 0 && problem.soft.maxCoeff() > 0) {
    work.add_penalties(problem);
    work.attempt(problem, true);
  }
  // The next problem begins where this one ended.
  if (s.ok()) {
    work.bounds = s.active_bounds_;
    work.rows = s.active_rows_;
  }
  return s;
}

void QpSolver::Work::add_penalties(const QpProblem& problem) {
  const int n = problem.variables();
  H.assign(problem.H.data(), problem.H.data() + problem.H.size());
  g.assign(problem.g.data(), problem.g.data() + n);
  Eigen::Map<MatX> cost(H.data(), n, n);
  Eigen::Map<VecX> slope(g.data(), n);
  for (int i = 0; i < problem.rows(); ++i) {
    if (!(problem.soft[i] > 0)) continue;
    off[static_cast<size_t>(i)] = 1;
    for (int j = 0; j < n; ++j)
      cost.col(j) += problem.soft[i] * problem.A(i, j) * problem.A.row(i).transpose();
    slope -= problem.soft[i] * problem.a_low[i] * problem.A.row(i).transpose();
  }
}

void QpSolver::Work::attempt(const QpProblem& problem, bool relaxed) {
  using Outcome = DualActiveSet::Outcome;
  const double* cost = relaxed ? H.data() : problem.H.data();
  const double* slope = relaxed ? g.data() : problem.g.data();
  const int limit =
      options.max_iterations > 0 ? options.max_iterations : 10 * (problem.variables() + problem.rows());
  for (;;) {
    Outcome outcome = set.run(problem, cost, slope, off, bounds, rows, limit);
    solution.iterations += set.iterations();
    solution.regularization = set.regularization();
    // Refine until the residuals are rounding.
    for (int round = 0; outcome == Outcome::kSolved; ++round) {
      take(problem, relaxed);
      if (round == 4 || solution.residuals.largest() <= kRounding) break;
      const int before = set.iterations();
      outcome = set.polish();
      solution.iterations += set.iterations() - before;
    }
    switch (outcome) {
      case Outcome::kSolved:
        solution.status = relaxed ? QpStatus::kRelaxed : QpStatus::kOptimal;
        if (!(solution.residuals.largest() <= options.tolerance))
          solution.status = set.regularization() > 0 ? QpStatus::kNotConvex : QpStatus::kInaccurate;
        break;
      case Outcome::kInfeasible:
        solution.status = QpStatus::kInfeasible;
        break;
      case Outcome::kNotConvex:
        solution.status = QpStatus::kNotConvex;
        break;
      case Outcome::kIterationLimit:
        solution.status = QpStatus::kIterationLimit;
        break;
    }
    // Rounding may fail from a remembered working set and not from none. That there is no solution is proved.
    const bool final = solution.ok() || outcome == Outcome::kInfeasible;
    if (final || !(any_active(bounds) || any_active(rows))) return;
    std::fill(bounds.begin(), bounds.end(), QpSide::kNone);
    std::fill(rows.begin(), rows.end(), QpSide::kNone);
  }
}

void QpSolver::Work::take(const QpProblem& p, bool relaxed) {
  const int n = p.variables(), m = p.rows();
  QpSolution& s = solution;
  s.active_bounds_ = set.bounds();
  s.active_rows_ = set.rows();
  // Bounds hold exactly.
  for (int j = 0; j < n; ++j) {
    const QpSide at = s.active_bounds_[static_cast<size_t>(j)];
    const double x = at == QpSide::kLower ? p.x_low[j] : at == QpSide::kUpper ? p.x_high[j] : set.x()[j];
    s.x_[static_cast<size_t>(j)] = std::clamp(x, p.x_low[j], p.x_high[j]);
  }
  for (int i = 0; i < m; ++i) {
    const auto at = static_cast<size_t>(i);
    double y = set.row_multipliers()[i];
    if (relaxed && off[at]) {
      s.slack_[at] = p.A.row(i).dot(s.x()) - p.a_low[i];
      y = -p.soft[i] * s.slack_[at];
    } else if (p.a_low[i] != p.a_high[i]) {
      y = s.active_rows_[at] == QpSide::kLower   ? std::max(0.0, y)
          : s.active_rows_[at] == QpSide::kUpper ? std::min(0.0, y)
                                                 : 0.0;
    } else {
      s.active_rows_[at] = QpSide::kLower;
    }
    s.y_[at] = y;
  }
  check.gradient(p, s.x(), s.row_multipliers());
  // A bound's multiplier is what is left of the gradient, if it has the right sign.
  for (int j = 0; j < n; ++j) {
    const auto at = static_cast<size_t>(j);
    const double w = check.gradient()[j];
    const bool any = p.x_low[j] == p.x_high[j];
    const bool up = s.active_bounds_[at] == QpSide::kLower, down = s.active_bounds_[at] == QpSide::kUpper;
    s.w_[at] = any || (up && w > 0) || (down && w < 0) ? w : 0.0;
  }
  s.residuals = check.residuals(p, s.x(), s.row_multipliers(), s.bound_multipliers(), off);
}

}  // namespace sinew
