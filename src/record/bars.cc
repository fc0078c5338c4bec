#include "record/bars.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <sstream>

#include "record/plot.h"

namespace sinew {

namespace {

constexpr const char* kColors[] = {"#9aa4b0", "#2f6fb5", "#d9622b", "#2f9468"};
constexpr double kWidth = 720, kLeft = 176, kRight = 70;  // px
constexpr double kTop = 58, kBar = 12, kGap = 10, kBottom = 62;

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : "%.3g", value);
  return text;
}

// From values to pixels.
struct Axis {
  double low = 0, high = 1;  // values, or their decadic logarithms
  bool logarithmic = false;
  double px(double value) const {
    const double at = logarithmic ? std::log10(value) : value;
    return kLeft + (at - low) / (high - low) * (kWidth - kLeft - kRight);
  }
  std::vector<double> ticks() const {
    if (!logarithmic) return nice_ticks(low, high, 6);
    std::vector<double> powers;
    for (double power = low; power <= high; ++power) powers.push_back(std::pow(10, power));
    return powers;
  }
};

bool shown(double value) { return std::isfinite(value) && value > 0; }

// Wide enough for all bars; a logarithmic one begins and ends at a power of ten.
Axis axis_of(const BarChart& chart) {
  double least = INFINITY, most = 0;
  for (const BarSeries& series : chart.series)
    for (const double value : series.values)
      if (shown(value)) {
        least = std::min(least, value);
        most = std::max(most, value);
      }
  if (most == 0) return {};
  if (!chart.logarithmic) return {0, 1.05 * most, false};
  const double low = std::floor(std::log10(0.8 * least));
  return {low, std::max(std::ceil(std::log10(most)), low + 1), true};
}

void draw_axis(std::ostream& svg, const BarChart& chart, const Axis& axis, double bottom) {
  for (const double tick : axis.ticks())
    svg << "<path stroke='var(--plot-grid,#e3e7ec)' d='M" << axis.px(tick) << ' ' << kTop - 6 << 'V' << bottom
        << "'/><text x='" << axis.px(tick) << "' y='" << bottom + 15
        << "' text-anchor='middle' fill='var(--plot-soft,#687280)'>" << short_number(tick) << "</text>";
  svg << "<text x='" << 0.5 * (kLeft + kWidth - kRight) << "' y='" << bottom + 32
      << "' text-anchor='middle' fill='var(--plot-soft,#687280)'>" << escape_xml(chart.x_label) << "</text>";
}

void draw_legend(std::ostream& svg, const BarChart& chart) {
  double x = kLeft;
  for (size_t s = 0; s < chart.series.size(); ++s) {
    const std::string& name = chart.series[s].name;
    svg << "<rect x='" << x << "' y='30' width='12' height='10' rx='2' fill='"
        << kColors[s % std::size(kColors)] << "'/><text x='" << x + 18 << "' y='39'>" << escape_xml(name)
        << "</text>";
    x += 40 + 6.1 * static_cast<double>(name.size());
  }
}

// The bars of one row with their values, the name before them.
void draw_row(std::ostream& svg, const BarChart& chart, const Axis& axis, size_t row, double top) {
  const double middle = top + 0.5 * kBar * static_cast<double>(chart.series.size());
  svg << "<text x='" << kLeft - 8 << "' y='" << middle + 4 << "' text-anchor='end'>"
      << escape_xml(chart.rows[row]) << "</text>";
  for (size_t s = 0; s < chart.series.size(); ++s) {
    const auto& values = chart.series[s].values;
    if (row >= values.size() || !shown(values[row])) continue;
    const double y = top + kBar * static_cast<double>(s), end = axis.px(values[row]);
    svg << "<rect x='" << kLeft << "' y='" << y << "' width='" << std::max(end - kLeft, 1.0) << "' height='"
        << kBar - 2 << "' rx='2' fill='" << kColors[s % std::size(kColors)] << "'/><text x='" << end + 5
        << "' y='" << y + 9 << "' font-size='10'>" << short_number(values[row]) << "</text>";
  }
}

}  // namespace

std::string svg_bars(const BarChart& chart) {
  const Axis axis = axis_of(chart);
  const double group = kBar * static_cast<double>(chart.series.size()) + kGap;
  const double bottom = kTop + group * static_cast<double>(chart.rows.size());
  std::ostringstream svg;
  svg.setf(std::ios::fixed);
  svg.precision(1);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << kWidth << ' ' << bottom + kBottom
      << "' width='" << kWidth << "' height='" << bottom + kBottom
      << "' role='img' font-family='Inter,system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif' "
         "font-size='11' fill='var(--plot-ink,#262c36)'><title>"
      << escape_xml(chart.title) << "</title><rect width='100%' height='100%' fill='var(--plot-paper,#fff)'/>"
      << "<text x='16' y='19' font-size='13' font-weight='600'>" << escape_xml(chart.title) << "</text>";
  draw_legend(svg, chart);
  draw_axis(svg, chart, axis, bottom);
  for (size_t row = 0; row < chart.rows.size(); ++row)
    draw_row(svg, chart, axis, row, kTop + group * static_cast<double>(row));
  svg << "<text x='16' y='" << bottom + 52 << "' font-size='10' fill='var(--plot-soft,#687280)'>"
      << escape_xml(chart.caption) << "</text></svg>";
  return svg.str();
}

}  // namespace sinew
