#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/math.h"
#include "record/image.h"

namespace sinew {

namespace {

// A letter as pen strokes on a grid: baseline 0, small letters 10 high, capitals 14, descenders to -4.
// Strokes are points "x,y" joined by lines and parts of ellipses "@cx,cy,rx,ry,from,to" (degrees, y up); ";"
// lifts the pen.
struct Glyph {
  char32_t code;
  double width;
  const char* strokes;
};

constexpr Glyph kGlyphs[] = {
    {' ', 2.2, ""},
    {'!', 0, "0,14 0,4.6;0,0.2 0,0.3"},
    {'"', 3.2, "0,14 0,10.4;3.2,14 3.2,10.4"},
    {'#', 10, "3.4,14 1.6,0;8.4,14 6.6,0;0.4,9.6 10,9.6;0,4.4 9.6,4.4"},
    {'$', 8.8, "@4.4,10,3.8,2.9,30,270 @4.4,3.9,4.3,3.2,90,-150;4.4,15.4 4.4,-1.6"},
    {'%', 12, "@2.4,11,2.4,3,0,360;@9.6,3,2.4,3,0,360;10.4,14 1.6,0"},
    {'&', 10, "10,0 2,9.6 @4.2,11.4,2.5,2.6,215,-45 1.3,5.7 @3.8,3.4,3.8,3.4,135,330 9,6.4"},
    {'\'', 0, "0,14 0,10.4"},
    {'(', 2.6, "@6.2,6,6.2,9.4,126,234"},
    {')', 2.6, "@-3.6,6,6.2,9.4,54,-54"},
    {'*', 5.6, "2.8,7 2.8,13;0.2,8.5 5.4,11.5;0.2,11.5 5.4,8.5"},
    {'+', 8, "0,6 8,6;4,2 4,10"},
    {',', 1, "0.9,0.4 0,-2.6"},
    {'-', 5, "0,5.6 5,5.6"},
    {'.', 0, "0,0.2 0,0.3"},
    {'/', 6, "0,-1.6 6,15"},
    {'0', 8.4, "@4.2,7,4.2,7,0,360"},
    {'1', 8.4, "1.4,11.2 5,14 5,0"},
    {'2', 8.4, "@4.2,9.9,4,4.1,165,-38 0.2,0 8.4,0"},
    {'3', 8.4, "@4,10.5,3.6,3.5,152,-90 @4,3.5,4.2,3.5,90,-152"},
    {'4', 8.4, "6.4,0 6.4,14 0,3.8 8.4,3.8"},
    {'5', 8.4, "7.6,14 1.2,14 0.7,7 @4,4.5,4.2,4.5,132,-150"},
    {'6', 8.4, "6.2,14 0.7,6.9;@4.2,4.4,4.2,4.4,0,360"},
    {'7', 8.4, "0,14 8.4,14 3,0"},
    {'8', 8.4, "@4.2,10.6,3.5,3.4,0,360;@4.2,3.6,4.2,3.6,0,360"},
    {'9', 8.4, "2.2,0 7.7,7.1;@4.2,9.6,4.2,4.4,0,360"},
    {':', 0, "0,0.2 0,0.3;0,8.4 0,8.5"},
    {';', 1, "0.9,0.4 0,-2.6;0.9,8.4 0.9,8.5"},
    {'<', 7, "7,10 0,6 7,2"},
    {'=', 8, "0,8 8,8;0,4.2 8,4.2"},
    {'>', 7, "0,10 7,6 0,2"},
    {'?', 7.4, "@3.7,10.5,3.7,3.5,165,-60 3.7,6.4 3.7,4.6;3.7,0.2 3.7,0.3"},
    {'@', 13, "@6.4,6,2.9,3.4,0,360;9.3,9.4 9.3,5 @11.1,5,1.8,2.4,180,360 @6.5,6,6.5,7.6,0,310"},
    {'A', 11, "0,0 5.5,14 11,0;1.9,4.8 9.1,4.8"},
    {'B', 9, "0,0 0,14 5.2,14 @5.2,10.7,3.3,3.3,90,-90 0,7.4;5.2,7.4 @5.3,3.7,3.7,3.7,90,-90 0,0"},
    {'C', 10.2, "@6.4,7,6.4,7,52,308"},
    {'D', 10.4, "0,0 0,14 3.6,14 @3.6,7,6.8,7,90,-90 0,0"},
    {'E', 8, "8,14 0,14 0,0 8,0;0,7.4 7,7.4"},
    {'F', 7.6, "7.6,14 0,14 0,0;0,7.2 6.8,7.2"},
    {'G', 11.8, "@6.2,7,6.2,7,50,335 11.8,6.6 6.8,6.6"},
    {'H', 10, "0,0 0,14;10,0 10,14;0,7.2 10,7.2"},
    {'I', 0, "0,0 0,14"},
    {'J', 6.4, "6.4,14 6.4,3.8 @3.2,3.8,3.2,3.8,0,-160"},
    {'K', 9.5, "0,0 0,14;9,14 0,5.5;3.4,8.7 9.5,0"},
    {'L', 7.4, "0,14 0,0 7.4,0"},
    {'M', 12, "0,0 0,14 6,4.4 12,14 12,0"},
    {'N', 10, "0,0 0,14 10,0 10,14"},
    {'O', 12.4, "@6.2,7,6.2,7,0,360"},
    {'P', 8.9, "0,0 0,14 5,14 @5,10.2,3.9,3.8,90,-90 0,6.4"},
    {'Q', 12.4, "@6.2,7,6.2,7,0,360;7.6,3.6 12,-0.8"},
    {'R', 9.3, "0,0 0,14 5,14 @5,10.3,3.9,3.7,90,-90 0,6.6;5,6.6 9.3,0"},
    {'S', 8.8, "@4.4,10.6,3.8,3.4,28,270 @4.4,3.6,4.4,3.6,90,-150"},
    {'T', 10, "0,14 10,14;5,14 5,0"},
    {'U', 10, "0,14 0,4.8 @5,4.8,5,4.8,180,360 10,14"},
    {'V', 11, "0,14 5.5,0 11,14"},
    {'W', 15, "0,14 3.8,0 7.5,13 11.2,0 15,14"},
    {'X', 10, "0,0 10,14;0,14 10,0"},
    {'Y', 10, "0,14 5,7 10,14;5,7 5,0"},
    {'Z', 9.4, "0,14 9.4,14 0,0 9.4,0"},
    {'[', 2.8, "2.8,15 0,15 0,-3 2.8,-3"},
    {'\\', 6, "0,15 6,-1.6"},
    {']', 2.8, "0,15 2.8,15 2.8,-3 0,-3"},
    {'^', 7, "0,9.4 3.5,14 7,9.4"},
    {'_', 8, "0,-1.6 8,-1.6"},
    {'`', 2, "0,14 2,11.6"},
    {'a', 8, "8,10 8,0;@4,5,4,5,0,360"},
    {'b', 8, "0,14 0,0;@4,5,4,5,0,360"},
    {'c', 7.2, "@4.4,5,4.4,5,50,310"},
    {'d', 8, "8,14 8,0;@4,5,4,5,0,360"},
    {'e', 8.2, "0,5.2 8.2,5.2 @4.1,5.1,4.1,4.9,0,312"},
    {'f', 5, "5,13.9 @5,11,2.8,3,90,180 2.2,0;0,10 4.8,10"},
    {'g', 8, "8,10 8,-0.6 @4,-0.6,4,3.4,0,-150;@4,5,4,5,0,360"},
    {'h', 7.6, "0,14 0,0;0,6 @3.8,6.2,3.8,3.8,180,0 7.6,0"},
    {'i', 0, "0,10 0,0;0,13.4 0,13.5"},
    {'j', 2.2, "2.2,10 2.2,-1.6 @0,-1.6,2.2,2.4,0,-90;2.2,13.4 2.2,13.5"},
    {'k', 7, "0,14 0,0;6.6,10 0,4;2.6,6.4 7,0"},
    {'l', 1.8, "0,14 0,2 @1.8,2,1.8,2,180,270"},
    {'m', 12.4, "0,10 0,0;0,6.4 @3.1,6.8,3.1,3.2,180,0 6.2,0;6.2,6.4 @9.3,6.8,3.1,3.2,180,0 12.4,0"},
    {'n', 7.6, "0,10 0,0;0,6 @3.8,6.2,3.8,3.8,180,0 7.6,0"},
    {'o', 8.6, "@4.3,5,4.3,5,0,360"},
    {'p', 8, "0,10 0,-4;@4,5,4,5,0,360"},
    {'q', 8, "8,10 8,-4;@4,5,4,5,0,360"},
    {'r', 4.4, "0,10 0,0;0,5.8 @3.8,6,3.8,4,180,80"},
    {'s', 6.6, "@3.3,7.5,2.9,2.5,25,270 @3.3,2.5,3.3,2.5,90,-155"},
    {'t', 4.8, "2,13 2,2.8 @4.6,2.8,2.6,2.8,180,270;0,10 4.8,10"},
    {'u', 7.6, "0,10 0,3.8 @3.8,3.8,3.8,3.8,180,360;7.6,10 7.6,0"},
    {'v', 8, "0,10 4,0 8,10"},
    {'w', 11.6, "0,10 3,0 5.8,9.4 8.6,0 11.6,10"},
    {'x', 7.4, "0,0 7.4,10;0,10 7.4,0"},
    {'y', 8.2, "0,10 4.2,0.2;8.2,10 3.4,-2 @1.4,-1.9,2,2.1,-10,-90"},
    {'z', 7, "0,10 7,10 0,0 7,0"},
    {'{', 3.6, "3.6,15 @3.6,13,1.8,2,90,180 1.8,8 0,6 1.8,4 1.8,-1 @3.6,-1,1.8,2,180,270"},
    {'|', 0, "0,15 0,-3"},
    {'}', 3.6, "0,15 @0,13,1.8,2,90,0 1.8,8 3.6,6 1.8,4 1.8,-1 @0,-1,1.8,2,0,-90"},
    {'~', 8, "@2,6,2,1.8,180,0 @6,6,2,1.8,180,360"},
    {0xB0, 3.6, "@1.8,12,1.8,1.8,0,360"},
    {0xB1, 8, "0,7.4 8,7.4;4,3.4 4,11.4;0,0.6 8,0.6"},
    {0xB2, 4.6, "@2.3,12,2.2,2.2,165,-38 0.1,6.8 4.6,6.8"},
    {0xB5, 7.6, "0,10 0,-4;0,3.8 @3.8,3.8,3.8,3.8,180,360;7.6,10 7.6,0"},
    {0xB7, 0, "0,5.8 0,5.9"},
    {0xD7, 6.6, "0,2.4 6.6,9;0,9 6.6,2.4"},
    {0x2013, 7, "0,5.6 7,5.6"},
    {0x2014, 11, "0,5.6 11,5.6"},
    {0x2026, 8, "0,0.2 0,0.3;4,0.2 4,0.3;8,0.2 8,0.3"},
    {0x2192, 10, "0,5.8 10,5.8;6.6,9.2 10,5.8 6.6,2.4"},
    {0x2212, 8, "0,6 8,6"},
};
constexpr Glyph kUnknown = {0, 8, "0,0 0,13 8,13 8,0 0,0"};
constexpr double kCapital = 14;   // height of a capital on the grid
constexpr double kBetween = 3.8;  // space between letters

// The letter that an accented one of Latin-1 is built on; others as they are.
char32_t without_accent(char32_t code) {
  constexpr std::string_view kBase = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYPsaaaaaaaceeeeiiiidnooooo/ouuuuypy";
  return code >= 0xC0 && code <= 0xFF ? static_cast<char32_t>(kBase[code - 0xC0]) : code;
}

const Glyph& glyph_of(char32_t code) {
  for (const char32_t wanted : {code, without_accent(code)})
    for (const Glyph& glyph : kGlyphs)
      if (glyph.code == wanted) return glyph;
  return kUnknown;
}

// The next code point of UTF-8 text; a byte that begins none is taken as it is.
char32_t next_code(std::string_view text, size_t& i) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i++);
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  char32_t code = more == 0 ? lead : lead & (0x3F >> more);
  for (int k = 0; k < more && i < text.size() && (byte(i) & 0xC0) == 0x80; ++k)
    code = (code << 6) | (byte(i++) & 0x3F);
  return code;
}

