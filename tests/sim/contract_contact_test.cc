// Every simulator: contacts, friction, props and balls, self-collision.
#include <algorithm>

#include "sim/contract.h"
#include "world/library.h"

namespace sinew {
namespace {

using namespace scenes;

constexpr double kG = 9.81;

TEST_P(Contract, ARestingBoxPressesWithItsWeight) {
  const Character c = brick(5, Vec3(0.2, 0.15, 0.1));
  auto sim = make(c, flat_world());
  run(*sim, limp(c), 0.5);
  EXPECT_NEAR(contact_force(*sim).z(), 5 * kG, 0.005 * 5 * kG);
  EXPECT_LT(contact_force(*sim).head<2>().norm(), 0.005 * 5 * kG);
  EXPECT_NEAR(sim->state().q[2], 0.1, 0.003);
  ASSERT_GE(sim->contacts().size(), 3u);
  for (const Contact& contact : sim->contacts()) {
    EXPECT_EQ(contact.body, 0);
    EXPECT_EQ(contact.shape, 0);
    EXPECT_EQ(contact.world_shape, 0);
    EXPECT_LT((contact.normal_W - Vec3::UnitZ()).norm(), 1e-6);
    EXPECT_NEAR(contact.p_W.z(), 0, 0.003);
  }
}

TEST_P(Contract, ALyingBodyPressesWithItsWeight) {
  // Over any time the ground gives the weight and the change of momentum.
  const Character c = shipped("human50");
  auto sim = make(c, flat_world());
  State start = at_rest(c, c.q_rest);
  start.q.segment<4>(3) << std::sqrt(0.5), 0, std::sqrt(0.5), 0;
  start.q[2] = 0;
  start.q[2] += 0.005 - lowest_point(c, body_poses(c, start.q));
  sim->set_state(start);
  const Command command = rest_command(c);
  run(*sim, command, 0.6);
  const double before = momentum_of(*sim).linear.z();
  double impulse = 0;
  run(*sim, command, 0.3, [&] { impulse += contact_force(*sim).z() * sim->step_s(); });
  const double change = momentum_of(*sim).linear.z() - before;
  EXPECT_NEAR(impulse / 0.3, c.mass_kg() * kG + change / 0.3, 0.005 * c.mass_kg() * kG);
}

// How a box moves down a slope in a time, from rest: its velocity at the end along the slope.
struct Slide {
  double distance = 0, acceleration = 0;
};
Slide slide(Simulator& sim, const Vec3& along) {
  const Command command = limp(sim.character());
  const auto advance = [&](double seconds) {
    for (long i = std::lround(seconds / sim.step_s()); i > 0; --i)
      EXPECT_EQ(sim.step(command), StepStatus::kOk);
  };
  const Vec3 p = sim.state().q.head<3>();
  advance(0.2);
  const double v = along.dot(sim.state().v.head<3>());
  advance(0.3);
  return {along.dot(sim.state().q.head<3>() - p), (along.dot(sim.state().v.head<3>()) - v) / 0.3};
}

TEST_P(Contract, FrictionHoldsToTheConesEdge) {
  const double mu = 0.5;
  const Character c = brick(5, Vec3(0.2, 0.2, 0.05), mu);
  const std::vector<Vec3> ways{Vec3::UnitX(), Vec3::UnitY(), Vec3(1, 1, 0).normalized(), -Vec3::UnitX()};
  for (const Vec3& way : ways) {
    for (const double share : {0.95, 1.05, 2.0}) {
      const double angle = std::atan(share * mu);
      auto sim = make(c, sloping_world(angle, way));
      const Quat tilt = exp_map(Vec3::UnitZ().cross(way) * angle);
      State start = at_rest(c, c.q_rest);
      start.q.head<3>() = tilt * Vec3(0, 0, 0.05);
      start.q.segment<4>(3) << tilt.w(), tilt.vec();
      sim->set_state(start);
      const Slide result = slide(*sim, tilt * way);
      const double expected = kG * (std::sin(angle) - mu * std::cos(angle));
      if (share < 1) {
        EXPECT_LT(std::abs(result.distance), 0.005) << "holds, towards " << way.transpose();
      } else {
        EXPECT_NEAR(result.acceleration, expected, 0.03 * kG * std::sin(angle))
            << "slides at " << share << " mu, towards " << way.transpose();
      }
    }
  }
}

// What bears on one point and slides couples friction and pressure: one changes the other.
TEST_P(Contract, ATiltedStickSlidesOnItsTipWithFriction) {
  for (const double tilt : {0.0, 0.35, 0.7}) {
    Character c = root_only(8, box_inertia(8, Vec3(0.02, 0.02, 0.5)));
    add_shape(c, 0, ShapeType::kSphere, Vec3(0.03, 0, 0), Vec3(0, 0, -0.47));
    auto sim = make(c, flat_world());
    State state = at_rest(c, c.q_rest);
    const Quat lean = exp_map(Vec3(0, tilt, 0));
    state.q.head<3>() = Vec3(0, 0, 0.03) - lean * Vec3(0, 0, -0.47);
    state.q.segment<4>(3) << lean.w(), lean.vec();
    state.v[0] = 6;
    sim->set_state(state);
    double pressed = 0, dragged = 0;
    run(*sim, limp(c), 0.03, [&] {
      const Vec3 force = contact_force(*sim);
      pressed += force.z();
      dragged -= force.x();
    });
    EXPECT_GT(pressed, 0) << tilt;
    EXPECT_NEAR(dragged, 0.8 * pressed, 0.15 * 0.8 * pressed) << tilt;
  }
}

// A light foot under a heavy body that does not go with it: friction stops it as hard as the body presses.
TEST_P(Contract, ALoadedFootSkidsNoFartherThanItsFrictionLets) {
  const double foot_kg = 1, load_kg = 60, mu = 0.8, speed = 4;
  Character c = brick(foot_kg, Vec3(0.15, 0.15, 0.02), mu);
  add_hinged(c, 0, Vec3::Zero(), Vec3::UnitX(), load_kg, Vec3::Zero(), Mat3::Identity());
  c.joints[1].type = JointType::kSlide;
  auto sim = make(c, flat_world());
  State state = at_rest(c, c.q_rest);
  run(*sim, limp(c), 0.1);
  state = sim->state();
  const double x = state.q[0];
  state.v[0] = speed;
  state.v[6] = -speed;
  sim->set_state(state);
  run(*sim, limp(c), 0.1);
  const double stops_m_s2 = mu * kG * (foot_kg + load_kg) / foot_kg;
  const double skid = speed * speed / (2 * stops_m_s2), a_step = speed * sim->step_s();
  EXPECT_NEAR(sim->state().q[0] - x, skid, 0.3 * skid + a_step);
  EXPECT_NEAR(sim->state().v[0], 0, 0.05);
}

TEST_P(Contract, MomentumChangesByWeightContactsAndForces) {
  const Character c = shipped("human50");
  auto sim = make(c, flat_world());
  State start = at_rest(c, sim->state().q);
  start.q[2] += 0.2;
  start.v[1] = 1;
  start.v[3] = 2;
  sim->set_state(start);
  double worst = 0, worst_turn = 0;
  bool touched = false;
  Command command = rest_command(c);
  command.kp *= 0.2;
  run(*sim, command, 1.2, [&] {
    // The step's weight and contacts act where things were at its beginning.
    const VecX q = integrate(c, sim->state().q, -sim->step_s() * sim->state().v);
    Momentum sum{c.mass_kg() * Vec3(0, 0, -kG), Vec3::Zero()};
    sum.angular = centre_of_mass(c, body_poses(c, q)).cross(sum.linear);
    for (const Contact& contact : sim->contacts()) {
      if (contact.other_shape >= 0) continue;
      touched = true;
      sum.linear += contact.force_W;
      sum.angular += contact.p_W.cross(contact.force_W);
    }
    worst = std::max(worst, (sim->momentum_rate().linear - sum.linear).norm());
    worst_turn = std::max(worst_turn, (sim->momentum_rate().angular - sum.angular).norm());
  });
  EXPECT_TRUE(touched);
  EXPECT_LT(worst, GetParam().balance);
  EXPECT_LT(worst_turn, GetParam().balance);
}

TEST_P(Contract, AThrownBallGivesItsMomentum) {
  SKIP_WITHOUT(props);
  const double mass = 0.5, radius = 0.06;
  const Character c = brick(4, Vec3(0.2, 0.2, 0.2));
  World world = empty_world(Vec3::Zero());
  const int ball = add_prop(world, ball_prop(mass, radius), ShapeType::kSphere, Vec3(radius, 0, 0));
  auto sim = make(c, world);
  sim->set_state(at_rest(c, VecX::Zero(7) + VecX::Unit(7, 3)));
  PropState thrown;
  thrown.X_WP.p = Vec3(-0.5, 0.1, 0.05);
  thrown.v_WP = Vec3(8, 0, 0);
  sim->set_prop(ball, thrown);
  EXPECT_LT((sim->prop(ball).v_WP - thrown.v_WP).norm(), 1e-12);

  const auto ball_momentum = [&] {
    const PropState now = sim->prop(ball);
    const Vec3 p = mass * now.v_WP;
    return Momentum{p, now.X_WP.p.cross(p) + 0.4 * mass * radius * radius * now.w_WP};
  };
  const Momentum before = ball_momentum();
  Vec3 impulse = Vec3::Zero();
  run(*sim, limp(c), 0.1, [&] { impulse += contact_force(*sim) * sim->step_s(); });
  const Momentum body = momentum_of(*sim), after = ball_momentum();
  EXPECT_LT(after.linear.x(), 0.5 * before.linear.x()) << "it hits";
  EXPECT_LT((body.linear + after.linear - before.linear).norm(), 0.01 * before.linear.norm());
  EXPECT_LT((body.angular + after.angular - before.angular).norm(), 0.02 * before.angular.norm());
  EXPECT_LT((impulse - body.linear).norm(), 0.01 * before.linear.norm());
}

TEST_P(Contract, APlatformCarriesWhatStandsOnIt) {
  SKIP_WITHOUT(props);
  const Character c = brick(5, Vec3(0.2, 0.2, 0.1));
  World world = empty_world();
  Prop platform;
  platform.drive = Drive::kMoved;
  platform.X_WP.p = Vec3(0, 0, -0.1);
  platform.sway_m = Vec3(0.2, 0, 0);
  platform.period_s = 1.5;
  const int index = add_prop(world, platform, ShapeType::kBox, Vec3(1, 1, 0.1));
  world.shapes[0].ground = true;
  auto sim = make(c, world);
  sim->set_state(at_rest(c, c.q_rest));
  double slip = 0, fastest = 0;
  run(*sim, limp(c), 2.0, [&] {
    const PropState now = sim->prop(index), should = scheduled(platform, sim->state().time_s);
    EXPECT_LT((now.X_WP.p - should.X_WP.p).norm(), 1e-5);
    slip = std::max(slip, std::abs(now.v_WP.x() - sim->state().v[0]));
    fastest = std::max(fastest, std::abs(now.v_WP.x()));
  });
  EXPECT_GT(fastest, 0.5);
  EXPECT_LT(slip, 0.02);
  EXPECT_NEAR(sim->state().q[2], 0.1, 0.003);
}

TEST_P(Contract, AHingedPropSwings) {
  SKIP_WITHOUT(props);
  World world = empty_world();
  Prop board;
  board.drive = Drive::kHinge;
  board.X_WP.p = Vec3(3, 0, 2);
  board.mass_kg = 2;
  board.I_C = box_inertia(2, Vec3(0.05, 0.05, 0.3));
  board.p_PJ = Vec3(0, 0, 0.3);
  const int index = add_prop(world, board, ShapeType::kBox, Vec3(0.05, 0.05, 0.3));
  const Character c = brick(5, Vec3(0.1, 0.1, 0.1));
  auto sim = make(c, world, 0.001);
  PropState start;
  const double amplitude = 0.1;
  start.X_WP.q = exp_map(Vec3(0, amplitude, 0));
  const Vec3 anchor = board.X_WP * board.p_PJ;
  start.X_WP.p = anchor - start.X_WP.q * board.p_PJ;
  sim->set_prop(index, start);
  std::vector<double> passages;
  double last = amplitude;
  run(*sim, limp(c), 2.0, [&] {
    const PropState state = sim->prop(index);
    EXPECT_LT((state.X_WP * board.p_PJ - anchor).norm(), 1e-4);
    const double now = log_map(state.X_WP.q).y();
    if ((last > 0) != (now > 0)) passages.push_back(sim->state().time_s - sim->step_s() * now / (now - last));
    last = now;
  });
  ASSERT_GE(passages.size(), 3u);
  const double I = board.I_C(1, 1) + 2 * 0.3 * 0.3;
  const double period = 2 * kPi * std::sqrt(I / (2 * kG * 0.3)) * (1 + amplitude * amplitude / 16);
  EXPECT_NEAR(passages[2] - passages[0], period, 0.003 * period);
}

TEST_P(Contract, ALimbStopsAtTheTrunk) {
  SKIP_WITHOUT(self_contacts);
  const Character c = folding_arm();
  auto sim = make(c, empty_world(Vec3::Zero()));
  sim->set_state(at_rest(c, c.q_rest));
  Command command = limp(c);
  command.kp.tail<2>().setConstant(100);
  command.kd.tail<2>().setConstant(10);
  command.q_target[8] = kPi;
  bool touched = false;
  run(*sim, command, 1.0, [&] {
    for (const Contact& contact : sim->contacts()) {
      touched = true;
      EXPECT_EQ(std::max(contact.shape, contact.other_shape), 1);
      EXPECT_EQ(std::min(contact.shape, contact.other_shape), 0);
      EXPECT_LT(contact.depth_m, 0.03);
    }
  });
  EXPECT_TRUE(touched);
  // The hand rests on the trunk: what is between them is its radius.
  const auto X_WB = body_poses(c, sim->state().q);
  const Vec3 hand = X_WB[0].inverse() * (X_WB[2] * Vec3(0.4, 0, 0));
  const Vec3 half(0.2, 0.3, 0.3);
  const double gap = (hand - hand.cwiseMax(-half).cwiseMin(half)).norm();
  EXPECT_NEAR(gap, 0.05, 0.025);
  // Forces between its own limbs move nothing as a whole, but for what the step loses (MuJoCo at 2 ms: 0.15).
  EXPECT_LT(momentum_of(*sim).linear.norm(), 0.3);
}

// The rest stance with both arms held out sideways, where the shoulders are ball joints.
VecX arms_out(const Character& c) {
  VecX q = c.q_rest;
  for (const auto& [upper, lower, side] : {std::tuple{Part::kLeftUpperArm, Part::kLeftLowerArm, 1.0},
                                           {Part::kRightUpperArm, Part::kRightLowerArm, -1.0}}) {
    const int u = c.find(upper), l = c.find(lower);
    if (u < 0 || l < 0) continue;
    const Body& arm = c.bodies[static_cast<size_t>(u)];
    const Joint& joint = c.joints[static_cast<size_t>(arm.first_joint)];
    if (joint.type != JointType::kBall) continue;
    const auto X_WB = body_poses(c, q);
    const Pose& X = X_WB[static_cast<size_t>(u)];
    const Vec3 along = X.q.conjugate() * (X_WB[static_cast<size_t>(l)].p - X.p);
    const Quat turn = shortest_arc(along, X.q.conjugate() * Vec3(0, side, 0));
    const Quat now(q[joint.q], q[joint.q + 1], q[joint.q + 2], q[joint.q + 3]);
    const Quat turned = now * turn;
    q.segment<4>(joint.q) << turned.w(), turned.vec();
  }
  return q;
}

TEST_P(Contract, NothingTouchesItselfAtRest) {
  SKIP_WITHOUT(self_contacts);
  for (const std::string& name : character_names(character_folders())) {
    const Character c = shipped(name);
    auto sim = make(c, empty_world(Vec3::Zero()));
    for (const VecX& q : {c.q_rest, arms_out(c)}) {
      sim->set_state(at_rest(c, q));
      ASSERT_EQ(sim->step(limp(c)), StepStatus::kOk);
      for (const Contact& contact : sim->contacts())
        ADD_FAILURE() << name << ": " << c.shapes[static_cast<size_t>(contact.shape)].name << " touches "
                      << c.shapes[static_cast<size_t>(contact.other_shape)].name;
    }
  }
}

TEST_P(Contract, EveryNamedWorldBearsABody) {
  SKIP_WITHOUT(props);
  const Character c = shipped("human50");
  for (const WorldEntry& entry : list_worlds()) {
    SCOPED_TRACE(entry.name);
    const World world = make_world(entry.name);
    auto sim = make(c, world);
    const Command command = rest_command(c);
    double deepest = 0;
    bool begun_inside = false;  // the rest stance reaches into a thing: a chair to sit on
    const long steps = std::lround(0.5 / sim->step_s());
    for (long i = 0; i < steps; ++i) {
      ASSERT_EQ(sim->step(command), StepStatus::kOk) << "at " << sim->state().time_s << " s";
      for (const Contact& contact : sim->contacts()) {
        if (contact.world_shape < 0) continue;
        const WorldShape& surface = world.shapes[static_cast<size_t>(contact.world_shape)];
        begun_inside = begun_inside || (i == 0 && contact.depth_m > 0.01);
        deepest = std::max(deepest, contact.depth_m - surface.give_m);
      }
    }
    if (!begun_inside) {
      EXPECT_LT(deepest, 0.03);
    }
  }
}

}  // namespace
}  // namespace sinew
