#include "control/mcsim.h"

#include <gtest/gtest.h>

#include <set>

#include "character/retarget.h"
#include "control/desired_acceleration.h"
#include "core/allocations.h"
#include "motion/load.h"
#include "record/metrics.h"
#include "rollout/placement.h"
#include "rollout/rollout.h"
#include "sim/engines.h"
#include "sim/scenes.h"
#include "world/library.h"

namespace sinew {
namespace {

// The rest stance with the arms down, on both feet, for ever.
Reference standing(const Character& character) {
  Reference reference;
  reference.clip = "stand";
  reference.frame_time_s = 0.5;
  VecX down = VecX::Zero(character.nv());
  for (const Joint& joint : character.joints)
    if (joint.type == JointType::kBall && joint.name.ends_with("shoulder"))
      down[joint.v] = joint.name.starts_with("left") ? -1.3 : 1.3;
  for (int i = 0; i < 3; ++i) {
    reference.q.push_back(integrate(character, character.q_rest, down));
    reference.point_contact.emplace_back(character.contact_points.size(), 1);
    reference.body_contact.emplace_back(character.bodies.size(), 0);
  }
  differentiate(character, reference);
  return reference;
}

Reference own_motion(const std::string& name, const Character& character, const World& world) {
  const Clip clip = load_clip(SINEW_SOURCE_DIR "/assets/motions/" + name + ".json").clip;
  return at_origin(character, retarget(clip, character, {.clearance_m = 0.025}).reference, world, 0);
}

struct Scene {
  Scene(const std::string& name, const std::string& motion, const std::string& engine = "mujoco",
        const McsimOptions& options = {})
      : character(scenes::shipped(name)),
        world(make_world("flat")),
        reference(motion.empty() ? standing(character) : own_motion(motion, character, world)),
        simulator(find_engine(engine)(character, world, {.step_s = 0.001})),
        controller(character, reference, options),
        rollout(*simulator, controller) {
    simulator->set_state(start_state(character, reference, world, 0));
  }
  Scene(const Scene&) = delete;

  // The figures of so much more time.
  Metrics run(double seconds) {
    rollout.run(seconds);
    rollout.advance();
    return measure(rollout.recording());
  }

