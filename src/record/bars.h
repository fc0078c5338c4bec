#pragma once

#include <string>
#include <vector>

namespace sinew {

struct BarSeries {
  std::string name;            // in the legend
  std::vector<double> values;  // one a row; not finite or not above 0: no bar
};

// Figures side by side: groups of horizontal bars, a group a row.
struct BarChart {
  std::string title, caption;  // above and below it
  std::string x_label;
  std::vector<std::string> rows;  // names, from above
  std::vector<BarSeries> series;
  bool logarithmic = false;
};

// The chart as an SVG element, complete in itself, with the colours of svg_plot.
std::string svg_bars(const BarChart& chart);

}  // namespace sinew
