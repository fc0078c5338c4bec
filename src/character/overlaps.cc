#include "character/overlaps.h"

#include <algorithm>

namespace sinew {

namespace {

// A ball or rod in the world: all within its radius of a line.
struct Rod {
  int body = 0;
  Vec3 a, b;
  double radius_m = 0;
};

std::vector<Rod> rods_of(const Character& character, const std::vector<Pose>& X_WB) {
  std::vector<Rod> out;
  for (const Shape& shape : character.shapes) {
    const bool rod = shape.type == ShapeType::kCapsule;
    if (!shape.collides || (!rod && shape.type != ShapeType::kSphere)) continue;
    const Pose X_WS = X_WB[static_cast<size_t>(shape.body)] * shape.X_BS;
    const Vec3 along = X_WS.q * Vec3(0, 0, rod ? shape.size[1] : 0);
    out.push_back({shape.body, X_WS.p - along, X_WS.p + along, shape.size[0]});
  }
  return out;
}

// Between two lines, each from its a to its b.
double distance(const Rod& one, const Rod& other) {
  const Vec3 d1 = one.b - one.a, d2 = other.b - other.a, r = one.a - other.a;
  const double a = d1.squaredNorm(), e = d2.squaredNorm(), b = d1.dot(d2), c = d1.dot(r), f = d2.dot(r);
  const double denominator = a * e - b * b;
  // The nearest point of the first to the endless second, then back and forth within the ends.
  double s = denominator > 1e-12 ? std::clamp((b * f - c * e) / denominator, 0.0, 1.0) : 0;
  const double t = e > 1e-12 ? std::clamp((b * s + f) / e, 0.0, 1.0) : 0;
  s = a > 1e-12 ? std::clamp((b * t - c) / a, 0.0, 1.0) : 0;
  return (r + s * d1 - t * d2).norm();
}

bool never_touch(const Character& character, int a, int b) {
  const auto parent = [&](int body) { return character.bodies[static_cast<size_t>(body)].parent; };
  if (a == b || parent(a) == b || parent(b) == a) return true;
  return std::any_of(character.excluded.begin(), character.excluded.end(), [&](const auto& pair) {
    return (pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a);
  });
}

}  // namespace

std::vector<std::array<int, 2>> overlapping_bodies(const Character& character, const Reference& reference,
                                                   double depth_m) {
  const size_t bodies = character.bodies.size();
  std::vector<char> seen(bodies * bodies, 0);
  for (const VecX& q : reference.q) {
    const std::vector<Rod> rods = rods_of(character, body_poses(character, q));
    for (size_t i = 0; i < rods.size(); ++i)
      for (size_t j = i + 1; j < rods.size(); ++j) {
        char& pair = seen[static_cast<size_t>(rods[i].body) * bodies + static_cast<size_t>(rods[j].body)];
        if (!pair && distance(rods[i], rods[j]) < rods[i].radius_m + rods[j].radius_m - depth_m) pair = 1;
      }
  }
  std::vector<std::array<int, 2>> out;
  for (size_t a = 0; a < bodies; ++a)
    for (size_t b = a + 1; b < bodies; ++b) {
      const std::array pair{static_cast<int>(a), static_cast<int>(b)};
      if ((seen[a * bodies + b] || seen[b * bodies + a]) && !never_touch(character, pair[0], pair[1]))
        out.push_back(pair);
    }
  return out;
}

}  // namespace sinew
