#include "record/image.h"

#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "core/files.h"
#include "record/folder.h"

namespace sinew {
namespace {

Image colourful(int width, int height) {
  Image image(width, height);
  for (size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = static_cast<uint8_t>((i * 7919) >> 3);
  return image;
}

int inked(const Image& image, Color paper) {
  int count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) count += !(image.color(x, y) == paper);
  return count;
}

TEST(Image, PngRoundTripKeepsEveryPixel) {
  const TestFolder folder("image");
  const Image image = colourful(37, 23);
  write_png(folder / "a.png", image);
  EXPECT_EQ(read_png(folder / "a.png"), image);
}

TEST(Image, WritingLeavesNothingBeside) {
  const TestFolder folder("image_beside");
  write_png(folder / "a.png", colourful(4, 4));
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1);
}

TEST(Image, WhatIsNoPngIsAnErrorThatNamesTheFile) {
  const TestFolder folder("image_bad");
  write_file(folder / "bad.png", "no picture");
  try {
    read_png(folder / "bad.png");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bad.png"), std::string::npos);
  }
  std::string cut = encode_png(colourful(40, 40));
  cut.resize(cut.size() / 2);
  EXPECT_THROW(decode_png(cut, "cut.png"), Error);
}

TEST(Image, ResizeKeepsTheMeanAndAnEvenColour) {
  const Image grey(30, 20, {90, 120, 200});
  EXPECT_EQ(resize(grey, 7, 13), Image(7, 13, {90, 120, 200}));

  // Halving averages four pixels.
  Image image(2, 2);
  image.at(0, 0)[0] = 100;
  image.at(1, 1)[0] = 60;
  EXPECT_EQ(resize(image, 1, 1).color(0, 0), (Color{40, 0, 0}));
}

TEST(Image, PasteIsCutOffAtTheEdges) {
  Image onto(10, 10, {0, 0, 0});
  paste(onto, Image(6, 6, {255, 0, 0}), 7, -3);
  EXPECT_EQ(onto.color(7, 0), (Color{255, 0, 0}));
  EXPECT_EQ(onto.color(9, 2), (Color{255, 0, 0}));
  EXPECT_EQ(inked(onto, {0, 0, 0}), 9);
}

// A black half plane with a slanting edge: its pixels, all black or white, come nearer to the share of each
// that is covered; what is not at the edge stays.
TEST(Image, SmoothedEdgesAreNearerToTheTruth) {
  Image steps(60, 40);
  std::vector<double> truth;
  double before = 0, after = 0;
  const auto covered = [](double x, double y) { return y > 8 + 0.35 * x; };
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 60; ++x) {
      double share = 0;
      for (int k = 0; k < 64; ++k) share += covered(x + (k % 8 + 0.5) / 8, y + (k / 8 + 0.5) / 8) / 64.0;
      truth.push_back(255 * share);
      std::fill_n(steps.at(x, y), 3, covered(x + 0.5, y + 0.5) ? 255 : 0);
    }
  const Image smooth = smooth_edges(steps);
  for (int y = 2; y < 38; ++y)
    for (int x = 2; x < 58; ++x) {
      const double wanted = truth[static_cast<size_t>(60 * y + x)];
      before += std::abs(*steps.at(x, y) - wanted);
      after += std::abs(*smooth.at(x, y) - wanted);
    }
  EXPECT_LT(after, 0.7 * before);
  EXPECT_EQ(smooth.color(50, 5), (Color{0, 0, 0}));
  EXPECT_EQ(smooth.color(5, 35), (Color{255, 255, 255}));
}

TEST(Image, AnArrowEndsAtItsTip) {
  Image image(100, 60, {0, 0, 255});
  draw_arrow(image, 10, 30, 80, 30, 4, {255, 0, 0});
  EXPECT_EQ(image.color(40, 30), (Color{255, 0, 0}));
  EXPECT_EQ(image.color(70, 34).r, 255);  // the head is wider
  EXPECT_EQ(image.color(40, 36), (Color{0, 0, 255}));
  EXPECT_EQ(image.color(85, 30), (Color{0, 0, 255}));
  const Image same = image;
  draw_arrow(image, 10, 10, 10, 10, 4, {0, 255, 0});  // no length, no arrow
  draw_arrow(image, -500, -900, -400, -800, 4, {0, 255, 0});
  EXPECT_EQ(image, same);
}

TEST(Text, EveryLetterDrawsSomethingOfItsOwn) {
  const Color paper = {255, 255, 255};
  std::set<std::vector<uint8_t>> pictures;
  for (char c = '!'; c <= '~'; ++c) {
    Image image(40, 40, paper);
    draw_text(image, 8, 28, std::string(1, c), {20, 0.12, {0, 0, 0}, 1});
    EXPECT_GT(inked(image, paper), 4) << c;
    pictures.insert(image.rgb);
  }
  EXPECT_EQ(pictures.size(), static_cast<size_t>('~' - '!' + 1));
}

TEST(Text, AccentedLettersAreReadable) {
  const TextStyle style{20, 0.12, {0, 0, 0}, 1};
  Image accented(120, 40, {255, 255, 255}), plain(120, 40, {255, 255, 255});
  draw_text(accented, 8, 28, "Ünïçødé", style);
  draw_text(plain, 8, 28, "Unicode", style);
  EXPECT_EQ(accented.rgb, plain.rgb);
}

TEST(Text, WidthCoversTheInkAndGrowsWithTheText) {
  const TextStyle style{20, 0.12, {0, 0, 0}, 1};
  const double width = text_width("Walking 12.5 °", style);
  Image image(400, 40, {255, 255, 255});
  draw_text(image, 10, 28, "Walking 12.5 °", style);
  int right = 0;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 400; ++x)
      if (image.color(x, y).r < 200) right = std::max(right, x);
  EXPECT_NEAR(right, 10 + width, 3);
  EXPECT_GT(text_width("Walking 12.5 °.", style), width);
  EXPECT_EQ(text_width("", style), 0);
}

TEST(Text, SurvivesBrokenUtf8AndPicturesThatAreTooSmall) {
  Image image(5, 5, {255, 255, 255});
  draw_text(image, -20, 3, "\xF0\x9F outside \xFF", {30, 0.12, {0, 0, 0}, 1});
  draw_text(image, 100, 100, "far away");
  EXPECT_EQ(image.width, 5);
}

}  // namespace
}  // namespace sinew
