// What is ODE's own: its servos against the closed form of one implicit step, hinge chains, momentum,
// threads, props. What every engine must do is in the contract.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "character/mjcf.h"
#include "character/velocities.h"
#include "core/error.h"
#include "sim/engines.h"

namespace sinew {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Character shipped(const std::string& name) {
  return load_character_file(std::string(SINEW_SOURCE_DIR) + "/assets/characters/" + name + ".xml");
}

World space() {
  World world;
  world.gravity.setZero();
  return world;
}

World flat() {
  World world;
  WorldShape ground;
  ground.shape.type = ShapeType::kPlane;
  ground.shape.body = -1;
  ground.ground = true;
  world.shapes.push_back(ground);
  return world;
}

// Two balls on one point: a root with inertia I_root and a child with I_child on hinges along these axes.
Character two_balls(double I_root, double I_child, const std::vector<Vec3>& axes) {
  Character c;
  c.name = "two balls";
  c.bodies.resize(2);
  c.joints.resize(1);
  c.joints[0].type = JointType::kFree;
  c.bodies[0].name = "root";
  c.bodies[0].mass_kg = 1e3;
  c.bodies[0].I_C = I_root * Mat3::Identity();
  c.bodies[0].joint_count = 1;
  c.bodies[1].name = "ball";
  c.bodies[1].parent = 0;
  c.bodies[1].mass_kg = 2;
  c.bodies[1].I_C = I_child * Mat3::Identity();
  c.bodies[1].first_joint = 1;
  c.bodies[1].joint_count = static_cast<int>(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    Joint joint;
    joint.name = "hinge";
    joint.body = 1;
    joint.axis_B = axes[i].normalized();
    joint.q = 7 + static_cast<int>(i);
    joint.v = 6 + static_cast<int>(i);
    c.joints.push_back(joint);
  }
  c.q_rest = VecX::Zero(7 + static_cast<Eigen::Index>(axes.size()));
  c.q_rest[3] = 1;
  return c;
}

Command idle(const Character& c) {
  Command command;
  command.q_target = c.q_rest;
  command.v_target = command.kp = command.kd = command.torque = VecX::Zero(c.nv());
  command.limit = VecX::Constant(c.nv(), kInfinity);
  return command;
}

// I v1 = I v0 + h (kp (e - h v1) + kd (v_t - v1) + torque), with the inertia of two bodies that turn apart.
TEST(Ode, AServoIsOneImplicitStepOfPd) {
  const double I1 = 3, I2 = 0.5, I = I1 * I2 / (I1 + I2), h = 0.002;
  const Character c = two_balls(I1, I2, {Vec3(1, 2, -1)});
  const auto simulator = make_ode(c, space(), {h});
  State state{0, c.q_rest, VecX::Zero(7)};
  state.q[7] = 0.3;
  state.v[6] = -1.5;
  Command command = idle(c);
  command.q_target[7] = 0.8;
  command.v_target[6] = 0.7;
  command.kp[6] = 400;
  command.kd[6] = 30;
  command.torque[6] = 5;
  const double drive = 400 * 0.5 + 30 * 0.7 + 5, damping = 30 + h * 400;
  const double v1 = (I * -1.5 + h * drive) / (I + h * damping);

  simulator->set_state(state);
  ASSERT_EQ(simulator->step(command), StepStatus::kOk);
  EXPECT_NEAR(simulator->state().v[6], v1, 1e-8);
  EXPECT_NEAR(simulator->state().q[7], 0.3 + h * v1, 1e-8);
  EXPECT_NEAR(simulator->torques()[6], drive - damping * v1, 1e-5);

  // At its limit it is a torque.
  command.limit[6] = 50;
  simulator->set_state(state);
  ASSERT_EQ(simulator->step(command), StepStatus::kOk);
  EXPECT_NEAR(simulator->state().v[6], -1.5 + h * 50 / I, 1e-8);
  EXPECT_DOUBLE_EQ(simulator->torques()[6], 50);

  // Without gains too.
  command.kp[6] = command.kd[6] = 0;
  command.torque[6] = -20;
  simulator->set_state(state);
  ASSERT_EQ(simulator->step(command), StepStatus::kOk);
  EXPECT_NEAR(simulator->state().v[6], -1.5 - h * 20 / I, 1e-8);
  EXPECT_DOUBLE_EQ(simulator->torques()[6], -20);
}

// The rotor adds its inertia along the axis; spring and damper act beside the servo, outside its torque.
TEST(Ode, WhatIsPassiveInAJointIsNoServo) {
  const double I1 = 3, I2 = 0.5, I = I1 * I2 / (I1 + I2), h = 0.002;
  Character c = two_balls(I1, I2, {Vec3::UnitY()});
  c.joints[1].armature = 0.2;
  c.joints[1].damping = 4;
  c.joints[1].stiffness = 60;
  const auto simulator = make_ode(c, space(), {h});
  State state{0, c.q_rest, VecX::Zero(7)};
  state.q[7] = 0.4;
  state.v[6] = 2;
  Command command = idle(c);
  command.kp[6] = 100;
  command.limit[6] = 10;
  simulator->set_state(state);
  ASSERT_EQ(simulator->step(command), StepStatus::kOk);
  const double v1 = ((I + 0.2) * 2 + h * (-60 * 0.4 - 10)) / (I + 0.2 + h * (4 + h * 60));
  EXPECT_NEAR(simulator->state().v[6], v1, 1e-8);
  EXPECT_DOUBLE_EQ(simulator->torques()[6], -10);
}

// Three hinges that are not at right angles: with M = A^T I A of the child on a root that does not budge,
// (M + h D) v1 = h drive from rest.
TEST(Ode, HingesOnOnePointAreTheirOwnCoordinates) {
  const double I = 0.4, h = 0.002;
  const Character c = two_balls(1e9, I, {Vec3(1, 0.2, 0), Vec3(0, 1, 0.4), Vec3(-0.3, 0, 1)});
  const auto simulator = make_ode(c, space(), {h});
  State state{0, c.q_rest, VecX::Zero(9)};
  state.q.tail<3>() = Vec3(0.5, -0.7, 0.4);
  Command command = idle(c);
  command.q_target.tail<3>() = Vec3(0.9, -0.5, -0.2);
  command.kp.tail<3>() = Vec3(100, 200, 300);
  command.kd.tail<3>() = Vec3(3, 2, 1);
  const Kinematics at = forward_kinematics(c, state.q);
  Mat3 A;
  for (int i = 0; i < 3; ++i)
    A.col(i) = at.q_WJ[static_cast<size_t>(1 + i)] * c.joints[static_cast<size_t>(1 + i)].axis_B;
  const Vec3 drive = Vec3(100, 200, 300).cwiseProduct(Vec3(0.4, 0.2, -0.6));
  const Vec3 damping = Vec3(3, 2, 1) + h * Vec3(100, 200, 300);
  const Mat3 M = I * A.transpose() * A, D = damping.asDiagonal();
  const Vec3 v1 = (M + h * D).inverse() * (h * drive);

  simulator->set_state(state);
  ASSERT_EQ(simulator->step(command), StepStatus::kOk);
  const Vec3 torque = drive - D * v1;
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(simulator->torques()[6 + i], torque[i], 1e-4);
    EXPECT_NEAR(simulator->state().q[7 + i], state.q[7 + i] + h * v1[i], 1e-4);
  }
  // The rates are read along the axes as they are after the step: the same angular velocity.
  const State& now = simulator->state();
  const Vec3 w = body_velocities(c, forward_kinematics(c, now.q), now.v)[1].w_WB;
  EXPECT_LT((w - A * v1).norm(), 1e-6);
}

