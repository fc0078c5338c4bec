#include "character/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "character/cycle.h"
#include "character/library.h"

namespace sinew {
namespace {

const std::vector<std::string> kFolders = {SINEW_SOURCE_DIR "/assets/characters"};

// A made-up motion: every coordinate moves along smooth, incommensurable waves; the root goes ahead.
VecX wave(const Character& character, double t) {
  VecX dv(character.nv());
  for (int i = 0; i < dv.size(); ++i) dv[i] = 0.3 * std::sin(2 * t + i) + 0.1 * std::cos(3 * t - 2 * i);
  dv[0] += 1.2 * t;
  return integrate(character, character.q_rest, dv);
}

Reference make_wave(const Character& character, double h, int frames) {
  Reference reference;
  reference.frame_time_s = h;
  for (int f = 0; f < frames; ++f) reference.q.push_back(wave(character, f * h));
  reference.point_contact.assign(reference.q.size(), std::vector<char>(character.contact_points.size(), 0));
  reference.body_contact.assign(reference.q.size(), std::vector<char>(character.bodies.size(), 0));
  differentiate(character, reference);
  return reference;
}

TEST(Reference, VelocityAndAccelerationConvergeWithTheFrameRate) {
  const Character character = load_character("human50", kFolders);
  double last_v = 0, last_a = 0;
  for (const double h : {1 / 30.0, 1 / 60.0, 1 / 120.0}) {
    const Reference reference = make_wave(character, h, static_cast<int>(1 / h));
    // What much finer differences say at one time.
    const double e = 1e-4;
    const size_t f = reference.q.size() / 2;
    const double t = static_cast<double>(f) * h;
    const VecX ahead = difference(character, wave(character, t), wave(character, t + e));
    const VecX back = difference(character, wave(character, t), wave(character, t - e));
    const double error_v = (reference.v[f] - (ahead - back) / (2 * e)).norm();
    const double error_a = (reference.a[f] - (ahead + back) / (e * e)).norm();
    if (last_v > 0) {
      EXPECT_LT(error_v, 0.35 * last_v);
      EXPECT_LT(error_a, 0.35 * last_a);
    }
    last_v = error_v, last_a = error_a;
  }
}

TEST(Reference, SamplesMeetTheFramesAndTheMotionBetweenThem) {
  const Character character = load_character("human57", kFolders);
  const Reference reference = make_wave(character, 1 / 60.0, 90);
  for (const double t : {0.0, 0.5, 1.0}) {
    const ReferenceSample s = sample(character, reference, t);
    EXPECT_LT(difference(character, s.q, wave(character, t)).norm(), 1e-9);
  }
  const double t = 0.7123;
  const ReferenceSample s = sample(character, reference, t);
  EXPECT_LT(difference(character, s.q, wave(character, t)).cwiseAbs().maxCoeff(), 2e-4);
  const VecX v = difference(character, wave(character, t - 1e-4), wave(character, t + 1e-4)) / 2e-4;
  EXPECT_LT((s.v - v).cwiseAbs().maxCoeff(), 0.02);
}

TEST(Reference, StandsStillBeyondItsEnds) {
  const Character character = load_character("human50", kFolders);
  const Reference reference = make_wave(character, 1 / 60.0, 30);
  for (const double t : {-1.0, 5.0}) {
    const ReferenceSample s = sample(character, reference, t);
    EXPECT_EQ(s.v.norm(), 0);
    EXPECT_LT(difference(character, s.q, t < 0 ? reference.q.front() : reference.q.back()).norm(), 1e-9);
  }
}

TEST(Reference, ACyclicOneGoesOnForEver) {
  const Character character = load_character("human50", kFolders);
  Reference reference = make_wave(character, 1 / 60.0, 60);
  reference.cyclic = true;
  reference.X_cycle = {Vec3(1.5, 0.2, 0), exp_map(Vec3(0, 0, 0.3))};
  differentiate(character, reference);
  const double period = reference.duration_s();
  const ReferenceSample a = sample(character, reference, 0.4);
  Pose X;
  for (int n = 0; n < 7; ++n) X = reference.X_cycle * X;
  const ReferenceSample b = sample(character, reference, 0.4 + 7 * period);
  EXPECT_LT(difference(character, moved(a.q, X), b.q).norm(), 1e-8);
  EXPECT_LT((b.v.head<3>() - X.q * Vec3(a.v.head<3>())).norm(), 1e-8);
  const ReferenceSample back = sample(character, reference, 0.4 - 2 * period);
  EXPECT_LT(difference(character, moved(back.q, reference.X_cycle * reference.X_cycle), a.q).norm(), 1e-8);
}

TEST(Cycle, IsFoundAndClosedInPoseAndVelocity) {
  // A gait of period 1.1 s that slowly changes and drifts off its heading.
  const Character character = load_character("human50", kFolders);
  std::vector<VecX> q;
  const double h = 1 / 60.0, period = 1.1;
  for (int f = 0; f < 200; ++f) {
    const double t = f * h, phase = 2 * kPi * t / period;
    VecX dv = VecX::Zero(character.nv());
    for (int i = 6; i < dv.size(); ++i) dv[i] = 0.25 * std::sin(phase + i) + 0.02 * t;
    dv[0] = 1.3 * t;
    dv[2] = 0.02 * std::sin(2 * phase);
    dv[5] = 0.05 * t;
    q.push_back(integrate(character, character.q_rest, dv));
  }
  const auto cycle = find_cycle(character, q, h);
  ASSERT_TRUE(cycle);
  EXPECT_NEAR(static_cast<double>(cycle->end - cycle->begin) * h, period, 1.5 * h);

  Reference reference;
  reference.frame_time_s = h;
  const CycleFrames closed = close_cycle(character, q, *cycle, 0.25);
  reference.q = closed.q;
  reference.cyclic = true;
  reference.X_cycle = closed.X_cycle;
  differentiate(character, reference);
  EXPECT_LT(angle_between(closed.X_cycle.q, Quat::Identity()), 1e-9)
      << "a small drift of heading is taken out";
  // Neither velocity nor acceleration at the seam stands out from the rest.
  double inside = 0;
  for (size_t f = 10; f + 10 < reference.a.size(); ++f)
    inside = std::max(inside, reference.a[f].cwiseAbs().maxCoeff());
  for (const size_t f : {size_t{0}, reference.a.size() - 1})
    EXPECT_LT(reference.a[f].cwiseAbs().maxCoeff(), 1.5 * inside);
}

TEST(Cycle, ASingleMoveHasNone) {
  const Character character = load_character("human50", kFolders);
  std::vector<VecX> q;
  for (int f = 0; f < 100; ++f) {
    VecX dv = VecX::Zero(character.nv());
    for (int i = 6; i < dv.size(); ++i) dv[i] = 0.01 * f;
    q.push_back(integrate(character, character.q_rest, dv));
  }
  EXPECT_FALSE(find_cycle(character, q, 1 / 60.0));
}

}  // namespace
}  // namespace sinew
