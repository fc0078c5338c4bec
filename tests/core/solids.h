#pragma once

#include <cmath>

#include "core/polyhedron.h"

// Surfaces of known solids, for tests.
namespace sinew::testing {

// A box of these half sizes around a centre.
inline Polyhedron box(const Vec3& half, const Vec3& centre = Vec3::Zero()) {
  Polyhedron out;
  for (int i = 0; i < 8; ++i)
    out.vertices.push_back(centre + Vec3(i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(),
                                         i & 4 ? half.z() : -half.z()));
  out.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return out;
}

// An ellipsoid as globes are made: meridians, each with vertices of its own at the poles and at the seam.
inline Polyhedron ellipsoid(const Vec3& half, const Vec3& centre = Vec3::Zero(), size_t rings = 24) {
  Polyhedron out;
  const size_t around = 2 * rings;
  for (size_t i = 0; i <= rings; ++i)
    for (size_t k = 0; k <= around; ++k) {
      const double a = kPi * static_cast<double>(i) / static_cast<double>(rings);
      const double b = 2 * kPi * static_cast<double>(k) / static_cast<double>(around);
      out.vertices.push_back(centre + half.cwiseProduct(Vec3(std::sin(a) * std::cos(b),
                                                             std::sin(a) * std::sin(b), std::cos(a))));
    }
  const auto at = [&](size_t i, size_t k) { return i * (around + 1) + k; };
  for (size_t i = 0; i < rings; ++i)
    for (size_t k = 0; k < around; ++k) {
      out.faces.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
      out.faces.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
    }
  return out;
}

}  // namespace sinew::testing