// Where there are two hinges, the third direction is held.
TEST(Ode, TwoHingesHoldTheThirdDirection) {
  const Character c = two_balls(2, 0.4, {Vec3::UnitX(), Vec3(0, 1, 0.5)});
  const auto simulator = make_ode(c, space());
  Command command = idle(c);
  command.torque[6] = 3;
  command.torque[7] = -2;
  for (int i = 0; i < 500; ++i) ASSERT_EQ(simulator->step(command), StepStatus::kOk);

  // The simulated rotation is what the coordinates say, whatever angles they have come to.
  const State now = simulator->state();
  EXPECT_GT(now.q.tail<2>().cwiseAbs().minCoeff(), 0.5);
  const auto again = make_ode(c, space());
  again->set_state(now);
  for (auto* s : {simulator.get(), again.get()}) ASSERT_EQ(s->step(command), StepStatus::kOk);
  EXPECT_LT(difference(c, simulator->state().q, again->state().q).norm(), 1e-4);
}

// One short step without servos moves the coordinates along the velocities, on every kind of joint.
TEST(Ode, CoordinatesMoveAlongTheVelocities) {
  for (const char* file : {"/assets/characters/human57.xml", "/tests/data/foreign_humanoid.xml"}) {
    Character c = load_character_file(std::string(SINEW_SOURCE_DIR) + file);
    for (Joint& joint : c.joints) joint.limited = false, joint.stiffness = joint.damping = 0;
    const double h = 1e-5;
    const auto simulator = make_ode(c, space(), {h});
    State state{0, integrate(c, c.q_rest, 0.5 * VecX::Random(c.nv())), VecX::Random(c.nv())};
    state.q[2] += 5;
    simulator->set_state(state);
    ASSERT_EQ(simulator->step(idle(c)), StepStatus::kOk);
    const VecX expected = integrate(c, state.q, h * state.v);
    EXPECT_LT(difference(c, expected, simulator->state().q).cwiseAbs().maxCoeff(), 1e-7) << file;
    EXPECT_LT((simulator->state().v - state.v).cwiseAbs().maxCoeff(), 5e-3) << file;
  }
}