struct Segment {
  Eigen::Vector2d a, b;
};

// Strokes as straight pieces, ellipses cut finely.
std::vector<Segment> flatten(const char* s) {
  std::vector<Segment> out;
  Eigen::Vector2d pen(0, 0);
  bool down = false;
  const auto to = [&](double x, double y) {
    const Eigen::Vector2d next(x, y);
    if (down) out.push_back({pen, next});
    pen = next;
    down = true;
  };
  const auto number = [&] {
    char* end = nullptr;
    const double value = std::strtod(s, &end);
    s = *end == ',' ? end + 1 : end;
    return value;
  };
  while (*s) {
    if (*s == ' ' || *s == ';') {
      if (*s++ == ';') down = false;
    } else if (*s == '@') {
      ++s;
      double arc[6];
      for (double& value : arc) value = number();
      const int pieces = std::max(4, static_cast<int>(std::abs(arc[5] - arc[4]) / 12));
      for (int k = 0; k <= pieces; ++k) {
        const double angle = radians(arc[4] + (arc[5] - arc[4]) * k / pieces);
        to(arc[0] + arc[2] * std::cos(angle), arc[1] + arc[3] * std::sin(angle));
      }
    } else {
      const double x = number(), y = number();
      to(x, y);
    }
  }
  return out;
}

