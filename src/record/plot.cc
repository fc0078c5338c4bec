#include "record/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <sstream>

namespace sinew {

namespace {

constexpr const char* kPalette[] = {"#2f6fb5", "#d9622b", "#2f9468", "#8a5bb0",
                                    "#b38f1d", "#3aa3ba", "#b8406a", "#6b7683"};
constexpr size_t kColors = std::size(kPalette);
constexpr double kLane = 9;                // height of one lane of bands, px
constexpr double kLegendLine = 16;         // of one line of the legend, px
constexpr double kLeft = 58, kRight = 14;  // beside the plot, px
constexpr const char* kFont =
    "font-family='Inter,system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif'";

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string brief(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// Pixels with a tenth are enough.
std::string px(double value) { return number(std::abs(value) < 0.05 ? 0 : value, 1); }

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void extend(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Where data lands on the picture.
struct Frame {
  double left, right, top, bottom;  // px
  Range x, y;                       // y: decadic logarithms where the axis goes by them
  bool logarithmic = false;
  double scaled(double v) const { return logarithmic ? (v > 0 ? std::log10(v) : std::nan("")) : v; }
  double px_x(double v) const { return left + (v - x.low) / (x.high - x.low) * (right - left); }
  double px_y(double v) const { return bottom - (scaled(v) - y.low) / (y.high - y.low) * (bottom - top); }
};

std::vector<std::string> lane_names(const Plot& plot) {
  std::vector<std::string> names;
  for (const PlotBand& band : plot.bands)
    if (std::find(names.begin(), names.end(), band.name) == names.end()) names.push_back(band.name);
  return names;
}

struct LegendEntry {
  std::string name, color;
  bool dashed, band;
};

// The colour of a name: lines take the palette in order, a band takes that of the line of its name.
std::string line_color(const Plot& plot, size_t i) {
  return plot.series[i].color.empty() ? kPalette[i % kColors] : escape_xml(plot.series[i].color);
}

std::string band_color(const Plot& plot, const std::vector<std::string>& lanes, const std::string& name) {
  for (size_t i = 0; i < plot.series.size(); ++i)
    if (plot.series[i].name == name) return line_color(plot, i);
  const auto lane = static_cast<size_t>(std::find(lanes.begin(), lanes.end(), name) - lanes.begin());
  return kPalette[(plot.series.size() + lane) % kColors];
}

// Lines first, then the bands that have no line.
std::vector<LegendEntry> legend_of(const Plot& plot, const std::vector<std::string>& lanes) {
  std::vector<LegendEntry> entries;
  for (size_t i = 0; i < plot.series.size(); ++i)
    if (!plot.series[i].name.empty())
      entries.push_back({plot.series[i].name, line_color(plot, i), plot.series[i].dashed, false});
  for (const std::string& name : lanes)
    if (std::none_of(entries.begin(), entries.end(), [&](const LegendEntry& e) { return e.name == name; }))
      entries.push_back({name, band_color(plot, lanes, name), false, true});
  return entries;
}

// Places keys in lines under the title, widths of letters estimated; draws them and returns how many lines.
int draw_legend(std::ostringstream& svg, const std::vector<LegendEntry>& entries, double left, double right) {
  double x = left, y = 33;
  int lines = entries.empty() ? 0 : 1;
  svg << "<g font-size='11' fill='var(--plot-ink,#262c36)'>";
  for (const LegendEntry& entry : entries) {
    const double width = 21 + 6.1 * static_cast<double>(entry.name.size());
    if (x > left && x + width > right) {
      x = left;
      y += kLegendLine;
      ++lines;
    }
    if (entry.band)
      svg << "<rect x='" << px(x) << "' y='" << px(y - 3) << "' width='16' height='6' rx='2' fill='"
          << entry.color << "' fill-opacity='0.75'/>";
    else
      svg << "<path d='M" << px(x) << ' ' << px(y) << "h16' stroke='" << entry.color << "' stroke-width='2'"
          << (entry.dashed ? " stroke-dasharray='5 3'" : "") << "/>";
    svg << "<text x='" << px(x + 21) << "' y='" << px(y + 4) << "'>" << escape_xml(entry.name) << "</text>";
    x += width + 16;
  }
  svg << "</g>";
  return lines;
}

Frame lay_out(const Plot& plot, size_t lanes, int legend_lines) {
  Frame frame;
  frame.logarithmic = plot.logarithmic;
  for (const PlotSeries& s : plot.series) {
    for (const double v : s.x) frame.x.extend(v);
    for (const double v : s.y) frame.y.extend(frame.scaled(v));
    for (size_t i = 0; i < std::min(s.y.size(), s.spread.size()); ++i) {
      frame.y.extend(frame.scaled(s.y[i] - s.spread[i]));
      frame.y.extend(frame.scaled(s.y[i] + s.spread[i]));
    }
  }
  if (plot.from_zero && !plot.logarithmic) frame.y.extend(0);
  const auto widen = [](Range& range, double share) {
    if (range.low > range.high) range = {0, 1};
    const double size = range.high - range.low, scale = std::max(1.0, std::abs(range.high));
    // What does not change is a line in the middle, and rounding errors are no change.
    const double more = size > 1e-6 * scale ? share * size : 0.5 * scale;
    range.low -= more;
    range.high += more;
  };
  const bool zero_floor = plot.from_zero && frame.y.low == 0;
  if (!(frame.x.high > frame.x.low)) widen(frame.x, 0);
  widen(frame.y, 0.06);
  if (zero_floor) frame.y.low = 0;
  frame.left = kLeft;
  frame.right = plot.width - kRight;
  frame.top = 30 + kLegendLine * legend_lines;
  frame.bottom = plot.height - 40 - kLane * static_cast<double>(lanes) - (lanes > 0 ? 4 : 0);
  return frame;
}

int digits_of(const std::vector<double>& ticks) {
  if (ticks.size() < 2) return 2;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(std::abs(ticks[1] - ticks[0])) - 1e-6)), 0, 6);
}

std::vector<double> powers_of_ten(const Range& logarithms) {
  std::vector<double> powers;
  for (double k = std::ceil(logarithms.low); k <= logarithms.high; ++k) powers.push_back(std::pow(10, k));
  return powers;
}

void draw_axes(std::ostringstream& svg, const Plot& plot, const Frame& f, double lanes_px) {
  const auto y_ticks = f.logarithmic ? powers_of_ten(f.y) : nice_ticks(f.y.low, f.y.high, 5);
  const auto x_ticks = nice_ticks(f.x.low, f.x.high, 9);
  const int y_digits = digits_of(y_ticks), x_digits = digits_of(x_ticks);
  svg << "<g stroke='var(--plot-grid,#e3e7ec)' stroke-width='1'>";
  for (const double t : y_ticks)
    svg << "<path d='M" << px(f.left) << ' ' << px(f.px_y(t)) << "H" << px(f.right) << "'/>";
  for (const double t : x_ticks)
    svg << "<path d='M" << px(f.px_x(t)) << ' ' << px(f.top) << "V" << px(f.bottom + lanes_px) << "'/>";
  svg << "</g><g font-size='11' fill='var(--plot-soft,#687280)'>";
  for (const double t : y_ticks)
    svg << "<text x='" << px(f.left - 7) << "' y='" << px(f.px_y(t) + 3.8) << "' text-anchor='end'>"
        << (f.logarithmic ? brief(t) : number(t, y_digits)) << "</text>";
  for (const double t : x_ticks)
    svg << "<text x='" << px(f.px_x(t)) << "' y='" << px(f.bottom + lanes_px + 16)
        << "' text-anchor='middle'>" << number(t, x_digits) << "</text>";
  svg << "<text x='" << px(0.5 * (f.left + f.right)) << "' y='" << px(f.bottom + lanes_px + 32)
      << "' text-anchor='middle'>" << escape_xml(plot.x_label) << "</text>"
      << "<text transform='translate(14 " << px(0.5 * (f.top + f.bottom))
      << ") rotate(-90)' text-anchor='middle'>" << escape_xml(plot.y_label) << "</text></g>";
}

// Each name's bars in its own lane under the plot, and its shade over it.
void draw_bands(std::ostringstream& svg, const Plot& plot, const Frame& f,
                const std::vector<std::string>& names) {
  for (const PlotBand& band : plot.bands) {
    const auto lane = static_cast<size_t>(std::find(names.begin(), names.end(), band.name) - names.begin());
    const double from = f.px_x(std::clamp(band.from, f.x.low, f.x.high));
    const double width = f.px_x(std::clamp(band.to, f.x.low, f.x.high)) - from;
    const std::string color = band_color(plot, names, band.name);
    if (lane < 2)
      svg << "<rect x='" << px(from) << "' y='" << px(f.top) << "' width='" << px(width) << "' height='"
          << px(f.bottom - f.top) << "' fill='" << color << "' fill-opacity='0.07'/>";
    svg << "<rect x='" << px(from) << "' y='" << px(f.bottom + 4 + kLane * static_cast<double>(lane))
        << "' width='" << px(width) << "' height='" << px(kLane - 3) << "' rx='2' fill='" << color
        << "' fill-opacity='0.75'><title>" << escape_xml(band.name) << ' ' << number(band.from, 2) << " to "
        << number(band.to, 2) << "</title></rect>";
  }
}

// The shade around a line: there above it, back below it.
void draw_spread(std::ostringstream& svg, const PlotSeries& s, const Frame& f, const std::string& color) {
  const size_t n = std::min({s.x.size(), s.y.size(), s.spread.size()});
  if (n == 0) return;
  svg << "<path fill='" << color << "' fill-opacity='0.18' d='";
  for (size_t k = 0; k < 2 * n; ++k) {
    const size_t i = k < n ? k : 2 * n - 1 - k;
    const double y = s.y[i] + (k < n ? s.spread[i] : -s.spread[i]);
    svg << (k == 0 ? 'M' : 'L') << px(f.px_x(s.x[i])) << ' ' << px(f.px_y(y));
  }
  svg << "Z'/>";
}

// A line through the finite points, with no more of them than the picture can show.
void draw_series(std::ostringstream& svg, const PlotSeries& s, const Frame& f, const std::string& color) {
  svg << "<path fill='none' stroke='" << color << "' stroke-width='1.6' stroke-linejoin='round'"
      << (s.dashed ? " stroke-dasharray='5 4'" : "") << " d='";
  const size_t n = std::min(s.x.size(), s.y.size());
  const size_t step = std::max<size_t>(1, n / 2000);
  bool down = false;
  for (size_t i = 0; i < n; i += step) {
    if (!std::isfinite(s.x[i]) || !std::isfinite(f.scaled(s.y[i]))) {
      down = false;
      continue;
    }
    svg << (down ? 'L' : 'M') << px(f.px_x(s.x[i])) << ' ' << px(f.px_y(s.y[i]));
    down = true;
  }
  svg << "'/>";
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, int count) {
  std::vector<double> ticks;
  if (!(high > low) || count < 1) return ticks;
  const double rough = (high - low) / count, power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0})
    if (std::abs(std::log(factor * power / rough)) < std::abs(std::log(step / rough))) step = factor * power;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    ticks.push_back(k == 0 ? 0 : k * step);
  return ticks;
}

