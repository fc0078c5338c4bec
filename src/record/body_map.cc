#include "record/body_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "record/plot.h"
#include "record/pressure.h"
#include "record/tessellate.h"

namespace sinew {

namespace {

constexpr const char* kInk = "var(--plot-ink,#262c36)";
constexpr const char* kSoft = "var(--plot-soft,#687280)";
constexpr const char* kGrid = "var(--plot-grid,#e6e9ee)";
constexpr const char* kFont =
    "font-family='Inter,system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif'";
constexpr double kWidth = 1160, kScaleWidth = 300;
constexpr double kMargin = 22, kNames = 116, kNumbers = 96;
constexpr double kLowRow = 17, kHighRow = 25;  // heights of a line of time
constexpr double kFiguresHeight = 268, kTitle = 40, kScale = 46, kAroundLines = 76;
constexpr size_t kMoments = 180;  // at most so many cells of time in a line
constexpr int kShades = 32;       // at most so many colours in a line, so that neighbours can be one cell

// Light to dark.
constexpr std::array<std::array<double, 3>, 6> kColors = {
    {{255, 229, 120}, {253, 190, 75}, {245, 138, 60}, {224, 76, 62}, {178, 30, 84}, {104, 12, 92}}};

std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}
std::string px(double value) { return number(std::abs(value) < 0.05 ? 0 : value, 1); }
std::string kilopascals(double Pa) { return number(Pa / 1000, Pa < 9950 ? 1 : 0); }

void write_text(std::ostringstream& svg, double x, double y, const std::string& text, const char* color,
                const char* more = "") {
  svg << "<text x='" << px(x) << "' y='" << px(y) << "' fill='" << color << "' " << more << '>'
      << escape_xml(text) << "</text>";
}

// How users read the name of a body.
std::string name_of(const Body& body) {
  std::string name = body.part == Part::kNone ? body.name : std::string(part_name(body.part));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

// ---- the body

// From where a body is seen: the direction towards the viewer and the one to the right of the picture.
struct Side {
  const char* name;
  Vec3 towards, right;
};

// Everything of one entry that a map needs.
struct MapData {
  std::string title;
  const Recording* recording;
  std::vector<BodyLoad> loads;
  std::vector<Pose> X_WB;  // the rest stance
  Eigen::AlignedBox3d box;
};

MapData map_data(const BodyMapEntry& entry) {
  const Recording& recording = *entry.recording;
  MapData data{
      entry.title.empty() ? "Pressure on the body" : entry.title, &recording, body_loads(recording), {}, {}};
  data.X_WB = body_poses(recording.character, recording.character.q_rest);
  for (const Shape& shape : recording.character.shapes)
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0})
        data.box.extend(support(shape, data.X_WB[static_cast<size_t>(shape.body)], side * Vec3::Unit(axis)));
  return data;
}

// One that stands upright is seen from front and back, one on all fours from its sides.
std::array<Side, 2> sides_of(const MapData& data) {
  const Vec3 X = Vec3::UnitX(), Y = Vec3::UnitY();
  const Vec3 size = data.box.sizes();
  if (size.x() > size.z()) return {{{"left side", Y, -X}, {"right side", -Y, X}}};
  return {{{"front", X, Y}, {"back", -X, -Y}}};
}

// The outline of one body: the shadows of its shapes, which SVG joins to one area.
std::string outline(const MapData& data, size_t body, const Side& side, double scale) {
  std::string path;
  const Vec3 centre = data.box.center();
  for (const Shape& shape : data.recording->character.shapes) {
    if (static_cast<size_t>(shape.body) != body) continue;
    const Pose X_WS = data.X_WB[body] * shape.X_BS;
    std::vector<Vec2> points;
    for (const Vec3& p_S : tessellate(shape, 24).positions) {
      const Vec3 p = X_WS * p_S - centre;
      points.push_back(scale * Vec2(p.dot(side.right), p.z()));
    }
    const std::vector<Vec2> hull = flat_hull(std::move(points));
    for (size_t i = 0; i < hull.size(); ++i)
      path += (i == 0 ? "M" : "L") + px(hull[i].x()) + ' ' + px(-hull[i].y());
    if (!hull.empty()) path += 'Z';
  }
  return path;
}

