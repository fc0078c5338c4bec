// Holds our own dynamics against MuJoCo's and against what must be true of any.
#include "character/dynamics.h"

#include <gtest/gtest.h>

#include "character/library.h"
#include "character/mujoco_model.h"
#include "character/write_mjcf.h"

namespace sinew {
namespace {

const std::vector<std::string> kFolders{SINEW_SOURCE_DIR "/assets/characters"};
const Vec3 kGravity(0, 0, -9.81);

class Dynamics : public ::testing::TestWithParam<std::string> {
 protected:
  Dynamics() : random_(7) {}
  const Character character_ = load_character(GetParam(), kFolders);
  std::mt19937 random_;
};

TEST_P(Dynamics, MassMatrixAndBiasAreMujocos) {
  const MujocoModel mujoco(write_mjcf(character_));
  ASSERT_TRUE(mujoco.d);
  const int nv = character_.nv();
  for (int trial = 0; trial < 10; ++trial) {
    const VecX q = random_q(character_, random_), v = random_v(character_, random_, 2);
    VecX::Map(mujoco.d->qpos, q.size()) = q;
    VecX::Map(mujoco.d->qvel, nv) = v;
    mj_forward(mujoco.m, mujoco.d);

    MatX M(nv, nv);
    mj_fullM(mujoco.m, M.data(), mujoco.d->qM);
    EXPECT_LT((mass_matrix(character_, q) - M).cwiseAbs().maxCoeff(), 1e-9);
    const VecX bias = VecX::Map(mujoco.d->qfrc_bias, nv);
    const VecX ours = inverse_dynamics(character_, q, v, VecX::Zero(nv), Vec3::Map(mujoco.m->opt.gravity));
    EXPECT_LT((ours - bias).cwiseAbs().maxCoeff(), 1e-9 * std::max(1.0, bias.cwiseAbs().maxCoeff()));
  }
}

TEST_P(Dynamics, InverseDynamicsIsMassTimesAccelerationPlusBias) {
  const VecX q = random_q(character_, random_), v = random_v(character_, random_, 1);
  const VecX a = random_v(character_, random_, 5);
  const VecX bias = inverse_dynamics(character_, q, v, VecX::Zero(a.size()), kGravity);
  const VecX force = inverse_dynamics(character_, q, v, a, kGravity);
  EXPECT_LT((mass_matrix(character_, q) * a + bias - force).cwiseAbs().maxCoeff(), 1e-9 * force.norm());
}

TEST_P(Dynamics, KineticEnergyIsHalfVMV) {
  const VecX q = random_q(character_, random_), v = random_v(character_, random_, 1);
  const double energy = 0.5 * v.dot(mass_matrix(character_, q) * v);
  EXPECT_NEAR(kinetic_energy(character_, q, v), energy, 1e-10 * energy);
}

TEST_P(Dynamics, MomentumIsWhatMovesTheRootRows) {
  // Without rotors the root's rows of M v are the linear momentum, and the angular about the root's origin.
  const VecX q = random_q(character_, random_), v = random_v(character_, random_, 1);
  const Momentum h = momentum(character_, q, v);
  const VecX Mv = mass_matrix(character_, q) * v;
  const Pose X_WR = body_poses(character_, q)[0];
  EXPECT_LT((h.linear - Mv.head<3>()).norm(), 1e-9);
  EXPECT_LT((h.angular - X_WR.p.cross(h.linear) - X_WR.q * Mv.segment<3>(3)).norm(), 1e-9);
}

TEST_P(Dynamics, MomentumChangesByTheForcesOutside) {
  // Along any acceleration the rate of momentum is what the root's rows ask of the world, plus gravity.
  const VecX q = random_q(character_, random_), v = random_v(character_, random_, 1);
  const VecX a = random_v(character_, random_, 1);
  const double h = 1e-6;
  const VecX later = integrate(character_, q, v * h), before = integrate(character_, q, v * -h);
  const Momentum up = momentum(character_, later, v + a * h), down = momentum(character_, before, v - a * h);
  const VecX force = inverse_dynamics(character_, q, v, a, Vec3::Zero());
  EXPECT_LT(((up.linear - down.linear) / (2 * h) - force.head<3>()).norm(), 1e-4 * (1 + force.norm()));
  const Pose X_WR = body_poses(character_, q)[0];
  const Vec3 torque = X_WR.p.cross(Vec3(force.head<3>())) + X_WR.q * Vec3(force.segment<3>(3));
  EXPECT_LT(((up.angular - down.angular) / (2 * h) - torque).norm(), 1e-4 * (1 + force.norm()));
}

TEST_P(Dynamics, WorkAgainstGravityIsPotentialEnergy) {
  const VecX q = random_q(character_, random_), v = random_v(character_, random_, 1);
  const double h = 1e-5;
  const double rate = (potential_energy(character_, integrate(character_, q, v * h), kGravity) -
                       potential_energy(character_, integrate(character_, q, v * -h), kGravity)) /
                      (2 * h);
  const VecX zero = VecX::Zero(v.size());
  EXPECT_NEAR(inverse_dynamics(character_, q, zero, zero, kGravity).dot(v), rate,
              1e-6 * (1 + std::abs(rate)));
}

INSTANTIATE_TEST_SUITE_P(Characters, Dynamics, ::testing::ValuesIn(character_names(kFolders)),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace sinew
