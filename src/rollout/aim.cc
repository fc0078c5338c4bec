#include <algorithm>

#include "rollout/rollout.h"

namespace sinew {

PropState aim(const Throw& thrown, double ball_radius_m, const Character& character, const State& state,
              const Vec3& gravity, double flight_s) {
  // Where the middle of the body will be when the ball arrives, if it goes on as it goes.
  const auto body = static_cast<size_t>(std::max(character.body_of(thrown.part), 0));
  const Kinematics at = forward_kinematics(character, state.q);
  const Vec3 now = at.X_WB[body] * character.bodies[body].p_BC;
  const Vec3 velocity = point_jacobian(character, at, static_cast<int>(body), now) * state.v;
  const Vec3 target = now + flight_s * velocity;

  // It comes from a side of the character, straight but for gravity, and touches as its time is up.
  const Quat facing = exp_map(Vec3(0, 0, heading(at.X_WB[0].q)));
  const Vec3 from = facing * thrown.from;
  PropState ball;
  ball.v_WP = -thrown.speed_m_s * from - 0.5 * flight_s * gravity;
  ball.X_WP.p = target + (thrown.speed_m_s * flight_s + ball_radius_m) * from;
  return ball;
}

}  // namespace sinew