// Momentum about the world's origin, from coordinates and velocities.
Momentum momentum(const Character& c, const State& state) {
  const Kinematics at = forward_kinematics(c, state.q);
  const auto moving = body_velocities(c, at, state.v);
  Momentum sum;
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    const Body& body = c.bodies[b];
    const Vec3 p = at.X_WB[b] * body.p_BC;
    const Vec3 v = moving[b].v_WB + moving[b].w_WB.cross(p - at.X_WB[b].p);
    const Mat3 R = at.X_WB[b].q.toRotationMatrix();
    sum.linear += body.mass_kg * v;
    sum.angular += p.cross(body.mass_kg * v) + R * body.I_C * R.transpose() * moving[b].w_WB;
  }
  return sum;
}

TEST(Ode, ServosInFlightKeepMomentum) {
  const Character c = shipped("human57");
  const auto simulator = make_ode(c, space());
  State state{0, c.q_rest, VecX::Zero(c.nv())};
  state.v.head<6>() << 1, -0.5, 2, 3, 4, -2;
  simulator->set_state(state);
  const Momentum before = momentum(c, simulator->state());
  Command command = rest_command(c);
  Momentum total;
  for (int i = 0; i < 500; ++i) {
    for (int k = 6; k < c.nv(); ++k) command.torque[k] = 5 * std::sin(0.01 * i + k);
    ASSERT_EQ(simulator->step(command), StepStatus::kOk);
    total.linear += simulator->step_s() * simulator->momentum_rate().linear;
    total.angular += simulator->step_s() * simulator->momentum_rate().angular;
  }
  EXPECT_LT(total.linear.norm(), 1e-9 * before.linear.norm());
  EXPECT_LT(total.angular.norm(), 1e-3 * before.angular.norm());
  const Momentum after = momentum(c, simulator->state());
  EXPECT_LT((after.linear - before.linear).norm(), 1e-3 * before.linear.norm());
  EXPECT_LT((after.angular - before.angular).norm(), 1e-3 * before.angular.norm());
}

// A limp fall: contacts and gravity explain the change of momentum, and nothing goes deep.
TEST(Ode, ForcesBalanceInAFall) {
  const Character c = shipped("human50");
  const World world = flat();
  const auto simulator = make_ode(c, world);
  State state{0, c.q_rest, VecX::Zero(c.nv())};
  state.v[0] = 1;
  simulator->set_state(state);
  Command command = rest_command(c);
  command.kp *= 0.05;
  double touched = 0;
  for (int i = 0; i < 1200; ++i) {
    const Vec3 com = centre_of_mass(c, body_poses(c, simulator->state().q));
    ASSERT_EQ(simulator->step(command), StepStatus::kOk);
    const Vec3 weight = c.mass_kg() * world.gravity;
    Vec3 force = weight, torque = com.cross(weight);
    for (const Contact& contact : simulator->contacts()) {
      if (contact.other_shape >= 0) continue;
      force += contact.force_W;
      torque += contact.p_W.cross(contact.force_W);
      touched = std::max(touched, contact.force_W.z());
      EXPECT_LT(contact.depth_m, 0.01);
      EXPECT_GE(contact.force_W.dot(contact.normal_W), -1e-9);
    }
    EXPECT_LT((simulator->momentum_rate().linear - force).norm(), 1e-6);
    // In the hardest blows the ends of a joint are a fraction of a millimetre apart and pull past each other.
    EXPECT_LT((simulator->momentum_rate().angular - torque).norm(), 1.0);
  }
  EXPECT_GT(touched, 100);
}

