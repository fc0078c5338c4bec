// Pins what docs/conventions.md says about frames, coordinates and signs.
#include <gtest/gtest.h>

#include <algorithm>

#include "character/character.h"
#include "character/library.h"

namespace sinew {
namespace {

// A root with a free joint and a forearm on a ball joint 0.5 m to its left, at rest unturned.
Character two_bodies() {
  Character character;
  Body root, arm;
  root.name = "root";
  root.joint_count = 1;
  arm.name = "arm";
  arm.parent = 0;
  arm.X_PB.p = Vec3(0, 0.5, 0);
  arm.first_joint = 1;
  arm.joint_count = 1;
  character.bodies = {root, arm};
  Joint free, ball;
  free.type = JointType::kFree;
  ball.type = JointType::kBall;
  ball.body = 1;
  ball.q = 7;
  ball.v = 6;
  character.joints = {free, ball};
  character.q_rest = VecX::Zero(11);
  character.q_rest[3] = character.q_rest[7] = 1;
  return character;
}

VecX with_quat(VecX q, int i, const Quat& value) {
  q.segment<4>(i) << value.w(), value.x(), value.y(), value.z();
  return q;
}

TEST(Conventions, PoseMapsFromRightToLeft) {
  // B lies 1 m along X of A and is turned left: its X is A's Y.
  const Pose X_AB{Vec3(1, 0, 0), exp_map(Vec3(0, 0, kPi / 2))};
  EXPECT_LT((X_AB * Vec3(2, 0, 0) - Vec3(1, 2, 0)).norm(), 1e-12);
}

TEST(Conventions, QuaternionsAreWxyz) {
  // cos and sin of 45 degrees as w and z: a quarter turn to the left.
  const Character character = two_bodies();
  VecX q = character.q_rest;
  q.segment<4>(3) << std::sqrt(0.5), 0, 0, std::sqrt(0.5);
  const auto X_WB = body_poses(character, q);
  EXPECT_LT((X_WB[0].q * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-12);
  // The other sign is the same rotation.
  q.segment<4>(3) *= -1;
  EXPECT_LT(angle_between(body_poses(character, q)[0].q, X_WB[0].q), 1e-12);
}

TEST(Conventions, FreeJointMovesInTheWorldAndTurnsInTheBody) {
  const Character character = two_bodies();
  // Lying on its left side, turned about X: the body's Z points along the world's -Y.
  const VecX q = with_quat(character.q_rest, 3, exp_map(Vec3(kPi / 2, 0, 0)));
  VecX dv = VecX::Zero(character.nv());
  dv.head<3>() = Vec3(0, 0, 2);
  dv.segment<3>(3) = Vec3(0, 0, 0.1);
  const VecX next = integrate(character, q, dv);
  EXPECT_LT((next.head<3>() - Vec3(0, 0, 2)).norm(), 1e-12);
  const Quat turn_W = body_poses(character, next)[0].q * body_poses(character, q)[0].q.conjugate();
  EXPECT_LT((log_map(turn_W) - Vec3(0, -0.1, 0)).norm(), 1e-12);
}

TEST(Conventions, BallJointTurnsInTheChild) {
  const Character character = two_bodies();
  // The forearm is bent a quarter turn to the left; its own X then points along the root's Y.
  const VecX q = with_quat(character.q_rest, 7, exp_map(Vec3(0, 0, kPi / 2)));
  VecX dv = VecX::Zero(character.nv());
  dv.segment<3>(6) = Vec3(0.1, 0, 0);
  const VecX next = integrate(character, q, dv);
  const Quat turn_W = body_poses(character, next)[1].q * body_poses(character, q)[1].q.conjugate();
  EXPECT_LT((log_map(turn_W) - Vec3(0, 0.1, 0)).norm(), 1e-12);
}

TEST(Conventions, FacesXWithTheLeftOnY) {
  const std::string folder = SINEW_SOURCE_DIR "/assets/characters";
  const auto names = character_names({folder});
  ASSERT_GE(names.size(), 5u);
  for (const std::string& name : names) {
    const Character character = load_character(name, {folder});
    const auto X_WB = body_poses(character, character.q_rest);
    const auto place = [&](Part part) { return X_WB[static_cast<size_t>(character.body_of(part))].p; };
    EXPECT_GT(place(Part::kLeftUpperArm).y(), place(Part::kRightUpperArm).y()) << name;
    EXPECT_NEAR(lowest_point(character, X_WB), 0, 1e-3) << name;

    // The foot reaches further ahead of the ankle than behind it.
    const int foot = character.body_of(Part::kLeftFoot);
    double ahead = 0, behind = 0;
    for (const Shape& shape : character.shapes) {
      if (shape.body != foot) continue;
      ahead = std::max(
          ahead,
          (support(shape, X_WB[static_cast<size_t>(foot)], Vec3::UnitX()) - place(Part::kLeftFoot)).x());
      behind = std::max(
          behind,
          (place(Part::kLeftFoot) - support(shape, X_WB[static_cast<size_t>(foot)], -Vec3::UnitX())).x());
    }
    EXPECT_GT(ahead, behind) << name;
  }
}

TEST(Conventions, IntegrateAndDifferenceAreInverse) {
  const Character character = two_bodies();
  const VecX q0 =
      with_quat(with_quat(character.q_rest, 3, exp_map(Vec3(1, 2, 0.3))), 7, exp_map(Vec3(-0.4, 1, 2)));
  VecX dv(9);
  dv << 1, -2, 3, 0.3, 0.2, -0.6, 1.1, -0.4, 0.9;
  EXPECT_LT((difference(character, q0, integrate(character, q0, dv)) - dv).norm(), 1e-9);
}

TEST(Conventions, JacobianGivesTheWorldVelocityOfAPoint) {
  // The same frames again, through the Jacobian: a small motion along each coordinate moves the fingertip so.
  const Character character = two_bodies();
  const VecX q =
      with_quat(with_quat(character.q_rest, 3, exp_map(Vec3(1, 2, 0.3))), 7, exp_map(Vec3(-0.4, 1, 2)));
  const Kinematics at = forward_kinematics(character, q);
  const Vec3 tip_B(0.3, 0.1, 0);
  const auto J = point_jacobian(character, at, 1, at.X_WB[1] * tip_B);
  const double h = 1e-6;
  for (int i = 0; i < character.nv(); ++i) {
    const VecX dv = VecX::Unit(character.nv(), i) * h;
    const Vec3 ahead = body_poses(character, integrate(character, q, dv))[1] * tip_B;
    const Vec3 behind = body_poses(character, integrate(character, q, -dv))[1] * tip_B;
    EXPECT_LT(((ahead - behind) / (2 * h) - J.col(i)).norm(), 1e-8) << "coordinate " << i;
  }
}

}  // namespace
}  // namespace sinew
