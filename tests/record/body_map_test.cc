#include "record/body_map.h"

#include <gtest/gtest.h>

#include "character/library.h"
#include "record/compare.h"
#include "record/pressure.h"
#include "record/small_recording.h"
#include "record/xml.h"

namespace sinew {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

double luminance(const std::string& hex) {
  const auto channel = [&](size_t at) { return std::stoi(hex.substr(at, 2), nullptr, 16); };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

// A foot that stands on the ball of the sole, and presses with this force in all frames.
Recording standing(double force_N, size_t frames = 20) {
  Recording recording = make_still_recording(frames);
  const int foot = recording.character.find(Part::kRightFoot);
  int shape = 0;
  while (recording.character.shapes[static_cast<size_t>(shape)].body != foot) ++shape;
  for (RecordingFrame& frame : recording.frames)
    for (const double x : {-0.07, 0.13})
      for (const double y : {-0.05, -0.15})
        frame.contacts.push_back(
            {foot, shape, -1, 0, Vec3(x, y, 0), Vec3::UnitZ(), Vec3(0, 0, 0.25 * force_N), 0});
  return recording;
}

TEST(PressureColor, DarkensAllTheWay) {
  for (int i = 0; i < 50; ++i)
    EXPECT_GT(luminance(pressure_color(i / 50.0)), luminance(pressure_color((i + 1) / 50.0))) << i;
  EXPECT_EQ(pressure_color(-1), pressure_color(0));
  EXPECT_EQ(pressure_color(7), pressure_color(1));
}

TEST(BodyMap, ColoursThePartThatIsPressedAndSaysHowHard) {
  const Recording recording = standing(800);  // on 200 cm^2: 40 kPa
  EXPECT_NEAR(pressure_scale_Pa({{"", &recording}}), 40000, 1e-6);
  const std::string svg = svg_body_map({{"", &recording}});
  EXPECT_EQ(xml_fault(svg), "");
  for (const char* part : {"front", "back", "right foot", ">40<", ">800<", "right foot: 40 kPa",
                           "left foot: not touched here", "time, s"})
    EXPECT_TRUE(contains(svg, part)) << part;
  EXPECT_TRUE(contains(svg, "<path fill='" + pressure_color(1) + "'"));
}

TEST(BodyMap, OfTwoHasOneScale) {
  const Recording hard = standing(800);
  Recording soft = standing(400, 10);
  const std::string svg = svg_body_map({{"hard & flat", &hard}, {"soft", &soft}});
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_TRUE(contains(svg, "hard &amp; flat"));
  EXPECT_TRUE(contains(svg, "<path fill='" + pressure_color(1) + "'"));
  EXPECT_TRUE(contains(svg, "<path fill='" + pressure_color(0.5) + "'"));
}

TEST(BodyMap, AKnockDoesNotSetTheScale) {
  Recording recording = standing(800);
  for (Contact& contact : recording.frames[5].contacts) contact.force_W *= 50;
  EXPECT_NEAR(pressure_scale_Pa({{"", &recording}}), 40000, 1e-6);
  const std::string svg = svg_body_map({{"", &recording}});
  EXPECT_TRUE(contains(svg, "and more"));
  EXPECT_TRUE(contains(svg, ">2000<"));  // kPa, as it was
}

TEST(BodyMap, IsLeftOutWhereNothingIsTouched) {
  const Recording recording = make_still_recording(5);
  EXPECT_EQ(svg_body_map({{"", &recording}}), "");
  EXPECT_EQ(pressure_scale_Pa({{"", &recording}}), 0);
  EXPECT_EQ(svg_body_map({}), "");
}

TEST(BodyMap, DrawsEveryCharacter) {
  const std::string folder = SINEW_SOURCE_DIR "/assets/characters";
  for (const std::string& name : character_names({folder})) {
    Recording recording = make_still_recording(0);
    recording.character = load_character(name, {folder});
    RecordingFrame frame;
    frame.q = recording.character.q_rest;
    frame.contacts = {{0, 0, -1, 0, Vec3::Zero(), Vec3::UnitZ(), Vec3(0, 0, 100), 0}};
    recording.frames.assign(4, frame);
    const std::string svg = svg_body_map({{"", &recording}});
    EXPECT_EQ(xml_fault(svg), "") << name;
    EXPECT_TRUE(contains(svg, name == "cheetah" ? ">left side<" : ">front<")) << name;
    size_t parts = 0;
    for (size_t at = svg.find("<path fill"); at != std::string::npos; at = svg.find("<path fill", at + 1))
      ++parts;
    EXPECT_GE(parts, recording.character.bodies.size()) << name;  // twice, but for bodies without a shape
  }
}

TEST(Compare, ShowsTheMomentAtWhichPressuresDiffer) {
  const Recording a = standing(800);
  Recording b = standing(800);
  for (Contact& contact : b.frames[7].contacts) contact.force_W *= 0.5;
  EXPECT_NEAR(telling_moment_s(a, b), 0.07, 1e-9);
}

TEST(Compare, TheSameTwiceGivesTheSamePictureTwice) {
  const Recording recording = standing(800, 3);
  MomentOptions options;
  options.time_s = 0.01;
  options.width_px = 440;  // 16 + 200 + 8 + 200 + 16
  const Image picture = moment_picture({{"", &recording}, {"", &recording}}, options);
  ASSERT_EQ(picture.width, 440);
  bool same = true, arrow = false;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 16; x < 216; ++x) {
      same &= picture.color(x, y) == picture.color(x + 208, y);
      const Color c = picture.color(x, y);  // the end of the scale is dark violet
      arrow |= c.r > c.g + 60 && c.b > c.g + 50;
    }
  EXPECT_TRUE(same);
  EXPECT_TRUE(arrow);
}

}  // namespace
}  // namespace sinew
