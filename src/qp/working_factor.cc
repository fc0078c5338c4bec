#include "qp/working_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

// a = c a + s b, b = c b - s a.
template <typename A, typename B>
void rotate(A&& a, B&& b, double c, double s) {
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    const double t = c * a[i] + s * b[i];
    b[i] = c * b[i] - s * a[i];
    a[i] = t;
  }
}

// y -= M c, four columns at a time; columns whose coefficients are all zero cost nothing.
void subtract_columns(const double* M, Eigen::Index stride, const double* c, Eigen::Index c_stride,
                      int columns, double* y, int rows) {
  int k = 0;
  for (; k + 4 <= columns; k += 4) {
    const double c0 = c[k * c_stride], c1 = c[(k + 1) * c_stride], c2 = c[(k + 2) * c_stride],
                 c3 = c[(k + 3) * c_stride];
    if (c0 == 0 && c1 == 0 && c2 == 0 && c3 == 0) continue;
    const double *m0 = M + k * stride, *m1 = m0 + stride, *m2 = m1 + stride, *m3 = m2 + stride;
    for (int i = 0; i < rows; ++i) y[i] -= (m0[i] * c0 + m1[i] * c1) + (m2[i] * c2 + m3[i] * c3);
  }
  for (; k < columns; ++k) {
    const double c0 = c[k * c_stride];
    if (c0 == 0) continue;
    const double* m0 = M + k * stride;
    for (int i = 0; i < rows; ++i) y[i] -= m0[i] * c0;
  }
}

}  // namespace

void WorkingFactor::reserve(int variables) {
  L_.setZero(variables, variables);
  Q_.setZero(variables, variables + 1);
  R_.setZero(variables + 1, variables + 1);
  again_.setZero(variables + 1);
  spike_.setZero(variables + 1);
  free_.reserve(static_cast<size_t>(variables));
}

double WorkingFactor::factor(const Matrix& H, const VecX& ridge, const std::vector<int>& free) {
  free_.assign(free.begin(), free.end());
  size_ = static_cast<int>(free.size());
  columns_ = 0;
  // Cholesky, column by column.
  double smallest = std::numeric_limits<double>::infinity();
  const Eigen::Index stride = L_.rows();
  for (int j = 0; j < size_; ++j) {
    const int var = free_[static_cast<size_t>(j)];
    double* column = L_.data() + j * stride;
    const double* from = H.data() + var * H.rows();
    for (int i = j; i < size_; ++i) column[i] = from[free_[static_cast<size_t>(i)]];
    column[j] += ridge[var];
    const double diagonal = column[j];
    subtract_columns(L_.data() + j, stride, L_.data() + j, stride, j, column + j, size_ - j);
    const double pivot = column[j] / diagonal;
    if (!(pivot > 1e-14 * size_)) return std::isnan(pivot) ? -1 : pivot;
    smallest = std::min(smallest, pivot);
    const double root = std::sqrt(column[j]);
    const double inverse = 1 / root;
    column[j] = root;
    for (int i = j + 1; i < size_; ++i) column[i] *= inverse;
  }
  return smallest;
}

double WorkingFactor::add_variable(const Matrix& H, const VecX& ridge, int variable, const VecX& normals) {
  // The new last row of L.
  VecX& row = spike_;
  for (int i = 0; i < size_; ++i) row[i] = H(free_[static_cast<size_t>(i)], variable);
  forward(row);
  const double diagonal = H(variable, variable) + ridge[variable];
  const double rest = diagonal - row.head(size_).squaredNorm();
  if (!(rest > 1e-14 * (size_ + 1) * diagonal)) return std::isnan(rest) ? -1 : rest / diagonal;
  const double root = std::sqrt(rest);

  // The new row of L^-1 N: (normals - N' L^-T row) / root.
  VecX& spike = again_;
  spike.head(columns_).noalias() = Q_.topLeftCorner(size_, columns_).transpose() * row.head(size_);
  for (int k = columns_ - 1; k >= 0; --k)
    spike[k] = (normals[k] - R_.col(k).head(k + 1).dot(spike.head(k + 1))) / root;

  // Rotate it into R; the extra column of Q that takes it up is left behind.
  Q_.row(size_).head(columns_).setZero();
  Q_.col(columns_).head(size_).setZero();
  Q_(size_, columns_) = 1;
  for (int k = 0; k < columns_; ++k) {
    const double r = std::hypot(R_(k, k), spike[k]);
    if (r == 0) continue;
    const double c = R_(k, k) / r, s = spike[k] / r;
    for (int j = k; j < columns_; ++j) {
      const double t = c * R_(k, j) + s * spike[j];
      spike[j] = c * spike[j] - s * R_(k, j);
      R_(k, j) = t;
    }
    rotate(Q_.col(k).head(size_ + 1), Q_.col(columns_).head(size_ + 1), c, s);
  }
  L_.row(size_).head(size_) = row.head(size_).transpose();
  L_(size_, size_) = root;
  free_.push_back(variable);
  ++size_;
  return rest / diagonal;
}

