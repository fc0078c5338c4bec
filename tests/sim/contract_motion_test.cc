// Every simulator: free motion, joints and servos against closed form.
#include <random>

#include "sim/contract.h"

namespace sinew {
namespace {

using namespace scenes;

constexpr double kG = 9.81;

TEST_P(Contract, FreeFall) {
  const Character c = brick(3, Vec3(0.1, 0.2, 0.3));
  auto sim = make(c, empty_world());
  State start = at_rest(c, c.q_rest);
  start.q.head<3>() = Vec3(0, 0, 10);
  start.v.head<3>() = Vec3(1, -2, 3);
  sim->set_state(start);
  const double T = 0.5;
  run(*sim, limp(c), T);
  const State& end = sim->state();
  EXPECT_NEAR(end.time_s, T, 1e-9);
  EXPECT_LT((end.v.head<3>() - Vec3(1, -2, 3 - kG * T)).norm(), 1e-6);
  // A first-order step is off by half a step's fall.
  EXPECT_LT((end.q.head<3>() - Vec3(T, -2 * T, 10 + 3 * T - kG / 2 * T * T)).norm(), kG * T * sim->step_s());
  EXPECT_LT(end.v.tail<3>().norm(), 1e-9);
}

TEST_P(Contract, ALimpBodyFallsWithItsCentreOfMass) {
  const Character c = shipped("human50");
  auto sim = make(c, empty_world());
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  State start = at_rest(c, c.q_rest);
  for (double& x : start.v) x = 0.5 * normal(random);
  sim->set_state(start);
  const Momentum before = momentum_of(*sim);
  run(*sim, limp(c), 0.2);
  const Momentum after = momentum_of(*sim);
  const Vec3 expected = before.linear + 0.2 * c.mass_kg() * Vec3(0, 0, -kG);
  EXPECT_LT((after.linear - expected).norm(), 0.01 * c.mass_kg() * kG * 0.2);
}

TEST_P(Contract, SpinKeepsAngularMomentumAndEnergy) {
  const Character c = brick(3, Vec3(0.1, 0.2, 0.3));
  auto sim = make(c, empty_world(Vec3::Zero()), 0.0005);
  State start = at_rest(c, c.q_rest);
  start.v << 0, 0, 0, 1, 5, 0.5;
  sim->set_state(start);
  const Momentum h0 = momentum_of(*sim);
  const double e0 = kinetic_energy(c, start.q, start.v);
  run(*sim, limp(c), 1.0);
  EXPECT_LT((momentum_of(*sim).angular - h0.angular).norm(), 0.01 * h0.angular.norm());
  EXPECT_LT(momentum_of(*sim).linear.norm(), 1e-6);
  EXPECT_NEAR(kinetic_energy(c, sim->state().q, sim->state().v), e0, 0.01 * e0);
}

TEST_P(Contract, ASymmetricTopPrecesses) {
  // The axis of a free symmetric top goes round the angular momentum L at L / I_across.
  const double across = 0.2, along = 0.3;
  const Character c = root_only(2, Vec3(across, across, along).asDiagonal());
  auto sim = make(c, empty_world(Vec3::Zero()), 0.0005);
  State start = at_rest(c, c.q_rest);
  start.v << 0, 0, 0, 2, 0, 4;
  sim->set_state(start);
  const Vec3 L = momentum_of(*sim).angular;
  const double T = 0.7, angle = L.norm() / across * T;
  run(*sim, limp(c), T);
  const Vec3 axis = body_poses(c, sim->state().q)[0].q * Vec3::UnitZ();
  const Vec3 expected = exp_map(L.normalized() * angle) * Vec3::UnitZ();
  EXPECT_LT((axis - expected).norm(), 0.01 * angle);
}

TEST_P(Contract, APendulumHasItsPeriod) {
  const double length = 0.5, inertia = 0.02;
  const Character c = pendulum(length, inertia);
  auto sim = make(c, flat_world(), 0.001);
  State start = at_rest(c, sim->state().q);
  start.q[7] = 0.1;
  sim->set_state(start);

  // From one downward passage to the next but one.
  std::vector<double> passages;
  double last = start.q[7];
  run(*sim, limp(c), 2.2, [&] {
    const double now = sim->state().q[7];
    if ((last > 0) != (now > 0)) passages.push_back(sim->state().time_s - sim->step_s() * now / (now - last));
    last = now;
  });
  ASSERT_GE(passages.size(), 3u);
  const double small = 2 * kPi * std::sqrt((inertia + length * length) / (kG * length));
  EXPECT_NEAR(passages[2] - passages[0], small * (1 + 0.1 * 0.1 / 16), 0.003 * small);
}

TEST_P(Contract, ATorsionSpringHasItsFrequency) {
  const double I1 = 0.3, I2 = 0.1, k = 20, both = I1 * I2 / (I1 + I2);
  const Character c = two_discs(I1, I2);
  auto sim = make(c, empty_world(Vec3::Zero()), 0.0005);
  Command command = limp(c);
  command.kp[6] = k;
  State start = at_rest(c, c.q_rest);
  start.q[7] = 0.3;
  sim->set_state(start);
  std::vector<double> passages;
  double last = 0.3;
  run(*sim, command, 0.6, [&] {
    const double now = sim->state().q[7];
    if ((last > 0) != (now > 0)) passages.push_back(sim->state().time_s - sim->step_s() * now / (now - last));
    last = now;
  });
  ASSERT_GE(passages.size(), 3u);
  const double period = 2 * kPi / std::sqrt(k / both);
  EXPECT_NEAR(passages[2] - passages[0], period, 0.003 * period);
}

TEST_P(Contract, AServoStepsLikeItsClosedForm) {
  // Two discs on an axle: v' = v + h (kp e - (kd + h kp) v) / (I + h kd + h^2 kp), the implicit PD.
  const double I1 = 0.3, I2 = 0.1, both = I1 * I2 / (I1 + I2);
  const Character c = two_discs(I1, I2);
  for (const auto& [kp, kd] : {std::pair{50.0, 2.0}, {1000.0, 5.0}, {1e5, 1e3}}) {
    auto sim = make(c, empty_world(Vec3::Zero()), 0.001);
    Command command = limp(c);
    command.kp[6] = kp;
    command.kd[6] = kd;
    command.q_target[7] = 0.5;
    command.v_target[6] = 0.2;
    command.torque[6] = 0.7;
    sim->set_state(at_rest(c, c.q_rest));
    double q = 0, v = 0;
    const double h = 0.001;
    run(*sim, command, 0.3, [&] {
      const double drive = kp * (0.5 - q) + kd * 0.2 + 0.7;
      const double last = v;
      v += h * (drive - (kd + h * kp) * v) / (both + h * kd + h * h * kp);
      q += h * v;
      EXPECT_NEAR(sim->state().q[7], q, 2e-4) << "kp " << kp;
      EXPECT_NEAR(sim->torques()[6], both * (v - last) / h, 1e-3 * (kp * 0.5 + 1)) << "kp " << kp;
    });
    // The other disc turns against it.
    EXPECT_LT(momentum_of(*sim).angular.norm(), 1e-6);
  }
}

TEST_P(Contract, ATorqueMovesItsCoordinate) {
  // From rest, without gravity, one step makes v = h (M + h D)^-1 torque, for each coordinate by itself.
  for (const std::string& name : character_names(character_folders())) {
    const Character c = shipped(name);
    auto sim = make(c, empty_world(Vec3::Zero()));
    const double h = sim->step_s();

    // Away from all stops.
    VecX q = c.q_rest;
    MatX M = mass_matrix(c, q);
    for (const Joint& joint : c.joints) {
      const bool straight = joint.type == JointType::kHinge || joint.type == JointType::kSlide;
      if (straight && joint.limited) q[joint.q] = 0.5 * (joint.lower[0] + joint.upper[0]);
    }
    M = mass_matrix(c, q);
    for (const Joint& joint : c.joints)
      if (joint.type != JointType::kFree)
        for (int i = joint.v; i < joint.v + joint.v_size(); ++i)
          M(i, i) += h * joint.damping + h * h * joint.stiffness;
    const Eigen::LLT<MatX> solver(M);
    for (int i = 6; i < c.nv(); ++i) {
      Command command = limp(c);
      command.torque[i] = 0.1;
      // Passive springs pull from the start: what the torque alone does is the difference.
      sim->set_state(at_rest(c, q));
      ASSERT_EQ(sim->step(limp(c)), StepStatus::kOk);
      const VecX without = sim->state().v;
      sim->set_state(at_rest(c, q));
      ASSERT_EQ(sim->step(command), StepStatus::kOk);
      const VecX v = sim->state().v - without, expected = solver.solve(command.torque * h);
      EXPECT_GT(v[i], 0) << name << " coordinate " << i;
      EXPECT_LT((v - expected).norm(), 0.02 * expected.norm()) << name << " coordinate " << i;
      EXPECT_NEAR(sim->torques()[i], 0.1, 1e-6) << name << " coordinate " << i;
      const Momentum total = momentum(c, q, v);
      const double moved = c.mass_kg() * std::abs(v[i]);
      EXPECT_LT(total.linear.norm() + total.angular.norm(), 1e-3 * moved) << name << " coordinate " << i;
    }
  }
}

TEST_P(Contract, TorquesKeepTheirLimits) {
  const Character c = shipped("human50");
  auto sim = make(c, flat_world());
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Command command = rest_command(c);
  command.kp *= 10;
  command.kd *= 3;
  command.limit.tail(c.nv() - 6).setConstant(40);
  for (int i = 0; i < 10; ++i) {
    VecX dv(c.nv());
    for (double& x : dv) x = normal(random);
    command.q_target = integrate(c, c.q_rest, dv);
    run(*sim, command, 0.05, [&] {
      EXPECT_LE(sim->torques().cwiseAbs().maxCoeff(), 40 * (1 + 1e-9));
      EXPECT_EQ(sim->torques().head<6>().norm(), 0);
    });
  }
}

TEST_P(Contract, TheLimitedTorqueIsWhatActs) {
  const double I1 = 0.3, I2 = 0.1, both = I1 * I2 / (I1 + I2);
  const Character c = two_discs(I1, I2);
  auto sim = make(c, empty_world(Vec3::Zero()), 0.001);
  Command command = limp(c);
  command.kp[6] = 1e4;
  command.kd[6] = 10;
  command.limit[6] = 0.5;
  command.q_target[7] = 2;
  sim->set_state(at_rest(c, c.q_rest));
  run(*sim, command, 0.2);
  EXPECT_NEAR(sim->state().v[6], 0.5 / both * 0.2, 1e-3 * 0.5 / both * 0.2);
  EXPECT_NEAR(sim->torques()[6], 0.5, 1e-6);
}

TEST_P(Contract, AForceActsForOneStep) {
  const Character c = brick(3, Vec3(0.1, 0.2, 0.3));
  auto sim = make(c, empty_world(Vec3::Zero()));
  sim->set_state(at_rest(c, c.q_rest));
  const double h = sim->step_s();
  const Vec3 force(30, -20, 10), torque(0.3, 0.1, -0.2), centre = sim->state().q.head<3>();
  sim->add_force({0, force, centre, torque});
  ASSERT_EQ(sim->step(limp(c)), StepStatus::kOk);
  const Vec3 v = force * h / 3, w = c.bodies[0].I_C.inverse() * torque * h;
  EXPECT_LT((sim->state().v.head<3>() - v).norm(), 1e-9);
  EXPECT_LT((sim->state().v.tail<3>() - w).norm(), 1e-6);
  EXPECT_LT((sim->momentum_rate().linear - force).norm(), 1e-6);
  ASSERT_EQ(sim->step(limp(c)), StepStatus::kOk);
  EXPECT_LT((sim->state().v.head<3>() - v).norm(), 1e-9);
  EXPECT_LT(sim->momentum_rate().linear.norm(), 1e-6);

  // Off the centre it turns the body as well.
  sim->set_state(at_rest(c, c.q_rest));
  sim->add_force({0, Vec3(0, 0, 6), centre + Vec3(0.1, 0, 0), Vec3::Zero()});
  ASSERT_EQ(sim->step(limp(c)), StepStatus::kOk);
  EXPECT_NEAR(sim->state().v[4], -0.6 * h / c.bodies[0].I_C(1, 1), 1e-6);
}

TEST_P(Contract, AForceOnALimbMovesAllOfTheBody) {
  const Character c = shipped("human50");
  auto sim = make(c, empty_world(Vec3::Zero()));
  sim->set_state(at_rest(c, c.q_rest));
  const auto body = static_cast<size_t>(c.body_of(Part::kLeftHand));
  const Vec3 p = body_poses(c, c.q_rest)[body].p, force(0, 20, 0);
  sim->add_force({static_cast<int>(body), force, p, Vec3::Zero()});
  ASSERT_EQ(sim->step(limp(c)), StepStatus::kOk);
  const Momentum rate = sim->momentum_rate();
  EXPECT_LT((rate.linear - force).norm(), 0.01 * force.norm());
  EXPECT_LT((rate.angular - p.cross(force)).norm(), 0.01 * p.cross(force).norm() + 0.01);
}

}  // namespace
}  // namespace sinew