TEST(Ode, SaveRestoreStepIsByteEqualAlsoInClonesAndThreads) {
  const Character c = shipped("human57");
  const auto simulator = make_ode(c, flat());
  const Command command = rest_command(c);
  for (int i = 0; i < 50; ++i) simulator->step(command);
  Snapshot middle, end;
  simulator->save(middle);
  const auto other = simulator->clone(), third = simulator->clone();
  const auto run = [&](Simulator& s) {
    for (int i = 0; i < 50; ++i) s.step(command);
  };
  run(*simulator);
  simulator->save(end);
  simulator->restore(middle);
  std::thread beside([&] { run(*other); });
  run(*third);
  beside.join();
  run(*simulator);
  for (const auto* s : {simulator.get(), other.get(), third.get()}) {
    Snapshot now;
    s->save(now);
    ASSERT_EQ(now.size(), end.size());
    EXPECT_EQ(std::memcmp(now.data(), end.data(), end.size() * sizeof(double)), 0);
  }
}

TEST(Ode, StopsHoldAgainstTheServo) {
  Character c = two_balls(5, 0.1, {Vec3::UnitZ()});
  c.joints[1].limited = true;
  c.joints[1].lower[0] = -0.5;
  c.joints[1].upper[0] = 0.3;
  const auto simulator = make_ode(c, space());
  Command command = idle(c);
  command.kp[6] = 50;
  command.kd[6] = 1;
  for (const double target : {2.0, -2.0}) {
    command.q_target[7] = target;
    for (int i = 0; i < 1000; ++i) {
      ASSERT_EQ(simulator->step(command), StepStatus::kOk);
      EXPECT_LT(simulator->state().q[7], 0.33);
      EXPECT_GT(simulator->state().q[7], -0.53);
    }
    EXPECT_NEAR(simulator->state().q[7], target > 0 ? 0.3 : -0.5, 2e-3);
  }
}

TEST(Ode, ASlideIsDrivenAndStopped) {
  Character c = two_balls(1e6, 0.1, {Vec3::UnitX()});
  c.bodies[0].mass_kg = 1e6;
  c.joints[1].type = JointType::kSlide;
  c.joints[1].limited = true;
  c.joints[1].lower[0] = -0.2;
  c.joints[1].upper[0] = 0.1;
  const double h = 0.001;
  const auto simulator = make_ode(c, space(), {h});
  Command command = idle(c);
  command.q_target[7] = 0.05;
  command.kp[6] = 300;
  command.kd[6] = 20;
  ASSERT_EQ(simulator->step(command), StepStatus::kOk);
  const double v1 = h * 300 * 0.05 / (2 + h * (20 + h * 300));
  EXPECT_NEAR(simulator->state().v[6], v1, 1e-6);
  EXPECT_NEAR(simulator->torques()[6], 300 * 0.05 - (20 + h * 300) * v1, 1e-3);
  command.q_target[7] = 1;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(simulator->step(command), StepStatus::kOk);
  EXPECT_NEAR(simulator->state().q[7], 0.1, 2e-3);
}

TEST(Ode, WhatItCannotDoIsSaidInASentence) {
  Character c = two_balls(1, 1, {Vec3::UnitX(), Vec3::UnitY()});
  c.joints[2].p_BJ = Vec3(0.1, 0, 0);
  try {
    make_ode(c, flat());
    FAIL() << "took hinges with two anchors";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'ball'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("--engine mujoco"), std::string::npos);
  }
  c.joints[2].p_BJ.setZero();
  c.bodies[1].I_C(0, 0) = -1;
  EXPECT_THROW(make_ode(c, flat()), Error);
}

TEST(Ode, NonsenseEndsWithTheLastGoodState) {
  const Character c = shipped("human50");
  const auto simulator = make_ode(c, flat());
  Command command = rest_command(c);
  for (int i = 0; i < 10; ++i) simulator->step(command);
  command.torque.setConstant(1e12);
  command.limit.setConstant(kInfinity);
  const VecX q = simulator->state().q;
  EXPECT_EQ(simulator->step(command), StepStatus::kDiverged);
  EXPECT_EQ(simulator->step(rest_command(c)), StepStatus::kDiverged);
  EXPECT_EQ((simulator->state().q - q).norm(), 0);

  // Put somewhere else it lives again.
  simulator->set_state({0, c.q_rest, VecX::Zero(c.nv())});
  EXPECT_EQ(simulator->step(rest_command(c)), StepStatus::kOk);
  command = rest_command(c);
  command.q_target[12] = std::nan("");
  EXPECT_EQ(simulator->step(command), StepStatus::kDiverged);
}

