#include "record/metrics.h"

#include <gtest/gtest.h>

#include "record/small_recording.h"
#include "world/builder.h"

// Made-up recordings in which each figure is known.
namespace sinew {
namespace {

void turn_root(VecX& q, const Quat& r) { q.segment<4>(3) = Vec4(r.w(), r.x(), r.y(), r.z()); }

// Two seconds of which the root is too high by `error_m` from 0.5 s on for `for_s`.
Recording raised(double error_m, double for_s) {
  Recording recording = make_still_recording(201);
  for (RecordingFrame& frame : recording.frames)
    if (frame.time_s > 0.499 && frame.time_s < 0.501 + for_s) frame.q[2] += error_m;
  return recording;
}

TEST(Metrics, NothingIsWrongWithThePerfectMotion) {
  const Metrics metrics = measure(make_still_recording(201));
  EXPECT_TRUE(metrics.completed);
  EXPECT_FALSE(metrics.failed_at_s);
  EXPECT_NEAR(metrics.seconds, 2, 1e-12);
  EXPECT_EQ(metrics.pose_error_rad, 0);
  EXPECT_EQ(metrics.root_height_error_m, 0);
  EXPECT_NEAR(metrics.root_tilt_error_rad, 0, 1e-12);
  EXPECT_EQ(metrics.root_drift_m, 0);
  EXPECT_EQ(metrics.torque_rms_Nm, 0);
  EXPECT_NEAR(metrics.root_residual_N, 0, 1e-9);
}

TEST(Metrics, AHeightThatIsOffForLongFails) {
  EXPECT_TRUE(measure(raised(0.31, 0.09)).completed);
  EXPECT_TRUE(measure(raised(0.31, 0.10)).completed);  // not more than 0.1 s
  EXPECT_TRUE(measure(raised(0.29, 1.00)).completed);
  const Metrics metrics = measure(raised(-0.31, 0.11));
  EXPECT_FALSE(metrics.completed);
  ASSERT_TRUE(metrics.failed_at_s);
  EXPECT_NEAR(*metrics.failed_at_s, 0.61, 1e-9);
  EXPECT_NEAR(measure(raised(0.31, 0.11)).root_height_error_m, 0.31 * std::sqrt(12.0 / 201), 1e-12);
}

TEST(Metrics, ATiltThatIsOffForLongFails) {
  for (const auto& [angle_deg, for_s, completes] :
       {std::tuple(61, 0.09, true), std::tuple(61, 0.11, false), std::tuple(59, 0.5, true)}) {
    Recording recording = make_still_recording(201);
    for (RecordingFrame& frame : recording.frames)
      if (frame.time_s > 0.499 && frame.time_s < 0.501 + for_s)
        turn_root(frame.q, exp_map(Vec3(0, radians(angle_deg), 0)));
    EXPECT_EQ(measure(recording).completed, completes) << angle_deg << " for " << for_s;
  }
}

// Height off and then tilt off without a good moment between them is one stretch.
TEST(Metrics, HeightAndTiltAreOneStretch) {
  Recording recording = raised(0.31, 0.05);
  for (RecordingFrame& frame : recording.frames)
    if (frame.time_s > 0.555 && frame.time_s < 0.625) turn_root(frame.q, exp_map(Vec3(radians(70), 0, 0)));
  EXPECT_FALSE(measure(recording).completed);
}

TEST(Metrics, TheEndMustBeNearer) {
  for (const auto& [error_m, angle_deg, completes] :
       {std::tuple(0.14, 29.0, true), std::tuple(0.16, 0.0, false), std::tuple(0.0, 31.0, false)}) {
    Recording recording = make_still_recording(101);
    recording.frames.back().q[2] -= error_m;
    turn_root(recording.frames.back().q, exp_map(Vec3(radians(angle_deg), 0, 0)));
    const Metrics metrics = measure(recording);
    EXPECT_EQ(metrics.completed, completes);
    if (!completes) {
      EXPECT_NEAR(metrics.failed_at_s.value(), 1, 1e-9);
    }
  }
}

TEST(Metrics, WhatDivergedIsNotCompleted) {
  Recording recording = make_still_recording(101);
  recording.diverged = true;
  EXPECT_FALSE(measure(recording).completed);
  EXPECT_NEAR(measure(recording).failed_at_s.value(), 1, 1e-9);
  recording.frames.clear();
  EXPECT_FALSE(measure(recording).completed);
  EXPECT_TRUE(measure(recording).failed_at_s);
}

TEST(Metrics, HeightsCountFromTheGroundUnderEachRoot) {
  // On a slope of 20 degrees, uphill along +X: the root stands on it 5 cm too high, half a metre from where
  // the reference stands.
  Recording recording = make_still_recording(11);
  recording.world.shapes[0].shape.X_BS.q = exp_map(Vec3(0, -radians(20), 0));
  for (RecordingFrame& frame : recording.frames) {
    frame.q[0] += 3;
    frame.q[2] += 3 * std::tan(radians(20)) + 0.05;
    frame.q_reference[0] += 2.5;
    frame.q_reference[2] += 2.5 * std::tan(radians(20));
  }
  EXPECT_NEAR(measure(recording).root_height_error_m, 0.05, 1e-9);
  EXPECT_NEAR(root_height_errors(recording)[4], 0.05, 1e-9);
}

TEST(Metrics, AcrossAnEdgeTheSmallerErrorCounts) {
  // A step down of half a metre at x = 0; the reference is still on it, 10 cm before the edge.
  Recording recording = make_still_recording(3);
  recording.world.shapes[0].shape.X_BS.p.z() = -0.5;
  recording.world.shapes.push_back(ground(
      make_box("platform", Vec3(5, 2, 0.25), {Vec3(-5, 0, -0.25), Quat::Identity()}, colours::kStone)));
  for (RecordingFrame& frame : recording.frames) {
    frame.q_reference[0] = -0.1;
    frame.q[0] = 0.1;
  }
  recording.frames[1].q[2] -= 0.48;  // landed: only 2 cm too high above its own ground
  recording.frames[2].q[2] -= 0.20;  // on the way down: 20 cm lower, or 30 cm too high
  const std::vector<double> errors = root_height_errors(recording);
  EXPECT_NEAR(errors[0], 0, 1e-9);
  EXPECT_NEAR(errors[1], 0.02, 1e-9);
  EXPECT_NEAR(errors[2], -0.20, 1e-9);
}

TEST(Metrics, OnThingsThatMoveTheReferenceIsCountedFromZero) {
  // The prop is ground and has risen by 40 cm with the character on it; the reference knows nothing of that.
  Recording recording = make_still_recording(3);
  WorldShape& surface = recording.world.shapes[1];
  ASSERT_EQ(surface.shape.body, 0);
  surface = ground(make_box("slab", Vec3(2, 2, 0.1), {}, colours::kSlab, 0));
  for (RecordingFrame& frame : recording.frames) {
    frame.props[0] = {Vec3(0, 0, 0.3), Quat::Identity()};
    frame.q[2] += 0.41;
  }
  EXPECT_NEAR(root_height_errors(recording)[1], 0.01, 1e-9);
}

TEST(Metrics, TiltLeavesHeadingOut) {
  Recording recording = make_still_recording(3);
  const Quat heading_turn = exp_map(Vec3(0, 0, 2.1)), lean = exp_map(Vec3(0, 0.4, 0));
  turn_root(recording.frames[0].q, heading_turn);
  turn_root(recording.frames[1].q, heading_turn * lean);
  // Past the vertical, as in a somersault: the reference 5 degrees before it, the simulation 5 beyond.
  turn_root(recording.frames[2].q_reference, exp_map(Vec3(0, radians(85), 0)));
  turn_root(recording.frames[2].q, heading_turn * exp_map(Vec3(0, radians(95), 0)));
  const auto tilt = root_tilt_errors(recording);
  EXPECT_NEAR(tilt[0], 0, 1e-9);
  EXPECT_NEAR(tilt[1], 0.4, 1e-9);
  EXPECT_NEAR(tilt[2], radians(10), 1e-9);
}

TEST(Metrics, PoseErrorIsTheRmsOfTheAngles) {
  // One ball joint off by 0.3 rad about a slant axis, one of four hinges by 0.4: rms over five joints.
  Recording recording = make_still_recording(2);
  const Joint& waist = recording.character.joints[1];
  ASSERT_EQ(waist.type, JointType::kBall);
  const Quat turn = exp_map(0.3 * Vec3(1, 2, 2) / 3);
  recording.frames[0].q.segment<4>(waist.q) = -Vec4(turn.w(), turn.x(), turn.y(), turn.z());
  recording.frames[0].q[recording.character.joints[3].q] -= 0.4;
  EXPECT_NEAR(pose_errors(recording)[0], std::sqrt((0.09 + 0.16) / 5), 1e-12);
  EXPECT_EQ(pose_errors(recording)[1], 0);
  EXPECT_NEAR(measure(recording).pose_error_rad, std::sqrt((0.09 + 0.16) / 10), 1e-12);
}

TEST(Metrics, DriftIsHorizontalAndAtTheEnd) {
  Recording recording = make_still_recording(11);
  recording.frames[5].q[0] += 9;
  recording.frames.back().q.head<3>() += Vec3(0.3, -0.4, 0.1);
  EXPECT_NEAR(measure(recording).root_drift_m, 0.5, 1e-12);
}

// A foot that moves along the ground and turns with the root: v + w x r at the contact, in its plane.
TEST(Metrics, FootSlideIsTheSpeedOfThePointThatBearsLoad) {
  Recording recording = make_still_recording(4);
  const int foot = recording.character.find(Part::kLeftFoot);
  ASSERT_GE(foot, 0);
  for (RecordingFrame& frame : recording.frames) {
    frame.v.head<3>() = Vec3(0.3, 0, -1);
    frame.v.segment<3>(3) = Vec3(0, 0, 2);
  }
  const Contact loaded{foot, 4, -1, 0, Vec3(0.2, 0, 0), Vec3::UnitZ(), Vec3(0, 0, 100), 0};
  recording.frames[0].contacts = {loaded};
  EXPECT_NEAR(measure(recording).foot_slide_m_s, 0.5, 1e-12);  // (0.3, 2 * 0.2)

  // Light touches, other bodies and balls do not count; the mean is over contacts.
  Contact light = loaded, trunk = loaded, ball = loaded, axis = loaded;
  light.force_W.z() = 1;
  trunk.body = 0;
  ball.world_shape = 1;
  axis.p_W.x() = 0;
  recording.frames[1].contacts = {light, trunk, ball};
  recording.frames[2].contacts = {axis};
  EXPECT_NEAR(measure(recording).foot_slide_m_s, 0.4, 1e-12);
}

// Of a foot that skids as it lands and then stands, only the standing counts as planted.
TEST(Metrics, PlantedFeetAreThoseThatBearLoadBeforeAndAfter) {
  Recording recording = make_still_recording(40);
  const int foot = recording.character.find(Part::kLeftFoot);
  const auto land = static_cast<size_t>(std::lround(0.05 / recording.frame_time_s));
  const size_t first = 2;
  for (size_t i = first; i < 40; ++i) {
    RecordingFrame& frame = recording.frames[i];
    frame.contacts = {{foot, 4, -1, 0, Vec3::Zero(), Vec3::UnitZ(), Vec3(0, 0, 100), 0}};
    frame.v[0] = i < first + land ? 2 : 0.01;
  }
  ASSERT_GT(40 - first, 2 * land + 1);
  EXPECT_NEAR(measure(recording).planted_slide_m_s, 0.01, 1e-12);
  EXPECT_GT(measure(recording).foot_slide_m_s, 0.01);
  for (size_t i = first + land; i < 40; i += land) recording.frames[i].contacts.clear();
  EXPECT_EQ(measure(recording).planted_slide_m_s, 0) << "it never stands";
}

TEST(Metrics, FeetThatGoAlongWithMovingGroundDoNotSlide) {
  Recording recording = make_still_recording(3);
  recording.world.shapes[1].ground = true;
  for (size_t i = 0; i < 3; ++i) {
    RecordingFrame& frame = recording.frames[i];
    frame.v[0] = 0.7;
    frame.props[0].p.x() += 0.7 * frame.time_s;
    frame.contacts = {{recording.character.find(Part::kLeftFoot), 4, -1, 1, Vec3::Zero(), Vec3::UnitZ(),
                       Vec3(0, 0, 50), 0}};
  }
  EXPECT_NEAR(measure(recording).foot_slide_m_s, 0, 1e-9);
}

TEST(Metrics, TorqueIsRmsOverTimeAndAxes) {
  Recording recording = make_still_recording(2);
  ASSERT_EQ(recording.character.nv(), 13);
  recording.frames[0].torque[6] = 30;
  recording.frames[1].torque[12] = 40;
  EXPECT_NEAR(measure(recording).torque_rms_Nm, 50 / std::sqrt(14.0), 1e-12);
}

TEST(Metrics, PenetrationIsTheDeepest) {
  Recording recording = make_still_recording(3);
  recording.frames[1].max_depth_m = 0.012;
  EXPECT_EQ(measure(recording).max_penetration_m, 0.012);
}

TEST(Metrics, WithoutAReferenceTheTrunkDecides) {
  Recording recording = make_still_recording(101);
  for (RecordingFrame& frame : recording.frames) {
    frame.q_reference.resize(0);
    frame.q[0] += 5;  // wherever it goes
  }
  EXPECT_TRUE(measure(recording).completed);
  EXPECT_EQ(measure(recording).root_drift_m, 0);

  // The trunk tilts with the waist while the root stands.
  Recording bent = recording;
  const Quat bow = exp_map(Vec3(0, radians(61), 0));
  bent.frames[50].q.segment<4>(bent.character.joints[1].q) = Vec4(bow.w(), bow.x(), bow.y(), bow.z());
  EXPECT_NEAR(measure(bent).failed_at_s.value(), 0.5, 1e-9);

  Recording low = recording;
  low.frames[70].q[2] = 0.61 * low.character.q_rest[2];
  EXPECT_TRUE(measure(low).completed);
  low.frames[70].q[2] = 0.59 * low.character.q_rest[2];
  EXPECT_NEAR(measure(low).failed_at_s.value(), 0.7, 1e-9);
}

// ---- residuals

// Two positions of a rigid character that flies and spins: all that happens is gravity.
TEST(Residuals, AreZeroInFreeFallWithSpin) {
  Recording recording = make_still_recording(1);
  RecordingFrame& frame = recording.frames[0];
  frame.q.head<3>() = Vec3(3, -2, 4);
  turn_root(frame.q, exp_map(Vec3(0.4, 1.1, -2)));
  frame.v.segment<6>(0) << 2, 1, 5, 3, -4, 6;
  // The momentum m c' about the origin: d/dt (c x m c' + L) = c x m g, whatever the spin.
  const double m = recording.character.mass_kg();
  const Vec3 c = centre_of_mass(recording.character, body_poses(recording.character, frame.q));
  frame.momentum_rate = {m * recording.world.gravity, c.cross(m * recording.world.gravity)};
  const auto rest = residuals(recording);
  EXPECT_NEAR(rest[0].linear.norm(), 0, 1e-9);
  EXPECT_NEAR(rest[0].angular.norm(), 0, 1e-9);
}

TEST(Residuals, AreExactlyTheHiddenForce) {
  Recording recording = make_still_recording(1);
  RecordingFrame& frame = recording.frames[0];
  frame.q.head<3>() = Vec3(1, 2, 3);
  const double m = recording.character.mass_kg();
  const Vec3 c = centre_of_mass(recording.character, body_poses(recording.character, frame.q));
  frame.contacts = {{4, 4, -1, 0, Vec3(1, 2, 0), Vec3::UnitZ(), Vec3(30, -20, 400), 0},
                    {0, 0, 1, -1, Vec3(0, 0, 5), Vec3::UnitZ(), Vec3(0, 0, 9999), 0}};  // of its own shape
  frame.pushes = {{0, Vec3(0, 200, 0), Vec3(1.1, 2, 3), Vec3(1, 2, 3)}};
  const ExternalForce hidden{1, Vec3(10, 20, 50), Vec3(0.5, 0.5, 2), Vec3(0, 0, 7)};
  frame.helping = {hidden};
  Momentum& rate = frame.momentum_rate;
  rate = {m * recording.world.gravity, c.cross(m * recording.world.gravity)};
  const auto act = [&](const Vec3& force, const Vec3& p, const Vec3& torque) {
    rate.linear += force;
    rate.angular += p.cross(force) + torque;
  };
  act(frame.contacts[0].force_W, frame.contacts[0].p_W, Vec3::Zero());
  act(frame.pushes[0].force_W, frame.pushes[0].p_W, frame.pushes[0].torque_W);
  act(hidden.force_W, hidden.p_W, hidden.torque_W);
  const auto rest = residuals(recording);
  EXPECT_NEAR((rest[0].linear - hidden.force_W).norm(), 0, 1e-9);
  const Vec3 torque = (hidden.p_W - c).cross(hidden.force_W) + hidden.torque_W;
  EXPECT_NEAR((rest[0].angular - torque).norm(), 0, 1e-9);
  EXPECT_NEAR(measure(recording).root_residual_N, std::max(hidden.force_W.norm(), torque.norm()), 1e-9);
}

}  // namespace
}  // namespace sinew
