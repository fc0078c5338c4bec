#include "control/open_loop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "character/library.h"
#include "control/joint_targets.h"
#include "control/servo_tracker.h"

namespace sinew {
namespace {

const Character& human() {
  static const Character character = load_character("human50", {SINEW_SOURCE_DIR "/assets/characters"});
  return character;
}

int joint_axis(const std::string& name) {
  for (const Joint& joint : human().joints)
    if (joint.name == name) return joint.v;
  throw std::runtime_error("no joint " + name);
}

// Half a second in which the knee bends evenly and the rest stands.
Reference bending() {
  Reference out;
  out.frame_time_s = 0.1;
  VecX v = VecX::Zero(human().nv());
  v[joint_axis("left_knee")] = 0.5;
  for (int f = 0; f <= 5; ++f) {
    out.q.push_back(integrate(human(), human().q_rest, 0.1 * f * v));
    out.v.push_back(v);
    out.a.push_back(VecX::Zero(human().nv()));
    out.point_contact.emplace_back(human().contact_points.size(), 0);
    out.body_contact.emplace_back(human().bodies.size(), 0);
  }
  return out;
}

VecX offset(double knee) {
  VecX out = VecX::Zero(human().nv());
  out[joint_axis("left_knee")] = knee;
  return out;
}

struct Player {
  Reference reference = bending();
  OpenLoop control = open_loop(human());
  double start_s = 0;
  std::vector<Contact> contacts;