// Bodies from the farthest to the nearest.
std::vector<size_t> by_depth(const MapData& data, const Side& side) {
  const size_t bodies = data.X_WB.size();
  std::vector<double> depth(bodies, 0), shapes(bodies, 0);
  for (const Shape& shape : data.recording->character.shapes) {
    const auto body = static_cast<size_t>(shape.body);
    depth[body] += (data.X_WB[body] * shape.X_BS.p).dot(side.towards);
    ++shapes[body];
  }
  std::vector<size_t> order(bodies);
  for (size_t i = 0; i < bodies; ++i) {
    order[i] = i;
    depth[i] /= std::max(shapes[i], 1.0);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return depth[a] < depth[b]; });
  return order;
}

// The body from one side within a box, named below.
void draw_figure(std::ostringstream& svg, const MapData& data, const Side& side, double left, double top,
                 double width, double height, double scale_Pa) {
  const Vec3 size = data.box.sizes();
  const double across = std::abs(side.right.dot(size));
  const double scale = std::min(width / across, (height - 20) / size.z());
  const std::vector<double> peaks = peak_pressures_facing(*data.recording, side.towards);
  svg << "<g transform='translate(" << px(left + 0.5 * width) << ' '
      << px(top + height - 20 - 0.5 * scale * size.z()) << ")' stroke='" << kSoft
      << "' stroke-width='1.8' stroke-linejoin='round' paint-order='stroke'>";
  for (const size_t body : by_depth(data, side)) {
    const std::string path = outline(data, body, side, scale);
    if (path.empty()) continue;
    const std::string pressure = peaks[body] > 0 ? kilopascals(peaks[body]) + " kPa" : "not touched here";
    svg << "<path fill='" << (peaks[body] > 0 ? pressure_color(peaks[body] / scale_Pa) : kGrid) << "' d='"
        << path << "'><title>" << escape_xml(name_of(data.recording->character.bodies[body])) << ": "
        << pressure << "</title></path>";
  }
  svg << "</g>";
  write_text(svg, left + 0.5 * width, top + height, side.name, kSoft, "text-anchor='middle'");
}

// ---- the scale

void draw_scale(std::ostringstream& svg, double left, double top, double width, double scale_Pa,
                bool beyond) {
  constexpr int kSteps = 40;
  write_text(svg, left, top, "highest pressure, kPa", kSoft);
  for (int i = 0; i < kSteps; ++i)
    svg << "<rect x='" << px(left + width * i / kSteps) << "' y='" << px(top + 8) << "' width='"
        << px(width / kSteps + 0.4) << "' height='10' fill='" << pressure_color((i + 0.5) / kSteps) << "'/>";
  for (const double tick : nice_ticks(0, scale_Pa / 1000, 4)) {
    const double x = left + width * 1000 * tick / scale_Pa;
    const bool last = beyond && 1000 * tick > 0.999 * scale_Pa;
    write_text(svg, x, top + 32, number(tick, scale_Pa < 3000 ? 1 : 0) + (last ? " and more" : ""), kInk,
               last ? "text-anchor='start' dx='-8'" : "text-anchor='middle'");
  }
}

// ---- the lines of time

// A part that was touched in an entry at least.
struct Line {
  std::string name;
  double height_m;  // in the rest stance
};

// From the head down, left before right.
std::vector<Line> lines_of(const std::vector<MapData>& all) {
  std::vector<Line> lines;
  for (const MapData& data : all)
    for (size_t body = 0; body < data.loads.size(); ++body) {
      const std::string name = name_of(data.recording->character.bodies[body]);
      const bool known =
          std::any_of(lines.begin(), lines.end(), [&](const Line& line) { return line.name == name; });
      if (data.loads[body].touched() && !known) lines.push_back({name, data.X_WB[body].p.z()});
    }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.height_m > b.height_m + 1e-6; });
  return lines;
}

// The highest pressure in each of a few stretches of time.
std::vector<double> moments_of(const std::vector<double>& pressure) {
  const size_t moments = std::min(pressure.size(), kMoments);
  std::vector<double> out(moments, 0);
  for (size_t i = 0; i < pressure.size(); ++i) {
    double& cell = out[i * moments / pressure.size()];
    cell = std::max(cell, pressure[i]);
  }
  return out;
}

