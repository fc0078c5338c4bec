// Holds the controller's dynamics against our own recursions and against differences in time.
#include "control/rigid_model.h"

#include <gtest/gtest.h>

#include "character/dynamics.h"
#include "character/library.h"
#include "character/mujoco_model.h"
#include "core/error.h"
#include "sim/scenes.h"

namespace sinew {
namespace {

const Vec3 kGravity(0, 0, -9.81);
constexpr double kDt = 1e-6;

class Rigid : public ::testing::TestWithParam<std::string> {
 protected:
  Rigid()
      : random_(11),
        q_(random_q(character_, random_)),
        v_(random_v(character_, random_, 2)),
        a_(random_v(character_, random_, 5)) {
    model_.set(q_, v_);
  }

  // The motion with this acceleration, a little later or earlier.
  VecX q_at(double dt) const { return integrate(character_, q_, dt * v_ + 0.5 * dt * dt * a_); }
  VecX v_at(double dt) const { return v_ + dt * a_; }
  int last_body() const { return static_cast<int>(character_.bodies.size()) - 1; }

  const Character character_ = scenes::shipped(GetParam());
  RigidModel model_{character_, kGravity};
  std::mt19937 random_;
  VecX q_, v_, a_;
};

TEST_P(Rigid, InertiaAndBiasAreThoseOfOurRecursions) {
  const int nv = character_.nv();
  EXPECT_NEAR(model_.mass_kg(), character_.mass_kg(), 1e-9);
  EXPECT_LT((model_.mass_matrix() - mass_matrix(character_, q_)).cwiseAbs().maxCoeff(), 1e-9);
  const VecX bias = inverse_dynamics(character_, q_, v_, VecX::Zero(nv), kGravity);
  EXPECT_LT((model_.bias() - bias).cwiseAbs().maxCoeff(), 1e-9 * (1 + bias.norm()));
  const MatX one = model_.mass_matrix() * model_.inverse_mass_matrix();
  EXPECT_LT((one - MatX::Identity(nv, nv)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST_P(Rigid, PointsMoveAsTheirJacobiansSay) {
  for (const int body : {0, 1, last_body()}) {
    const Vec3 p_B(0.1, -0.2, 0.3);
    const Vec3 p_W = model_.X_WB(body) * p_B;
    RigidModel::Jacobian J(3, character_.nv());
    model_.point_jacobian(body, p_W, J);
    const Kinematics at = forward_kinematics(character_, q_);
    EXPECT_LT((J - point_jacobian(character_, at, body, p_W)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((J * v_ - model_.point_velocity(body, p_W)).norm(), 1e-9);

    // Acceleration as the difference of velocities along a motion.
    const Vec3 acceleration = J * a_ + model_.point_bias(body, p_W);
    RigidModel later(character_, kGravity), before(character_, kGravity);
    later.set(q_at(kDt), v_at(kDt));
    before.set(q_at(-kDt), v_at(-kDt));
    const Vec3 difference = (later.point_velocity(body, later.X_WB(body) * p_B) -
                             before.point_velocity(body, before.X_WB(body) * p_B)) /
                            (2 * kDt);
    EXPECT_LT((acceleration - difference).norm(), 1e-5 * (1 + difference.norm())) << "body " << body;

    model_.turn_jacobian(body, J);
    EXPECT_LT((J * v_ - model_.angular_velocity(body)).norm(), 1e-9);
    const Vec3 turning = (later.angular_velocity(body) - before.angular_velocity(body)) / (2 * kDt);
    EXPECT_LT((J * a_ + model_.turn_bias(body) - turning).norm(), 1e-5 * (1 + turning.norm()));
  }
}

TEST_P(Rigid, CentreOfMassCarriesTheMomentum) {
  const Momentum h = momentum(character_, q_, v_);
  const Vec3 c = model_.centre_of_mass();
  EXPECT_LT((c - centre_of_mass(character_, body_poses(character_, q_))).norm(), 1e-9);
  EXPECT_LT((model_.mass_kg() * model_.com_velocity() - h.linear).norm(), 1e-8 * (1 + h.linear.norm()));
  EXPECT_LT((model_.angular_momentum() + c.cross(h.linear) - h.angular).norm(),
            1e-8 * (1 + h.angular.norm()));
  RigidModel::Jacobian J(3, character_.nv());
  model_.com_jacobian(J);
  EXPECT_LT((J * v_ - model_.com_velocity()).norm(), 1e-9);

  // Newton: the root's linear rows of M a + bias are m (c'' - g).
  const VecX force = model_.mass_matrix() * a_ + model_.bias();
  const Vec3 acceleration = J * a_ + model_.com_bias();
  EXPECT_LT((model_.mass_kg() * (acceleration - kGravity) - force.head<3>()).norm(), 1e-7 * force.norm());
}

INSTANTIATE_TEST_SUITE_P(Characters, Rigid, ::testing::ValuesIn(character_names(scenes::character_folders())),
                         [](const auto& test) { return test.param; });

TEST(RigidModel, GivesTheControllerAnotherBodyThanTheSimulator) {
  Character heavy = scenes::shipped("biped18");
  for (Body& body : heavy.bodies) body.mass_kg *= 2;
  EXPECT_NEAR(RigidModel(heavy).mass_kg(), 2 * scenes::shipped("biped18").mass_kg(), 1e-9);
}

TEST(RigidModel, RefusesABodyWithoutMass) {
  Character c = scenes::two_discs(1, 1);
  c.bodies[1].mass_kg = 0;
  EXPECT_THROW(RigidModel{c}, Error);
}

}  // namespace
}  // namespace sinew
