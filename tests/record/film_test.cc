#include "record/film.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "core/error.h"
#include "record/folder.h"
#include "record/mannequin.h"
#include "record/strip.h"
#include "record/video.h"

namespace sinew {
namespace {

Film walking_film(const Character& character, double duration_s) {
  Reference reference;
  reference.frame_time_s = 1 / 30.0;
  for (int i = 0; i <= std::lround(duration_s * 30); ++i)
    reference.q.push_back(mannequin_at(character, i / 30.0));
  return make_film(character, reference);
}

TEST(Film, EverythingStaysInsideThePicture) {
  const Character character = make_mannequin();
  const Film film = walking_film(character, 2);
  for (const bool follow : {true, false}) {
    ViewOptions options;
    options.follow = follow;
    const View view = frame_film(character, film, 1.3, options);
    for (size_t i = 0; i < film.bodies.size(); ++i) {
      const Scene scene = film_scene(character, film, view, i);
      for (const SceneShape& shape : scene.shapes) {
        const Vec3 seen = project(scene.camera, 130, 100, shape.X_WS.p);
        EXPECT_GT(seen.x(), 0) << i;
        EXPECT_LT(seen.x(), 130) << i;
        EXPECT_GT(seen.y(), 0) << i;
        EXPECT_LT(seen.y(), 100) << i;
      }
    }
  }
}

TEST(Film, TravelGoesToTheRight) {
  const Character character = make_mannequin();
  const Film film = walking_film(character, 2);
  ViewOptions options;
  options.follow = false;
  const View view = frame_film(character, film, 1.3, options);
  EXPECT_LT(project(view.camera, 100, 100, film.bodies.front()[0].p).x() + 10,
            project(view.camera, 100, 100, film.bodies.back()[0].p).x());
}

TEST(Strip, HasItsSizeAndACharacterInEachPanel) {
  const Character character = make_mannequin();
  StripOptions options;
  options.width_px = 640;
  options.panels = 6;
  options.title = "walk";
  const Image strip = film_strip(character, walking_film(character, 1), options);
  EXPECT_EQ(strip.width, 640);
  EXPECT_GT(strip.height, 100);
  EXPECT_LT(strip.height, 640);

  // The mannequin is brown: no other thing on the picture is.
  for (int panel = 0; panel < 6; ++panel) {
    int brown = 0;
    for (int y = 0; y < strip.height; ++y)
      for (int x = 640 * panel / 6; x < 640 * (panel + 1) / 6; ++x) {
        const Color c = strip.color(x, y);
        brown += c.r > c.b + 30;
      }
    EXPECT_GT(brown, 150) << "panel " << panel;
  }
}

TEST(Strip, RowsGrowWithTheDuration) {
  const Character character = make_mannequin();
  StripOptions options;
  options.width_px = 300;
  const Image one = film_strip(character, walking_film(character, 1), options);
  const Image long_one = film_strip(character, walking_film(character, 12), options);
  EXPECT_GT(long_one.height, 1.4 * one.height);
  EXPECT_THROW(film_strip(character, Film{}, options), Error);
}

TEST(Strip, StrobeShowsSeveralMoments) {
  const Character character = make_mannequin();
  const Film film = walking_film(character, 2);
  const Image one = strobe_picture(character, film, 1, 240, 90),
              five = strobe_picture(character, film, 5, 240, 90);
  const auto brown = [](const Image& image) {
    int count = 0;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) count += image.color(x, y).r > image.color(x, y).b + 30;
    return count;
  };
  EXPECT_GT(brown(five), 3 * brown(one));
}

std::string output_of(const std::string& command) {
  std::string out;
  if (FILE* pipe = ::popen(command.c_str(), "r")) {
    char text[256];
    while (std::fgets(text, sizeof text, pipe)) out += text;
    ::pclose(pipe);
  }
  return out;
}

TEST(Video, IsAnMp4OfTheRightSizeAndLength) {
  if (!program_exists("ffmpeg") || !program_exists("ffprobe")) GTEST_SKIP() << "ffmpeg is not installed";
  const TestFolder folder("video");
  const Character character = make_mannequin();
  VideoOptions options;
  options.width = 96;
  options.height = 64;
  options.frames_per_s = 10;
  double last = 0;
  options.progress = [&](double share) { last = share; };
  write_video(folder / "it's a walk.mp4", character, walking_film(character, 1), options);
  EXPECT_EQ(last, 1);
  const std::string probed = output_of(
      "ffprobe -v error -count_frames -select_streams v -show_entries "
      "stream=width,height,pix_fmt,nb_read_frames "
      "-of csv=p=0 \"" +
      (folder / "it's a walk.mp4").string() + "\"");
  EXPECT_EQ(probed, "96,64,yuv420p,11\n");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1);
}

TEST(Video, AFolderThatIsNotThereIsAnErrorAndLeavesNothing) {
  if (!program_exists("ffmpeg")) GTEST_SKIP() << "ffmpeg is not installed";
  const TestFolder folder("video_bad");
  EXPECT_THROW(
      {
        VideoWriter writer(folder / "none/a.mp4", 32, 32, 10);
        for (int i = 0; i < 300; ++i) writer.add(Image(32, 32));
        writer.finish();
      },
      Error);

  // One that is given up leaves no file.
  { VideoWriter writer(folder / "b.mp4", 32, 32, 10); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Video, WithoutFfmpegTheErrorSaysSo) {
  const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  ::setenv("PATH", "/nowhere", 1);
  try {
    VideoWriter writer("a.mp4", 32, 32, 10);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("ffmpeg is not installed"), std::string::npos);
  }
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace sinew
