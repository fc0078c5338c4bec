#include "rollout/rollout.h"

#include <gtest/gtest.h>

#include "character/library.h"
#include "control/servo_tracker.h"
#include "record/metrics.h"
#include "rollout/placement.h"
#include "sim/engines.h"
#include "world/library.h"

namespace sinew {
namespace {

Character human() {
  return load_character("human50", {std::string(SINEW_SOURCE_DIR) + "/assets/characters"});
}

// The rest stance for a second, as a reference that sways its arms a little.
Reference swaying(const Character& character) {
  Reference reference;
  reference.clip = "sway";
  reference.frame_time_s = 1.0 / 60;
  for (int i = 0; i <= 60; ++i) {
    VecX dq = VecX::Zero(character.nv());
    for (const Joint& joint : character.joints)
      if (joint.name.ends_with("shoulder")) dq[joint.v] = 0.3 * std::sin(2 * kPi * i / 60.0);
    reference.q.push_back(integrate(character, character.q_rest, dq));
    reference.point_contact.emplace_back(character.contact_points.size(), 1);
    reference.body_contact.emplace_back(character.bodies.size(), 0);
  }
  differentiate(character, reference);
  return reference;
}

struct Scene {
  Character character = human();
  World world;
  Reference reference = swaying(character);
  std::unique_ptr<Simulator> simulator;
  ServoTracker controller{character, reference};

