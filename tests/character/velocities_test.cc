#include "character/velocities.h"

#include <gtest/gtest.h>

#include "character/mjcf.h"
#include "character/mujoco_model.h"

namespace sinew {
namespace {

// Of random poses and rates: the velocities are the Jacobian's, and the turning is what the pose does.
TEST(Velocities, AreThoseOfTheJacobianAndOfAPoseThatMoves) {
  for (const char* file : {"/assets/characters/human57.xml", "/tests/data/foreign_humanoid.xml"}) {
    const Character c = load_character_file(std::string(SINEW_SOURCE_DIR) + file);
    std::mt19937 random(3);
    const VecX q = random_q(c, random);
    const VecX v = VecX::Random(c.nv());
    const Kinematics at = forward_kinematics(c, q);
    const std::vector<BodyVelocity> moving = body_velocities(c, at, v);

    const double dt = 1e-6;
    const std::vector<Pose> before = body_poses(c, integrate(c, q, -dt * v));
    const std::vector<Pose> after = body_poses(c, integrate(c, q, dt * v));
    for (size_t b = 0; b < c.bodies.size(); ++b) {
      const Vec3 p = at.X_WB[b].p;
      EXPECT_LT((moving[b].v_WB - point_jacobian(c, at, static_cast<int>(b), p) * v).norm(), 1e-12);
      const Vec3 turned = log_map(after[b].q * before[b].q.conjugate()) / (2 * dt);
      EXPECT_LT((moving[b].w_WB - turned).norm(), 1e-6) << c.bodies[b].name;
    }
  }
}

}  // namespace
}  // namespace sinew
