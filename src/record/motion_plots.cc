#include "record/motion_plots.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

std::string spoken(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::vector<double> times_of(const Reference& reference) {
  std::vector<double> times;
  for (size_t i = 0; i < reference.q.size(); ++i)
    times.push_back(static_cast<double>(i) * reference.frame_time_s);
  return times;
}

// Lowest point of a part's shapes; its toes count with a foot.
double part_height(const Character& character, const std::vector<Pose>& X_WB, Part part) {
  const int body = character.find(part);
  const bool foot = part == Part::kLeftFoot || part == Part::kRightFoot;
  const int toes = !foot ? -1 : character.find(part == Part::kLeftFoot ? Part::kLeftToes : Part::kRightToes);
  double low = std::numeric_limits<double>::infinity();
  for (const Shape& shape : character.shapes)
    if (shape.collides && (shape.body == body || (toes >= 0 && shape.body == toes)))
      low = std::min(low, support(shape, X_WB[static_cast<size_t>(shape.body)], -Vec3::UnitZ()).z());
  return low;
}

// The first turning joint of a part, or -1.
int joint_of(const Character& character, Part part) {
  const int body = character.find(part);
  if (body < 0) return -1;
  const Body& b = character.bodies[static_cast<size_t>(body)];
  for (int j = b.first_joint; j < b.first_joint + b.joint_count; ++j) {
    const JointType type = character.joints[static_cast<size_t>(j)].type;
    if (type == JointType::kBall || type == JointType::kHinge) return j;
  }
  return -1;
}

// The axis about which joints turn most, so that a ball joint too can be told by one angle.
Vec3 main_axis(const Character& character, const Reference& reference, const std::vector<int>& joints) {
  Mat3 spread = Mat3::Zero();
  for (const int j : joints) {
    Vec3 mean = Vec3::Zero();
    const Joint& joint = character.joints[static_cast<size_t>(j)];
    for (const VecX& q : reference.q)
      mean += joint_rotation(joint, q) / static_cast<double>(reference.q.size());
    for (const VecX& q : reference.q) {
      const Vec3 d = joint_rotation(joint, q) - mean;
      spread += d * d.transpose();
    }
  }
  int most = 1;
  for (int axis = 0; axis < 3; ++axis)
    if (spread(axis, axis) > spread(most, most)) most = axis;
  return Vec3::Unit(most);
}

// One plot a limb: the angles, or the speeds, of the given joints on both sides.
Plot joints_plot(const Character& character, const Reference& reference, bool speed, const std::string& title,
                 const std::vector<std::pair<Part, std::string>>& parts) {
  Plot plot;
  plot.title = title;
  plot.x_label = "time, s";
  plot.y_label = speed ? "rad/s" : "degrees";
  const char* colors[] = {"#2f6fb5", "#d9622b", "#2f9468"};
  for (size_t p = 0; p < parts.size(); ++p) {
    const int both[] = {joint_of(character, parts[p].first),
                        joint_of(character, part_mirror(parts[p].first))};
    std::vector<int> joints;
    for (const int j : both)
      if (j >= 0) joints.push_back(j);
    const Vec3 axis = main_axis(character, reference, joints);
    for (const int side : {0, 1}) {
      if (both[side] < 0) continue;
      const Joint& joint = character.joints[static_cast<size_t>(both[side])];
      PlotSeries line{(side == 0 ? "left " : "right ") + parts[p].second,
                      times_of(reference),
                      {},
                      colors[p % 3],
                      side == 1};
      for (size_t i = 0; i < reference.q.size(); ++i) {
        const bool hinge = joint.type == JointType::kHinge;
        if (!speed)
          line.y.push_back(
              degrees(hinge ? reference.q[i][joint.q] : axis.dot(joint_rotation(joint, reference.q[i]))));
        else
          line.y.push_back(reference.v[i].segment(joint.v, joint.v_size()).norm());
      }
      plot.series.push_back(std::move(line));
    }
  }
  return plot;
}

Plot root_plot(const Reference& reference) {
  Plot plot;
  plot.title = "Height of the root";
  plot.x_label = "time, s";
  plot.y_label = "m";
  PlotSeries height{"height", times_of(reference), {}, "", false};
  for (const VecX& q : reference.q) height.y.push_back(q[2]);
  plot.series.push_back(std::move(height));
  return plot;
}

Plot root_speed_plot(const Reference& reference) {
  Plot plot;
  plot.title = "Speed of the root";
  plot.x_label = "time, s";
  plot.y_label = "m/s";
  plot.from_zero = true;
  PlotSeries over{"over the ground", times_of(reference), {}, "", false};
  PlotSeries up{"upwards", times_of(reference), {}, "", true};
  for (const VecX& v : reference.v) {
    over.y.push_back(v.head<2>().norm());
    up.y.push_back(v[2]);
  }
  plot.series = {over, up};
  return plot;
}

Plot feet_plot(const Character& character, const Reference& reference) {
  Plot plot;
  plot.title = "Lowest points of the feet, and when they bear load";
  plot.x_label = "time, s";
  plot.y_label = "cm";
  plot.bands = contact_bands(character, reference);

  // Feet first: their phases shade the plot.
  std::stable_partition(plot.bands.begin(), plot.bands.end(),
                        [](const PlotBand& band) { return band.name.ends_with("foot"); });
  for (const Part part : {Part::kLeftFoot, Part::kRightFoot}) {
    if (character.find(part) < 0) continue;
    PlotSeries line{spoken(std::string(part_name(part))), times_of(reference), {}, "", false};
    for (const VecX& q : reference.q)
      line.y.push_back(100 * part_height(character, body_poses(character, q), part));
    plot.series.push_back(std::move(line));
  }
  plot.height += 36;  // room for lanes of feet and toes
  return plot;
}

}  // namespace

