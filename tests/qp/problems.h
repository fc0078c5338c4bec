#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/random.h"
#include "qp/qp.h"

// Quadratic programs for tests and benchmarks.
namespace sinew::qp_problems {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline VecX normal_vector(Random& random, int size) {
  VecX v(size);
  for (double& value : v) value = random.normal();
  return v;
}

inline MatX normal_matrix(Random& random, int rows, int columns) {
  MatX m(rows, columns);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) m(i, j) = random.normal();
  return m;
}

// A problem together with its solution, from which it was made.
struct KnownQp {
  QpProblem problem;
  VecX x;
};

struct RandomQp {
  int variables = 10;
  int equalities = 0;
  int inequalities = 0;
  double active = 0.3;  // share of bounds and inequalities that hold with equality
  double condition = 100;
  bool bounds = true;
};

// Chooses x, the active set and multipliers, and then the cost that makes them the solution.
inline KnownQp random_qp(Random& random, const RandomQp& r) {
  const int n = r.variables, m = r.equalities + r.inequalities;
  QpProblem p = make_qp(n, m);
  // Eigenvectors: the axes, reflected some times.
  MatX Q = MatX::Identity(n, n);
  for (int k = 0; k < 5; ++k) {
    const VecX v = normal_vector(random, n).normalized();
    Q -= (2 * v * (v.transpose() * Q).eval()).eval();
  }
  VecX eigenvalues(n);
  for (double& value : eigenvalues) value = std::pow(r.condition, random.uniform());
  p.H = Q * eigenvalues.asDiagonal() * Q.transpose();
  p.H = (0.5 * (p.H + p.H.transpose())).eval();
  p.A = normal_matrix(random, m, n);
  const VecX x = normal_vector(random, n);
  VecX gradient = VecX::Zero(n);  // A'y + w

  // Not more active constraints than there are variables.
  int left = n - r.equalities;
  const auto constrain = [&](double value, double& low, double& high) {
    const double side = random.uniform();
    low = side < 0.3 ? -kInfinity : value - 0.1 - random.uniform();
    high = side > 0.7 ? kInfinity : value + 0.1 + random.uniform();
    if (random.uniform() >= r.active || left == 0) return 0.0;
    --left;
    const double u = 0.05 + random.uniform();
    if (side < 0.5) {
      high = value;
      return -u;
    }
    low = value;
    return u;
  };
  for (int i = 0; i < m; ++i) {
    const double value = p.A.row(i).dot(x);
    double y = random.normal();
    if (i < r.equalities)
      p.a_low[i] = p.a_high[i] = value;
    else
      y = constrain(value, p.a_low[i], p.a_high[i]);
    gradient += y * p.A.row(i).transpose();
  }
  for (int j = 0; j < n && r.bounds; ++j) gradient[j] += constrain(x[j], p.x_low[j], p.x_high[j]);
  p.g = gradient - p.H * x;
  return {p, x};
}

// What the tracker of docs/qp.md has to solve: a figure of hinges on a free root stands on points of its
// feet.
struct TrackerQp {
  std::vector<int> hinges = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};  // of each body
  std::vector<int> parents = {-1, 0, 1, 1, 3, 4, 5, 1, 7, 8, 9, -1, 11, 12, -1, 14, 15};
  std::vector<int> feet = {13, 16};
  int contacts = 4;    // points, on the feet in turn
  double limit = 150;  // of all torques, N m
  double regularization = 1e-6;
  bool accelerations = false;  // as variables, with the equations of motion as rows
  uint64_t seed = 1;
};

// The figure of 18 coordinates.
inline TrackerQp small_figure() {
  TrackerQp t;
  t.hinges = {3, 1, 2, 3, 1, 2};
  t.parents = {-1, 0, 1, -1, 3, 4};
  t.feet = {2, 5};
  return t;
}

// Cone coefficients times their directions: 4 edges of a pyramid for friction 1.
inline MatX cone() {
  MatX V(3, 4);
  V << 1, -1, 0, 0, 0, 0, 1, -1, 1, 1, 1, 1;
  return V / std::sqrt(2.0);
}

// Dynamics of the figure at a time: M a + bias = torques + J' forces.
struct Figure {
  MatX M;
  VecX bias;
  MatX J;        // 3 rows a contact point
  VecX slip;     // Jdot v
  VecX desired;  // accelerations
};