  explicit Scene(const std::string& engine = "mujoco", World in = make_world("flat"))
      : world(std::move(in)), simulator(find_engine(engine)(character, world, {})) {
    simulator->set_state(start_state(character, reference, world, 0));
  }
};

class EngineRollout : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, EngineRollout, testing::Values("mujoco", "ode"));

TEST_P(EngineRollout, TheSameEachTimeWhetherRecordedOrNotAndHoweverItIsCut) {
  Scene a(GetParam()), b(GetParam()), c(GetParam());
  Rollout recorded(*a.simulator, a.controller), plain(*b.simulator, b.controller, {.record_hz = 0}),
      in_parts(*c.simulator, c.controller);
  recorded.run(0.5);
  plain.run(0.5);
  for (int i = 0; i < 5; ++i) in_parts.run(0.1);
  EXPECT_EQ(a.simulator->state().q, b.simulator->state().q);
  EXPECT_EQ(a.simulator->state().q, c.simulator->state().q);
  EXPECT_EQ(a.simulator->state().time_s, c.simulator->state().time_s);
  EXPECT_TRUE(plain.recording().frames.empty());
  ASSERT_EQ(recorded.recording().frames.size(), 50u);
  for (size_t i = 0; i < 50; ++i) {
    EXPECT_NEAR(recorded.recording().frames[i].time_s, 0.01 * static_cast<double>(i), 1e-9);
    EXPECT_EQ(recorded.recording().frames[i].q, in_parts.recording().frames[i].q);
  }
}

TEST_P(EngineRollout, GoesBackInTime) {
  World world = make_world("flat");
  add_throw(world, parse_throw("body=thorax,mass=1,speed=5,at=0.25,from=front"));
  world.pushes.push_back(parse_push("body=pelvis,force=100,for=0.1,at=0.3,toward=left"));
  Scene scene(GetParam(), world);
  Rollout rollout(*scene.simulator, scene.controller);
  rollout.run(0.2);
  Rollout::Saved saved;
  rollout.save(saved);
  rollout.run(0.3);
  const VecX first = scene.simulator->state().q;
  rollout.restore(saved);
  rollout.run(0.3);
  EXPECT_EQ(first, scene.simulator->state().q);
}

// Remembers when it was asked.
class Clock : public ServoTracker {
 public:
  using ServoTracker::ServoTracker;
  void plan(const Observation& now) override { plans.push_back(now.state.time_s); }
  void act(const Observation& now, Command& command) override {
    ++acts;
    ServoTracker::act(now, command);
  }
  std::vector<double> plans;
  int acts = 0;
};

TEST(Rollout, PlansAtItsRateAndActsAtEveryStep) {
  Scene scene;
  Clock clock(scene.character, scene.reference);
  Rollout rollout(*scene.simulator, clock, {.plan_hz = 50});
  rollout.run(0.2);
  EXPECT_EQ(clock.acts, 100);
  ASSERT_EQ(clock.plans.size(), 10u);
  for (size_t i = 0; i < 10; ++i) EXPECT_NEAR(clock.plans[i], 0.02 * static_cast<double>(i), 1e-9);
}

TEST_P(EngineRollout, AThrownBallHitsItsBodyAtItsTime) {
  World world = make_world("flat");
  add_throw(world, parse_throw("body=head,mass=2,speed=8,at=0.4,from=front"));
  Scene scene(GetParam(), world);
  Rollout rollout(*scene.simulator, scene.controller);
  double hit_s = -1;
  int hit_body = -1;
  Vec3 force = Vec3::Zero();
  for (int i = 0; i < 600 && hit_s < 0; ++i) {
    ASSERT_EQ(rollout.advance(), StepStatus::kOk);
    for (const Contact& contact : scene.simulator->contacts()) {
      if (contact.world_shape < 0 || world.shapes[static_cast<size_t>(contact.world_shape)].shape.body < 0)
        continue;
      hit_s = rollout.time_s();
      hit_body = contact.body;
      force = contact.force_W;
    }
  }
  EXPECT_NEAR(hit_s, 0.4, 0.03);
  EXPECT_EQ(hit_body, scene.character.find(Part::kHead));
  EXPECT_LT(force.x(), -100);  // from the front, so backwards
  ASSERT_EQ(rollout.recording().events.size(), 1u);
}

// Arms stretched out to the side are where a ball at the head would come from.
TEST_P(EngineRollout, ABallBeginsOutsideTheCharacter) {
  World world = make_world("flat");
  for (const char* ball :
       {"body=head,mass=5,speed=8,at=0.3,from=left", "body=left_hand,mass=5,speed=2,at=0.01,from=left"})
    add_throw(world, parse_throw(ball));
  Scene scene(GetParam(), world);
  Rollout rollout(*scene.simulator, scene.controller);
  EXPECT_EQ(rollout.run(0.6), StepStatus::kOk);
  EXPECT_LT(measure(rollout.recording()).max_penetration_m, 0.02);
}

TEST_P(EngineRollout, APushGivesItsImpulse) {
  // In the air nothing else acts sideways.
  World world = make_world("flat");
  world.gravity.setZero();
  world.pushes.push_back(parse_push("body=pelvis,force=100,for=0.1,at=0.05,toward=left"));
  Scene scene(GetParam(), world);
  State high = scene.simulator->state();
  high.q[2] += 2;
  high.v.setZero();
  scene.simulator->set_state(high);
  Rollout rollout(*scene.simulator, scene.controller);
  const Vec3 before = centre_of_mass(scene.character, body_poses(scene.character, high.q));
  rollout.run(0.2);
  // m x = J (t - middle of the push)
  const Vec3 after = centre_of_mass(scene.character, body_poses(scene.character, scene.simulator->state().q));
  const double expected = 100 * 0.1 * (0.2 - 0.1) / scene.character.mass_kg();
  EXPECT_NEAR(after.y() - before.y(), expected, 0.03 * expected);
  EXPECT_LT(measure(rollout.recording()).root_residual_N, 0.5);  // the scene explains it
}

// A method that holds its character up by a thread.
class Thread : public ServoTracker {
 public:
  using ServoTracker::ServoTracker;
  std::span<const ExternalForce> helping_forces() const override { return {&force, 1}; }
  ExternalForce force{0, Vec3(0, 0, 40), Vec3::Zero(), Vec3::Zero()};
};

TEST_P(EngineRollout, TheResidualShowsAHelpingHand) {
  Scene honest(GetParam());
  Rollout alone(*honest.simulator, honest.controller);
  alone.run(0.4);
  EXPECT_LT(measure(alone.recording()).root_residual_N, 0.5);

  Scene held(GetParam());
  Thread thread(held.character, held.reference);
  Rollout helped(*held.simulator, thread);
  helped.run(0.4);
  EXPECT_NEAR(measure(helped.recording()).root_residual_N, 40, 10);  // force or torque, the larger

  // A hand that nobody tells of: the recording does not list it, the momentum does.
  Scene secret(GetParam());
  Rollout silent(*secret.simulator, secret.controller);
  for (int i = 0; i < 400 && secret.simulator->state().time_s < 0.4; ++i) {
    secret.simulator->add_force({0, Vec3(0, 0, 25), secret.simulator->state().q.head<3>(), Vec3::Zero()});
    ASSERT_EQ(silent.advance(), StepStatus::kOk);
  }
  EXPECT_GT(measure(silent.recording()).root_residual_N, 24);
}

TEST(Placement, BeginsAtTheOriginAndTravelsAlongX) {
  const Character character = human();
  Reference reference = swaying(character);
  const Quat turn = exp_map(Vec3(0, 0, 2.1));
  for (size_t i = 0; i < reference.q.size(); ++i) {
    Pose X;
    X.q = turn;
    X.p = Vec3(3, -1, 0) + turn * Vec3(0.02 * static_cast<double>(i), 0, 0);
    reference.q[i] = moved(reference.q[i], X);
  }
  differentiate(character, reference);
  const Reference placed = at_origin(character, reference, make_world("flat"), 0.5);
  const ReferenceSample start = sample(character, placed, 0.5), end = sample(character, placed, 1.0);
  EXPECT_LT(start.q.head<2>().norm(), 1e-9);
  EXPECT_NEAR(end.q[0], 0.6, 1e-6);
  EXPECT_NEAR(end.q[1], 0, 1e-6);
  EXPECT_NEAR(start.v[0], 1.2, 1e-6);
  EXPECT_NEAR(start.v[1], 0, 1e-6);
}

TEST(Placement, StandsOnWhateverTheGroundIs) {
  const Character character = human();
  const Reference reference = swaying(character);
  for (const char* name : {"flat", "slope:deg=15", "slope:deg=-15", "beam", "pad", "platform", "drop"}) {
    const World world = make_world(name);
    const State state = start_state(character, reference, world, 0);
    const double lift = lift_out(world, character, body_poses(character, state.q));
    EXPECT_NEAR(lift, 0, 2e-3) << name;
  }
}

TEST(Placement, PerturbationsDependOnTheSeedAlone) {
  const Character character = human();
  const State state{0, character.q_rest, VecX::Zero(character.nv())};
  const State a = perturbed(character, state, 3), b = perturbed(character, state, 3),
              c = perturbed(character, state, 4);
  EXPECT_EQ(a.q, b.q);
  EXPECT_NE(a.q, c.q);
  EXPECT_EQ(a.q.head<7>(), state.q.head<7>());
  EXPECT_LT(difference(character, state.q, a.q).cwiseAbs().maxCoeff(), 0.1);
}

}  // namespace
}  // namespace sinew
