#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "record/image.h"

namespace sinew {

namespace {

using Vec2 = Eigen::Vector2d;

constexpr double kRim_px = 1.3;
constexpr Color kRim = {252, 252, 253};

// A shaft with a triangle at its end, as the distance of a point from its outline: negative inside.
struct Arrow {
  Vec2 from, tip, along, side;
  double length, half_width, head, head_half;

  double distance(const Vec2& p) const {
    const double x = (p - from).dot(along), y = std::abs((p - from).dot(side));
    const double shaft = std::hypot(x - std::clamp(x, 0.0, std::max(length - head, 0.0)), y) - half_width;
    const double slant = std::hypot(head, head_half);
    const double edge = ((x - length) * head_half + y * head) / slant;
    return std::min(shaft, std::max(edge, length - head - x));
  }
};

void blend(uint8_t* pixel, Color color, double share) {
  const double channel[3] = {double(color.r), double(color.g), double(color.b)};
  for (int c = 0; c < 3; ++c)
    pixel[c] = static_cast<uint8_t>(std::lround(pixel[c] + (channel[c] - pixel[c]) * share));
}

}  // namespace

void draw_arrow(Image& onto, double from_x, double from_y, double to_x, double to_y, double width_px,
                Color color) {
  Arrow arrow;
  arrow.from = Vec2(from_x, from_y);
  arrow.tip = Vec2(to_x, to_y);
  arrow.length = (arrow.tip - arrow.from).norm();
  if (!(arrow.length > 0.5) || arrow.length > 1e5) return;
  arrow.along = (arrow.tip - arrow.from) / arrow.length;
  arrow.side = Vec2(-arrow.along.y(), arrow.along.x());
  arrow.half_width = 0.5 * width_px;
  arrow.head = std::min(3.6 * width_px, 0.7 * arrow.length);
  arrow.head_half = 0.45 * arrow.head;

  // All pixels that it may touch.
  const double room = std::max(arrow.half_width, arrow.head_half) + kRim_px + 1;
  const int left = std::max(0, static_cast<int>(std::min(from_x, to_x) - room));
  const int right = std::min(onto.width - 1, static_cast<int>(std::max(from_x, to_x) + room));
  const int top = std::max(0, static_cast<int>(std::min(from_y, to_y) - room));
  const int bottom = std::min(onto.height - 1, static_cast<int>(std::max(from_y, to_y) + room));
  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x) {
      const double d = arrow.distance(Vec2(x + 0.5, y + 0.5));
      if (d > kRim_px + 0.5) continue;
      blend(onto.at(x, y), kRim, 0.75 * std::clamp(kRim_px + 0.5 - d, 0.0, 1.0));
      blend(onto.at(x, y), color, std::clamp(0.5 - d, 0.0, 1.0));
    }
}

}  // namespace sinew
