#include "record/sim_plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include "record/metrics.h"
#include "record/pressure.h"

namespace sinew {

namespace {

constexpr const char* kBlue = "#2f6fb5";
constexpr const char* kOrange = "#d9622b";
constexpr const char* kLimitColor = "#b3361f";

std::vector<double> times_of(const Recording& recording) {
  std::vector<double> times;
  for (const RecordingFrame& frame : recording.frames) times.push_back(frame.time_s);
  return times;
}

Plot time_plot(const Recording& recording, const std::string& title, const std::string& unit) {
  Plot plot;
  plot.title = title;
  plot.x_label = "time, s";
  plot.y_label = unit;
  plot.bands = event_bands(recording);
  plot.from_zero = true;
  plot.height = 220 + 9 * static_cast<int>(plot.bands.size());
  return plot;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// A dashed line over the whole time at a value, named once.
void add_limit(Plot& plot, const Recording& recording, double value, const std::string& name) {
  plot.series.push_back({name,
                         {recording.frames.front().time_s, recording.frames.back().time_s},
                         {value, value},
                         kLimitColor,
                         true});
}

// A value a frame.
std::vector<double> per_frame(const Recording& recording,
                              const std::function<double(const RecordingFrame&)>& value) {
  std::vector<double> out;
  for (const RecordingFrame& frame : recording.frames) out.push_back(value(frame));
  return out;
}

// Which of a few limbs a body belongs to: itself or the nearest ancestor with a name among them.
enum Limb { kLegs, kArms, kTrunk, kLimbs };
Limb limb_of(const Character& character, int body) {
  for (; body >= 0; body = character.bodies[static_cast<size_t>(body)].parent) {
    const std::string name(part_name(character.bodies[static_cast<size_t>(body)].part));
    for (const char* leg : {"thigh", "shin", "foot", "toes"})
      if (name.ends_with(leg)) return kLegs;
    for (const char* arm : {"arm", "hand", "clavicle"})
      if (name.ends_with(arm)) return kArms;
    if (!name.empty()) return kTrunk;
  }
  return kTrunk;
}

Plot torque_plot(const Recording& recording) {
  Plot plot = time_plot(recording, "Torques, rms over the joints", "N m");
  const auto times = times_of(recording);
  const std::array<const char*, kLimbs> names = {"legs", "arms", "trunk and head"};
  for (int limb = 0; limb < kLimbs; ++limb) {
    std::vector<int> axes;
    for (const Joint& joint : recording.character.joints)
      if (joint.type != JointType::kFree && limb_of(recording.character, joint.body) == limb)
        for (int k = 0; k < joint.v_size(); ++k) axes.push_back(joint.v + k);
    if (axes.empty()) continue;
    plot.series.push_back({names[static_cast<size_t>(limb)], times,
                           per_frame(recording,
                                     [&](const RecordingFrame& frame) {
                                       double sum = 0;
                                       for (const int axis : axes)
                                         if (frame.torque.size() > 0)
                                           sum += frame.torque[axis] * frame.torque[axis];
                                       return std::sqrt(sum / static_cast<double>(axes.size()));
                                     }),
                           "", false});
  }
  return plot;
}

// The force of all ground along the vertical on the bodies of one side, or on all that are no foot.
enum class Stand { kLeft, kRight, kOther };
Stand stand_of(Part part) {
  if (part == Part::kLeftFoot || part == Part::kLeftToes) return Stand::kLeft;
  if (part == Part::kRightFoot || part == Part::kRightToes) return Stand::kRight;
  return Stand::kOther;
}

double ground_force(const Recording& recording, const RecordingFrame& frame, Stand stand) {
  double sum = 0;
  for (const Contact& contact : frame.contacts) {
    if (contact.world_shape < 0 || !recording.world.shapes[static_cast<size_t>(contact.world_shape)].ground ||
        stand_of(recording.character.bodies[static_cast<size_t>(contact.body)].part) != stand)
      continue;
    sum += contact.force_W.z();
  }
  return sum;
}

Plot ground_force_plot(const Recording& recording) {
  Plot plot = time_plot(recording, "Force of the ground, upwards", "body weights");
  const double weight = recording.character.mass_kg() * std::max(recording.world.gravity.norm(), 1e-9);
  const auto times = times_of(recording);
  const auto add = [&](const char* name, const char* color, Stand stand) {
    const auto values = per_frame(recording, [&](const RecordingFrame& frame) {
      return ground_force(recording, frame, stand) / weight;
    });
    const bool any = std::any_of(values.begin(), values.end(), [](double value) { return value > 1e-3; });
    if (any || stand != Stand::kOther) plot.series.push_back({name, times, values, color, false});
  };
  add("left foot", kBlue, Stand::kLeft);
  add("right foot", kOrange, Stand::kRight);
  add("other bodies", "#7b5ea7", Stand::kOther);
  return plot;
}

// What is touched, by name.
std::string touched_name(const Recording& recording, const Contact& contact) {
  const Character& character = recording.character;
  if (contact.other_shape >= 0)
    return character
        .bodies[static_cast<size_t>(character.shapes[static_cast<size_t>(contact.other_shape)].body)]
        .name;
  if (contact.world_shape < 0) return "";
  const Shape& shape = recording.world.shapes[static_cast<size_t>(contact.world_shape)].shape;
  if (shape.body >= 0) return recording.world.props[static_cast<size_t>(shape.body)].name;
  return shape.name.empty() ? "ground" : shape.name;
}

// A field of a table; names of other people's characters may hold anything.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

std::vector<PlotBand> event_bands(const Recording& recording) {
  std::vector<PlotBand> bands;
  const double moment_s = std::max(0.006 * recording.duration_s(), recording.frame_time_s);

  // Frames in a row in which the scene pushes are one band.
  double push_end = -1e9;
  for (const RecordingFrame& frame : recording.frames) {
    if (frame.pushes.empty()) continue;
    if (frame.time_s > push_end + 0.5 * recording.frame_time_s)
      bands.push_back({"push", frame.time_s, frame.time_s});
    push_end = bands.back().to = frame.time_s + recording.frame_time_s;
  }
  for (const RecordingEvent& event : recording.events)
    bands.push_back({event.what, event.time_s, event.time_s + moment_s});
  return bands;
}

std::vector<Plot> error_plots(const Recording& recording) {
  const bool any = std::any_of(recording.frames.begin(), recording.frames.end(),
                               [](const RecordingFrame& frame) { return frame.q_reference.size() > 0; });
  if (!any) return {};
  const auto times = times_of(recording);
  Plot pose = time_plot(recording, "Pose error, rms over the joints", "degrees");
  pose.series.push_back({"pose", times, scaled(pose_errors(recording), degrees(1)), kBlue, false});
  Plot height = time_plot(recording, "Height of the root, simulated less reference", "m");
  height.series.push_back({"height", times, root_height_errors(recording), kBlue, false});
  add_limit(height, recording, kMaxHeightError_m, "fails beyond, for 0.1 s");
  add_limit(height, recording, -kMaxHeightError_m, "");
  Plot tilt = time_plot(recording, "Tilt of the root against the reference", "degrees");
  tilt.series.push_back({"tilt", times, scaled(root_tilt_errors(recording), degrees(1)), kBlue, false});
  add_limit(tilt, recording, degrees(kMaxTiltError_rad), "fails beyond, for 0.1 s");
  return {pose, height, tilt};
}

std::vector<Plot> effort_plots(const Recording& recording) {
  if (recording.frames.empty()) return {};
  return {torque_plot(recording), ground_force_plot(recording)};
}

std::string contacts_csv(const Recording& recording) {
  std::string csv =
      "time_s,body,x,y,z,force_x,force_y,force_z,depth_m,touches,normal_N,area_m2,pressure_Pa\n";
  const auto text = [](double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.9g", value);
    return std::string(buffer);
  };
  for (const RecordingFrame& frame : recording.frames) {
    std::vector<double> pressures(frame.contacts.size(), 0);
    for (const ContactPatch& patch : contact_patches(recording, frame))
      for (const size_t i : patch.contacts) pressures[i] = patch.size.pressure_Pa;
    for (size_t i = 0; i < frame.contacts.size(); ++i) {
      const Contact& contact = frame.contacts[i];
      csv += text(frame.time_s) + ',' +
             csv_field(recording.character.bodies[static_cast<size_t>(contact.body)].name);
      for (const double value : {contact.p_W.x(), contact.p_W.y(), contact.p_W.z(), contact.force_W.x(),
                                 contact.force_W.y(), contact.force_W.z(), contact.depth_m})
        csv += ',' + text(value);
      const double normal = std::max(0.0, contact.force_W.dot(contact.normal_W));
      csv += ',' + csv_field(touched_name(recording, contact)) + ',' + text(normal) + ',' +
             text(pressures[i] > 0 ? normal / pressures[i] : 0) + ',' + text(pressures[i]) + '\n';
    }
  }
  return csv;
}

}  // namespace sinew
