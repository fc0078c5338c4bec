#include "record/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "core/math.h"
#include "record/mannequin.h"
#include "record/motion_plots.h"
#include "record/xml.h"

namespace sinew {
namespace {

Plot waves() {
  Plot plot;
  plot.title = "Heights <of> \"feet\" & 'hands'";
  plot.x_label = "time, s";
  plot.y_label = "m";
  for (const char* name : {"left", "right & wrong"}) {
    PlotSeries line;
    line.name = name;
    for (int i = 0; i < 100; ++i) {
      line.x.push_back(0.01 * i);
      line.y.push_back(std::sin(0.1 * i));
    }
    plot.series.push_back(line);
  }
  plot.bands = {{"left", 0.1, 0.3}, {"hand", 0.2, 5.0}};
  return plot;
}

TEST(Xml, TheCheckerFindsFaults) {
  EXPECT_EQ(xml_fault("<a b='1 > 0'><c/>x &amp; y</a>"), "");
  EXPECT_NE(xml_fault("<a><b></a></b>"), "");
  EXPECT_NE(xml_fault("<a>x & y</a>"), "");
  EXPECT_NE(xml_fault("<a>"), "");
  EXPECT_NE(xml_fault("<a b='<'/>"), "");
}

TEST(Plot, IsWellFormedXml) {
  EXPECT_EQ(xml_fault(svg_plot(waves())), "");
  EXPECT_EQ(xml_fault(svg_plot(Plot{})), "");
  Plot constant;
  constant.series.push_back({"one point", {1}, {2}, "", false});
  EXPECT_EQ(xml_fault(svg_plot(constant)), "");
}

TEST(Plot, RoundingErrorsAreNotBlownUp) {
  Plot still;
  still.series.push_back({"at rest", {0, 1, 2}, {0, 1e-9, -3e-8}, "", false});
  EXPECT_EQ(svg_plot(still).find("0.000"), std::string::npos);
}

TEST(Plot, GoesByPowersOfTenOnALogarithmicAxis) {
  Plot plot;
  plot.logarithmic = true;
  plot.series.push_back({"", {0, 1, 2, 3, 4}, {0.01, 1, 100, 0, -1}, "#123456", false});
  const std::string svg = svg_plot(plot);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  for (const char* tick : {">0.01<", ">0.1<", ">1<", ">10<", ">100<"})
    EXPECT_NE(svg.find(tick), std::string::npos) << tick;

  // Equal factors are equal distances; what is not above 0 is left out.
  const size_t line = svg.find(" d='", svg.find("stroke='#123456'", svg.find("fill='none'"))) + 4;
  double x[3], y[3];
  ASSERT_EQ(
      std::sscanf(svg.c_str() + line, "M%lf %lfL%lf %lfL%lf %lf'", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]),
      6);
  EXPECT_NEAR(y[0] - y[1], y[1] - y[2], 0.11);
  EXPECT_GT(y[0] - y[1], 20);
}

TEST(Plot, SmallPrintGoesBelow) {
  const std::string svg = svg_plots({waves(), waves()}, "made by <us>");
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_NE(svg.find("made by &lt;us&gt;"), std::string::npos);
}

TEST(Plot, NeverWritesNumbersThatAreNone) {
  Plot plot = waves();
  plot.series[0].y[10] = std::numeric_limits<double>::quiet_NaN();
  plot.series[0].y[20] = std::numeric_limits<double>::infinity();
  const std::string svg = svg_plot(plot);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);

  // The line is lifted at both: three pieces.
  const size_t path = svg.find("stroke-linejoin");
  const std::string d = svg.substr(path, svg.find("/>", path) - path);
  EXPECT_EQ(std::count(d.begin(), d.end(), 'M'), 3);
}

TEST(Plot, TicksAreRoundAndInside) {
  const auto ticks = nice_ticks(-0.13, 0.92, 5);
  ASSERT_GE(ticks.size(), 4U);
  for (const double t : ticks) {
    EXPECT_GE(t, -0.13);
    EXPECT_LE(t, 0.92);
    EXPECT_NEAR(t * 10, std::round(t * 10), 1e-9);
  }
  EXPECT_TRUE(nice_ticks(1, 1, 5).empty());
  for (const double scale : {1e-6, 1.0, 1e7}) {
    const auto many = nice_ticks(0.1 * scale, 3.3 * scale, 6);
    EXPECT_GE(many.size(), 3U);
    EXPECT_LE(many.size(), 8U);
  }
}

TEST(MotionPlots, BandsAreWhereThePointsBearLoad) {
  Character character = make_mannequin();
  const int foot = character.find(Part::kLeftFoot);
  character.contact_points = {{"a", foot, Vec3(0.1, 0, -0.06), 0}, {"b", foot, Vec3(-0.05, 0, -0.06), 0}};
  Reference reference;
  reference.frame_time_s = 0.1;
  for (int i = 0; i < 10; ++i) {
    reference.q.push_back(mannequin_at(character, 0.1 * i));
    reference.v.push_back(VecX::Zero(character.nv()));
    reference.point_contact.push_back(
        {static_cast<char>(i >= 2 && i <= 4), static_cast<char>(i >= 4 && i <= 6)});
  }
  const auto bands = contact_bands(character, reference);
  ASSERT_EQ(bands.size(), 1U);
  EXPECT_EQ(bands[0].name, "left foot");
  EXPECT_NEAR(bands[0].from, 0.2, 1e-9);
  EXPECT_NEAR(bands[0].to, 0.6, 1e-9);

  const auto plots = motion_plots(character, reference);
  EXPECT_GE(plots.size(), 5U);
  for (const Plot& plot : plots) {
    EXPECT_EQ(xml_fault(svg_plot(plot)), "") << plot.title;
    for (const PlotSeries& line : plot.series) EXPECT_EQ(line.x.size(), line.y.size()) << plot.title;
  }
}

}  // namespace
}  // namespace sinew
