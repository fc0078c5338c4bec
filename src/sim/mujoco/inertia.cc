#include "sim/mujoco/inertia.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sinew {

namespace {

using Index = std::ptrdiff_t;

// Two numbers at once.
using Two [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = mjtNum;
inline Two& two(mjtNum* x) { return *reinterpret_cast<Two*>(x); }
inline const Two& two(const mjtNum* x) { return *reinterpret_cast<const Two*>(x); }

// y += a x, for the few numbers that there are: a compiler's own loops are made for many.
inline void add(mjtNum a, const mjtNum* x, mjtNum* y, Index n) {
  Index i = 0;
  for (; i + 2 <= n; i += 2) two(y + i) += a * two(x + i);
  if (i < n) y[i] += a * x[i];
}

// The sums in MuJoCo's order.
inline mjtNum dot6(const mjtNum* a, const mjtNum* b) {
  return (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
}

// A force from an inertia (xx yy zz xy xz yz, mass by centre, mass) and a motion (turn, line).
inline void multiply(const mjtNum* I, const mjtNum* v, mjtNum* f) {
  f[0] = I[0] * v[0] + I[3] * v[1] + I[4] * v[2] - I[8] * v[4] + I[7] * v[5];
  f[1] = I[3] * v[0] + I[1] * v[1] + I[5] * v[2] + I[8] * v[3] - I[6] * v[5];
  f[2] = I[4] * v[0] + I[5] * v[1] + I[2] * v[2] - I[7] * v[3] + I[6] * v[4];
  f[3] = I[8] * v[1] - I[7] * v[2] + I[9] * v[3];
  f[4] = I[6] * v[2] - I[8] * v[0] + I[9] * v[4];
  f[5] = I[7] * v[0] - I[6] * v[1] + I[9] * v[5];
}

}  // namespace

Inertia::Inertia(const mjModel& model)
    : last_(static_cast<size_t>(model.nv)), undivided_(static_cast<size_t>(model.nM)) {
  for (int i = 0; i < model.nv; ++i) end_.push_back(i + 1 < model.nv ? model.dof_Madr[i + 1] : model.nM);
  // Axes stand in the order of their tree.
  for (int i = model.nv - 1; i >= 0; --i) {
    int& last = last_[static_cast<size_t>(i)];
    last = std::max(last, i);
    const int before = model.dof_parentid[i];
    if (before >= 0) last_[static_cast<size_t>(before)] = std::max(last_[static_cast<size_t>(before)], last);
  }
}

void Inertia::make(const mjModel& model, mjData& data) const {
  // Of each body with all that hangs on it.
  std::copy_n(data.cinert, 10 * model.nbody, data.crb);
  for (Index b = model.nbody - 1; b > 0; --b) {
    const Index parent = model.body_parentid[b];
    if (parent > 0) add(1, data.crb + 10 * b, data.crb + 10 * parent, 10);
  }

  for (Index i = 0; i < model.nv; ++i) {
    mjtNum force[6];
    multiply(data.crb + 10 * model.dof_bodyid[i], data.cdof + 6 * i, force);
    mjtNum* row = data.qM + model.dof_Madr[i];
    for (Index j = i; j >= 0; j = model.dof_parentid[j]) *row++ = dot6(data.cdof + 6 * j, force);
    data.qM[model.dof_Madr[i]] += model.dof_armature[i];
  }
}

void Inertia::factor(const mjModel& model, mjData& data) {
  mjtNum *U = undivided_.data(), *L = data.qLD;
  for (Index i = model.nv - 1; i >= 0; --i) {
    // A row is done when all axes that hang on it had their part of it; columns of all rows end at the root.
    const Index first = model.dof_Madr[i], n = end_[static_cast<size_t>(i)] - first;
    const int* end = end_.data();
    const Index last = last_[static_cast<size_t>(i)];
    Index b = 0;
    for (; b + 4 <= n; b += 4) {
      Two x = two(data.qM + first + b), y = two(data.qM + first + b + 2);
      for (Index k = last; k > i; --k) {
        const Index at = end[k] - n;
        x -= L[at] * two(U + at + b);
        y -= L[at] * two(U + at + b + 2);
      }
      two(U + first + b) = x;
      two(U + first + b + 2) = y;
    }
    for (; b < n; ++b) {
      mjtNum x = data.qM[first + b];
      for (Index k = last; k > i; --k) x -= L[end[k] - n] * U[end[k] - n + b];
      U[first + b] = x;
    }
    L[first] = U[first];
    for (b = 1; b < n; ++b) L[first + b] = U[first + b] / U[first];
  }
  for (Index i = 0; i < model.nv; ++i) {
    const mjtNum diagonal = data.qLD[model.dof_Madr[i]];
    data.qLDiagInv[i] = 1 / diagonal;
    data.qLDiagSqrtInv[i] = 1 / std::sqrt(diagonal);
  }
}

void Inertia::project(const mjModel& model, mjData& data) {
  if (mj_isSparse(&model)) return mj_projectConstraint(&model, &data);
  const Index rows = data.nefc, nv = model.nv;
  if (rows == 0) return;

  // All rows at once: numbers of one axis stand together, an even number of them.
  const Index width = rows + rows % 2;
  transposed_.assign(static_cast<size_t>(width * (nv + 1)), 0);
  moved_.assign(static_cast<size_t>(nv), 0);
  mjtNum* Y = transposed_.data();
  for (Index r = 0; r < rows; ++r)
    for (Index i = 0; i < nv; ++i) {
      const mjtNum x = data.efc_J[r * nv + i];
      Y[i * width + r] = x;
      moved_[static_cast<size_t>(i)] |= x != 0;
    }

  // Only axes that the constraints move take part.
  axes_.clear();
  for (Index i = nv - 1; i >= 0; --i) {
    if (!moved_[static_cast<size_t>(i)]) continue;
    mjtNum* y = Y + i * width;
    const mjtNum* L = data.qLD + model.dof_Madr[i] + 1;
    for (Index j = model.dof_parentid[i]; j >= 0; j = model.dof_parentid[j]) {
      add(-*L++, y, Y + j * width, width);
      moved_[static_cast<size_t>(j)] = 1;
    }
    for (Index r = 0; r < rows; ++r) y[r] *= data.qLDiagSqrtInv[i];
    axes_.push_back(y);
  }
  std::reverse(axes_.begin(), axes_.end());

  // Axes come four at a time, the last with axes of zeros.
  const mjtNum* nothing = Y + nv * width;
  while (axes_.size() % 4 != 0) axes_.push_back(nothing);
  std::fill_n(data.efc_AR, rows * rows, 0.0);
  for (size_t i = 0; i < axes_.size(); i += 4) {
    const mjtNum *a = axes_[i], *b = axes_[i + 1], *c = axes_[i + 2], *d = axes_[i + 3];
    for (Index r = 0; r < rows; ++r) {
      mjtNum* A = data.efc_AR + r * rows;
      const mjtNum ar = a[r], br = b[r], cr = c[r], dr = d[r];
      Index s = 0;
      for (; s + 2 <= r + 1; s += 2)
        two(A + s) = two(A + s) + ar * two(a + s) + br * two(b + s) + cr * two(c + s) + dr * two(d + s);
      if (s == r) A[r] = A[r] + ar * ar + br * br + cr * cr + dr * dr;
    }
  }
  for (Index r = 0; r < rows; ++r) {
    for (Index s = 0; s < r; ++s) data.efc_AR[s * rows + r] = data.efc_AR[r * rows + s];
    data.efc_AR[r * rows + r] += data.efc_R[r];
  }
}

}  // namespace sinew
