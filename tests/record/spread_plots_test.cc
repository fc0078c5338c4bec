#include "record/spread_plots.h"

#include <gtest/gtest.h>

#include <cmath>

#include "record/clip_export.h"
#include "record/small_recording.h"
#include "record/xml.h"

namespace sinew {
namespace {

// A still figure whose left knee is bent and which stands off to the left.
Recording bent(double angle, double left_m, size_t frames = 20) {
  Recording recording = make_still_recording(frames);
  for (const Joint& joint : recording.character.joints)
    if (joint.name == "left_knee")
      for (RecordingFrame& frame : recording.frames) frame.q[joint.q] += angle;
  for (RecordingFrame& frame : recording.frames) frame.q[1] += left_m;
  return recording;
}

TEST(Spread, IsTheDeviationFromTheMean) {
  const std::vector<Recording> two = {bent(0.1, 0.3), bent(0.3, 0.5)};
  const Spread spread = spread_of(two);
  // One of seven joint axes (a ball and four hinges) is off by 0.1.
  EXPECT_NEAR(spread.pose_rad, 0.1 / std::sqrt(7.0), 1e-12);
  EXPECT_NEAR(spread.root_m, 0.1, 1e-12);
  EXPECT_EQ(spread_of({two[0]}).pose_rad, 0);
  EXPECT_NEAR(spread_of({two[0], two[0]}).pose_rad, 0, 1e-15);
}

TEST(Spread, ShowsTheJointThatDiffersMostFirst) {
  const std::vector<Recording> three = {bent(0.1, 0), bent(0.3, 0), bent(0.2, 0.1, 15)};
  const std::vector<Plot> plots = spread_plots(three);
  ASSERT_GE(plots.size(), 3U);
  EXPECT_NE(plots[2].title.find("left_knee"), std::string::npos) << plots[2].title;

  // A line each as long as the shortest, and the mean with its shade.
  ASSERT_EQ(plots[2].series.size(), 4U);
  const PlotSeries& mean = plots[2].series.back();
  ASSERT_EQ(mean.y.size(), 15U);
  ASSERT_EQ(mean.spread.size(), 15U);
  EXPECT_NEAR(mean.y[3], plots[2].series[2].y[3], 1e-9);
  EXPECT_NEAR(mean.spread[3], degrees(std::sqrt(0.02 / 3)), 1e-9);
  for (const Plot& plot : plots) EXPECT_EQ(xml_fault(svg_plot(plot)), "");
  EXPECT_TRUE(spread_plots({}).empty());
}

TEST(Smoothed, LeavesWhatIsStillAndTakesWhatTrembles) {
  const Recording still = bent(0.5, 0.2, 60);
  const std::vector<VecX> q = coordinates(still);
  const Character& character = still.character;
  const std::vector<VecX> same = smoothed(character, q, 0.01, 5);
  for (size_t i = 0; i < q.size(); ++i)
    EXPECT_LT(difference(character, q[i], same[i]).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_TRUE(smoothed(character, q, 0.01, 0) == q);

  // A tremor of every other frame in all axes, far above the limit.
  std::vector<VecX> trembling;
  for (size_t i = 0; i < q.size(); ++i)
    trembling.push_back(
        integrate(character, q[i], VecX::Constant(character.nv(), i % 2 == 0 ? 0.02 : -0.02)));
  const std::vector<VecX> calm = smoothed(character, trembling, 0.01, 5);
  for (size_t i = 10; i + 10 < q.size(); ++i)
    EXPECT_LT(difference(character, q[i], calm[i]).cwiseAbs().maxCoeff(), 1e-3) << i;
}

}  // namespace
}  // namespace sinew
