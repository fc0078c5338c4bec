#include "core/polyhedron.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

namespace sinew {

namespace {

constexpr double kNear = 1e-6;  // of the size: two vertices are one

using Cell = std::array<long, 3>;
struct CellHash {
  size_t operator()(const Cell& c) const {
    size_t hash = 0;
    for (const long x : c) hash = hash * 1000003U + static_cast<size_t>(x);
    return hash;
  }
};

// Vertices in a grid, so that those near a point are found at once.
class Welder {
 public:
  explicit Welder(double near) : near_(near) {}

  // The vertex that is there, or a new one.
  size_t at(const Vec3& p) {
    const Cell cell{index(p.x()), index(p.y()), index(p.z())};
    Cell around;
    for (int i = 0; i < 27; ++i) {
      around = {cell[0] + i % 3 - 1, cell[1] + i / 3 % 3 - 1, cell[2] + i / 9 - 1};
      const auto found = cells_.find(around);
      if (found != cells_.end() && (vertices_[found->second] - p).norm() <= near_) return found->second;
    }
    cells_[cell] = vertices_.size();
    vertices_.push_back(p);
    return vertices_.size() - 1;
  }
  std::vector<Vec3> vertices() && { return std::move(vertices_); }

 private:
  long index(double x) const { return std::lround(x / near_); }

  double near_;
  std::vector<Vec3> vertices_;
  std::unordered_map<Cell, size_t, CellHash> cells_;
};

// The pieces that hang together: the piece of every face.
std::vector<size_t> pieces_of(const Polyhedron& solid) {
  std::vector<size_t> root(solid.vertices.size());
  std::iota(root.begin(), root.end(), size_t{0});
  const auto find = [&](size_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const auto& face : solid.faces)
    for (const size_t corner : face) root[find(corner)] = find(face[0]);
  std::vector<size_t> pieces;
  for (const auto& face : solid.faces) pieces.push_back(find(face[0]));
  return pieces;
}

double volume_under(const Polyhedron& solid, const std::array<size_t, 3>& face, const Vec3& from) {
  const Vec3 a = solid.vertices[face[0]] - from, b = solid.vertices[face[1]] - from,
             c = solid.vertices[face[2]] - from;
  return a.dot(b.cross(c)) / 6;
}

Vec3 middle_of(const Polyhedron& solid) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& v : solid.vertices) sum += v;
  return sum / std::max<double>(1, static_cast<double>(solid.vertices.size()));
}

std::string times(size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace

Polyhedron welded(const Polyhedron& solid) {
  Vec3 low = Vec3::Constant(INFINITY), high = -low;
  for (const Vec3& v : solid.vertices) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  if (solid.vertices.empty() || !((high - low).norm() > 0)) return {};
  Welder welder(kNear * (high - low).norm());
  std::vector<size_t> one_of;
  for (const Vec3& v : solid.vertices) one_of.push_back(welder.at(v - low));
  Polyhedron out;
  out.vertices = std::move(welder).vertices();
  for (Vec3& v : out.vertices) v += low;
  for (const auto& [a, b, c] : solid.faces)
    if (one_of[a] != one_of[b] && one_of[b] != one_of[c] && one_of[c] != one_of[a])
      out.faces.push_back({one_of[a], one_of[b], one_of[c]});
  return out;
}

std::string fault_of_surface(const Polyhedron& solid) {
  if (solid.faces.empty()) return "has no faces";

  // How often the faces go along every edge, there and back.
  std::map<std::array<size_t, 2>, std::array<size_t, 2>> edges;
  for (const auto& face : solid.faces)
    for (size_t i = 0; i < 3; ++i) {
      const size_t a = face[i], b = face[(i + 1) % 3];
      ++edges[{std::min(a, b), std::max(a, b)}][a < b ? 0 : 1];
    }
  size_t open = 0, crowded = 0, opposed = 0;
  for (const auto& [edge, along] : edges) {
    open += along[0] + along[1] == 1;
    crowded += along[0] + along[1] > 2;
    opposed += along[0] + along[1] == 2 && along[0] != 1;
  }
  if (open > 0) return "has a hole: " + times(open, "edge") + " of it belong to one face only";
  if (crowded > 0) return "is no solid: " + times(crowded, "edge") + " of it belong to more than two faces";
  if (opposed > 0)
    return "has flipped faces: along " + times(opposed, "edge") + " two faces disagree on what is outside";

  // Every piece by itself, or one that is inside out would pass for a cavity.
  std::map<size_t, double> volume;
  const std::vector<size_t> pieces = pieces_of(solid);
  const Vec3 from = middle_of(solid);
  for (size_t i = 0; i < pieces.size(); ++i) volume[pieces[i]] += volume_under(solid, solid.faces[i], from);
  for (const auto& [piece, v] : volume)
    if (!(v > 0))
      return volume.size() == 1 ? "has flipped faces: all of them look inwards"
                                : "has flipped faces: all of one of its pieces look inwards";
  return "";
}

SolidProperties solid_properties(const Polyhedron& solid) {
  // Tetrahedra from a point amid it, so that nothing large cancels. The integral of x x^T over one with
  // corners 0, a, b, c and volume V is V/20 (a a^T + b b^T + c c^T + s s^T), s = a + b + c.
  const Vec3 from = middle_of(solid);
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const auto& face : solid.faces) {
    const Vec3 a = solid.vertices[face[0]] - from, b = solid.vertices[face[1]] - from,
               c = solid.vertices[face[2]] - from, s = a + b + c;
    const double v = volume_under(solid, face, from);
    volume += v;
    first += v / 4 * s;
    second += v / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  SolidProperties out;
  out.volume_m3 = volume;
  const Vec3 centre = first / volume;
  second -= volume * centre * centre.transpose();
  out.centre = from + centre;
  out.inertia = second.trace() * Mat3::Identity() - second;
  return out;
}

}  // namespace sinew
