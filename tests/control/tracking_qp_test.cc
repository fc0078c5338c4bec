// Holds the plans of the tracking QP against mechanics: equations of motion, cones, weight.
#include "control/tracking_qp.h"

#include <gtest/gtest.h>

#include <optional>

#include "character/dynamics.h"
#include "character/mujoco_model.h"
#include "sim/scenes.h"

namespace sinew {
namespace {

const Vec3 kGravity(0, 0, -9.81);

// A character somewhere, with points of its feet on the ground.
struct Stance {
  explicit Stance(const std::string& name, const TrackingQpOptions& options = {}, double strength = 1)
      : character(scenes::shipped(name)), model(character), options_(options) {
    limit = strength * rest_command(character).limit;
    state = {0, character.q_rest, VecX::Zero(character.nv())};
    for (size_t i = 0; i < character.contact_points.size(); ++i) {
      const Part part = character.bodies[static_cast<size_t>(character.contact_points[i].body)].part;
      if (part == Part::kLeftFoot || part == Part::kRightFoot || part == Part::kLeftToes ||
          part == Part::kRightToes)
        points.push_back(i);
    }
  }

  // A plan with the contact points in `points`.
  const TrackingQp& plan(const VecX& a_desired) {
    model.set(state.q, state.v);
    std::vector<PlanContact> contacts;
    for (const size_t i : points) {
      const ContactPoint& point = character.contact_points[i];
      const Vec3 p_W = model.X_WB(point.body) * point.p_BP - point.radius_m * Vec3::UnitZ();
      contacts.push_back({static_cast<int>(i), point.body, p_W, Vec3::UnitZ()});
    }
    qp_.emplace(model, limit, options_);
    qp_->set_up(contacts, a_desired);
    status = qp_->solve().status;
    return *qp_;
  }

  Character character;
  RigidModel model;
  VecX limit;
  State state;
  std::vector<size_t> points;
  QpStatus status = QpStatus::kInfeasible;

 private:
  TrackingQpOptions options_;
  std::optional<TrackingQp> qp_;
};

VecX random_desired(const Character& character, unsigned seed) {
  std::mt19937 random(seed);
  return random_v(character, random, 3);
}

// M a + bias is what torques and contact forces do.
void expect_equations_of_motion(const Stance& stance, const TrackingQp& qp) {
  VecX force = qp.torques();
  RigidModel::Jacobian J(3, stance.character.nv());
  for (size_t i = 0; i < qp.contacts().size(); ++i) {
    stance.model.point_jacobian(qp.contacts()[i].body, qp.contacts()[i].p_W, J);
    force += J.transpose() * qp.contact_force(i);
  }
  const VecX needed =
      inverse_dynamics(stance.character, stance.state.q, stance.state.v, qp.accelerations(), kGravity);
  EXPECT_LT((needed - force).cwiseAbs().maxCoeff(), 1e-6 * (1 + needed.cwiseAbs().maxCoeff()));
}

void expect_cones_and_limits(const Stance& stance, const TrackingQp& qp, double friction) {
  for (size_t i = 0; i < qp.contacts().size(); ++i) {
    const Vec3 f = qp.contact_force(i);
    EXPECT_GE(f.z(), -1e-9);
    EXPECT_LE(std::abs(f.x()) + std::abs(f.y()), friction * f.z() + 1e-7);
  }
  for (int i = 6; i < stance.character.nv(); ++i)
    EXPECT_LE(std::abs(qp.torques()[i]), stance.limit[i] + 1e-7) << "axis " << i;
  EXPECT_TRUE((qp.torques().head<6>().array() == 0).all());
}

class Plans : public ::testing::TestWithParam<std::string> {};

TEST_P(Plans, CarryTheWeightOfOneWhoStands) {
  Stance stance(GetParam());
  const TrackingQp& qp = stance.plan(VecX::Zero(stance.character.nv()));
  ASSERT_EQ(stance.status, QpStatus::kOptimal);
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  for (size_t i = 0; i < qp.contacts().size(); ++i) {
    force += qp.contact_force(i);
    moment += (qp.contacts()[i].p_W - stance.model.centre_of_mass()).cross(qp.contact_force(i));
  }
  const double weight = 9.81 * stance.character.mass_kg();
  EXPECT_LT((force - Vec3(0, 0, weight)).norm(), 1e-3 * weight);
  EXPECT_LT(moment.norm(), 1e-3 * weight);
  EXPECT_LT(qp.accelerations().cwiseAbs().maxCoeff(), 1e-2);
}

TEST_P(Plans, ObeyMechanics) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Stance stance(GetParam(), {.friction = 0.6});
    std::mt19937 random(seed);
    stance.state.q = integrate(stance.character, stance.state.q, random_v(stance.character, random, 0.05));
    const TrackingQp& qp = stance.plan(random_desired(stance.character, seed));
    ASSERT_TRUE(stance.status == QpStatus::kOptimal || stance.status == QpStatus::kRelaxed)
        << to_string(stance.status);
    expect_equations_of_motion(stance, qp);
    expect_cones_and_limits(stance, qp, 0.6);
    if (stance.status != QpStatus::kOptimal) continue;

