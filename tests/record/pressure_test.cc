#include "record/pressure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "record/small_recording.h"

namespace sinew {
namespace {

int shape_of(const Character& character, int body) {
  for (size_t i = 0; i < character.shapes.size(); ++i)
    if (character.shapes[i].body == body) return static_cast<int>(i);
  return -1;
}

// A contact with the ground or the ball of the small world.
Contact touch(const Character& character, Part part, const Vec3& p_W, const Vec3& normal_W, double force_N,
              int world_shape = 0) {
  const int body = character.find(part);
  return {body, shape_of(character, body), -1, world_shape, p_W, normal_W, force_N * normal_W, 0};
}

// The four corners under the left sole, 20 by 10 cm, share a force.
std::vector<Contact> left_sole(const Character& character, double force_N) {
  std::vector<Contact> contacts;
  for (const double x : {-0.07, 0.13})
    for (const double y : {0.05, 0.15})
      contacts.push_back(touch(character, Part::kLeftFoot, Vec3(x, y, 0), Vec3::UnitZ(), 0.25 * force_N));
  return contacts;
}

TEST(PatchSize, OfABallIsThatOfTheCapWhichIsPressedIn) {
  const double R = 0.08, s = 0.004;
  const PatchSize size = patch_size(kFlesh_Pa_m * kPi * s * s * (R - s / 3), 0, 0, R, 0);
  EXPECT_NEAR(size.area_m2, kPi * s * (2 * R - s), 1e-12);
  EXPECT_NEAR(size.pressure_Pa * size.area_m2, kFlesh_Pa_m * kPi * s * s * (R - s / 3), 1e-6);
}

TEST(PatchSize, OfALyingRodIsAStripWithRoundEnds) {
  // The force from the volume, summed in thin slices.
  const double R = 0.05, length = 0.3, s = 0.003;
  const auto area = [&](double depth) {
    const double w = std::sqrt(depth * (2 * R - depth));
    return 2 * length * w + kPi * w * w;
  };
  double volume = 0;
  const int slices = 20000;
  for (int i = 0; i < slices; ++i) volume += area(s * (i + 0.5) / slices) * s / slices;
  EXPECT_NEAR(patch_size(kFlesh_Pa_m * volume, 0, 2 * length, R, 0).area_m2 / area(s), 1, 1e-6);
}

TEST(PatchSize, OfAFlatFaceIsTheFace) {
  const PatchSize size = patch_size(400, 0.02, 0.6, 1e-7, 0);
  EXPECT_NEAR(size.area_m2, 0.02, 1e-7);
  EXPECT_NEAR(size.pressure_Pa, 20000, 1);
}

TEST(PatchSize, GrowsWithForceAndWithHowFarTheGroundGives) {
  PatchSize before = patch_size(10, 0, 0, 0.06, 0);
  for (const double force : {20.0, 100.0, 400.0}) {
    const PatchSize size = patch_size(force, 0, 0, 0.06, 0);
    EXPECT_GT(size.area_m2, before.area_m2);
    EXPECT_GT(size.pressure_Pa, before.pressure_Pa);
    before = size;
  }
  for (const double depth : {0.001, 0.01, 0.03}) {
    const PatchSize size = patch_size(400, 0, 0, 0.06, depth);
    EXPECT_GT(size.area_m2, before.area_m2);
    EXPECT_LT(size.pressure_Pa, before.pressure_Pa);
    before = size;
  }
  // No wider than the ball itself, and nothing without a force.
  EXPECT_NEAR(patch_size(1e5, 0, 0, 0.06, 0).area_m2, kPi * 0.06 * 0.06, 1e-9);
  EXPECT_EQ(patch_size(0, 0.02, 0.6, 0.06, 0.01).pressure_Pa, 0);
}

TEST(ContactPatches, ASoleThatStandsFlatIsOnePatch) {
  Recording recording = make_still_recording(1);
  recording.frames[0].contacts = left_sole(recording.character, 400);
  const auto patches = contact_patches(recording, recording.frames[0]);
  ASSERT_EQ(patches.size(), 1u);
  EXPECT_EQ(patches[0].contacts.size(), 4u);
  EXPECT_NEAR(patches[0].size.area_m2, 0.02, 1e-12);
  EXPECT_NEAR(patches[0].size.pressure_Pa, 20000, 1e-6);
  EXPECT_NEAR((patches[0].p_W - Vec3(0.03, 0.1, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((patches[0].outward_B + Vec3::UnitZ()).norm(), 0, 1e-12);
}

TEST(ContactPatches, FrictionDoesNotPressAndThingsAreApart) {
  Recording recording = make_still_recording(1);
  RecordingFrame& frame = recording.frames[0];
  frame.contacts = {touch(recording.character, Part::kThorax, Vec3(0.1, 0, 0.85), -Vec3::UnitX(), 100, 0),
                    touch(recording.character, Part::kThorax, Vec3(0.1, 0, 0.85), -Vec3::UnitX(), 100, 1)};
  frame.contacts[0].force_W += Vec3(0, 50, 0);
  const auto patches = contact_patches(recording, frame);
  ASSERT_EQ(patches.size(), 2u);
  EXPECT_NEAR(patches[0].normal_N, 100, 1e-9);
  EXPECT_NEAR(patches[0].force_W.y(), 50, 1e-9);
  // The capsule and the ball are both round with 10 cm: as one of 5 cm on a plane.
  EXPECT_NEAR(patches[0].size.area_m2, patch_size(100, 0, 0, 0.1, 0).area_m2, 1e-12);
  EXPECT_NEAR(patches[1].size.area_m2, patch_size(100, 0, 0, 0.05, 0).area_m2, 1e-12);
}

TEST(BodyLoads, SumUpToTheForcesOfTheRecording) {
  Recording recording = make_still_recording(8);
  const Character& character = recording.character;
  for (size_t i = 2; i < 8; ++i) {
    recording.frames[i].contacts = left_sole(character, 100.0 * static_cast<double>(i));
    recording.frames[i].contacts.push_back(
        touch(character, Part::kThorax, Vec3(-0.1, 0, 0.85), Vec3::UnitX(), 30));
  }
  // What limbs do to each other is no load of the world.
  Contact own = touch(character, Part::kRightThigh, Vec3(0, 0, 0.4), Vec3::UnitY(), 77, -1);
  own.other_shape = shape_of(character, character.find(Part::kLeftThigh));
  recording.frames[3].contacts.push_back(own);

  const std::vector<BodyLoad> loads = body_loads(recording);
  ASSERT_EQ(loads.size(), character.bodies.size());
  for (size_t i = 0; i < recording.frames.size(); ++i) {
    Vec3 all = Vec3::Zero(), of_bodies = Vec3::Zero();
    for (const Contact& contact : recording.frames[i].contacts)
      if (contact.other_shape < 0) all += contact.force_W;
    for (const BodyLoad& load : loads) of_bodies += load.force_W[i];
    EXPECT_NEAR((all - of_bodies).norm(), 0, 1e-9);
  }
  const BodyLoad& foot = loads[static_cast<size_t>(character.find(Part::kLeftFoot))];
  EXPECT_NEAR(foot.peak_force_N, 700, 1e-9);
  EXPECT_NEAR(foot.peak_pressure_Pa, 35000, 1e-6);
  EXPECT_NEAR(foot.lasting_pressure_Pa, 25000, 1e-6);  // the third of 35, 30, 25, ... kPa at 100 Hz
  EXPECT_NEAR(foot.impulse_Ns, 0.01 * 2700, 1e-9);
  EXPECT_FALSE(loads[static_cast<size_t>(character.find(Part::kRightThigh))].touched());
}

TEST(BodyLoads, FaceWhereTheBodyWasTouchedHoweverItLies) {
  Recording recording = make_still_recording(2);
  const Character& character = recording.character;
  const auto thorax = static_cast<size_t>(character.find(Part::kThorax));
  // Its back, once as it stands and once with its head down and turned about.
  recording.frames[0].contacts = {touch(character, Part::kThorax, Vec3(-0.1, 0, 0.85), Vec3::UnitX(), 50)};
  const Quat turned = exp_map(Vec3(0.4, 0.9, -2));
  recording.frames[1].q.segment<4>(3) = Vec4(turned.w(), turned.x(), turned.y(), turned.z());
  recording.frames[1].contacts = {touch(character, Part::kThorax, Vec3::Zero(), turned * Vec3::UnitX(), 80)};
  EXPECT_EQ(peak_pressures_facing(recording, Vec3::UnitX())[thorax], 0);
  EXPECT_NEAR(peak_pressures_facing(recording, -Vec3::UnitX())[thorax],
              patch_size(80, 0, 0, 0.1, 0).pressure_Pa, 1e-6);
  // From the side it shows as well.
  EXPECT_GT(peak_pressures_facing(recording, Vec3::UnitY())[thorax], 0);
}

}  // namespace
}  // namespace sinew
