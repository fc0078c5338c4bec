#include "record/image.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "core/files.h"

namespace sinew {

Image::Image(int w, int h, Color fill) : width(w), height(h) {
  rgb.resize(3 * static_cast<size_t>(w) * static_cast<size_t>(h));
  for (size_t i = 0; i < rgb.size(); i += 3) {
    rgb[i] = fill.r;
    rgb[i + 1] = fill.g;
    rgb[i + 2] = fill.b;
  }
}

uint8_t* Image::at(int x, int y) {
  return rgb.data() + 3 * (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x));
}

const uint8_t* Image::at(int x, int y) const { return const_cast<Image*>(this)->at(x, y); }

Color Image::color(int x, int y) const {
  const uint8_t* p = at(x, y);
  return {p[0], p[1], p[2]};
}

std::string encode_png(const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;

  // Ask for the size with no memory first, then write.
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&png, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr))
    throw Error(std::string("a picture cannot be written as PNG: ") + png.message);
  bytes.resize(size);
  return bytes;
}

Image decode_png(std::string_view bytes, const std::string& name) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()))
    throw Error(name, 0, std::string("is no PNG that can be read: ") + png.message);

  // Sizes that no picture of ours has are refused before memory is taken.
  if (png.width > 32768 || png.height > 32768) {
    png_image_free(&png);
    throw Error(name, 0, "is larger than 32768 pixels a side");
  }
  png.format = PNG_FORMAT_RGB;
  Image image(static_cast<int>(png.width), static_cast<int>(png.height));
  const png_color white = {255, 255, 255};
  if (!png_image_finish_read(&png, &white, image.rgb.data(), 0, nullptr))
    throw Error(name, 0, std::string("is no PNG that can be read: ") + png.message);
  return image;
}

void write_png(const std::filesystem::path& path, const Image& image) { write_file(path, encode_png(image)); }

Image read_png(const std::filesystem::path& path) { return decode_png(read_file(path), path.string()); }

namespace {

// For each new cell along one side: the old cells that it covers, with their shares.
struct Share {
  int from = 0;
  std::vector<float> weight;
};

std::vector<Share> shares(int old_size, int new_size) {
  std::vector<Share> out(static_cast<size_t>(new_size));
  const double step = static_cast<double>(old_size) / new_size;
  for (int i = 0; i < new_size; ++i) {
    const double a = i * step, b = (i + 1) * step;
    Share& share = out[static_cast<size_t>(i)];
    share.from = static_cast<int>(a);
    for (int k = share.from; k < old_size && k < b - 1e-9; ++k)
      share.weight.push_back(static_cast<float>((std::min(b, k + 1.0) - std::max(a, k + 0.0)) / step));
  }
  return out;
}

}  // namespace

Image resize(const Image& image, int width, int height) {
  if (width == image.width && height == image.height) return image;
  const auto columns = shares(image.width, width), rows = shares(image.height, height);

  // Rows first into floats, then columns.
  Image out(width, height);
  std::vector<float> line(3 * static_cast<size_t>(image.width));
  for (int y = 0; y < height; ++y) {
    std::fill(line.begin(), line.end(), 0.0F);
    const Share& row = rows[static_cast<size_t>(y)];
    for (size_t k = 0; k < row.weight.size(); ++k) {
      const uint8_t* from = image.at(0, row.from + static_cast<int>(k));
      for (size_t i = 0; i < line.size(); ++i) line[i] += row.weight[k] * from[i];
    }
    for (int x = 0; x < width; ++x) {
      const Share& column = columns[static_cast<size_t>(x)];
      float sum[3] = {0.5F, 0.5F, 0.5F};
      for (size_t k = 0; k < column.weight.size(); ++k)
        for (size_t c = 0; c < 3; ++c)
          sum[c] += column.weight[k] * line[3 * (static_cast<size_t>(column.from) + k) + c];
      for (size_t c = 0; c < 3; ++c) out.at(x, y)[c] = static_cast<uint8_t>(std::clamp(sum[c], 0.0F, 255.0F));
    }
  }
  return out;
}

void paste(Image& onto, const Image& picture, int x, int y) {
  const int left = std::max(x, 0), right = std::min(x + picture.width, onto.width);
  if (right <= left) return;
  for (int row = std::max(y, 0); row < std::min(y + picture.height, onto.height); ++row)
    std::memcpy(onto.at(left, row), picture.at(left - x, row - y), 3 * static_cast<size_t>(right - left));
}

void fill_rectangle(Image& onto, int x, int y, int width, int height, Color color, double opacity) {
  const double channel[3] = {double(color.r), double(color.g), double(color.b)};
  for (int row = std::max(y, 0); row < std::min(y + height, onto.height); ++row)
    for (int column = std::max(x, 0); column < std::min(x + width, onto.width); ++column)
      for (int c = 0; c < 3; ++c) {
        uint8_t& value = onto.at(column, row)[c];
        value = static_cast<uint8_t>(std::lround(value + (channel[c] - value) * opacity));
      }
}

}  // namespace sinew