// How lines of time are drawn: the same for all entries.
struct LineStyle {
  double scale_Pa, seconds, row;
};

// Cells of one shade in a row are one.
void draw_line(std::ostringstream& svg, const BodyLoad& load, double left, double top, double width,
               const LineStyle& style) {
  const std::vector<double> moments = moments_of(load.pressure_Pa);
  const auto shade = [&](size_t i) {
    if (moments[i] <= 0) return 0;
    return std::clamp(static_cast<int>(std::ceil(kShades * moments[i] / style.scale_Pa)), 1, kShades);
  };
  const double cell = width / static_cast<double>(moments.size());
  for (size_t from = 0, to = 0; from < moments.size(); from = to) {
    for (to = from + 1; to < moments.size() && shade(to) == shade(from);) ++to;
    if (shade(from) == 0) continue;
    svg << "<rect x='" << px(left + cell * static_cast<double>(from)) << "' y='" << px(top) << "' width='"
        << px(cell * static_cast<double>(to - from) + 0.3) << "' height='" << px(style.row - 3) << "' fill='"
        << pressure_color((shade(from) - 0.5) / kShades) << "'/>";
  }
}

void draw_time(std::ostringstream& svg, double start, double seconds, double left, double top, double width) {
  const std::vector<double> ticks = nice_ticks(start, start + seconds, 6);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  for (const double tick : ticks)
    write_text(svg, left + width * (tick - start) / seconds, top + 13,
               number(tick, step > 0.99    ? 0
                            : step > 0.099 ? 1
                                           : 2),
               kSoft, "text-anchor='middle'");
  write_text(svg, left + 0.5 * width, top + 29, "time, s", kSoft, "text-anchor='middle'");
}

// A line a part with time below and the highest values beside. All of it is kAroundLines higher than the
// lines.
void draw_lines(std::ostringstream& svg, const MapData& data, const std::vector<Line>& lines, double left,
                double top, double width, const LineStyle& style) {
  const double x = left + kNames, w = width - kNames - kNumbers, y = top + 34;
  const double pressures = x + w + 46, forces = x + w + kNumbers - 2;
  const double own = w * data.recording->duration_s() / style.seconds;
  write_text(svg, forces, top + 11, "highest", kSoft, "text-anchor='end'");
  write_text(svg, pressures, top + 26, "kPa", kSoft, "text-anchor='end'");
  write_text(svg, forces, top + 26, "N", kSoft, "text-anchor='end'");
  for (size_t i = 0; i < lines.size(); ++i) {
    const double row = y + style.row * static_cast<double>(i), base = row + 0.5 * style.row + 2.3;
    write_text(svg, x - 8, base, lines[i].name, kInk, "text-anchor='end'");
    svg << "<rect x='" << px(x) << "' y='" << px(row) << "' width='" << px(own) << "' height='"
        << px(style.row - 3) << "' fill='" << kGrid << "' fill-opacity='0.6'/>";
    for (size_t body = 0; body < data.loads.size(); ++body) {
      const BodyLoad& load = data.loads[body];
      if (!load.touched() || name_of(data.recording->character.bodies[body]) != lines[i].name) continue;
      draw_line(svg, load, x, row, own, style);
      write_text(svg, pressures, base, kilopascals(load.peak_pressure_Pa), kInk, "text-anchor='end'");
      write_text(svg, forces, base, number(load.peak_force_N, 0), kInk, "text-anchor='end'");
    }
  }
  draw_time(svg, data.recording->frames.front().time_s, style.seconds, x,
            y + style.row * static_cast<double>(lines.size()), w);
}

// ---- all of it

constexpr double kGap = 14;  // between the two figures

// How high the figures of all entries can be within this width.
double figures_height(const std::vector<MapData>& all, double width) {
  double height = 0;
  for (const MapData& data : all) {
    const Vec3 size = data.box.sizes();
    const double across = std::abs(sides_of(data)[0].right.dot(size));
    height = std::max(height, 0.5 * (width - kGap) / across * size.z() + 20);
  }
  return std::min(height, kFiguresHeight);
}