    // At rest no point of a foot accelerates.
    RigidModel::Jacobian J(3, stance.character.nv());
    for (const PlanContact& contact : qp.contacts()) {
      stance.model.point_jacobian(contact.body, contact.p_W, J);
      EXPECT_LT((J * qp.accelerations()).norm(), 1e-4);
    }
  }
}

TEST_P(Plans, AreTheSameInFewAndInAllVariables) {
  Stance reduced(GetParam()), full(GetParam(), {.form = QpForm::kFull});
  const VecX desired = random_desired(reduced.character, 5);
  const TrackingQp &few = reduced.plan(desired), &all = full.plan(desired);
  ASSERT_EQ(reduced.status, QpStatus::kOptimal);
  ASSERT_EQ(full.status, QpStatus::kOptimal);
  const auto n = 4 * static_cast<int>(few.contacts().size()), nv = reduced.character.nv();
  EXPECT_EQ(few.problem().variables(), nv - 6 + n);
  EXPECT_EQ(all.problem().variables(), 2 * nv + n);
  EXPECT_LT((few.accelerations() - all.accelerations()).cwiseAbs().maxCoeff(), 1e-3);
}

TEST_P(Plans, CannotHoldUpTheCentreOfMassInTheAir) {
  Stance stance(GetParam());
  stance.points.clear();
  std::mt19937 random(4);
  stance.state.v = random_v(stance.character, random, 1);
  const TrackingQp& qp = stance.plan(random_desired(stance.character, 4));
  ASSERT_EQ(stance.status, QpStatus::kOptimal);
  RigidModel::Jacobian J(3, stance.character.nv());
  stance.model.com_jacobian(J);
  EXPECT_LT((J * qp.accelerations() + stance.model.com_bias() - kGravity).norm(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Characters, Plans, ::testing::Values("biped18", "human50", "human57"),
                         [](const auto& test) { return test.param; });

TEST(TrackingQp, AsksNoMoreOfFeetThanTheyCanDo) {
  // A rigid foot moves in six ways, two points in five, one in three. The legs of biped18 bend in one plane:
  // beside the first foot the second has three ways left.
  Stance human("human50");
  std::vector<size_t> left;
  for (const size_t i : human.points) {
    const ContactPoint& point = human.character.contact_points[i];
    if (human.character.bodies[static_cast<size_t>(point.body)].part == Part::kLeftFoot) left.push_back(i);
  }
  ASSERT_GE(left.size(), 3u);
  for (const auto& [points, rows] : {std::pair{1, 3}, {2, 5}, {3, 6}}) {
    human.points.assign(left.begin(), left.begin() + points);
    EXPECT_EQ(human.plan(VecX::Zero(human.character.nv())).no_slip_rows(), rows) << points;
  }
  Stance biped("biped18");
  for (const Joint& joint : biped.character.joints)
    if (joint.name.ends_with("knee")) biped.state.q[joint.q] = 0.4;  // straight legs could not be shortened
  EXPECT_EQ(biped.plan(VecX::Zero(biped.character.nv())).no_slip_rows(), 9);
}

TEST(TrackingQp, SaysSoWhereFeetMustSlip) {
  // No muscle and hardly any friction: one who leans slides.
  Stance stance("human57", {.friction = 0.01}, 0);
  stance.state.q.segment<4>(3) << std::cos(0.25), 0, std::sin(0.25), 0;
  stance.points.resize(1);
  const TrackingQp& qp = stance.plan(VecX::Zero(stance.character.nv()));
  EXPECT_EQ(stance.status, QpStatus::kRelaxed);
  expect_equations_of_motion(stance, qp);
  expect_cones_and_limits(stance, qp, 0.01);
}

TEST(TrackingQp, FeelsAnErrorAsTheForceThatItTakes) {
  // In the air the joints could have any acceleration, the root's centre of mass none but gravity's: with the
  // inertia matrix as metric what is left of the error does no work on the joints.
  Stance stance("human50", {.metric = QpMetric::kInertiaMatrix});
  stance.points.clear();
  stance.limit.setConstant(1e9);
  const VecX desired = random_desired(stance.character, 8);
  const TrackingQp& qp = stance.plan(desired);
  ASSERT_EQ(stance.status, QpStatus::kOptimal);
  const VecX left = stance.model.mass_matrix() * (qp.accelerations() - desired);
  // Gradient of the cost by torque i: the error itself, along coordinate i.
  EXPECT_LT((qp.accelerations() - desired).tail(stance.character.nv() - 6).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_GT(left.head<6>().norm(), 1);
}

}  // namespace
}  // namespace sinew