WorldShape box_of(int prop, const Vec3& half) {
  WorldShape out;
  out.shape.type = ShapeType::kBox;
  out.shape.body = prop;
  out.shape.size = half;
  return out;
}

// A block on a platform that sways goes with it, a hinged plank hangs at its stop, a waiting ball waits.
TEST(Ode, PropsMove) {
  World world = flat();
  Prop platform, block, plank, ball;
  platform.drive = Drive::kMoved;
  platform.X_WP.p = Vec3(5, 0, 0.2);
  platform.sway_m = Vec3(0.2, 0, 0);
  platform.period_s = 2;
  block.X_WP.p = Vec3(5, 0, 0.35);
  block.p_PC = Vec3(0, 0, -0.05);  // the frame's origin is not the centre
  block.I_C = 0.01 * Mat3::Identity();
  plank.drive = Drive::kHinge;
  plank.X_WP.p = Vec3(-5, 0, 1);
  plank.p_PC = Vec3(0.5, 0, 0);
  plank.I_C = 0.1 * Mat3::Identity();
  plank.upper = 0.4;
  plank.lower = -0.4;
  plank.damping = 1;
  ball.X_WP.p = Vec3(0, 5, 3);
  ball.waiting = true;
  world.props = {platform, block, plank, ball};
  world.shapes.push_back(box_of(0, Vec3(1, 1, 0.05)));
  world.shapes.push_back(box_of(1, Vec3(0.1, 0.1, 0.05)));
  world.shapes.back().shape.X_BS.p.z() = -0.05;
  const Character c = two_balls(1, 0.1, {Vec3::UnitZ()});
  const auto simulator = make_ode(c, world);
  for (int i = 0; i < 3500; ++i) ASSERT_EQ(simulator->step(idle(c)), StepStatus::kOk);

  const double t = simulator->state().time_s;
  EXPECT_NEAR(simulator->prop(0).X_WP.p.x(), scheduled(platform, t).X_WP.p.x(), 1e-9);
  EXPECT_NEAR(simulator->prop(1).X_WP.p.x(), simulator->prop(0).X_WP.p.x(), 5e-3);
  EXPECT_NEAR(simulator->prop(1).X_WP.p.z(), 0.35, 2e-3);
  EXPECT_NEAR(log_map(simulator->prop(2).X_WP.q).y(), 0.4, 5e-3);
  EXPECT_NEAR((simulator->prop(2).X_WP.p - plank.X_WP.p).norm(), 0, 1e-3);
  EXPECT_EQ((simulator->prop(3).X_WP.p - ball.X_WP.p).norm(), 0);
  simulator->set_prop(3, {ball.X_WP, Vec3(1, 0, 0), Vec3::Zero()});
  for (int i = 0; i < 100; ++i) simulator->step(idle(c));
  EXPECT_NEAR(simulator->prop(3).X_WP.p.x(), 0.1, 1e-9);
  EXPECT_NEAR(simulator->prop(3).v_WP.z(), -0.981, 1e-9);
}

// A heavier, longer-legged self: coordinates stay, snapshots of before fit.
TEST(Ode, ReshapingKeepsCoordinates) {
  const Character c = shipped("human50");
  Character other = c;
  for (Body& body : other.bodies) {
    body.mass_kg *= 1.2;
    body.I_C *= 1.2;
    body.X_PB.p *= 1.1;
  }
  const auto simulator = make_ode(c, space());
  for (int i = 0; i < 20; ++i) simulator->step(rest_command(c));
  Snapshot before;
  simulator->save(before);
  const VecX q = simulator->state().q;
  simulator->reshape(other);
  EXPECT_EQ((simulator->state().q - q).norm(), 0);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(simulator->step(rest_command(c)), StepStatus::kOk);
  EXPECT_LT(simulator->state().v.norm(), 0.5);
  simulator->restore(before);
  EXPECT_EQ((simulator->state().q - q).norm(), 0);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(simulator->step(rest_command(c)), StepStatus::kOk);
  EXPECT_LT(simulator->state().v.norm(), 0.5);
}

}  // namespace
}  // namespace sinew
