#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "qp/qp.h"

// Two other ways to solve a quadratic program, slow and simple, that share nothing with the solver of src/qp.
namespace sinew::qp_reference {

// A'x = b written out: every finite side of every constraint as normal'x >= value, equalities apart.
struct Sides {
  std::vector<VecX> equal, at_least;
  std::vector<double> equal_value, at_least_value;
};

inline Sides sides_of(const QpProblem& p) {
  Sides s;
  const auto add = [&s](const VecX& normal, double low, double high) {
    if (low == high) {
      s.equal.push_back(normal);
      s.equal_value.push_back(low);
      return;
    }
    if (std::isfinite(low)) {
      s.at_least.push_back(normal);
      s.at_least_value.push_back(low);
    }
    if (std::isfinite(high)) {
      s.at_least.push_back(-normal);
      s.at_least_value.push_back(-high);
    }
  };
  for (int i = 0; i < p.rows(); ++i) add(p.A.row(i).transpose(), p.a_low[i], p.a_high[i]);
  for (int j = 0; j < p.variables(); ++j) add(VecX::Unit(p.variables(), j), p.x_low[j], p.x_high[j]);
  return s;
}

// Tries every subset of the inequalities as the active set: the one whose point is feasible and whose
// multipliers are positive is the answer. False if there is none.
inline bool solve_by_enumeration(const QpProblem& p, VecX& x) {
  const Sides s = sides_of(p);
  const int n = p.variables(), fixed = static_cast<int>(s.equal.size());
  const auto count = s.at_least.size();
  for (size_t subset = 0; subset < (size_t{1} << count); ++subset) {
    std::vector<size_t> active;
    for (size_t k = 0; k < count; ++k)
      if (subset >> k & 1) active.push_back(k);
    const int q = fixed + static_cast<int>(active.size());
    if (q > n) continue;
    MatX K = MatX::Zero(n + q, n + q);
    VecX rhs(n + q);
    K.topLeftCorner(n, n) = p.H;
    rhs.head(n) = -p.g;
    for (int k = 0; k < q; ++k) {
      const bool equality = k < fixed;
      const size_t at = equality ? static_cast<size_t>(k) : active[static_cast<size_t>(k - fixed)];
      K.block(0, n + k, n, 1) = equality ? s.equal[at] : s.at_least[at];
      K.block(n + k, 0, 1, n) = K.block(0, n + k, n, 1).transpose();
      rhs[n + k] = equality ? s.equal_value[at] : s.at_least_value[at];
    }
    const VecX z = K.fullPivLu().solve(rhs);
    if (!((K * z - rhs).norm() < 1e-9 * (1 + rhs.norm()))) continue;
    bool good = true;
    for (int k = fixed; k < q; ++k) good &= -z[n + k] > -1e-9;
    for (size_t k = 0; k < count; ++k) good &= s.at_least[k].dot(z.head(n)) > s.at_least_value[k] - 1e-9;
    if (!good) continue;
    x = z.head(n);
    return true;
  }
  return false;
}

// Mehrotra's predictor-corrector on the same normal form. False if it does not converge to 1e-9.
inline bool solve_by_interior_point(const QpProblem& p, VecX& x) {
  const Sides sides = sides_of(p);
  const int n = p.variables(), e = static_cast<int>(sides.equal.size());
  const int k = static_cast<int>(sides.at_least.size());
  MatX E(e, n), C(k, n);
  VecX b(e), d(k);
  for (int i = 0; i < e; ++i) {
    E.row(i) = sides.equal[static_cast<size_t>(i)].transpose();
    b[i] = sides.equal_value[static_cast<size_t>(i)];
  }
  for (int i = 0; i < k; ++i) {
    C.row(i) = sides.at_least[static_cast<size_t>(i)].transpose();
    d[i] = sides.at_least_value[static_cast<size_t>(i)];
  }
  x = VecX::Zero(n);
  VecX y = VecX::Zero(e), z = VecX::Ones(k), s = VecX::Ones(k);
  for (int round = 0; round < 200; ++round) {
    const VecX r_dual = p.H * x + p.g - E.transpose() * y - C.transpose() * z;
    const VecX r_equal = E * x - b, r_slack = C * x - s - d;
    const double gap = k > 0 ? s.dot(z) / k : 0;
    const auto size = [](const VecX& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; };
    const double scale = 1 + size(p.g) + size(b);
    if (std::max({size(r_dual), size(r_equal), size(r_slack), gap}) < 1e-9 * scale) return true;
    // [H + C'(z/s)C  -E'; E 0] for dx and dy; slacks and their multipliers follow.
    const VecX weight = z.cwiseQuotient(s);
    MatX K = MatX::Zero(n + e, n + e);
    K.topLeftCorner(n, n) = p.H + C.transpose() * weight.asDiagonal() * C;
    K.topRightCorner(n, e) = -E.transpose();
    K.bottomLeftCorner(e, n) = E;
    const Eigen::PartialPivLU<MatX> lu(K);
    VecX ds, dz, dx, dy;
    const auto step = [&](const VecX& target) {  // of s z
      const VecX inner = (target - s.cwiseProduct(z)).cwiseQuotient(s) - weight.cwiseProduct(r_slack);
      VecX rhs(n + e);
      rhs << -r_dual + C.transpose() * inner, -r_equal;
      const VecX solved = lu.solve(rhs);
      dx = solved.head(n);
      dy = solved.tail(e);
      ds = C * dx + r_slack;
      dz = (target - s.cwiseProduct(z)).cwiseQuotient(s) - weight.cwiseProduct(ds);
    };
    const auto longest = [](const VecX& v, const VecX& dv) {
      double t = 1;
      for (int i = 0; i < v.size(); ++i)
        if (dv[i] < 0) t = std::min(t, -v[i] / dv[i]);
      return t;
    };
    step(VecX::Zero(k));
    const double t = std::min(longest(s, ds), longest(z, dz));
    const double after = k > 0 ? (s + t * ds).dot(z + t * dz) / k : 0;
    const double centre = k > 0 ? std::pow(after / gap, 3) * gap : 0;
    step(VecX::Constant(k, centre) - ds.cwiseProduct(dz));
    const double length = std::min(1.0, 0.99 * std::min(longest(s, ds), longest(z, dz)));
    x += length * dx;
    y += length * dy;
    z += length * dz;
    s += length * ds;
  }
  return false;
}

}  // namespace sinew::qp_reference
