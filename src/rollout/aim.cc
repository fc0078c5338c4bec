#include <algorithm>

#include "rollout/rollout.h"

namespace sinew {

namespace {

constexpr double kMostRoom_m = 2;

// Whether a ball touches the character; shapes that are neither balls nor rods count as the ball around them.
bool touches(const Character& character, const std::vector<Pose>& X_WB, const Vec3& p_W, double radius_m) {
  for (const Shape& shape : character.shapes) {
    if (!shape.collides) continue;
    const Vec3 p_S = (X_WB[static_cast<size_t>(shape.body)] * shape.X_BS).inverse() * p_W;
    const bool rod = shape.type == ShapeType::kCapsule;
    const double along = rod ? std::clamp(p_S.z(), -shape.size[1], shape.size[1]) : 0;
    const double reach = rod ? shape.size[0] : bounding_radius(shape);
    if ((p_S - Vec3(0, 0, along)).norm() < reach + radius_m) return true;
  }
  return false;
}

}  // namespace

PropState aim(const Throw& thrown, double ball_radius_m, const Character& character, const State& state,
              const Vec3& gravity, double flight_s) {
  // Where the middle of the body will be when the ball arrives, if it goes on as it goes.
  const auto body = static_cast<size_t>(std::max(character.body_of(thrown.part), 0));
  const Kinematics at = forward_kinematics(character, state.q);
  const Vec3 now = at.X_WB[body] * character.bodies[body].p_BC;
  const Vec3 velocity = point_jacobian(character, at, static_cast<int>(body), now) * state.v;
  const Vec3 target = now + flight_s * velocity;

  // It comes from a side of the character, straight but for gravity, and touches as its time is up; from
  // farther away, and so later, where an arm is in its place.
  const Quat facing = exp_map(Vec3(0, 0, heading(at.X_WB[0].q)));
  const Vec3 from = facing * thrown.from;
  PropState ball;
  ball.v_WP = -thrown.speed_m_s * from - 0.5 * flight_s * gravity;
  double distance = thrown.speed_m_s * flight_s + ball_radius_m;
  const double farthest = distance + kMostRoom_m;
  while (distance < farthest && touches(character, at.X_WB, target + distance * from, ball_radius_m))
    distance += 0.05;
  ball.X_WP.p = target + distance * from;
  return ball;
}

}  // namespace sinew