double distance_to(const Segment& s, const Eigen::Vector2d& p) {
  const Eigen::Vector2d d = s.b - s.a;
  const double t = d.squaredNorm() > 0 ? std::clamp((p - s.a).dot(d) / d.squaredNorm(), 0.0, 1.0) : 0;
  return (p - s.a - t * d).norm();
}

// Inks every pixel near a stroke, by how much of it the pen covers.
void draw_glyph(Image& onto, double x, double y, const Glyph& glyph, const TextStyle& style) {
  const double scale = style.height_px / kCapital, pen = std::max(0.5, 0.5 * style.weight * style.height_px);
  const auto segments = flatten(glyph.strokes);
  const double color[3] = {double(style.color.r), double(style.color.g), double(style.color.b)};
  const int left = std::max(0, static_cast<int>(x - pen - 2));
  const int right = std::min(onto.width - 1, static_cast<int>(x + glyph.width * scale + pen + 2));
  const int top = std::max(0, static_cast<int>(y - 15.4 * scale - pen - 1));
  const int bottom = std::min(onto.height - 1, static_cast<int>(y + 4 * scale + pen + 1));
  for (int row = top; row <= bottom; ++row)
    for (int column = left; column <= right; ++column) {
      const Eigen::Vector2d p((column + 0.5 - x) / scale, (y - row - 0.5) / scale);
      double away = 1e9;
      for (const Segment& segment : segments) away = std::min(away, distance_to(segment, p));
      const double ink = style.opacity * std::clamp(pen - away * scale + 0.5, 0.0, 1.0);
      if (ink <= 0) continue;
      for (int c = 0; c < 3; ++c) {
        uint8_t& value = onto.at(column, row)[c];
        value = static_cast<uint8_t>(std::lround(value + (color[c] - value) * ink));
      }
    }
}

}  // namespace

void draw_text(Image& onto, double x, double y, std::string_view text, const TextStyle& style) {
  const double scale = style.height_px / kCapital;
  for (size_t i = 0; i < text.size();) {
    const Glyph& glyph = glyph_of(next_code(text, i));
    draw_glyph(onto, x, y, glyph, style);
    x += (glyph.width + kBetween) * scale;
  }
}

double text_width(std::string_view text, const TextStyle& style) {
  double width = 0;
  for (size_t i = 0; i < text.size();) width += glyph_of(next_code(text, i)).width + kBetween;
  return std::max(0.0, width - kBetween) * style.height_px / kCapital;
}

}  // namespace sinew
