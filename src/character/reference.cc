#include "character/reference.h"

#include <algorithm>
#include <cmath>

#include "character/into.h"

namespace sinew {

namespace {

Pose power(Pose X, long n) {
  Pose out;
  if (n < 0) X = X.inverse(), n = -n;
  for (; n > 0; n >>= 1, X = X * X)
    if (n & 1) out = out * X;
  return out;
}

void move(VecX& q, const Pose& X) {
  q.head<3>() = X * Vec3(q.head<3>());
  const Quat turned = (X.q * Quat(q[3], q[4], q[5], q[6])).normalized();
  q.segment<4>(3) << turned.w(), turned.x(), turned.y(), turned.z();
}

// Frame i of a motion; beyond the ends of a cyclic one the neighbouring cycle's, else the end frame.
VecX frame(const Reference& reference, long i) {
  const auto n = static_cast<long>(reference.q.size());
  if (!reference.cyclic) return reference.q[static_cast<size_t>(std::clamp(i, 0L, n - 1))];
  const long cycle = i >= 0 ? i / n : -((n - 1 - i) / n);
  return moved(reference.q[static_cast<size_t>(i - cycle * n)], power(reference.X_cycle, cycle));
}

}  // namespace

VecX moved(const VecX& q, const Pose& X) {
  VecX out = q;
  move(out, X);
  return out;
}

void differentiate(const Character& character, Reference& reference) {
  const double h = reference.frame_time_s;
  const auto n = static_cast<long>(reference.q.size());
  reference.v.assign(reference.q.size(), VecX::Zero(character.nv()));
  reference.a = reference.v;

  // Both neighbours seen from the frame itself: second order for both derivatives.
  for (long i = 0; i < n; ++i) {
    const VecX& q = reference.q[static_cast<size_t>(i)];
    const VecX ahead = difference(character, q, frame(reference, i + 1));
    const VecX back = difference(character, q, frame(reference, i - 1));
    const bool inside = reference.cyclic || (i > 0 && i + 1 < n);
    reference.v[static_cast<size_t>(i)] = (ahead - back) / (inside ? 2 * h : h);
    if (inside) reference.a[static_cast<size_t>(i)] = (ahead + back) / (h * h);
  }
  if (!reference.cyclic && n > 2) {
    reference.a.front() = reference.a[1];
    reference.a.back() = reference.a[static_cast<size_t>(n - 2)];
  }
}

ReferenceSample sample(const Character& character, const Reference& reference, double time_s) {
  ReferenceSample out;
  sample(character, reference, time_s, out);
  return out;
}

void sample(const Character& character, const Reference& reference, double time_s, ReferenceSample& out) {
  const auto n = static_cast<long>(reference.q.size());
  const double h = reference.frame_time_s;
  const double u = reference.cyclic ? time_s / h : std::clamp(time_s / h, 0.0, static_cast<double>(n - 1));
  const long i = reference.cyclic ? static_cast<long>(std::floor(u))
                                  : std::min(static_cast<long>(std::floor(u)), std::max(n - 2, 0L));
  const double f = u - static_cast<double>(i);
  const long cycle = reference.cyclic ? (i >= 0 ? i / n : -((n - 1 - i) / n)) : 0;
  const auto i0 = static_cast<size_t>(i - cycle * n);
  const bool wraps = reference.cyclic && i0 + 1 == reference.q.size();
  const size_t i1 = wraps ? 0 : std::min(i0 + 1, reference.q.size() - 1);

  // The way d from the earlier frame to the later one, which may be of the next cycle.
  const VecX &q0 = reference.q[i0], &v0 = reference.v[i0], &v1 = reference.v[i1];
  out.q = reference.q[i1];
  if (wraps) move(out.q, reference.X_cycle);
  VecX &way = out.a, &d = out.v;
  difference(character, q0, out.q, d);

  // Cubic Hermite in the tangent space of the earlier frame.
  const double f2 = f * f, f3 = f2 * f;
  const auto from_start = [&](const auto& to, const auto& m0, const auto& m1) {
    return (3 * f2 - 2 * f3) * to + (f3 - 2 * f2 + f) * (h * m0) + (f3 - f2) * (h * m1);
  };
  const auto rate = [&](const auto& to, const auto& m0, const auto& m1) {
    return ((6 * f - 6 * f2) * to + (3 * f2 - 4 * f + 1) * (h * m0) + (3 * f2 - 2 * f) * (h * m1)) / h;
  };
  const Vec3 d_root = d.head<3>(), v0_root = v0.head<3>();
  Vec3 v1_root = v1.head<3>(), a1_root = reference.a[i1].head<3>();
  if (wraps) v1_root = reference.X_cycle.q * v1_root, a1_root = reference.X_cycle.q * a1_root;
  way = from_start(d, v0, v1);
  way.head<3>() = from_start(d_root, v0_root, v1_root);
  integrate(character, q0, way, out.q);
  d = rate(d, v0, v1);
  out.v.head<3>() = rate(d_root, v0_root, v1_root);
  out.a = (1 - f) * reference.a[i0] + f * reference.a[i1];
  out.a.head<3>() = (1 - f) * reference.a[i0].head<3>() + f * a1_root;

  // Outside a motion that ends, it stands still.
  if (!reference.cyclic && (time_s < 0 || time_s > h * static_cast<double>(n - 1)))
    out.v.setZero(), out.a.setZero();
  if (cycle != 0) {
    const Pose X = power(reference.X_cycle, cycle);
    move(out.q, X);
    out.v.head<3>() = X.q * Vec3(out.v.head<3>());
    out.a.head<3>() = X.q * Vec3(out.a.head<3>());
  }
  const size_t nearest = f < 0.5 ? i0 : i1;
  out.point_contact = &reference.point_contact[nearest];
  out.body_contact = &reference.body_contact[nearest];
}

}  // namespace sinew