std::string escape_xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
      out += c;
  }
  return out;
}

std::string svg_plot(const Plot& plot) {
  const auto lanes = lane_names(plot);
  const double lanes_px = lanes.empty() ? 0 : kLane * static_cast<double>(lanes.size()) + 4;
  std::ostringstream svg;
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << plot.width << ' ' << plot.height
      << "' width='" << plot.width << "' height='" << plot.height << "' role='img' " << kFont << ">"
      << "<title>" << escape_xml(plot.title) << "</title>"
      << "<rect width='100%' height='100%' fill='var(--plot-paper,#fff)'/>"
      << "<text x='" << px(kLeft) << "' y='19' font-size='13' font-weight='600' "
      << "fill='var(--plot-ink,#262c36)'>" << escape_xml(plot.title) << "</text>";
  const int legend_lines = draw_legend(svg, legend_of(plot, lanes), kLeft, plot.width - kRight);
  const Frame frame = lay_out(plot, lanes.size(), legend_lines);
  draw_bands(svg, plot, frame, lanes);
  draw_axes(svg, plot, frame, lanes_px);
  for (size_t i = 0; i < plot.series.size(); ++i)
    draw_spread(svg, plot.series[i], frame, line_color(plot, i));
  for (size_t i = 0; i < plot.series.size(); ++i)
    draw_series(svg, plot.series[i], frame, line_color(plot, i));
  svg << "</svg>";
  return svg.str();
}

std::string svg_plots(const std::vector<Plot>& plots, const std::string& caption) {
  int width = 0, height = 0;
  for (const Plot& plot : plots) {
    width = std::max(width, plot.width);
    height += plot.height;
  }
  const int print_y = height + 12;
  if (!caption.empty()) height += 24;
  std::ostringstream svg;
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << width << ' ' << height << "' width='"
      << width << "' height='" << height << "'>";
  int y = 0;
  for (const Plot& plot : plots) {
    svg << "<g transform='translate(0 " << y << ")'>" << svg_plot(plot) << "</g>";
    y += plot.height;
  }
  if (!caption.empty())
    svg << "<rect y='" << y << "' width='100%' height='24' fill='var(--plot-paper,#fff)'/><text x='16' y='"
        << print_y << "' font-size='10' " << kFont << " fill='var(--plot-soft,#687280)'>"
        << escape_xml(caption) << "</text>";
  svg << "</svg>";
  return svg.str();
}

}  // namespace sinew
