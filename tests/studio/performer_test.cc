#include "studio/performer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "control/servo_tracker.h"
#include "core/error.h"
#include "sim/engines.h"
#include "studio/gallery.h"
#include "studio/shelves.h"
#include "studio/telling.h"

namespace sinew::studio {
namespace {

Role servo(const std::string& clip = "punch") {
  Role role;
  role.clip = clip;
  role.method = Method::kServo;
  role.loop = false;
  return role;
}

std::unique_ptr<Performer> perform(const Role& role, const Setting& setting = {}) {
  const Workshop workshop(own_shelves());
  return std::make_unique<Performer>(workshop.cast(role, setting), 1);
}

TEST(Performer, IsTheLoopOfTheCommandLine) {
  const auto performer = perform(servo());
  const Casting& casting = performer->casting();
  const auto simulator = make_mujoco(casting.character, casting.world, {0.002});
  simulator->set_state(casting.start);
  ServoTracker tracker(casting.character, casting.reference);
  Rollout rollout(*simulator, tracker);
  for (int i = 1; i <= 20; ++i) performer->advance(i * kFrame_s);
  rollout.run(20 * kFrame_s);
  EXPECT_EQ(performer->moment().q, simulator->state().q);
  EXPECT_EQ(performer->moment().v, simulator->state().v);
}

TEST(Performer, GoesBackToWhereItWas) {
  const auto performer = perform(servo());
  for (int i = 1; i <= 30; ++i) performer->advance(i * kFrame_s);
  const auto frames = performer->take();
  performer->rewind(15 * kFrame_s);
  const double back_s = performer->take().back().clock_s;
  ASSERT_LE(back_s, 15 * kFrame_s + 1e-9);
  ASSERT_GT(back_s, (15 - kWayBackFrames - 1) * kFrame_s);
  for (int i = static_cast<int>(std::lround(back_s / kFrame_s)) + 1; i <= 30; ++i)
    performer->advance(i * kFrame_s);
  ASSERT_EQ(performer->take().size(), frames.size());
  for (size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(performer->take()[i].frame.q, frames[i].frame.q) << i;
}

// Open-loop control holds for the character that it was found for and for no other: whoever changes one of
// those searches again (tools/make_controls).
TEST(Performer, ControlsOfTheGalleryHold) {
  const Workshop workshop(own_shelves());
  int controls = 0;
  for (const GalleryScene& scene : gallery())
    for (size_t i = 0; i < scene.roles.size(); ++i) {
      if (scene.controls[i].empty()) continue;
      ++controls;
      Role role = scene.roles[i];
      role.control = workshop.control(scene.controls[i]);
      Performer performer(workshop.cast(role, scene.setting), 1);
      for (int frame = 1; performer.left_s() > 0; ++frame) {
        ASSERT_TRUE(performer.advance(frame * kFrame_s));
        ASSERT_LT(performer.lost_s(), 0.1) << scene.id << " falls at " << frame * kFrame_s << " s";
      }
    }
  EXPECT_GT(controls, 0);
}

TEST(Performer, RemembersOnlySoMuch) {
  const auto performer = perform(servo());
  for (size_t i = 1; i <= kTakeFrames + 100; ++i) performer->advance(static_cast<double>(i) * kFrame_s);
  EXPECT_EQ(performer->take().size(), kTakeFrames);
  EXPECT_TRUE(performer->stage_recording().frames.empty());
}

// A hand is a force of the scene: what it gives is in the momentum, and nothing else is.
TEST(Performer, HandsAreForcesOfTheScene) {
  const auto performer = perform(servo());
  performer->push(0, Vec3(300, 0, 0), 0.1);
  performer->advance(kFrame_s);
  const RecordingFrame& frame = performer->take().back().frame;
  ASSERT_EQ(frame.pushes.size(), 1u);
  Vec3 sum = performer->character().mass_kg() * performer->casting().world.gravity + frame.pushes[0].force_W;
  for (const Contact& contact : frame.contacts)
    if (contact.world_shape >= 0) sum += contact.force_W;
  EXPECT_LT((frame.momentum_rate.linear - sum).norm(), 1.0);
}

TEST(Performer, AHandPullsToItself) {
  const auto performer = perform(servo());
  const int head = performer->character().body_of(Part::kHead);
  const Vec3 before = body_poses(performer->character(), performer->moment().q)[static_cast<size_t>(head)].p;
  performer->grip({head, Vec3::Zero(), before + Vec3(0.6, 0, 0)});
  for (int i = 1; i <= 25; ++i) performer->advance(i * kFrame_s);
  const Vec3 after = body_poses(performer->character(), performer->moment().q)[static_cast<size_t>(head)].p;
  EXPECT_GT(after.x(), before.x() + 0.08);
}

TEST(Performer, BallsHitWhatTheyAreThrownAt) {
  const auto performer = perform(servo());
  const Vec3 chest =
      body_poses(performer->character(),
                 performer->moment().q)[static_cast<size_t>(performer->character().body_of(Part::kThorax))]
          .p;
  performer->throw_ball(chest + Vec3(1.5, 0, 0), chest, 8);
  bool hit = false;
  for (int i = 1; i <= 25; ++i) {
    performer->advance(i * kFrame_s);
    for (const Contact& contact : performer->take().back().frame.contacts)
      if (contact.world_shape >= 0)
        hit |= performer->casting().world.shapes[static_cast<size_t>(contact.world_shape)].shape.body >=
               performer->casting().first_ball;
  }
  EXPECT_TRUE(hit);
}

Role behaviour(const std::string& name, const std::string& character = "man") {
  Role role;
  role.clip = name;
  role.character = character;
  Workshop(own_shelves()).settle(role);
  return role;
}

// A body that changes while it runs keeps running; what was remembered on the way is what happens again.
TEST(Performer, BecomesAnotherWhileItRuns) {
  const Workshop workshop(own_shelves());
  const auto performer = perform(behaviour("behaviour/run"));
  const Character woman = workshop.find_character("woman", 1);
  for (int i = 1; i <= 10; ++i) performer->advance(i * kFrame_s);
  performer->become(woman, 1);
  for (int i = 11; i <= 120; ++i) performer->advance(i * kFrame_s);
  EXPECT_NEAR(performer->recording().character.mass_kg(), woman.mass_kg(), 1e-9);
  EXPECT_EQ(performer->lost_s(), 0);
  EXPECT_GT(performer->moment().q[0], 3);
  EXPECT_EQ(performer->change().part, 1);
  const auto frames = performer->take();
  performer->rewind(40 * kFrame_s);
  EXPECT_GT(performer->change().part, 0.3);
  EXPECT_LT(performer->change().part, 0.6);
  const auto from = static_cast<int>(std::lround(performer->take().back().clock_s / kFrame_s)) + 1;
  for (int i = from; i <= 120; ++i) performer->advance(i * kFrame_s);
  ASSERT_EQ(performer->take().size(), frames.size());
  // A body that was changed and changed back is the same but for rounding, which contacts make larger.
  for (size_t i = 0; i < 45; ++i)
    EXPECT_LT((performer->take()[i].frame.q - frames[i].frame.q).norm(), 1e-3) << i;

  // Back to the beginning is back to who it was.
  performer->reset();
  performer->forget_take();
  for (int i = 1; i <= 10; ++i) performer->advance(i * kFrame_s);
  EXPECT_LT((performer->take().back().frame.q - frames[9].frame.q).norm(), 1e-3);
}

TEST(Performer, TurnsBackHalfway) {
  const Workshop workshop(own_shelves());
  const auto performer = perform(behaviour("behaviour/run"));
  performer->become(workshop.find_character("woman", 1), 2);
  for (int i = 1; i <= 60; ++i) performer->advance(i * kFrame_s);
  performer->turn_back();
  for (int i = 61; i <= 130; ++i) performer->advance(i * kFrame_s);
  EXPECT_FALSE(performer->change().under_way());
  EXPECT_EQ(performer->recording().character.mass_kg(), performer->character().mass_kg());
  EXPECT_EQ(performer->lost_s(), 0);
}

TEST(Performer, OnlyRunnersBecomeAnother) {
  const auto performer = perform(servo());
  EXPECT_THROW(performer->become(performer->character(), 1), Error);
}

TEST(Performer, RidesItsCourse) {
  const auto performer = perform(behaviour("behaviour/ride slalom"));
  for (int i = 1; i <= 250; ++i) ASSERT_TRUE(performer->advance(i * kFrame_s));
  EXPECT_EQ(performer->lost_s(), 0);
  EXPECT_NEAR(performer->moment().q[0], 20, 2);
  EXPECT_GT(performer->left_s(), 100);
}

TEST(Workshop, BehavioursAreDoneByWhoCan) {
  EXPECT_EQ(behaviour("behaviour/run", "human50").character, "man");
  EXPECT_EQ(behaviour("behaviour/run", "child").character, "child");
  EXPECT_EQ(behaviour("behaviour/run", "child").method, Method::kRun);
  EXPECT_EQ(behaviour("walk", "child").method, Method::kPreview);
}

// Another slope under the same pose: the performer goes on where it was, on the new ground.
TEST(Workshop, GoesOnFromAMoment) {
  const Workshop workshop(own_shelves());
  Role role = servo("walk");
  role.loop = true;
  Performer before(workshop.cast(role, {}), 1);
  for (int i = 1; i <= 20; ++i) before.advance(i * kFrame_s);
  Setting tilted;
  tilted.world = "slope:deg=-5";
  const Casting casting = workshop.cast(role, tilted, before.moment());
  EXPECT_FALSE(casting.fresh);
  EXPECT_TRUE(casting.laid_out);
  const VecX q = before.moment().q;
  for (int i = 7; i < q.size(); ++i) EXPECT_EQ(casting.start.q[i], q[i]);
  EXPECT_LT(std::hypot(casting.start.q[0], casting.start.q[1]), 0.3);
  EXPECT_NEAR(lift_out(casting.world, casting.character, body_poses(casting.character, casting.start.q)), 0,
              0.06);
}

// The bytes of a frame are where docs/studio.md says.
TEST(Telling, FramesHaveTheirLayout) {
  const auto performer = perform(servo());
  performer->advance(kFrame_s);
  const TakeFrame& now = performer->take().back();
  const std::string bytes = encode_frame(7, 1.25, FrameKind::kStill, {{performer.get(), &now}});
  uint32_t words[2];
  double clock_s = 0;
  uint16_t counts[4];
  float numbers[5 + 3];
  std::memcpy(words, bytes.data(), 8);
  std::memcpy(&clock_s, bytes.data() + 8, 8);
  std::memcpy(counts, bytes.data() + 24, 8);
  std::memcpy(numbers, bytes.data() + 32, sizeof numbers);
  EXPECT_EQ(bytes.substr(0, 4), "SNW1");
  EXPECT_EQ(words[1], 7u);
  EXPECT_EQ(clock_s, 1.25);
  EXPECT_EQ(bytes[16], 1);
  EXPECT_EQ(bytes[20], 1);
  EXPECT_EQ(counts[0], performer->character().bodies.size());
  EXPECT_EQ(counts[3], performer->character().nv());
  EXPECT_FLOAT_EQ(numbers[5], static_cast<float>(now.frame.q[0]));
  const size_t floats = 5 + 14u * counts[0] + 7u * counts[1] + 7u * counts[2] + counts[3] + counts[0];
  EXPECT_EQ(bytes.size(), 24 + 8 + 4 * floats);
}

// Shapes that are others than those of the scene come with the frame.
TEST(Telling, ChangedBodiesAreTold) {
  const Workshop workshop(own_shelves());
  const auto performer = perform(behaviour("behaviour/run"));
  performer->advance(kFrame_s);
  const size_t plain =
      encode_frame(1, 0, FrameKind::kLive, {{performer.get(), &performer->take().back()}}).size();
  performer->become(workshop.find_character("child", 1), 0.5);
  for (int i = 2; i <= 60; ++i) performer->advance(i * kFrame_s);
  const TakeFrame& now = performer->take().back();
  const std::string bytes = encode_frame(1, 0, FrameKind::kLive, {{performer.get(), &now}});
  const size_t shapes = performer->character().shapes.size();
  float told = 0, size = 0;
  std::memcpy(&told, bytes.data() + 24 + 8 + 16, 4);
  std::memcpy(&size, bytes.data() + bytes.size() - 40 * shapes, 4);
  EXPECT_EQ(told, static_cast<float>(shapes));
  EXPECT_FLOAT_EQ(size, static_cast<float>(workshop.find_character("child", 1).shapes[0].size[0]));
  EXPECT_GT(bytes.size(), plain);
}

}  // namespace
}  // namespace sinew::studio
