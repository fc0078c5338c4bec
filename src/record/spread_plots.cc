#include "record/spread_plots.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace sinew {

namespace {

constexpr const char* kMeanColor = "#262c36";
constexpr size_t kAxes = 3;        // joint axes that are shown
constexpr size_t kMostNames = 10;  // in a legend

// One quantity of all recordings: [recording][frame].
using Curves = std::vector<std::vector<double>>;

struct Mean {
  std::vector<double> value, deviation;  // a value a frame
  double rms = 0;                        // of the deviation
};

Mean mean_of(const Curves& curves) {
  Mean mean;
  const auto n = static_cast<double>(curves.size());
  double squares = 0;
  for (size_t i = 0; i < curves.front().size(); ++i) {
    double sum = 0, square = 0;
    for (const auto& curve : curves) sum += curve[i];
    for (const auto& curve : curves) square += (curve[i] - sum / n) * (curve[i] - sum / n);
    mean.value.push_back(sum / n);
    mean.deviation.push_back(std::sqrt(square / n));
    squares += square / n;
  }
  mean.rms = std::sqrt(squares / static_cast<double>(std::max<size_t>(mean.value.size(), 1)));
  return mean;
}

size_t common_frames(const std::vector<Recording>& recordings) {
  size_t frames = recordings.front().frames.size();
  for (const Recording& recording : recordings) frames = std::min(frames, recording.frames.size());
  return frames;
}

// Any number of a frame, over time, for all recordings.
template <typename Number>
Curves curves_of(const std::vector<Recording>& recordings, Number number) {
  Curves curves;
  const size_t frames = common_frames(recordings);
  for (const Recording& recording : recordings) {
    curves.emplace_back();
    for (size_t i = 0; i < frames; ++i) curves.back().push_back(number(recording.frames[i].q));
  }
  return curves;
}

struct Axis {
  std::string name;
  Curves curves;
  Mean mean;
};

// The angles of all hinges, and the rotation vectors of ball joints by components, those that differ most
// first.
std::vector<Axis> joint_axes(const std::vector<Recording>& recordings) {
  std::vector<Axis> axes;
  for (const Joint& joint : recordings.front().character.joints) {
    if (joint.type == JointType::kFree || joint.type == JointType::kSlide) continue;
    for (int k = 0; k < joint.v_size(); ++k) {
      const std::string name = joint.type == JointType::kBall ? joint.name + "." + "xyz"[k] : joint.name;
      axes.push_back({name,
                      curves_of(recordings,
                                [&](const VecX& q) {
                                  if (joint.type == JointType::kHinge) return q[joint.q];
                                  return log_map(
                                      Quat(q[joint.q], q[joint.q + 1], q[joint.q + 2], q[joint.q + 3]))[k];
                                }),
                      {}});
      axes.back().mean = mean_of(axes.back().curves);
    }
  }
  std::stable_sort(axes.begin(), axes.end(),
                   [](const Axis& a, const Axis& b) { return a.mean.rms > b.mean.rms; });
  return axes;
}

// Lines of all performances, and over them their mean in its shade.
Plot plot_of(const std::string& title, const std::string& unit, const std::vector<double>& times,
             const Curves& curves, double factor) {
  Plot plot;
  plot.title = title;
  plot.x_label = "time, s";
  plot.y_label = unit;
  plot.height = 230;
  const auto scaled = [&](std::vector<double> values) {
    for (double& value : values) value *= factor;
    return values;
  };
  for (const auto& curve : curves) plot.series.push_back({"", times, scaled(curve), ""});
  const Mean mean = mean_of(curves);
  plot.series.push_back({"mean, with a standard deviation", times, scaled(mean.value), kMeanColor, true,
                         scaled(mean.deviation)});
  return plot;
}

Plot path_plot(const std::vector<Recording>& recordings) {
  Plot plot;
  plot.title = "The root's path from above";
  plot.x_label = "forward, m";
  plot.y_label = "to the left, m";
  plot.height = 230;
  for (size_t i = 0; i < recordings.size(); ++i) {
    const bool named = recordings.size() <= kMostNames;
    plot.series.push_back({named ? "variation " + std::to_string(i + 1) : "", {}, {}, ""});
    for (const RecordingFrame& frame : recordings[i].frames) {
      plot.series.back().x.push_back(frame.q[0]);
      plot.series.back().y.push_back(frame.q[1]);
    }
  }
  return plot;
}

}  // namespace

Spread spread_of(const std::vector<Recording>& recordings) {
  Spread spread;
  if (recordings.size() < 2) return spread;
  const std::vector<Axis> axes = joint_axes(recordings);
  for (const Axis& axis : axes) spread.pose_rad += axis.mean.rms * axis.mean.rms;
  spread.pose_rad = std::sqrt(spread.pose_rad / static_cast<double>(std::max<size_t>(axes.size(), 1)));
  const double x = mean_of(curves_of(recordings, [](const VecX& q) { return q[0]; })).rms;
  const double y = mean_of(curves_of(recordings, [](const VecX& q) { return q[1]; })).rms;
  spread.root_m = std::hypot(x, y);
  return spread;
}

std::vector<Plot> spread_plots(const std::vector<Recording>& recordings) {
  if (recordings.empty()) return {};
  std::vector<double> times;
  for (size_t i = 0; i < common_frames(recordings); ++i) times.push_back(recordings.front().frames[i].time_s);
  std::vector<Plot> plots = {path_plot(recordings),
                             plot_of("Height of the root", "m", times,
                                     curves_of(recordings, [](const VecX& q) { return q[2]; }), 1)};
  const std::vector<Axis> axes = joint_axes(recordings);
  for (size_t i = 0; i < std::min(kAxes, axes.size()); ++i)
    plots.push_back(plot_of("Angle of " + axes[i].name, "degrees", times, axes[i].curves, degrees(1)));
  return plots;
}

}  // namespace sinew
