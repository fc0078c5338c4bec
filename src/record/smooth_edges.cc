#include <algorithm>
#include <cmath>

#include "record/image.h"

// After FXAA (T. Lottes): where brightness steps, the pixel becomes a mean of its neighbours along the edge.
namespace sinew {

namespace {

constexpr int kMinStep = 12;          // brightness, 0 to 255: fainter steps are left alone
constexpr int kMinShare = 10;         // and steps below a tenth of the brightest neighbour
constexpr float kFarthestPixels = 6;  // that are blended along an edge

uint8_t brightness(const uint8_t* p) {
  return static_cast<uint8_t>((77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8);
}

// The darkest and brightest of each pixel of a row and its four diagonal neighbours; not of the first and
// last.
void extremes(const uint8_t* row, int width, uint8_t* low, uint8_t* high) {
  const uint8_t *up = row - width, *down = row + width;
  for (int x = 1; x + 1 < width; ++x) {
    low[x] = std::min(std::min(std::min(up[x - 1], up[x + 1]), std::min(down[x - 1], down[x + 1])), row[x]);
    high[x] = std::max(std::max(std::max(up[x - 1], up[x + 1]), std::max(down[x - 1], down[x + 1])), row[x]);
  }
}

struct Rgb {
  float r = 0, g = 0, b = 0;
  void add(const uint8_t* p, float weight) {
    r += weight * p[0];
    g += weight * p[1];
    b += weight * p[2];
  }
  float brightness() const { return 0.30F * r + 0.59F * g + 0.11F * b; }
};

// Between four pixels; beyond the border the nearest counts.
Rgb sample(const Image& image, float x, float y) {
  x = std::clamp(x, 0.0F, static_cast<float>(image.width - 1));
  y = std::clamp(y, 0.0F, static_cast<float>(image.height - 1));
  const int x0 = std::min(static_cast<int>(x), image.width - 2);
  const int y0 = std::min(static_cast<int>(y), image.height - 2);
  const float u = x - static_cast<float>(x0), v = y - static_cast<float>(y0);
  Rgb sum;
  sum.add(image.at(x0, y0), (1 - u) * (1 - v));
  sum.add(image.at(x0 + 1, y0), u * (1 - v));
  sum.add(image.at(x0, y0 + 1), (1 - u) * v);
  sum.add(image.at(x0 + 1, y0 + 1), u * v);
  return sum;
}

// The mean of pixels along the direction (dx, dy): a near pair, and a far pair unless that leaves the edge.
Rgb along_edge(const Image& image, int x, int y, float dx, float dy, float low, float high) {
  const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
  const auto pair = [&](float reach) {
    const Rgb a = sample(image, fx - reach * dx, fy - reach * dy);
    const Rgb b = sample(image, fx + reach * dx, fy + reach * dy);
    return Rgb{0.5F * (a.r + b.r), 0.5F * (a.g + b.g), 0.5F * (a.b + b.b)};
  };
  const Rgb near = pair(1.0F / 6), far = pair(0.5F);
  const Rgb both{0.5F * (near.r + far.r), 0.5F * (near.g + far.g), 0.5F * (near.b + far.b)};
  return both.brightness() < low || both.brightness() > high ? near : both;
}

}  // namespace

Image smooth_edges(const Image& image) {
  Image out = image;
  if (image.width < 3 || image.height < 3) return out;
  const auto width = static_cast<size_t>(image.width);
  std::vector<uint8_t> luma(width * static_cast<size_t>(image.height)), low(width), high(width);
  for (size_t i = 0; i < luma.size(); ++i) luma[i] = brightness(image.rgb.data() + 3 * i);

  for (int y = 1; y + 1 < image.height; ++y) {
    const uint8_t* row = luma.data() + static_cast<size_t>(y) * width;
    extremes(row, image.width, low.data(), high.data());
    for (int x = 1; x + 1 < image.width; ++x) {
      const int darkest = low[static_cast<size_t>(x)], brightest = high[static_cast<size_t>(x)];
      if (brightest - darkest < kMinStep || brightest - darkest < brightest / kMinShare) continue;

      // The four diagonal neighbours tell the direction of the edge.
      const uint8_t* at = row + x;
      const int up_left = at[-1 - image.width], up_right = at[1 - image.width];
      const int down_left = at[image.width - 1], down_right = at[image.width + 1];
      auto dx = static_cast<float>(down_left + down_right - up_left - up_right);
      auto dy = static_cast<float>(up_left + down_left - up_right - down_right);

      // As far as the edge is flat: the smaller part of the direction becomes about one pixel.
      const float reduce =
          std::max(0.03F * static_cast<float>(up_left + up_right + down_left + down_right), 2.0F);
      const float scale = 1 / (std::min(std::abs(dx), std::abs(dy)) + reduce);
      dx = std::clamp(dx * scale, -kFarthestPixels, kFarthestPixels);
      dy = std::clamp(dy * scale, -kFarthestPixels, kFarthestPixels);
      const Rgb mean =
          along_edge(image, x, y, dx, dy, static_cast<float>(darkest), static_cast<float>(brightest));
      uint8_t* to = out.at(x, y);
      to[0] = static_cast<uint8_t>(mean.r + 0.5F);
      to[1] = static_cast<uint8_t>(mean.g + 0.5F);
      to[2] = static_cast<uint8_t>(mean.b + 0.5F);
    }
  }
  return out;
}

}  // namespace sinew
