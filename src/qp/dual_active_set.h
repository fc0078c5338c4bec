#pragma once

#include <vector>

#include "qp/qp.h"
#include "qp/working_factor.h"

namespace sinew {

// The dual active-set method of Goldfarb and Idnani (1983): x is always the minimum over the working set and
// no multiplier of it has the wrong sign; violated constraints join one by one, and those whose multipliers
// reach zero on the way leave. Strictly convex problems end after finitely many steps, at the solution or
// with a proof that there is none.
class DualActiveSet {
 public:
  enum class Outcome { kSolved, kInfeasible, kNotConvex, kIterationLimit };

  void reserve(int variables, int rows);

  // Solves `problem` with H and g in place of its own and without the rows where `off` is not 0, beginning
  // at the working set that `bounds` and `rows` tell (H column by column). All arguments must live as long as
  // `polish` is called.
  Outcome run(const QpProblem& problem, const double* H, const double* g, const std::vector<char>& off,
              const std::vector<QpSide>& bounds, const std::vector<QpSide>& rows, int max_iterations);
  // One step of iterative refinement on the working set, and on from there.
  Outcome polish();

  const VecX& x() const { return x_; }                // the first n entries
  const VecX& row_multipliers() const { return y_; }  // the first m entries
  const std::vector<QpSide>& bounds() const { return bounds_; }
  const std::vector<QpSide>& rows() const { return rows_; }
  int iterations() const { return iterations_; }
  double regularization() const { return regularization_; }

 private:
  // Variables' bounds are the constraints 0 .. n - 1, rows n .. n + m - 1; sign 1 pushes up from a lower
  // bound.
  struct Violated {
    int constraint = -1;
    double sign = 0;
    double amount = 0;
  };
  struct Step {
    double length = 0;
    int leaves = -1;  // the constraint whose multiplier reaches 0 first
  };

  Eigen::Map<const MatX> H() const { return {H_, n_, n_}; }
  Eigen::Map<const VecX> g() const { return {g_, n_}; }
  bool is_equality(int constraint) const;
  double bound(int constraint, QpSide side) const;
  QpSide& side(int constraint);
  double& multiplier(int constraint);

  void measure();
  bool regularize();
  bool begin(const std::vector<QpSide>& bounds, const std::vector<QpSide>& rows);
  bool factor();
  void add_working_rows(bool equalities);
  void correct();
  void bound_multipliers();
  bool drop_wrong_signs();
  bool leave(int constraint);
  void find_direction(const Violated& p, double& curvature, bool& dependent);
  Step longest_step() const;
  Violated most_violated();
  Outcome add(Violated p);
  Outcome iterate();

  int n_ = 0, m_ = 0;
  const QpProblem* problem_ = nullptr;
  const double* H_ = nullptr;
  const double* g_ = nullptr;
  const std::vector<char>* off_ = nullptr;
  int max_iterations_ = 0, iterations_ = 0;
  double regularization_ = 0;

  // Units of variables and rows in the metric of H's diagonal: x d and (A_i x) / r_i are all alike.
  VecX d_, row_unit_, ridge_;
  double size_of_x_ = 0;  // of the unconstrained minimum, in that metric

  WorkingFactor factor_;
  std::vector<QpSide> bounds_, rows_;
  std::vector<char> out_;      // variables that are at their bounds and no longer in the factor
  std::vector<char> settled_;  // equalities that follow from others, and hold
  std::vector<int> position_;  // of a variable in the factor
  std::vector<int> order_;     // scratch: the variables of the factor
  std::vector<int> columns_;   // the constraints of the factor
  VecX x_, y_, w_;             // w_: bound multipliers
  VecX dx_, dy_, dw_;          // along the step
  MatX row_vectors_;           // scratch: L^-1 of working rows, one a row
  VecX v_, c_, gradient_, row_values_, row_sizes_, normals_;
};

}  // namespace sinew
