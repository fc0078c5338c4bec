// Quality figures of made-up motions whose torque, force and jerk are known.
#include "record/quality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "record/metrics.h"
#include "record/small_recording.h"

namespace sinew {
namespace {

constexpr double kG = 9.81;

int axis_of(const Character& character, const std::string& joint) {
  for (const Joint& one : character.joints)
    if (one.name == joint) return one.v;
  ADD_FAILURE() << joint;
  return 0;
}

// The root goes up and down, simulated and as the reference has it, m.
Recording bouncing(double amplitude, double reference_amplitude, double rad_s) {
  Recording recording = make_still_recording(201);
  for (RecordingFrame& frame : recording.frames) {
    frame.q[2] += amplitude * std::sin(rad_s * frame.time_s);
    frame.q_reference[2] += reference_amplitude * std::sin(rad_s * frame.time_s);
  }
  return recording;
}

TEST(Quality, OneWhoStandsIsCarriedByItsWeight) {
  const Recording recording = make_still_recording(50);
  EXPECT_NEAR(*impact(recording), 1, 1e-9);
  EXPECT_NEAR(*measure(recording).impact_ratio, 1, 1e-9);
}

TEST(Quality, AnImpactIsTheLargestUpwardForce) {
  // z = A sin(w t) needs up to 1 + A w^2 / g; differences over h see sinc^2(w h / 2) of it.
  const double w = 12, seen = std::pow(std::sin(w * 0.015) / (w * 0.015), 2);
  const Recording recording = bouncing(0.05, 0.02, w);
  EXPECT_NEAR(*impact(recording), 1 + 0.05 * w * w * seen / kG, 2e-3);
  EXPECT_NEAR(*reference_impact(recording), 1 + 0.02 * w * w * seen / kG, 2e-3);
  EXPECT_NEAR(*measure(recording).impact_ratio, *impact(recording) / *reference_impact(recording), 1e-12);
}

TEST(Quality, NothingCarriesOneWhoFalls) {
  Recording recording = make_still_recording(40);
  for (RecordingFrame& frame : recording.frames) frame.q[2] -= 0.5 * kG * frame.time_s * frame.time_s;
  EXPECT_NEAR(*impact(recording), 0, 1e-9);
}

TEST(Quality, ALandingCountsByItsImpulse) {
  // Falls at 1 m/s until it stands: the impulse is spread over a step of the differences.
  Recording recording = make_still_recording(61);
  for (RecordingFrame& frame : recording.frames) frame.q[2] += std::max(0.0, 0.3 - frame.time_s);
  EXPECT_NEAR(*impact(recording), 1 + 1 / (0.03 * kG), 1e-9);
}

TEST(Quality, JerkOfASineIsItsAmplitudeByTheReferences) {
  Recording recording = make_still_recording(201);
  const int knee = axis_of(recording.character, "left_knee"), hip = axis_of(recording.character, "right_hip");
  for (RecordingFrame& frame : recording.frames) {
    VecX way = VecX::Zero(recording.character.nv());
    way[hip] = 0.3 * std::sin(9 * frame.time_s);
    frame.q_reference = integrate(recording.character, recording.character.q_rest, way);
    way[hip] *= 2.5;
    frame.q = integrate(recording.character, recording.character.q_rest, way);
  }
  EXPECT_NEAR(*jerk_ratio(recording), 2.5, 1e-6);

  // A trembling knee of 8 Hz and 0.01 rad: its jerk is (8 / f)^3 times as much a radian as that of the hip.
  for (RecordingFrame& frame : recording.frames) {
    VecX tremble = VecX::Zero(recording.character.nv());
    tremble[knee] = 0.01 * std::sin(2 * kPi * 8 * frame.time_s);
    frame.q = integrate(recording.character, frame.q_reference, tremble);
  }
  const auto seen = [](double w) { return std::pow(2 * std::sin(w * 0.01), 3); };
  const double expected = std::hypot(1, 0.01 * seen(2 * kPi * 8) / (0.3 * seen(9)));
  EXPECT_NEAR(*jerk_ratio(recording), expected, 0.05 * expected);
}

TEST(Quality, AWholeTurnOfABallJointIsNoJerk) {
  Recording recording = make_still_recording(201);
  const int waist = axis_of(recording.character, "waist"), hip = axis_of(recording.character, "right_hip");
  for (RecordingFrame& frame : recording.frames) {
    VecX way = VecX::Zero(recording.character.nv());
    way[hip] = 0.3 * std::sin(9 * frame.time_s);
    frame.q_reference = integrate(recording.character, recording.character.q_rest, way);
    way[waist + 2] = 4 * frame.time_s;  // at a constant rate, past half a turn
    frame.q = integrate(recording.character, recording.character.q_rest, way);
  }
  EXPECT_NEAR(*jerk_ratio(recording), 1, 1e-6);
}

TEST(Quality, TorquesAreMeasuredByWhatTheirJointsCanDo) {
  Recording recording = make_still_recording(11);
  for (Joint& joint : recording.character.joints) joint.torque_limit.setZero();
  EXPECT_FALSE(torque_peak_share(recording)) << "without limits there is no share";
  const int knee = axis_of(recording.character, "left_knee");
  for (Joint& joint : recording.character.joints)
    if (joint.name == "left_knee") joint.torque_limit[0] = 80;
  recording.frames[4].torque[knee] = -60;
  EXPECT_NEAR(*torque_peak_share(recording), 0.75, 1e-12);

  // Up and down by 60 N m within 10 ms each, once in 10 steps, on one of the axes that turn.
  const double axes = recording.character.nv() - 6;
  EXPECT_NEAR(*torque_rate(recording), 6000 * std::sqrt(2 / (10 * axes)), 1e-9);
}

TEST(Quality, WhatCannotBeToldIsEmpty) {
  Recording recording = make_still_recording(3);
  EXPECT_FALSE(impact(recording));
  EXPECT_FALSE(jerk_ratio(recording));
  recording = make_still_recording(100);
  EXPECT_FALSE(jerk_ratio(recording)) << "the reference stands still";
  for (RecordingFrame& frame : recording.frames) frame.q_reference.resize(0);
  EXPECT_TRUE(measure(recording).impact_bw);
  EXPECT_FALSE(measure(recording).impact_ratio);
  EXPECT_FALSE(measure(recording).jerk_ratio);
  EXPECT_FALSE(torque_rate(make_still_recording(1)));
}

TEST(Metrics, TheSquaredErrorIsTheDistanceBetweenStates) {
  // A knee off by 0.3 rad, the root 5 cm too high and 0.2 rad tilted; the reference walks at 1.5 m/s, the
  // simulated one turns its other knee at 2 rad/s.
  Recording recording = make_still_recording(21);
  const int knee = axis_of(recording.character, "left_knee"),
            other = axis_of(recording.character, "right_knee");
  VecX off = VecX::Zero(recording.character.nv());
  off[2] = 0.05;
  off[4] = 0.2;
  off[knee] = 0.3;
  for (RecordingFrame& frame : recording.frames) {
    frame.q = integrate(recording.character, frame.q, off);
    frame.v[other] = 2;
    frame.q_reference[0] += 1.5 * frame.time_s;
  }
  for (const double error : squared_state_errors(recording))
    EXPECT_NEAR(error, 0.09 + 0.0025 + 0.04 + 4 + 2.25, 1e-9);
}

}  // namespace
}  // namespace sinew
