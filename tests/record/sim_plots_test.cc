#include "record/sim_plots.h"

#include <gtest/gtest.h>

#include "motion/csv.h"
#include "record/film.h"
#include "record/small_recording.h"
#include "world/builder.h"

namespace sinew {
namespace {

TEST(ContactsCsv, HasALineAContact) {
  Recording recording = make_small_recording();
  recording.frames[1].contacts = {{0, 0, -1, 1, Vec3(1, 2, 3), Vec3::UnitX(), Vec3(4, 5, 6), 0.25},
                                  {0, 0, 2, -1, Vec3::Zero(), Vec3::UnitX(), Vec3::Zero(), 0}};
  const auto rows = read_csv(contacts_csv(recording), "contacts.csv");
  ASSERT_EQ(rows.size(), 5u);  // the head, one contact, two, one
  const auto columns = [](const CsvRow& row, long from, long to) {
    return std::vector<std::string>(row.fields.begin() + from, row.fields.begin() + to);
  };
  EXPECT_EQ(columns(rows[0], 0, 2), (std::vector<std::string>{"time_s", "body"}));
  EXPECT_EQ(columns(rows[0], 9, 13),
            (std::vector<std::string>{"touches", "normal_N", "area_m2", "pressure_Pa"}));
  EXPECT_EQ(columns(rows[1], 0, 11), (std::vector<std::string>{"0", "left_foot", "1", "0", "-0.01", "1", "2",
                                                               "300", "0.01", "ground", "300"}));
  EXPECT_EQ(columns(rows[2], 0, 11),
            (std::vector<std::string>{"0.01", "pelvis", "1", "2", "3", "4", "5", "6", "0.25", "ball", "4"}));
  EXPECT_EQ(columns(rows[3], 9, 13), (std::vector<std::string>{"left_thigh", "0", "0", "0"}));

  // What presses is area times pressure.
  for (const size_t i : {1, 2, 4})
    EXPECT_NEAR(std::stod(rows[i].fields[11]) * std::stod(rows[i].fields[12]), std::stod(rows[i].fields[10]),
                1e-5);
}

TEST(SimPlots, ErrorsAreThoseOfTheMetrics) {
  Recording recording = make_still_recording(11);
  for (RecordingFrame& frame : recording.frames) frame.q[2] += 0.07;
  const auto plots = error_plots(recording);
  ASSERT_EQ(plots.size(), 3u);
  ASSERT_GE(plots[1].series.size(), 3u);  // with both limits
  for (const double y : plots[1].series[0].y) EXPECT_NEAR(y, 0.07, 1e-12);
  EXPECT_NEAR(plots[1].series[1].y[0], 0.30, 1e-12);
  EXPECT_NEAR(plots[2].series[1].y[0], 60, 1e-9);

  for (RecordingFrame& frame : recording.frames) frame.q_reference.resize(0);
  EXPECT_TRUE(error_plots(recording).empty());
}

TEST(SimPlots, PushesAreOneBandAndEventsOneEach) {
  Recording recording = make_still_recording(101);
  for (size_t i = 20; i < 40; ++i)
    recording.frames[i].pushes.push_back({0, Vec3(0, 200, 0), Vec3::Zero(), Vec3::Zero()});
  recording.events = {{0.7, "a ball is thrown at head"}};
  const auto bands = event_bands(recording);
  ASSERT_EQ(bands.size(), 2u);
  EXPECT_EQ(bands[0].name, "push");
  EXPECT_NEAR(bands[0].from, 0.2, 1e-9);
  EXPECT_NEAR(bands[0].to, 0.4, 1e-9);
  EXPECT_NEAR(bands[1].from, 0.7, 1e-9);
}

TEST(SimPlots, GroundForceIsInBodyWeights) {
  Recording recording = make_still_recording(3);
  const double weight = 9.81 * recording.character.mass_kg();
  const int foot = recording.character.find(Part::kRightFoot);
  for (RecordingFrame& frame : recording.frames)
    frame.contacts.assign(2, {foot, 0, -1, 0, Vec3::Zero(), Vec3::UnitZ(), Vec3(9, 9, weight), 0});
  const auto plots = effort_plots(recording);
  ASSERT_EQ(plots.size(), 2u);
  ASSERT_EQ(plots[1].series.size(), 2u);
  EXPECT_NEAR(plots[1].series[0].y[0], 0, 1e-12);
  EXPECT_NEAR(plots[1].series[1].y[0], 2, 1e-9);
}

TEST(SimulationFilm, ShowsReferenceForcesAndWorld) {
  // 100 Hz becomes 50: every other frame.
  Recording recording = make_still_recording(101);
  for (RecordingFrame& frame : recording.frames) {
    frame.q_reference[0] += 0.5;
    frame.contacts = {{4, 0, -1, 0, Vec3(0.1, 0, 0), Vec3::UnitZ(), Vec3(0, 0, 300), 0},
                      {4, 0, -1, 0, Vec3(0.3, 0, 0), Vec3::UnitZ(), Vec3(0, 0, 300), 0}};
  }
  const Film film = make_film(recording);
  ASSERT_EQ(film.bodies.size(), 51u);
  EXPECT_NEAR(film.duration_s(), 1, 1e-9);
  EXPECT_NEAR(film.ghost_bodies[3][0].p.x() - film.bodies[3][0].p.x(), 0.5, 1e-12);
  ASSERT_EQ(film.arrows[3].size(), 1u);  // one for the foot: 600 N
  EXPECT_NEAR((film.arrows[3][0].from - Vec3(0.2, 0, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((film.arrows[3][0].to - Vec3(0.2, 0, 0.4)).norm(), 0, 1e-12);
  const View view = frame_film(recording.character, film, 1.3);
  const Scene scene = film_scene(recording.character, film, view, 3);
  EXPECT_FALSE(scene.floor);
  EXPECT_EQ(scene.arrows.size(), 1u);
  EXPECT_LT(view.height_m, 3);  // the ground does not blow up the view
}

TEST(SimulationFilm, TheReferenceIsLiftedOntoMovingGroundAlone) {
  Recording recording = make_still_recording(3);
  recording.world.shapes[0].shape.X_BS.q = exp_map(Vec3(0, -radians(10), 0));  // uphill along +X
  for (RecordingFrame& frame : recording.frames) frame.q_reference[0] = 2;
  EXPECT_NEAR(make_film(recording).ghost_bodies[0][0].p.z(), recording.character.q_rest[2], 1e-9);

  recording.world.shapes[1] = ground(make_box("slab", Vec3(9, 9, 0.1), {}, colours::kSlab, 0));
  for (RecordingFrame& frame : recording.frames) frame.props[0] = {Vec3(0, 0, 2), Quat::Identity()};
  EXPECT_NEAR(make_film(recording).ghost_bodies[0][0].p.z(), recording.character.q_rest[2] + 2.1, 1e-9);
}

}  // namespace
}  // namespace sinew
