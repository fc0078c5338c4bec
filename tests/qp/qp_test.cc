// The solver against closed forms, known solutions, two other methods and its own promises.
#include "qp/qp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/allocations.h"
#include "core/error.h"
#include "qp/problems.h"
#include "qp/reference_solvers.h"

namespace sinew {
namespace {

using qp_problems::kInfinity;

// The KKT conditions of the promise in qp.h, written down once more.
void expect_kkt(const QpProblem& p, const QpSolution& s, double tolerance) {
  const VecX x = s.x(), y = s.row_multipliers(), w = s.bound_multipliers();
  const VecX gradient = p.H * x + p.g - p.A.transpose() * y - w;
  EXPECT_LT(gradient.cwiseAbs().maxCoeff(), tolerance);
  const auto check = [&](double value, double low, double high, double u) {
    EXPECT_GT(value, low - tolerance);
    EXPECT_LT(value, high + tolerance);
    EXPECT_LT(u == 0 ? 0 : u > 0 ? u * (value - low) : u * (value - high), tolerance);
  };
  for (int j = 0; j < p.variables(); ++j) check(x[j], p.x_low[j], p.x_high[j], w[j]);
  for (int i = 0; i < p.rows(); ++i) check(p.A.row(i).dot(x), p.a_low[i], p.a_high[i], y[i]);
}

// min 1/2 |x - target|^2 without constraints.
QpProblem nearest_to(const VecX& target, int rows = 0) {
  QpProblem p = make_qp(static_cast<int>(target.size()), rows);
  p.H.setIdentity();
  p.g = -target;
  return p;
}

TEST(Qp, WithoutConstraintsSolvesTheLinearSystem) {
  Random random(1);
  const auto known = qp_problems::random_qp(random, {.variables = 20, .bounds = false});
  QpSolver solver;
  const QpSolution& s = solver.solve(known.problem);
  ASSERT_EQ(s.status, QpStatus::kOptimal);
  EXPECT_LT((s.x() + known.problem.H.ldlt().solve(known.problem.g)).norm(), 1e-12);
  EXPECT_EQ(s.iterations, 0);
}

TEST(Qp, ProjectsOntoABox) {
  QpProblem p = nearest_to(Vec3(3, -2, 0.5));
  p.x_low.setConstant(-1);
  p.x_high.setConstant(1);
  QpSolver solver;
  const QpSolution& s = solver.solve(p);
  ASSERT_EQ(s.status, QpStatus::kOptimal);
  EXPECT_EQ(s.x(), Vec3(1, -1, 0.5));
  EXPECT_EQ(s.bound_multipliers(), Vec3(-2, 1, 0));
  EXPECT_EQ(s.active_bounds(), (std::vector{QpSide::kUpper, QpSide::kLower, QpSide::kNone}));
}

TEST(Qp, ProjectsOntoAPlaneAndAHalfSpace) {
  QpProblem p = nearest_to(Vec3(1, 2, 6), 2);
  p.A << 1, 1, 1, 0, 0, 1;
  p.a_low << 3, -kInfinity;
  p.a_high << 3, 2;
  QpSolver solver;
  const QpSolution& s = solver.solve(p);
  ASSERT_EQ(s.status, QpStatus::kOptimal);
  // On the plane (-1, 0, 4); then z = 2 and the rest is shared.
  EXPECT_LT((s.x() - Vec3(0, 1, 2)).norm(), 1e-14);
  EXPECT_NEAR(s.row_multipliers()[0], -1, 1e-14);
  EXPECT_NEAR(s.row_multipliers()[1], -3, 1e-14);
}

TEST(Qp, ProjectsOntoTheSimplex) {
  // Known by sorting: the nearest point of {x >= 0, sum x = 1}.
  QpProblem p = nearest_to(Vec4(0.9, 0.6, -0.3, 0.1), 1);
  p.A.setOnes();
  p.a_low.setConstant(1);
  p.a_high.setConstant(1);
  p.x_low.setZero();
  QpSolver solver;
  const QpSolution& s = solver.solve(p);
  ASSERT_EQ(s.status, QpStatus::kOptimal);
  EXPECT_LT((s.x() - Vec4(0.65, 0.35, 0, 0)).norm(), 1e-14);
}

TEST(Qp, EqualBoundsFixAVariable) {
  QpProblem p = nearest_to(Vec3(3, -2, 0.5));
  p.H(0, 1) = p.H(1, 0) = 0.5;
  p.x_low[0] = p.x_high[0] = 7;
  QpSolver solver;
  const QpSolution& s = solver.solve(p);
  ASSERT_EQ(s.status, QpStatus::kOptimal);
  EXPECT_LT((s.x() - Vec3(7, -5.5, 0.5)).norm(), 1e-14);
  // All of them: nothing is left to choose.
  p.x_low = p.x_high = Vec3(1, 2, 3);
  EXPECT_EQ(solver.solve(p).status, QpStatus::kOptimal);
  EXPECT_EQ(solver.solve(p).x(), Vec3(1, 2, 3));
  const VecX gradient = p.H * Vec3(1, 2, 3) + p.g;
  EXPECT_LT((solver.solve(p).bound_multipliers() - gradient).norm(), 1e-14);
  // Without rows A may be left empty.
  p.A.resize(0, 0);
  EXPECT_EQ(solver.solve(p).x(), Vec3(1, 2, 3));
}

TEST(Qp, FindsKnownSolutionsOfRandomProblems) {
  Random random(2);
  QpSolver solver;
  for (int k = 0; k < 2000; ++k) {
    qp_problems::RandomQp r;
    r.variables = 1 + static_cast<int>(random.between(0, 40));
    r.equalities = static_cast<int>(random.between(0, 0.4 * r.variables));
    r.inequalities = static_cast<int>(random.between(0, 30));
    r.active = random.uniform();
    r.condition = std::pow(10, random.between(0, 6));
    const auto known = qp_problems::random_qp(random, r);
    const QpSolution& s = solver.solve(known.problem);
    ASSERT_EQ(s.status, QpStatus::kOptimal) << k << ": " << to_string(s.status);
    ASSERT_LT((s.x() - known.x).cwiseAbs().maxCoeff(), 1e-8) << k;
    ASSERT_LT(s.residuals.largest(), 1e-11) << k;
    if (k % 50 == 0) expect_kkt(known.problem, s, 1e-7);
  }
}

TEST(Qp, AgreesWithEnumerationOfAllActiveSets) {
  Random random(3);
  QpSolver solver;
  int feasible = 0;
  for (int k = 0; k < 400; ++k) {
    const int n = 1 + static_cast<int>(random.between(0, 4)), m = static_cast<int>(random.between(0, 3));
    QpProblem p = make_qp(n, m);
    const MatX B = qp_problems::normal_matrix(random, n, n);
    p.H = B * B.transpose() + 0.1 * MatX::Identity(n, n);
    p.g = 3 * qp_problems::normal_vector(random, n);
    p.A = qp_problems::normal_matrix(random, m, n);
    for (int i = 0; i < m; ++i) {
      p.a_low[i] = random.between(-2, 1);
      p.a_high[i] = random.uniform() < 0.3 ? p.a_low[i] : p.a_low[i] + random.between(0, 1);
    }
    for (int j = 0; j < n; ++j) {
      p.x_low[j] = random.between(-1, 1);
      if (random.uniform() < 0.5) p.x_high[j] = p.x_low[j] + random.between(0, 1);
    }
    VecX x;
    const bool exists = qp_reference::solve_by_enumeration(p, x);
    const QpSolution& s = solver.solve(p);
    ASSERT_EQ(s.status, exists ? QpStatus::kOptimal : QpStatus::kInfeasible) << k;
    if (!exists) continue;
    ++feasible;
    ASSERT_LT((s.x() - x).norm(), 1e-9) << k;
  }
  EXPECT_GT(feasible, 100);
  EXPECT_LT(feasible, 350);
}

TEST(Qp, AgreesWithAnInteriorPointMethod) {
  Random random(4);
  QpSolver solver;
  for (int k = 0; k < 12; ++k) {
    qp_problems::TrackerQp t;
    if (k % 2) t = qp_problems::small_figure();
    t.seed = static_cast<uint64_t>(k);
    t.contacts =
        1 + k % 3 / 2;  // one point a foot: two of them give dependent rows, which that method cannot take
    t.limit = 100;
    t.regularization = 1e-4;
    const QpProblem p = qp_problems::tracker_qp(t, 0);
    VecX x;
    ASSERT_TRUE(qp_reference::solve_by_interior_point(p, x)) << k;
    const QpSolution& s = solver.solve(p);
    ASSERT_EQ(s.status, QpStatus::kOptimal) << k;
    EXPECT_LT((s.x() - x).norm(), 1e-5 * x.norm()) << k;
    const auto cost = [&p](const VecX& at) { return 0.5 * at.dot(p.H * at) + p.g.dot(at); };
    EXPECT_NEAR(cost(s.x()), cost(x), 1e-8 * std::abs(cost(x))) << k;
  }
}

TEST(Qp, SolvesTheTrackersLargestForm) {
  // Accelerations, torques (the root's are 0) and 11 contacts: 158 variables, 90 rows, of which some depend.
  qp_problems::TrackerQp t;
  t.contacts = 11;
  t.accelerations = true;
  QpSolver solver;
  qp_problems::TrackerQp reduced = t;
  reduced.accelerations = false;
  for (int k = 0; k < 3; ++k) {
    const QpProblem p = qp_problems::tracker_qp(t, 0.3 * k);
    ASSERT_EQ(p.variables(), 158);
    const QpSolution& s = solver.solve(p);
    ASSERT_EQ(s.status, QpStatus::kOptimal) << to_string(s.status);
    EXPECT_LT((p.A * s.x() - p.a_low).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST(Qp, DegenerateVertices) {
  // A pyramid's tip where 40 planes meet in 3 dimensions.
  Random random(5);
  for (int k = 0; k < 50; ++k) {
    QpProblem p = nearest_to(Vec3(0.3 * random.normal(), 0.3 * random.normal(), 5), 40);
    for (int i = 0; i < 40; ++i) {
      const double angle = 2 * kPi * i / 40;
      p.A.row(i) = Vec3(std::cos(angle), std::sin(angle), 1).transpose();
      p.a_high[i] = 1;
    }
    QpSolver solver;
    const QpSolution& s = solver.solve(p);
    ASSERT_EQ(s.status, QpStatus::kOptimal);
    EXPECT_LT((s.x() - Vec3(0, 0, 1)).norm(), 1e-12);
  }
}

TEST(Qp, RepeatedAndDependentRows) {
  Random random(6);
  for (int k = 0; k < 200; ++k) {
    const auto known = qp_problems::random_qp(random, {.variables = 12, .equalities = 4, .inequalities = 4});
    // Each equality again, scaled, and sums of two of them; each inequality again.
    const QpProblem& p = known.problem;
    QpProblem q = make_qp(12, 20);
    q.H = p.H, q.g = p.g, q.x_low = p.x_low, q.x_high = p.x_high;
    for (int i = 0; i < 20; ++i) {
      const int a = i % 8, b = i < 16 || a >= 4 ? a : (a + 1) % 4;
      const double scale = i < 8 ? 1 : i < 16 ? 1e3 : 0.5;
      q.A.row(i) = scale * p.A.row(a);
      if (b != a) q.A.row(i) += scale * p.A.row(b);
      q.a_low[i] = scale * (b == a ? p.a_low[a] : p.a_low[a] + p.a_low[b]);
      q.a_high[i] = a < 4 ? q.a_low[i] : scale * p.a_high[a];
    }
    QpSolver solver;
    const QpSolution& s = solver.solve(q);
    ASSERT_EQ(s.status, QpStatus::kOptimal) << k << to_string(s.status);
    EXPECT_LT((s.x() - known.x).norm(), 1e-9) << k;
    // One of the repeated equalities moved away: nothing satisfies both.
    q.a_low[9] = q.a_high[9] += 1;
    EXPECT_EQ(solver.solve(q).status, QpStatus::kInfeasible) << k;
  }
}

TEST(Qp, RowsOfZeros) {
  QpProblem p = nearest_to(Vec3(1, 2, 3), 1);
  p.a_low[0] = p.a_high[0] = 0;
  QpSolver solver;
  EXPECT_EQ(solver.solve(p).status, QpStatus::kOptimal);
  EXPECT_EQ(solver.solve(p).x(), Vec3(1, 2, 3));
  p.a_low[0] = p.a_high[0] = 1;
  EXPECT_EQ(solver.solve(p).status, QpStatus::kInfeasible);
}

TEST(Qp, ToldThatThereIsNoSolution) {
  QpSolver solver;
  // Bounds against a row, a row against itself, bounds that cross.
  QpProblem p = nearest_to(Vec3(1, 2, 3), 1);
  p.A.setOnes();
  p.a_low.setConstant(4);
  p.x_high.setConstant(1);
  EXPECT_EQ(solver.solve(p).status, QpStatus::kInfeasible);
  EXPECT_FALSE(solver.solve(p).ok());
  p.x_high.setConstant(4.0 / 3);
  EXPECT_EQ(solver.solve(p).status, QpStatus::kOptimal);
  p.a_high.setConstant(3);
  EXPECT_EQ(solver.solve(p).status, QpStatus::kInfeasible);
  p.a_high.setConstant(kInfinity);
  p.x_low[1] = 2;
  EXPECT_EQ(solver.solve(p).status, QpStatus::kInfeasible);
}

TEST(Qp, BadScalesOfVariablesAndRows) {
  Random random(7);
  QpSolver solver;
  for (int k = 0; k < 300; ++k) {
    auto [p, x] = qp_problems::random_qp(random, {.variables = 25, .equalities = 5, .inequalities = 15});
    // x = scale * z for each variable, rows times something.
    VecX scale(25);
    for (double& value : scale) value = std::pow(10, random.between(-6, 6));
    p.H = (scale.asDiagonal() * p.H * scale.asDiagonal()).eval();
    p.g = p.g.cwiseProduct(scale);
    p.A = (p.A * scale.asDiagonal()).eval();
    p.x_low = p.x_low.cwiseQuotient(scale);
    p.x_high = p.x_high.cwiseQuotient(scale);
    for (int i = 0; i < p.rows(); ++i) {
      const double row = std::pow(10, random.between(-6, 6));
      p.A.row(i) *= row;
      p.a_low[i] *= row;
      p.a_high[i] *= row;
    }
    const QpSolution& s = solver.solve(p);
    ASSERT_EQ(s.status, QpStatus::kOptimal) << k << to_string(s.status);
    ASSERT_LT((s.x().cwiseProduct(scale) - x).norm(), 1e-9) << k;
  }
}

TEST(Qp, TheWholeCostMayBeLargeOrSmall) {
  Random random(8);
  for (const double scale : {1e-12, 1e-6, 1e6, 1e12}) {
    auto [p, x] = qp_problems::random_qp(random, {.variables = 30, .equalities = 5, .inequalities = 10});
    p.H *= scale;
    p.g *= scale;
    QpSolver solver;
    ASSERT_EQ(solver.solve(p).status, QpStatus::kOptimal) << scale;
    EXPECT_LT((solver.solve(p).x() - x).norm(), 1e-9) << scale;
  }
}

TEST(Qp, SemiDefiniteCostsGetALittleOnTheDiagonal) {
  // Of all x with x0 + x1 = 2 any is as good; the third is free of cost but bounded.
  QpProblem p = make_qp(3, 0);
  p.H.topLeftCorner(2, 2).setOnes();
  p.g << -2, -2, 1;
  p.x_low[2] = -4;
  QpSolver solver;
  const QpSolution& s = solver.solve(p);
  ASSERT_EQ(s.status, QpStatus::kOptimal);
  EXPECT_GT(s.regularization, 0);
  EXPECT_NEAR(s.x()[0] + s.x()[1], 2, 1e-8);
  EXPECT_EQ(s.x()[2], -4);
  // Without the bound the cost falls for ever.
  p.x_low[2] = -kInfinity;
  EXPECT_EQ(solver.solve(p).status, QpStatus::kNotConvex);
}

TEST(Qp, RefusesCostsThatAreNotConvex) {
  QpProblem p = nearest_to(Vec3(1, 2, 3));
  p.H(0, 1) = p.H(1, 0) = 1.001;
  QpSolver solver;
  EXPECT_EQ(solver.solve(p).status, QpStatus::kNotConvex);
  p.H.setIdentity();
  p.H(2, 2) = -1;
  EXPECT_EQ(solver.solve(p).status, QpStatus::kNotConvex);
}

TEST(Qp, RefusesNonsense) {
  QpSolver solver;
  QpProblem p = nearest_to(Vec3(1, 2, 3), 1);
  const auto status = [&](double& number, double value) {
    const double before = number;
    number = value;
    const QpStatus found = solver.solve(p).status;
    number = before;
    return found;
  };
  for (const double value : {std::nan(""), kInfinity}) {
    EXPECT_EQ(status(p.H(1, 2), value), QpStatus::kBadNumber);
    EXPECT_EQ(status(p.g[2], value), QpStatus::kBadNumber);
    EXPECT_EQ(status(p.A(0, 2), value), QpStatus::kBadNumber);
  }
  EXPECT_EQ(status(p.x_low[0], std::nan("")), QpStatus::kBadNumber);
  EXPECT_EQ(status(p.a_high[0], std::nan("")), QpStatus::kBadNumber);
  EXPECT_EQ(status(p.x_low[0], kInfinity), QpStatus::kInfeasible);
  EXPECT_EQ(status(p.a_high[0], -kInfinity), QpStatus::kInfeasible);
  EXPECT_EQ(solver.solve(p).status, QpStatus::kOptimal);
  p.x_low.resize(2);
  EXPECT_THROW(solver.solve(p), Error);
}

TEST(Qp, RelaxesSoftRowsOnlyWhereTheyContradict) {
  // x0 + x1 = 4 with both at most 1 cannot be; x0 - x1 = 0.5 can.
  QpProblem p = nearest_to(Vec3(0, 0, 3), 2);
  p.A << 1, 1, 0, 1, -1, 0;
  p.a_low << 4, 0.5;
  p.a_high = p.a_low;
  p.x_high.setConstant(1);
  p.soft.setZero(2);
  QpSolver solver;
  EXPECT_EQ(solver.solve(p).status, QpStatus::kInfeasible);
  p.soft[0] = 100;
  const QpSolution& s = solver.solve(p);
  ASSERT_EQ(s.status, QpStatus::kRelaxed);
  EXPECT_TRUE(s.ok());
  EXPECT_LT((s.x() - Vec3(1, 0.5, 1)).norm(), 1e-12);
  EXPECT_NEAR(s.slack()[0], -2.5, 1e-12);
  EXPECT_EQ(s.slack()[1], 0);
  EXPECT_NEAR(s.row_multipliers()[0], 250, 1e-9);
  // Where it can be, it is as if it were hard.
  p.a_low[0] = p.a_high[0] = 1;
  EXPECT_EQ(solver.solve(p).status, QpStatus::kOptimal);
  EXPECT_LT((s.x() - Vec3(0.75, 0.25, 1)).norm(), 1e-12);
  EXPECT_EQ(s.slack().norm(), 0);
  // Only equalities may be soft.
  p.a_high[0] = 2;
  EXPECT_THROW(solver.solve(p), Error);
}

TEST(Qp, ARelaxedSolutionIsThatOfThePenalisedProblem) {
  Random random(9);
  for (int k = 0; k < 200; ++k) {
    auto [p, x] = qp_problems::random_qp(random, {.variables = 15, .equalities = 4, .inequalities = 5});
    p.a_low[1] = p.a_high[1] = 1e3;
    p.x_low = p.x_low.cwiseMax(-5);
    p.x_high = p.x_high.cwiseMin(5);
    p.soft.setZero(9);
    p.soft.head(2).setConstant(std::pow(10, random.between(0, 6)));
    QpProblem penalised = p;
    penalised.soft.resize(0);
    for (int i = 0; i < 2; ++i) {
      penalised.H += p.soft[i] * p.A.row(i).transpose() * p.A.row(i);
      penalised.g -= p.soft[i] * p.a_low[i] * p.A.row(i).transpose();
      penalised.a_low[i] = -kInfinity;
      penalised.a_high[i] = kInfinity;
    }
    QpSolver a, b;
    const QpStatus expected = b.solve(penalised).status;
    const QpSolution& s = a.solve(p);
    ASSERT_EQ(s.status, expected == QpStatus::kOptimal ? QpStatus::kRelaxed : expected) << k;
    if (!s.ok()) continue;
    EXPECT_LT((s.x() - b.solve(penalised).x()).norm(), 1e-8) << k;
    EXPECT_NEAR(s.slack()[1], p.A.row(1).dot(s.x()) - 1e3, 1e-9);
  }
}

TEST(Qp, WarmAndColdFindTheSame) {
  qp_problems::TrackerQp t;
  t.limit = 80;
  QpSolver warm, cold;
  int warm_changes = 0, cold_changes = 0;
  for (int k = 0; k < 60; ++k) {
    const QpProblem p = qp_problems::tracker_qp(t, 0.01 * k);
    cold.forget();
    const QpSolution &a = warm.solve(p), &b = cold.solve(p);
    ASSERT_EQ(a.status, QpStatus::kOptimal);
    ASSERT_EQ(b.status, QpStatus::kOptimal);
    EXPECT_LT((a.x() - b.x()).norm(), 1e-7 * b.x().norm()) << k;
    EXPECT_EQ(a.active_bounds(), b.active_bounds()) << k;
    warm_changes += a.iterations;
    cold_changes += b.iterations;
  }
  EXPECT_LT(3 * warm_changes, cold_changes);
}

TEST(Qp, BeginsAtAnyActiveSet) {
  Random random(10);
  QpSolver solver;
  for (int k = 0; k < 500; ++k) {
    const auto known = qp_problems::random_qp(random, {.variables = 20, .equalities = 4, .inequalities = 12});
    const auto anything = [&random](int size) {
      std::vector<QpSide> sides(static_cast<size_t>(size));
      for (QpSide& side : sides) side = static_cast<QpSide>(static_cast<int>(random.between(0, 3)));
      return sides;
    };
    solver.start_from(anything(20), anything(16));
    const QpSolution& s = solver.solve(known.problem);
    ASSERT_EQ(s.status, QpStatus::kOptimal) << k;
    ASSERT_LT((s.x() - known.x).norm(), 1e-10) << k;
    // Also where there is no solution.
    QpProblem none = known.problem;
    none.A.row(1) = none.A.row(0) + none.A.row(2);
    none.a_low[1] = none.a_high[1] = none.a_low[0] + none.a_low[2] + 0.1;
    solver.start_from(anything(20), anything(16));
    ASSERT_EQ(solver.solve(none).status, QpStatus::kInfeasible) << k;
  }
}

TEST(Qp, SameProblemSameBits) {
  qp_problems::TrackerQp t;
  const QpProblem p = qp_problems::tracker_qp(t, 0), other = qp_problems::tracker_qp(t, 0.5);
  QpSolver a, b(200, 100);
  const VecX x = a.solve(p).x();
  b.solve(other);
  b.forget();
  EXPECT_EQ(b.solve(p).x(), x);
  EXPECT_EQ(a.solve(other).x(), b.solve(other).x());
}

#ifdef COUNTS_ALLOCATIONS
TEST(Qp, TakesNoMemoryOnceItHasIt) {
  std::vector<QpProblem> problems;
  for (const int contacts : {4, 2, 1, 4, 3}) {
    qp_problems::TrackerQp t;
    t.contacts = contacts;
    t.limit = 80;
    problems.push_back(qp_problems::tracker_qp(t, 0.1 * contacts));
    // Another that has to be relaxed.
    problems.push_back(problems.back());
    problems.back().x_high.head(51).setConstant(0.1);
    problems.back().x_low.head(51).setConstant(-0.1);
    problems.back().soft.setConstant(problems.back().rows(), 10);
  }
  QpSolver solver(67, 12);
  int relaxed = 0;
  const long before = allocations;
  for (const QpProblem& p : problems) relaxed += solver.solve(p).status == QpStatus::kRelaxed;
  EXPECT_EQ(allocations, before);
  EXPECT_GT(relaxed, 0);
  // The counter counts.
  const VecX something = VecX::Zero(1000);
  EXPECT_GT(allocations, before) << something[0];
}
#endif

TEST(Qp, EndsAtItsLimitOfIterations) {
  qp_problems::TrackerQp t;
  QpSolver solver(0, 0, {.max_iterations = 3});
  EXPECT_EQ(solver.solve(qp_problems::tracker_qp(t, 0)).status, QpStatus::kIterationLimit);
}

}  // namespace
}  // namespace sinew
