#include "record/bars.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>
#include <vector>

namespace sinew {
namespace {

// Widths of the bars in the order in which they are drawn: they alone have the legend's colours and this
// height.
std::vector<double> widths(const std::string& svg) {
  std::vector<double> found;
  const std::regex bar("width='([0-9.]+)' height='10\\.0' rx");
  for (std::sregex_iterator it(svg.begin(), svg.end(), bar), end; it != end; ++it)
    found.push_back(std::stod((*it)[1]));
  return found;
}

TEST(Bars, AreAsLongAsTheirValues) {
  BarChart chart;
  chart.rows = {"a", "b", "c"};
  chart.series = {{"ours", {1, 2, 4}}};
  const auto bars = widths(svg_bars(chart));
  ASSERT_EQ(bars.size(), 3U);
  EXPECT_NEAR(bars[1] / bars[0], 2, 0.01);
  EXPECT_NEAR(bars[2] / bars[0], 4, 0.01);
}

TEST(Bars, GoByPowersOfTenOnALogarithmicAxis) {
  BarChart chart;
  chart.rows = {"a", "b"};
  chart.series = {{"theirs", {1000, 100}}, {"ours", {10, NAN}}};
  chart.logarithmic = true;
  const auto bars = widths(svg_bars(chart));
  ASSERT_EQ(bars.size(), 3U);  // what is not finite has none
  EXPECT_NEAR(bars[0] - bars[2], bars[2] - bars[1], 0.2);
}

TEST(Bars, TextIsMadeSafe) {
  BarChart chart;
  chart.title = "a < b";
  chart.caption = "x & y";
  chart.rows = {"<row>"};
  chart.series = {{"'s'", {0}}};
  const std::string svg = svg_bars(chart);
  for (const char* text : {"a &lt; b", "x &amp; y", "&lt;row&gt;", "&#39;s&#39;"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace sinew