inline Figure make_figure(const TrackerQp& t, double time_s) {
  Random random(t.seed);
  const int bodies = static_cast<int>(t.hinges.size());
  int nv = 6;
  for (const int h : t.hinges) nv += h;
  struct Hinge {
    Vec3 at, axis;
  };
  const auto wave = [&](double size) {
    const double phase = random.between(0, 2 * kPi), hz = random.between(0.5, 2);
    return size * std::sin(phase + 2 * kPi * hz * time_s);
  };
  // Where the bodies are, and about which axes they turn, waving about.
  std::vector<Vec3> joint(t.hinges.size()), centre(t.hinges.size());
  std::vector<Hinge> hinge;
  std::vector<std::vector<int>> path(t.hinges.size());  // the hinges that move a body
  for (int b = 0; b < bodies; ++b) {
    const auto at = static_cast<size_t>(b);
    const int parent = t.parents[at];
    const Vec3 from = parent < 0 ? Vec3(0, 0, 1) : joint[static_cast<size_t>(parent)];
    const Vec3 offset = 0.25 * Vec3(random.normal(), random.normal(), random.normal()).normalized();
    joint[at] = from + offset + Vec3(wave(0.05), wave(0.05), wave(0.05));
    centre[at] = joint[at] + 0.5 * offset;
    if (parent >= 0) path[at] = path[static_cast<size_t>(parent)];
    const Quat turn = exp_map(Vec3(wave(0.4), wave(0.4), wave(0.4)));
    for (int h = 0; h < t.hinges[at]; ++h) {
      path[at].push_back(static_cast<int>(hinge.size()));
      hinge.push_back({joint[at], turn * Vec3::Unit(h)});
    }
  }
  // 6 rows: linear velocity of a point, angular velocity.
  const auto jacobian = [&](int body, const Vec3& p) {
    MatX J = MatX::Zero(6, nv);
    J.topLeftCorner(3, 3).setIdentity();
    J.block(3, 3, 3, 3).setIdentity();
    for (int k = 0; k < 3; ++k) J.block(0, 3 + k, 3, 1) = Vec3::Unit(k).cross(p - Vec3(0, 0, 1));
    if (body < 0) return J;
    for (const int h : path[static_cast<size_t>(body)]) {
      const Hinge& at = hinge[static_cast<size_t>(h)];
      J.block(0, 6 + h, 3, 1) = at.axis.cross(p - at.at);
      J.block(3, 6 + h, 3, 1) = at.axis;
    }
    return J;
  };
  Figure f{MatX::Zero(nv, nv), VecX::Zero(nv), MatX::Zero(3 * t.contacts, nv), VecX::Zero(3 * t.contacts),
           VecX(nv)};
  for (int b = -1; b < bodies; ++b) {
    const double mass = b < 0 ? 12 : random.between(0.5, 6);
    const MatX J = jacobian(b, b < 0 ? Vec3(0, 0, 1) : centre[static_cast<size_t>(b)]);
    f.M += mass * J.topRows(3).transpose() * J.topRows(3) +
           0.01 * mass * J.bottomRows(3).transpose() * J.bottomRows(3);
    f.bias += mass * 9.81 * J.row(2).transpose();
  }
  f.M.diagonal().tail(nv - 6).array() += 0.01;
  // Points on the soles; a foot moves rigidly, so that its rows have rank 6 at most.
  for (int k = 0; k < t.contacts; ++k) {
    const int foot = t.feet[static_cast<size_t>(k) % t.feet.size()];
    const Vec3 arm(random.between(-0.05, 0.15), random.between(-0.04, 0.04), -0.05);
    f.J.middleRows(3 * k, 3) = jacobian(foot, joint[static_cast<size_t>(foot)] + arm).topRows(3);
  }
  for (double& a : f.desired) a = wave(20);
  f.desired.head(3) *= 0.1;
  VecX moving(nv);
  for (double& a : moving) a = wave(0.5);
  f.slip = f.J * moving;
  return f;
}

// Eq. 7 of da Silva, Abe and Popovic 2008 for that figure, the cost weighted by its masses.
inline QpProblem tracker_qp(const TrackerQp& t, double time_s) {
  const Figure f = make_figure(t, time_s);
  const int nv = static_cast<int>(f.bias.size()), torques = nv - 6, cones = 4 * t.contacts;
  MatX B = MatX::Zero(nv, torques + cones);  // forces to generalized forces
  B.bottomLeftCorner(torques, torques).setIdentity();
  for (int k = 0; k < t.contacts; ++k)
    B.middleCols(torques + 4 * k, 4) = f.J.middleRows(3 * k, 3).transpose() * cone();
  const Eigen::LLT<MatX> M(f.M);
  const int forces = torques + cones, rows = 3 * t.contacts;

  if (!t.accelerations) {
    QpProblem p = make_qp(forces, rows);
    const MatX C = M.matrixL().solve(B);
    const MatX L = M.matrixL();
    p.H = C.transpose() * C;
    p.g = C.transpose() * (M.matrixL().solve(-f.bias) - L.transpose() * f.desired);
    p.H.diagonal().array() += t.regularization * p.H.diagonal().mean();
    p.A = f.J * M.solve(B);
    p.a_low = p.a_high = f.J * M.solve(f.bias) - f.slip;
    p.x_low << VecX::Constant(torques, -t.limit), VecX::Zero(cones);
    p.x_high.head(torques).setConstant(t.limit);
    return p;
  }
  // With accelerations, and torques of the root that are 0: M a - B forces = -bias, J a = -slip.
  QpProblem p = make_qp(2 * nv + cones, nv + rows);
  p.H.topLeftCorner(nv, nv).setIdentity();
  p.H.diagonal().tail(nv + cones).setConstant(t.regularization);
  p.g.head(nv) = -f.desired;
  p.A.topLeftCorner(nv, nv) = f.M;
  p.A.block(0, nv, nv, nv) = -MatX::Identity(nv, nv);
  p.A.topRightCorner(nv, cones) = -B.rightCols(cones);
  p.A.bottomLeftCorner(rows, nv) = f.J;
  p.a_low << -f.bias, -f.slip;
  p.a_high = p.a_low;
  p.x_low.segment(nv, 6).setZero();
  p.x_high.segment(nv, 6).setZero();
  p.x_low.segment(nv + 6, torques).setConstant(-t.limit);
  p.x_high.segment(nv + 6, torques).setConstant(t.limit);
  p.x_low.tail(cones).setZero();
  return p;
}

}  // namespace sinew::qp_problems
