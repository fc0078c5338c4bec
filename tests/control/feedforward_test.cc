#include "control/feedforward.h"

#include <gtest/gtest.h>

#include "character/dynamics.h"
#include "character/library.h"
#include "character/plants.h"
#include "control/open_loop.h"

namespace sinew {
namespace {

const Character& human() {
  static const Character character = load_character("human50", {SINEW_SOURCE_DIR "/assets/characters"});
  return character;
}

// A tenth of a second at rest on all points of the feet, or without contact.
Reference at_rest(bool stands) {
  Reference out;
  out.frame_time_s = 0.01;
  for (int f = 0; f < 10; ++f) {
    out.q.push_back(human().q_rest);
    out.v.push_back(VecX::Zero(human().nv()));
    out.a.push_back(VecX::Zero(human().nv()));
    out.point_contact.emplace_back();
    for (const char point : standing_points(human())) out.point_contact.back().push_back(stands && point);
    out.body_contact.emplace_back(human().bodies.size(), 0);
  }
  return out;
}

VecX torque_at(const Reference& reference, double time_s, const FeedforwardOptions& options = {}) {
  VecX torque;
  Feedforward(human(), reference, options).at(time_s, torque);
  return torque;
}

// Who falls with his joints at rest needs no torques.
TEST(Feedforward, NothingIsNeededToFall) {
  Reference falling = at_rest(false);
  for (VecX& a : falling.a) a[2] = -9.81;
  EXPECT_LT(torque_at(falling, 0.05).norm(), 1e-6);
}

// Arms hang on joints that nothing but their own weight loads, whatever the feet do: what inverse dynamics
// say. Legs carry the rest.
TEST(Feedforward, HoldsWhatHangsAndWhatStands) {
  const VecX torque = torque_at(at_rest(true), 0.05);
  const VecX still = VecX::Zero(human().nv());
  const VecX alone = inverse_dynamics(human(), human().q_rest, still, still, Vec3(0, 0, -9.81));
  EXPECT_TRUE(torque.head<6>().isZero(0));
  for (const Joint& joint : human().joints) {
    const Part part = human().bodies[static_cast<size_t>(joint.body)].part;
    if (part != Part::kLeftUpperArm && part != Part::kRightLowerArm) continue;
    const auto axes = [&](const VecX& x) { return VecX(x.segment(joint.v, joint.v_size())); };
    EXPECT_LT((axes(torque) - axes(alone)).norm(), 1e-3) << joint.name;
  }
  EXPECT_GT(torque.norm(), 10);
}

TEST(Feedforward, WithoutGravityNothingIsHeld) {
  EXPECT_LT(torque_at(at_rest(true), 0.05, {.gravity = Vec3::Zero()}).norm(), 1e-6);
}

TEST(Feedforward, KnowsNothingOfWhoLies) {
  Reference lying = at_rest(false);
  for (auto& bodies : lying.body_contact) bodies[static_cast<size_t>(human().find(Part::kThorax))] = 1;
  EXPECT_TRUE(torque_at(lying, 0.05).isZero(0));
}

TEST(Feedforward, GoesOnForEverInACycle) {
  Reference swaying = at_rest(true);
  swaying.cyclic = true;
  for (size_t f = 0; f < swaying.a.size(); ++f) swaying.a[f][2] = f < 5 ? 1 : -1;
  const Feedforward feedforward(human(), swaying);
  for (const double time_s : {0.003, 0.05, 0.097}) {
    VecX now, later, before;
    feedforward.at(time_s, now);
    feedforward.at(time_s + 7 * swaying.duration_s(), later);
    feedforward.at(time_s - 2 * swaying.duration_s(), before);
    EXPECT_LT((now - later).norm(), 1e-9) << time_s;
    EXPECT_LT((now - before).norm(), 1e-9) << time_s;
  }
}

TEST(Feedforward, IsAddedToTheServos) {
  const Reference reference = at_rest(true);
  const Feedforward feedforward(human(), reference);
  const OpenLoop control = open_loop(human());
  const State state{0.05, human().q_rest, VecX::Zero(human().nv())};
  Command command = rest_command(human());
  OpenLoopController(human(), reference, control, 0, &feedforward).act({state, {}}, command);
  VecX torque;
  feedforward.at(0.05, torque);
  EXPECT_EQ(command.torque, torque);
}

}  // namespace
}  // namespace sinew
