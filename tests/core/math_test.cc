#include "core/math.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

TEST(Math, ExpAndLogAreInverse) {
  for (const Vec3& r : {Vec3(0, 0, 0), Vec3(1e-12, 0, 0), Vec3(0.3, -0.2, 0.9), Vec3(0, 3.1, 0)})
    EXPECT_LT((log_map(exp_map(r)) - r).norm(), 1e-9) << r.transpose();
}

TEST(Math, LogTakesTheShorterWayRound) {
  const Quat q = exp_map(Vec3(0, 0, 0.5));
  EXPECT_LT((log_map(Quat(-q.w(), -q.x(), -q.y(), -q.z())) - Vec3(0, 0, 0.5)).norm(), 1e-12);
}

TEST(Math, SwingTimesTwistIsTheRotation) {
  const Quat q = exp_map(Vec3(0.4, -1.2, 0.7));
  const SwingTwist st = swing_twist(q, Vec3::UnitX());
  EXPECT_LT(angle_between(st.swing * st.twist, q), 1e-9);
  EXPECT_NEAR(log_map(st.swing).x(), 0.0, 1e-9);
  EXPECT_LT(angle_between(st.twist, exp_map(st.twist_angle * Vec3::UnitX())), 1e-9);
}

TEST(Math, PoseComposesAndInverts) {
  const Pose X_AB{{1, 2, 3}, exp_map(Vec3(0.1, 0.2, 0.3))};
  const Pose X_BC{{-1, 0.5, 0}, exp_map(Vec3(-1, 0, 0.3))};
  const Vec3 p_C(0.3, 0.2, 0.1);
  EXPECT_LT(((X_AB * X_BC) * p_C - X_AB * (X_BC * p_C)).norm(), 1e-12);
  EXPECT_LT((X_AB.inverse() * (X_AB * p_C) - p_C).norm(), 1e-12);
}

}  // namespace
}  // namespace sinew