void WorkingFactor::forward(VecX& v) const {
  L_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().solveInPlace(v.head(size_));
}

void WorkingFactor::forward_unit(int position, VecX& v) const {
  const int rest = size_ - position;
  v.head(size_).setZero();
  v[position] = 1;
  L_.block(position, position, rest, rest)
      .triangularView<Eigen::Lower>()
      .solveInPlace(v.segment(position, rest));
}

void WorkingFactor::backward(VecX& v) const {
  L_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().transpose().solveInPlace(v.head(size_));
}

void WorkingFactor::forward_rows(MatX& vectors, int count) const {
  const Eigen::Index stride = vectors.rows();
  for (int j = 0; j < size_; ++j) {
    double* column = vectors.data() + j * stride;
    subtract_columns(vectors.data(), stride, L_.data() + j, L_.rows(), j, column, count);
    const double inverse = 1 / L_(j, j);
    for (int i = 0; i < count; ++i) column[i] *= inverse;
  }
}

double WorkingFactor::split(VecX& v, VecX& c) const {
  const auto Q = Q_.topLeftCorner(size_, columns_);
  double before = v.head(size_).norm();
  if (columns_ == 0) return before;
  c.head(columns_).noalias() = Q.transpose() * v.head(size_);
  v.head(size_).noalias() -= Q * c.head(columns_);
  double after = v.head(size_).norm();
  // Twice is enough, and needed only where much was taken away.
  if (after < 0.1 * before) {
    again_.head(columns_).noalias() = Q.transpose() * v.head(size_);
    v.head(size_).noalias() -= Q * again_.head(columns_);
    c.head(columns_) += again_.head(columns_);
    after = v.head(size_).norm();
  }
  return after;
}

void WorkingFactor::solve_R(VecX& c) const {
  R_.topLeftCorner(columns_, columns_).triangularView<Eigen::Upper>().solveInPlace(c.head(columns_));
}

void WorkingFactor::solve_R_transposed(VecX& c) const {
  R_.topLeftCorner(columns_, columns_)
      .triangularView<Eigen::Upper>()
      .transpose()
      .solveInPlace(c.head(columns_));
}

void WorkingFactor::add_Q(const VecX& c, VecX& v) const {
  v.head(size_).noalias() += Q_.topLeftCorner(size_, columns_) * c.head(columns_);
}

void WorkingFactor::add_constraint(const VecX& rest, double norm, const VecX& c) {
  Q_.col(columns_).head(size_) = rest.head(size_) / norm;
  R_.col(columns_).head(columns_) = c.head(columns_);
  R_(columns_, columns_) = norm;
  ++columns_;
}

void WorkingFactor::remove_constraint(int column) {
  // Close the gap in R, and turn what then stands below its diagonal away.
  for (int k = column; k + 1 < columns_; ++k) {
    R_.col(k).head(k + 2) = R_.col(k + 1).head(k + 2);
  }
  --columns_;
  for (int k = column; k < columns_; ++k) {
    const double r = std::hypot(R_(k, k), R_(k + 1, k));
    const double c = R_(k, k) / r, s = R_(k + 1, k) / r;
    for (int j = k; j < columns_; ++j) {
      const double t = c * R_(k, j) + s * R_(k + 1, j);
      R_(k + 1, j) = c * R_(k + 1, j) - s * R_(k, j);
      R_(k, j) = t;
    }
    rotate(Q_.col(k).head(size_), Q_.col(k + 1).head(size_), c, s);
  }
}

}  // namespace sinew