Vec3 joint_rotation(const Joint& joint, const VecX& q) {
  if (joint.type == JointType::kHinge) return joint.axis_B * q[joint.q];
  if (joint.type == JointType::kSlide) return Vec3::Zero();
  const int first = joint.type == JointType::kFree ? joint.q + 3 : joint.q;
  return log_map(Quat(q[first], q[first + 1], q[first + 2], q[first + 3]).normalized());
}

std::vector<PlotBand> contact_bands(const Character& character, const Reference& reference) {
  std::vector<PlotBand> bands;
  const size_t frames = std::min(reference.q.size(), reference.point_contact.size());
  for (size_t b = 0; b < character.bodies.size(); ++b) {
    // The frames at which any of the body's points is in contact, joined to stretches.
    const auto touches = [&](size_t i) {
      for (size_t k = 0; k < character.contact_points.size() && k < reference.point_contact[i].size(); ++k)
        if (character.contact_points[k].body == static_cast<int>(b) && reference.point_contact[i][k])
          return true;
      return false;
    };
    for (size_t i = 0; i < frames; ++i) {
      if (!touches(i)) continue;
      const size_t first = i;
      while (i + 1 < frames && touches(i + 1)) ++i;
      bands.push_back({spoken(character.bodies[b].name), static_cast<double>(first) * reference.frame_time_s,
                       static_cast<double>(i) * reference.frame_time_s});
    }
  }
  return bands;
}

std::vector<Plot> motion_plots(const Character& character, const Reference& reference) {
  std::vector<Plot> plots;
  plots.push_back(root_plot(reference));
  if (reference.v.size() == reference.q.size()) plots.push_back(root_speed_plot(reference));
  plots.push_back(feet_plot(character, reference));
  const std::vector<std::pair<Part, std::string>> legs = {
      {Part::kLeftThigh, "hip"}, {Part::kLeftShin, "knee"}, {Part::kLeftFoot, "ankle"}};
  const std::vector<std::pair<Part, std::string>> arms = {{Part::kLeftUpperArm, "shoulder"},
                                                          {Part::kLeftLowerArm, "elbow"}};
  plots.push_back(joints_plot(character, reference, false, "Angles of the legs", legs));
  plots.push_back(joints_plot(character, reference, false, "Angles of the arms", arms));
  if (reference.v.size() == reference.q.size()) {
    plots.push_back(joints_plot(character, reference, true, "Joint speeds of the legs", legs));
    plots.push_back(joints_plot(character, reference, true, "Joint speeds of the arms", arms));
  }
  std::erase_if(plots, [](const Plot& plot) { return plot.series.empty(); });
  return plots;
}

}  // namespace sinew
