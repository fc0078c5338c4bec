#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/math.h"

// Dense convex quadratic programs: docs/qp.md has the method, its guarantees and the file format.
namespace sinew {

// Minimise 1/2 x'Hx + g'x over x, subject to a_low <= A x <= a_high and x_low <= x <= x_high.
// n variables and m rows; n >= 1, m may be 0. An infinite bound is none; equal bounds are an equality.
struct QpProblem {
  MatX H;      // n x n, symmetric (both triangles are read), positive definite; semi-definite: see QpStatus
  VecX g;      // n
  MatX A;      // m x n
  VecX a_low;  // m
  VecX a_high;
  VecX x_low;  // n
  VecX x_high;
  // Empty, or m weights. A row of positive weight is soft; it must be an equality A_i x = b_i. Where no x
  // satisfies all rows, the soft ones leave the constraints and 1/2 weight_i (A_i x - b_i)^2 joins the cost.
  VecX soft;

  int variables() const { return static_cast<int>(g.size()); }
  int rows() const { return static_cast<int>(a_low.size()); }
};

// n variables and m rows without a constraint: H and A zero, bounds infinite, no soft rows.
QpProblem make_qp(int variables, int rows);

// Which bound of a variable or row holds with equality at the solution. An equality is at kLower.
enum class QpSide : int8_t { kNone, kLower, kUpper };

enum class QpStatus {
  kOptimal,         // the solution; its KKT residuals are below the tolerance
  kRelaxed,         // the solution with the soft rows as penalties, because they contradict the others
  kInfeasible,      // no x satisfies the (hard) constraints
  kNotConvex,       // H has a negative eigenvalue, or the cost falls without end
  kIterationLimit,  // too many changes of the active set
  kInaccurate,      // an answer whose KKT residuals are above the tolerance: do not use it
  kBadNumber,       // NaN or infinity in H, g or A, NaN in a bound
};
const char* to_string(QpStatus status);

// How far x and its multipliers are from the Karush-Kuhn-Tucker conditions, from the problem's own numbers.
// Relative: 1e-12 is rounding, 1 is nonsense. docs/qp.md has the formulas.
struct QpResiduals {
  double stationarity = 0;     // H x + g - A' row_multipliers - bound_multipliers
  double primal = 0;           // violation of rows and bounds
  double dual = 0;             // multipliers of the wrong sign
  double complementarity = 0;  // multiplier times distance to its bound
  double largest() const;
};

// What a solve found. Vectors keep their memory between solves.
class QpSolution {
 public:
  using Vector = Eigen::Map<const VecX>;

  QpStatus status = QpStatus::kInfeasible;
  QpResiduals residuals;
  int iterations = 0;         // changes of the active set, and factorisations after them
  double regularization = 0;  // what was added to H's diagonal to factor it; 0 if H is positive definite

  // True if x may be used: kOptimal or kRelaxed.
  bool ok() const { return status == QpStatus::kOptimal || status == QpStatus::kRelaxed; }

  Vector x() const { return map(x_); }
  // H x + g = A' row_multipliers + bound_multipliers: >= 0 at a lower bound, <= 0 at an upper one.
  Vector row_multipliers() const { return map(y_); }
  Vector bound_multipliers() const { return map(w_); }
  // By how much each soft row was relaxed: A_i x - b_i. Zeros unless the status is kRelaxed.
  Vector slack() const { return map(slack_); }

  const std::vector<QpSide>& active_bounds() const { return active_bounds_; }  // n
  const std::vector<QpSide>& active_rows() const { return active_rows_; }      // m

 private:
  friend class QpSolver;
  static Vector map(const std::vector<double>& v) {
    return Vector(v.data(), static_cast<Eigen::Index>(v.size()));
  }

  std::vector<double> x_, y_, w_, slack_;
  std::vector<QpSide> active_bounds_, active_rows_;
};

struct QpOptions {
  double tolerance = 1e-8;  // residuals above it are kInaccurate
  int max_iterations = 0;   // changes of the active set; 0: 10 (n + m)
};

// Solves one problem after another. Memory for `max_variables` and `max_rows` is taken once: no solve within
// them allocates. A larger problem makes it grow.
class QpSolver {
 public:
  explicit QpSolver(int max_variables = 0, int max_rows = 0, const QpOptions& options = {});
  ~QpSolver();
  QpSolver(QpSolver&&) noexcept;
  QpSolver& operator=(QpSolver&&) noexcept;

  // Begins at the active set of the last solve if the sizes are the same; the solution does not depend on it
  // beyond rounding. The result lives until the next solve. Throws Error if the sizes do not fit each other
  // or a soft row is no equality.
  const QpSolution& solve(const QpProblem& problem);

  // The active set at which the next solve begins, such as the last one with the coefficients of a new
  // contact put in (n and m entries; an entry without a bound is ignored).
  void start_from(const std::vector<QpSide>& active_bounds, const std::vector<QpSide>& active_rows);
  // The next solve begins with no inequality active: the same problem then gives the same bits.
  void forget();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace sinew
