#include "character/leg_room.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sinew {

namespace {

// A sphere or capsule: its axis, from end to end.
struct Axis {
  Vec3 a, b;
};

bool is_round(const Shape& shape) {
  return shape.type == ShapeType::kSphere || shape.type == ShapeType::kCapsule;
}

Axis axis_of(const Shape& shape, const std::vector<Pose>& X_WB) {
  const Pose X_WS = X_WB[static_cast<size_t>(shape.body)] * shape.X_BS;
  const Vec3 half = shape.type == ShapeType::kCapsule ? Vec3(0, 0, shape.size[1]) : Vec3::Zero();
  return {X_WS * Vec3(-half), X_WS * half};
}

// The nearest points of two axes.
std::array<Vec3, 2> nearest(const Axis& p, const Axis& q) {
  const Vec3 u = p.b - p.a, v = q.b - q.a, w = p.a - q.a;
  const double uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), uw = u.dot(w), vw = v.dot(w);
  const auto part = [](double above, double below) {
    return below > 1e-12 ? std::clamp(above / below, 0.0, 1.0) : 0.0;
  };
  // Where the lines are nearest, then what the ends leave of it.
  double s = part(uv * vw - vv * uw, uu * vv - uv * uv);
  const double t = part(s * uv + vw, vv);
  s = part(t * uv - uw, uu);
  return {p.a + s * u, q.a + t * v};
}

std::vector<size_t> shapes_of(const Character& character, std::initializer_list<Part> parts) {
  std::vector<size_t> out;
  for (size_t i = 0; i < character.shapes.size(); ++i) {
    const Shape& shape = character.shapes[i];
    const Part part = character.bodies[static_cast<size_t>(shape.body)].part;
    if (shape.collides && is_round(shape) && std::find(parts.begin(), parts.end(), part) != parts.end())
      out.push_back(i);
  }
  return out;
}

}  // namespace

std::vector<std::array<size_t, 2>> leg_pairs(const Character& character) {
  const std::vector<Pose> X_WB = body_poses(character, character.q_rest);
  std::vector<std::array<size_t, 2>> out;
  for (const size_t l :
       shapes_of(character, {Part::kLeftThigh, Part::kLeftShin, Part::kLeftFoot, Part::kLeftToes}))
    for (const size_t r :
         shapes_of(character, {Part::kRightThigh, Part::kRightShin, Part::kRightFoot, Part::kRightToes})) {
      const Shape &left = character.shapes[l], &right = character.shapes[r];
      const bool excluded =
          std::any_of(character.excluded.begin(), character.excluded.end(), [&](const auto& bodies) {
            return std::minmax(bodies[0], bodies[1]) == std::minmax(left.body, right.body);
          });
      const auto [p, q] = nearest(axis_of(left, X_WB), axis_of(right, X_WB));
      if (!excluded && (p - q).norm() > left.size[0] + right.size[0]) out.push_back({l, r});
    }
  return out;
}

std::vector<NearLegs> find_near_legs(const Character& character,
                                     const std::vector<std::array<size_t, 2>>& pairs,
                                     const std::vector<Pose>& X_WB, double margin_m) {
  // Legs that cross by more than this are crossed on purpose, and part the other way.
  constexpr double kCrossed_m = 0.03;
  std::vector<NearLegs> out;
  const Vec3 lateral = X_WB[0].q * Vec3::UnitY();
  // Each shape is in many pairs.
  std::vector<std::optional<Axis>> axes(character.shapes.size());
  const auto axis = [&](size_t i) -> const Axis& {
    if (!axes[i]) axes[i] = axis_of(character.shapes[i], X_WB);
    return *axes[i];
  };
  for (const auto& [l, r] : pairs) {
    const Shape &left = character.shapes[l], &right = character.shapes[r];
    const double apart = left.size[0] + right.size[0] + margin_m;
    const auto [p, q] = nearest(axis(l), axis(r));
    const Vec3 between = p - q;
    if (between.norm() >= apart) continue;
    const Vec3 sideways = between.dot(lateral) < -kCrossed_m ? Vec3(-lateral) : lateral;
    const double along = between.dot(sideways);
    const double across2 = std::max(0.0, between.squaredNorm() - along * along);
    out.push_back(
        {left.body, right.body, p, q, sideways, std::sqrt(std::max(0.0, apart * apart - across2)) - along});
  }
  return out;
}

}  // namespace sinew