  Command at(double time_s) const {
    OpenLoopController controller(human(), reference, control, start_s);
    const State state{time_s, human().q_rest, VecX::Zero(human().nv())};
    Command command = rest_command(human());
    controller.act({state, contacts}, command);
    return command;
  }
  // How far the knee's target is from the rest stance.
  double knee(double time_s) const {
    return difference(human(), human().q_rest, at(time_s).q_target)[joint_axis("left_knee")];
  }
};

TEST(OpenLoop, WithoutKnotsItIsServoTracking) {
  Player player;
  ServoTracker tracker(human(), player.reference);
  const State state{0.23, human().q_rest, VecX::Zero(human().nv())};
  Command tracked = rest_command(human());
  tracker.act({state, {}}, tracked);
  const Command played = player.at(0.23);
  EXPECT_EQ(played.q_target, tracked.q_target);
  EXPECT_EQ(played.v_target, tracked.v_target);
  EXPECT_EQ(played.kp, tracked.kp);
  EXPECT_EQ(played.kd, tracked.kd);
  EXPECT_EQ(played.limit, tracked.limit);
  EXPECT_TRUE(played.torque.isZero(0));
}

// Whoever looks ahead begins at the same time again and again, then elsewhere.
TEST(OpenLoop, WhatWasAskedBeforeIsAnsweredAlike) {
  Player player;
  OpenLoopController controller(human(), player.reference, player.control, player.start_s);
  Command command = rest_command(human());
  for (const double time_s : {0.1, 0.15, 0.2, 0.1, 0.15, 0.2, 0.25, 0.15, 0.2, 0.15, 0.3, 0.1, 0.1, 0.2}) {
    const State state{time_s, human().q_rest, VecX::Zero(human().nv())};
    controller.act({state, {}}, command);
    EXPECT_EQ(command.q_target, player.at(time_s).q_target) << time_s;
    EXPECT_EQ(command.v_target, player.at(time_s).v_target) << time_s;
  }
}

TEST(OpenLoop, AStraightLineLeadsFromKnotToKnot) {
  Player player;
  player.control.time_s = {0.1, 0.2, 0.4};
  player.control.offset = {offset(0.2), offset(0.4), offset(-0.2)};
  const auto expect = [&](double t, double displaced) {
    EXPECT_NEAR(player.knee(t), 0.5 * t + displaced, 1e-9) << t << " s";
  };
  expect(0, 0.2);  // before the first knot its offset counts
  expect(0.1, 0.2);
  expect(0.125, 0.25);
  expect(0.2, 0.4);
  expect(0.25, 0.25);
  expect(0.4, -0.2);
  expect(0.47, -0.2);  // and after the last one the last
  EXPECT_NEAR(player.at(0.25).v_target[joint_axis("left_knee")], 0.5, 1e-9) << "led along the reference";

  // The reference may have begun earlier than the simulation; knots count from the simulation's beginning.
  player.start_s = 0.1;
  EXPECT_NEAR(player.knee(0.125), 0.5 * 0.225 + 0.25, 1e-9);
}

TEST(OpenLoop, AHeldTargetIsTheNextKnots) {
  Player player;
  player.control.between = Between::kHold;
  player.control.time_s = {0.1, 0.3};
  player.control.offset = {offset(0.2), offset(-0.1)};
  for (const double t : {0.0, 0.05, 0.0999}) EXPECT_NEAR(player.knee(t), 0.05 + 0.2, 1e-9) << t;
  for (const double t : {0.1, 0.2, 0.29}) EXPECT_NEAR(player.knee(t), 0.15 - 0.1, 1e-9) << t;
  EXPECT_TRUE(player.at(0.2).v_target.isZero(0)) << "the joints are led to rest";
}

TEST(OpenLoop, GainsGrowSoThatDampingStaysWhatItWas) {
  const OpenLoop own = open_loop(human()), strong = open_loop(human(), 4);
  EXPECT_TRUE(strong.kp.isApprox(4 * own.kp));
  EXPECT_TRUE(strong.kd.isApprox(2 * own.kd));
  EXPECT_EQ(strong.limit, own.limit) << "no one gets stronger";
  Player player;
  player.control = strong;
  EXPECT_EQ(player.at(0.1).kp, strong.kp);
}

TEST(OpenLoop, LimbsThatBearLoadAreStiffer) {
  // A load on the left foot stiffens what carries it, and nothing on the other side.
  Character character = human();
  for (Joint& joint : character.joints) joint.contact_scale = 3;
  Contact contact;
  contact.body = character.find(Part::kLeftFoot);
  contact.force_W = Vec3(0, 0, 300);
  contact.world_shape = 0;
  const Command before = rest_command(character);
  const auto factor = [&](const Contact& at, const std::string& joint) {
    Command command = before;
    stiffen(character, {&at, 1}, command);
    const int i = joint_axis(joint);
    EXPECT_NEAR(command.kd[i] / before.kd[i], command.kp[i] / before.kp[i], 1e-12);
    EXPECT_EQ(command.limit[i], before.limit[i]);
    return command.kp[i] / before.kp[i];
  };
  EXPECT_NEAR(factor(contact, "left_knee"), 3, 1e-12);
  EXPECT_NEAR(factor(contact, "left_ankle"), 3, 1e-12);
  EXPECT_NEAR(factor(contact, "right_knee"), 1, 1e-12);
  EXPECT_NEAR(factor(contact, "neck"), 1, 1e-12);

  // What hardly touches bears nothing, nor does a limb that touches the body itself.
  Contact light = contact;
  light.force_W.z() = 1;
  EXPECT_NEAR(factor(light, "left_knee"), 1, 1e-12);
  Contact self = contact;
  self.other_shape = 2;
  EXPECT_NEAR(factor(self, "left_knee"), 1, 1e-12);

  // Only where the control asks for it.
  OpenLoop control = open_loop(character);
  const Reference reference = bending();
  const State state{0, character.q_rest, VecX::Zero(character.nv())};
  for (const bool scale : {false, true}) {
    control.contact_scale = scale;
    Command command = before;
    OpenLoopController(character, reference, control).act({state, {&contact, 1}}, command);
    const int i = joint_axis("left_knee");
    EXPECT_NEAR(command.kp[i] / before.kp[i], scale ? 3 : 1, 1e-12);
  }
}

TEST(JointTargets, ABallJointsRateIsTurnedIntoTheSimulatedJoint) {
  // Turning about the vertical seen from a neck that lags behind by a quarter turn about its own axis.
  const int neck = joint_axis("neck");
  VecX behind = VecX::Zero(human().nv()), v = VecX::Zero(human().nv());
  behind[neck + 2] = kPi / 2;
  v.segment<3>(neck) = Vec3(1, 0, 0);
  v[joint_axis("left_knee")] = 2;
  const VecX target = integrate(human(), human().q_rest, behind);
  VecX seen = v;
  see_from_joints(human(), human().q_rest, target, seen);
  EXPECT_NEAR((seen.segment<3>(neck) - Vec3(0, 1, 0)).norm(), 0, 1e-9);
  EXPECT_EQ(seen[joint_axis("left_knee")], 2);
  seen = v;
  see_from_joints(human(), target, target, seen);
  EXPECT_EQ(seen, v) << "nothing to turn where nothing is off";
}

}  // namespace
}  // namespace sinew
