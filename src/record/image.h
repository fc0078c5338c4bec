#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

struct Color {
  uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Color&) const = default;
};

// An RGB picture with 8 bits a channel; rows from top to bottom, pixels from left to right.
struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // 3 * width * height

  Image() = default;
  Image(int width, int height, Color fill = {});
  // First of the three channels of a pixel inside the picture.
  uint8_t* at(int x, int y);
  const uint8_t* at(int x, int y) const;
  Color color(int x, int y) const;
  bool operator==(const Image&) const = default;
};

// PNG bytes of a picture, and back. `name` is used in errors. Throws Error.
std::string encode_png(const Image& image);
Image decode_png(std::string_view bytes, const std::string& name);

// The same with files; writing goes beside the target and renames. Throws Error naming the file.
void write_png(const std::filesystem::path& path, const Image& image);
Image read_png(const std::filesystem::path& path);

// Another size; each new pixel is the mean of the area that it covers.
Image resize(const Image& image, int width, int height);

// Copies a picture into another with its top left corner at (x, y); what stands over is cut off.
void paste(Image& onto, const Image& picture, int x, int y);

// Lays a colour over a rectangle; what stands over is cut off. `opacity` in 0..1.
void fill_rectangle(Image& onto, int x, int y, int width, int height, Color color, double opacity = 1);

// Blends pixels along the steps of slanting edges, as pictures that were drawn with one sample a pixel have
// them; even areas stay as they are.
Image smooth_edges(const Image& image);

// An arrow with its tip at (to_x, to_y) and a thin light rim, anti-aliased. `width_px` is that of its shaft.
void draw_arrow(Image& onto, double from_x, double from_y, double to_x, double to_y, double width_px,
                Color color);

// How text is drawn: a stroke font of one weight with rounded ends, anti-aliased.
struct TextStyle {
  double height_px = 14;  // of a capital letter
  double weight = 0.125;  // width of the strokes by the height
  Color color = {40, 46, 56};
  double opacity = 1;
};

// Writes a line of UTF-8 text with the left end of its baseline at (x, y). ASCII and a few signs (degree,
// middle dot, dash, times, arrow, micro, squared) have glyphs; others show as an empty box.
void draw_text(Image& onto, double x, double y, std::string_view text, const TextStyle& style = {});
double text_width(std::string_view text, const TextStyle& style = {});

}  // namespace sinew