void draw_figures(std::ostringstream& svg, const MapData& data, double left, double width, double height,
                  double scale_Pa) {
  const double each = 0.5 * (width - kGap);
  const std::array<Side, 2> sides = sides_of(data);
  for (size_t i = 0; i < sides.size(); ++i)
    draw_figure(svg, data, sides[i], left + static_cast<double>(i) * (each + kGap), kTitle, each, height,
                scale_Pa);
}

double highest(const std::vector<MapData>& all) {
  double most = 0;
  for (const MapData& data : all)
    for (const BodyLoad& load : data.loads) most = std::max(most, load.peak_pressure_Pa);
  return most;
}

// The next round number.
double rounded_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (step * power >= value * (1 - 1e-12)) return step * power;
  return 10 * power;
}

double scale_of(const std::vector<MapData>& all) {
  double lasting = 0;
  for (const MapData& data : all)
    for (const BodyLoad& load : data.loads) lasting = std::max(lasting, load.lasting_pressure_Pa);
  const double end = lasting > 0 ? lasting : highest(all);
  return end > 0 ? rounded_up(end) : 0;
}

std::vector<MapData> all_data(const std::vector<BodyMapEntry>& entries) {
  std::vector<MapData> all;
  for (const BodyMapEntry& entry : entries)
    if (!entry.recording->frames.empty()) all.push_back(map_data(entry));
  return all;
}

}  // namespace

std::string pressure_color(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (static_cast<double>(kColors.size()) - 1);
  const size_t i = std::min(static_cast<size_t>(at), kColors.size() - 2);
  const double t = at - static_cast<double>(i);
  std::string text = "#";
  for (size_t k = 0; k < 3; ++k) {
    char hex[8];
    std::snprintf(hex, sizeof hex, "%02x",
                  static_cast<unsigned>(std::lround((1 - t) * kColors[i][k] + t * kColors[i + 1][k])) & 255U);
    text += hex;
  }
  return text;
}

double pressure_scale_Pa(const std::vector<BodyMapEntry>& entries) { return scale_of(all_data(entries)); }

std::string svg_body_map(const std::vector<BodyMapEntry>& entries) {
  const std::vector<MapData> all = all_data(entries);
  LineStyle style{scale_of(all), 1e-9, kLowRow};
  if (style.scale_Pa <= 0) return "";
  const std::vector<Line> lines = lines_of(all);
  for (const MapData& data : all) style.seconds = std::max(style.seconds, data.recording->duration_s());

  // One entry: its figures beside its lines. Several: a column each, figures above lines.
  const bool one = all.size() == 1;
  const auto count = static_cast<double>(lines.size());
  const double column = (kWidth - kMargin) / static_cast<double>(all.size()) - kMargin;
  const double beside = one ? 0.42 * column : 0, figures_width = one ? beside - 24 : column;
  const double figures = figures_height(all, figures_width), scale_top = kTitle + figures + 30;
  if (one) style.row = std::clamp((figures + 40) / count, kLowRow, kHighRow);
  const double lines_top = one ? kTitle - 24 : scale_top + kScale;
  const double height = std::max(scale_top + kScale, lines_top + kAroundLines + style.row * count);

  std::ostringstream svg;
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << px(kWidth) << ' ' << px(height)
      << "' width='" << px(kWidth) << "' height='" << px(height) << "' role='img' font-size='11' " << kFont
      << "><title>Where the body was pressed</title>"
      << "<rect width='100%' height='100%' fill='var(--plot-paper,#fff)'/>";
  for (size_t i = 0; i < all.size(); ++i) {
    const double left = kMargin + static_cast<double>(i) * (column + kMargin);
    write_text(svg, left, 22, all[i].title, kInk, "font-size='13' font-weight='600'");
    draw_figures(svg, all[i], left, figures_width, figures, style.scale_Pa);
    draw_lines(svg, all[i], lines, left + beside, lines_top, column - beside, style);
  }
  const double middle = one ? kMargin + 0.5 * figures_width : 0.5 * kWidth;
  draw_scale(svg, middle - 0.5 * kScaleWidth, scale_top, kScaleWidth, style.scale_Pa,
             highest(all) > style.scale_Pa);
  svg << "</svg>";
  return svg.str();
}

}  // namespace sinew
