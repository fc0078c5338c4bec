#pragma once

#include <string>
#include <vector>

namespace sinew {

struct PlotSeries {
  std::string name;          // in the legend; empty: not listed
  std::vector<double> x, y;  // of one length; the line breaks where a value is not finite
  std::string color;         // "#rrggbb"; empty: the next of the palette
  bool dashed = false;
  std::vector<double> spread =
      {};  // a shade so far above and below the line, of the same length; empty: none
};

// A stretch of x that is marked: a light shade over the plot and a bar in the lane of its name below it.
struct PlotBand {
  std::string name;  // "left foot"; bands of one name share a lane and a colour
  double from = 0, to = 0;
};

struct Plot {
  std::string title;
  std::string x_label, y_label;
  std::vector<PlotSeries> series;
  std::vector<PlotBand> bands;
  int width = 720, height = 260;
  bool from_zero = false;    // the y axis includes 0
  bool logarithmic = false;  // the y axis goes by powers of ten; the line breaks where a value is not above 0
};

// The plot as an SVG element, complete in itself: light colours, which a page may change through the CSS
// variables --plot-paper, --plot-ink, --plot-soft and --plot-grid.
std::string svg_plot(const Plot& plot);

// Several plots below each other as one SVG element, with small print below.
std::string svg_plots(const std::vector<Plot>& plots, const std::string& caption = "");

// Round numbers from within [low, high], about `count` of them, as axis ticks.
std::vector<double> nice_ticks(double low, double high, int count);

// Text made safe for XML and HTML.
std::string escape_xml(const std::string& text);

}  // namespace sinew