  Character character;
  World world;
  Reference reference;
  std::unique_ptr<Simulator> simulator;
  Mcsim controller;
  Rollout rollout;
};

class McsimOn : public ::testing::TestWithParam<std::string> {};

TEST_P(McsimOn, StandsWithPlansThatCarryItsWeight) {
  Scene scene("human57", "", GetParam());
  const Metrics metrics = scene.run(1);
  EXPECT_TRUE(metrics.completed) << metrics.failed_at_s.value_or(-1);
  EXPECT_LT(metrics.pose_error_rad, 0.05);
  const TrackingQp& qp = scene.controller.qp();
  Vec3 force = Vec3::Zero();
  for (size_t i = 0; i < qp.contacts().size(); ++i) force += qp.contact_force(i);
  EXPECT_NEAR(force.z(), 9.81 * scene.character.mass_kg(), 0.1 * 9.81 * scene.character.mass_kg());
  EXPECT_EQ(scene.controller.counts().failed, 0);
  EXPECT_LT(scene.controller.counts().worst_residual, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Engines, McsimOn, ::testing::Values("mujoco", "ode", SINEW_PLUGIN),
                         [](const auto& test) {
                           return test.param == SINEW_PLUGIN ? std::string("plugin") : test.param;
                         });

TEST(Mcsim, PunchesWithoutFalling) {
  Scene scene("human57", "punch");
  const Metrics metrics = scene.run(scene.reference.duration_s());
  EXPECT_TRUE(metrics.completed) << metrics.failed_at_s.value_or(-1);
  EXPECT_LT(metrics.pose_error_rad, 0.1);
  EXPECT_LT(metrics.root_residual_N, 1);
  EXPECT_EQ(scene.controller.counts().failed, 0);
}

TEST(Mcsim, IsTheSameEachTimeAndAfterGoingBack) {
  Scene a("biped18", "walk"), b("biped18", "walk");
  a.rollout.run(0.6);
  b.rollout.run(0.304);
  Rollout::Saved saved;
  b.rollout.save(saved);
  b.rollout.run(0.4);
  b.rollout.restore(saved);
  b.rollout.run(0.296);
  EXPECT_EQ(a.simulator->state().q, b.simulator->state().q);
  EXPECT_EQ(a.simulator->state().v, b.simulator->state().v);
}

#ifdef COUNTS_ALLOCATIONS
TEST(Mcsim, TakesNoMemoryOnceItHasMetEachStance) {
  for (const QpForm form : {QpForm::kReduced, QpForm::kFull}) {
    McsimOptions options;
    options.c_d = options.c_v = 0.1;
    options.form = form;
    Scene scene("human57", "walk", "mujoco", options);
    struct Seen {
      State state;
      std::vector<Contact> contacts;
    };
    std::vector<Seen> seen;
    std::set<size_t> stances;
    for (int i = 0; i < 60; ++i) {
      const auto contacts = scene.simulator->contacts();
      seen.push_back({scene.simulator->state(), {contacts.begin(), contacts.end()}});
      stances.insert(contacts.size());
      scene.rollout.run(0.01);
    }
    ASSERT_GT(stances.size(), 2U);

    // The same once more: dynamics, contacts, program, solution and servos.
    Mcsim controller(scene.character, scene.reference, options);
    Command command = rest_command(scene.character);
    const auto go = [&] {
      for (const Seen& at : seen) {
        const Observation now{at.state, at.contacts};
        controller.plan(now);
        controller.act(now, command);
      }
    };
    go();
    go();  // contacts are remembered for a while: from the end to the beginning is a stance of its own
    const long before = allocations;
    go();
    EXPECT_EQ(allocations - before, 0) << (form == QpForm::kFull ? "full" : "reduced");
    EXPECT_EQ(controller.counts().plans, 180);
  }
}
#endif

TEST(Mcsim, TellsEveryProblem) {
  McsimOptions options;
  long heard = 0;
  options.on_problem = [&](double, const QpProblem& problem) { heard += problem.variables() > 0 ? 1 : 0; };
  Scene scene("biped18", "", "mujoco", options);
  scene.rollout.run(0.1);
  EXPECT_EQ(heard, 10);
  EXPECT_EQ(scene.controller.counts().plans, 10);
}

TEST(Mcsim, ServosAreStiffAsTheTablesSay) {
  for (const char* name : {"human57", "biped18"}) {
    const Character character = scenes::shipped(name);
    for (const Joint& joint : character.joints) {
      if (joint.type == JointType::kFree || joint.name == "waist") continue;
      EXPECT_EQ(mcsim_stiffness(character, joint), joint.kp[0]) << name << " " << joint.name;
    }
  }
}

TEST(DesiredAcceleration, LeadsBackWithoutRegardToWhereTheRootIs) {
  const Character character = scenes::shipped("human50");
  const Reference reference = standing(character);
  const ReferenceSample motion = sample(character, reference, 0);
  VecX off = VecX::Constant(character.nv(), 0.1);
  const State state{0, integrate(character, motion.q, off), VecX::Zero(character.nv())};
  VecX a, braking;
  desired_acceleration(character, state, motion, 100, a);
  EXPECT_LT(a.head<3>().norm(), 1e-9);
  off.head<3>().setZero();
  EXPECT_LT((a + 100 * off).cwiseAbs().maxCoeff(), 1e-6);

  // Velocities are damped critically, the root's too.
  const State moving{0, motion.q, VecX::Constant(character.nv(), 0.5)};
  desired_acceleration(character, moving, motion, 100, braking);
  EXPECT_LT((braking + VecX::Constant(character.nv(), 20 * 0.5)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(SwingHip, StepsToWhereTheBodyGoes) {
  for (const char* name : {"human57", "biped18"}) {
    const Character character = scenes::shipped(name);
    Reference reference = standing(character);
    const auto foot = static_cast<size_t>(character.find(Part::kLeftFoot));
    const auto toes = character.find(Part::kLeftToes);
    for (auto& points : reference.point_contact)
      for (size_t i = 0; i < points.size(); ++i)
        if (const int body = character.contact_points[i].body; body == static_cast<int>(foot) || body == toes)
          points[i] = 0;
    const ReferenceSample motion = sample(character, reference, 0);
    SwingHip hip(character, 0, 0.2);

    // Turned half to the left and pushed ahead: the left foot goes ahead, by the angle times its distance.
    State state{0, moved(motion.q, {Vec3::Zero(), exp_map(Vec3(0, 0, kPi / 2))}), VecX::Zero(character.nv())};
    state.v[1] = 1;
    hip.update(state, motion);
    EXPECT_EQ(hip.leg(), 0);
    VecX target = motion.q;
    hip.apply(state, target);
    target.head<7>() = state.q.head<7>();
    VecX as_it_was = motion.q;
    as_it_was.head<7>() = state.q.head<7>();
    const Vec3 step = body_poses(character, target)[foot].p - body_poses(character, as_it_was)[foot].p;
    EXPECT_NEAR(step.y(), std::sin(0.2) * 0.85, 0.02) << name;
    EXPECT_NEAR(step.x(), 0, 1e-6) << name;

    // Without errors nothing is changed.
    state = {0, motion.q, motion.v};
    hip.update(state, motion);
    target = motion.q;
    hip.apply(state, target);
    EXPECT_LT((target - motion.q).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace sinew
