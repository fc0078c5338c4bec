#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "motion/write_bvh.h"

namespace sinew {

namespace {

// Axes of a bone's rotation channels, outermost first: 0, 1, 2 for x, y, z.
using Axes = std::array<int, 3>;

// The angles of q = R_i(a) R_j(b) R_k(c) that come nearest to the angles before, so that curves stay smooth.
Vec3 angles_near(const Quat& q, const Axes& axes, const Vec3& before) {
  const Mat3 R = q.toRotationMatrix();
  const auto [i, j, k] = axes;
  const double e = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
  const double cos_b = std::hypot(R(i, i), R(i, j));
  Vec3 first(std::atan2(-e * R(j, k), R(k, k)), std::atan2(e * R(i, k), cos_b),
             std::atan2(-e * R(i, j), R(i, i)));
  // In gimbal lock only the sum or difference of the outer angles is known: the first one stays.
  if (cos_b < 1e-7) {
    first[0] = before[0];
    const double sign = R(i, k) > 0 ? 1.0 : -1.0;
    const double sum = std::atan2(e * R(k, j), R(j, j));
    first[2] = sign * (sum - first[0]);
  }
  const Vec3 second(first[0] + kPi, kPi - first[1], first[2] + kPi);
  const auto unwrapped = [&](Vec3 angles) {
    for (int n = 0; n < 3; ++n) angles[n] += 2 * kPi * std::round((before[n] - angles[n]) / (2 * kPi));
    return angles;
  };
  const Vec3 a = unwrapped(first), b = unwrapped(second);
  return (a - before).norm() <= (b - before).norm() ? a : b;
}

// What is written for one bone.
struct Column {
  std::vector<char> channels;
  Axes axes = {2, 1, 0};
  int rotations = 0;  // how many of `axes` are channels
};

class Writer {
 public:
  explicit Writer(const Clip& clip) : clip_(clip), q_FW_(clip.source.q_FW), scale_(1.0 / clip.source.unit_m) {
    const double decimals = std::ceil(std::log10(clip.source.unit_m) + 6.0);
    decimals_ = static_cast<int>(std::clamp(decimals, 2.0, 9.0));
    children_.resize(clip.bones.size());
    for (size_t b = 0; b < clip.bones.size(); ++b)
      if (clip.bones[b].parent >= 0)
        children_[static_cast<size_t>(clip.bones[b].parent)].push_back(static_cast<int>(b));
    for (size_t b = 0; b < clip.bones.size(); ++b) columns_.push_back(column(b));
  }

  std::string write() {
    out_ = "HIERARCHY\n";
    write_joint(0, 0);
    write_motion();
    return std::move(out_);
  }

 private:
  Pose in_file(const Pose& X) const {
    Pose out = X;
    out.p = scale_ * (q_FW_ * X.p);
    out.q.vec() = q_FW_ * X.q.vec();
    return out;
  }

  // The source's channels if they can hold the motion, else all six or all three.
  Column column(size_t b) const {
    const Bone& bone = clip_.bones[b];
    Column out;
    if (bone.is_end) return out;
    const bool usable = read_axes(bone.channels, out);
    bool moves = bone.parent < 0;
    bool fits = usable;
    const Vec3 offset = bone.X_PB.p;
    const auto look_at = [&](const Frame& frame) {
      moves = moves || (frame[b].p - offset).norm() > 1e-6;
      fits = fits && rotation_fits(frame[b].q, out);
    };
    for (const Frame& frame : clip_.frames) look_at(frame);
    if (clip_.source.rest_in_frame_0) fits = fits && rotation_fits(clip_.rest[b].q, out);
    const auto has = [&](char c) { return std::count(bone.channels.begin(), bone.channels.end(), c) > 0; };
    const bool can_move = has('X') && has('Y') && has('Z');
    if (!bone.channels.empty() && fits && (can_move || !moves)) {
      out.channels = bone.channels;
      return out;
    }
    // Fresh channels: positions only where the bone moves in its parent.
    out = Column{};
    out.rotations = 3;
    if (moves || can_move) out.channels = {'X', 'Y', 'Z'};
    out.channels.insert(out.channels.end(), {'z', 'y', 'x'});
    return out;
  }

  // Up to three rotations about different axes; false for anything else. Missing axes are put at the end.
  static bool read_axes(const std::vector<char>& channels, Column& column) {
    std::vector<int> axes;
    for (const char c : channels)
      if (c >= 'x') axes.push_back(c - 'x');
    column.rotations = static_cast<int>(axes.size());
    if (axes.size() > 3) return false;
    for (size_t n = 0; n < axes.size(); ++n)
      if (std::count(axes.begin(), axes.end(), axes[n]) > 1) return false;
    for (int axis = 0; axis < 3; ++axis)
      if (std::count(axes.begin(), axes.end(), axis) == 0) axes.push_back(axis);
    std::copy(axes.begin(), axes.end(), column.axes.begin());
    return true;
  }

  bool rotation_fits(const Quat& q, const Column& column) const {
    if (column.rotations == 3) return true;
    Quat q_F = q;
    q_F.vec() = q_FW_ * q.vec();
    const Vec3 angles = angles_near(q_F, column.axes, Vec3::Zero());
    for (int n = column.rotations; n < 3; ++n)
      if (std::abs(angles[n]) > 1e-5) return false;
    return true;
  }

  void number(double value, int decimals) {
    if (!std::isfinite(value)) throw Error(clip_.name + ": a value to be written is not finite");
    std::array<char, 400> text;
    const auto result =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
    std::string_view digits(text.data(), static_cast<size_t>(result.ptr - text.data()));
    if (digits.find('.') != digits.npos) {
      while (digits.ends_with('0')) digits.remove_suffix(1);
      if (digits.ends_with('.')) digits.remove_suffix(1);
    }
    out_ += digits == "-0" ? "0" : digits;
  }

  void indent(int depth) { out_.append(static_cast<size_t>(depth), '\t'); }

  void write_offset(const Vec3& p, int depth) {
    indent(depth);
    out_ += "OFFSET";
    for (int k = 0; k < 3; ++k) {
      out_ += ' ';
      number(p[k], decimals_ + 1);
    }
    out_ += '\n';
  }

  void write_joint(int bone, int depth) {
    const auto b = static_cast<size_t>(bone);
    indent(depth);
    out_ += bone == 0 ? "ROOT " : clip_.bones[b].is_end ? "End Site" : "JOINT ";
    if (!clip_.bones[b].is_end) out_ += clean_name(b);
    out_ += '\n';
    indent(depth);
    out_ += "{\n";
    write_offset(in_file(clip_.bones[b].X_PB).p, depth + 1);
    if (!clip_.bones[b].is_end) write_channels(columns_[b], depth + 1);
    order_.push_back(b);
    for (const int child : children_[b]) write_joint(child, depth + 1);
    // Most readers want an end site at every tip.
    if (children_[b].empty() && !clip_.bones[b].is_end && clip_.source.format != "bvh") {
      indent(depth + 1);
      out_ += "End Site\n";
      indent(depth + 1);
      out_ += "{\n";
      write_offset(Vec3::Zero(), depth + 2);
      indent(depth + 1);
      out_ += "}\n";
    }
    indent(depth);
    out_ += "}\n";
  }

  std::string clean_name(size_t b) const {
    std::string name = clip_.bones[b].name;
    for (char& c : name)
      if (static_cast<unsigned char>(c) < 32 || c == '{' || c == '}') c = '_';
    return name.empty() ? "joint_" + std::to_string(b) : name;
  }

  void write_channels(const Column& column, int depth) {
    indent(depth);
    out_ += "CHANNELS " + std::to_string(column.channels.size());
    for (const char c : column.channels) {
      out_ += ' ';
      out_ += static_cast<char>(c >= 'x' ? c - 'x' + 'X' : c);
      out_ += c >= 'x' ? "rotation" : "position";
    }
    out_ += '\n';
  }

  void write_motion() {
    const bool with_rest = clip_.source.rest_in_frame_0;
    out_ += "MOTION\nFrames: " + std::to_string(clip_.frames.size() + with_rest) + "\nFrame Time: ";
    number(clip_.frame_time_s, 9);
    out_ += '\n';
    before_.assign(clip_.bones.size(), Vec3::Zero());
    if (with_rest) {
      // The rest pose stands where the motion begins.
      Frame rest = clip_.rest;
      rest[0].p = clip_.frames[0][0].p;
      write_frame(rest);
    }
    for (const Frame& frame : clip_.frames) write_frame(frame);
  }

  void write_frame(const Frame& frame) {
    const size_t begin = out_.size();
    for (const size_t b : order_) {
      const Column& column = columns_[b];
      if (column.channels.empty()) continue;
      const Pose X = in_file(frame[b]);
      before_[b] = angles_near(X.q, column.axes, before_[b]);
      int rotation = 0;
      for (const char c : column.channels) {
        if (out_.size() > begin) out_ += ' ';
        if (c >= 'x')
          number(degrees(before_[b][rotation++]), 4);
        else
          number(X.p[c - 'X'], decimals_);
      }
    }
    out_ += '\n';
  }

  const Clip& clip_;
  Quat q_FW_;
  double scale_;
  int decimals_ = 5;
  std::vector<std::vector<int>> children_;
  std::vector<Column> columns_;
  std::vector<size_t> order_;  // bones in the order written
  std::vector<Vec3> before_;   // the last frame's angles, rad
  std::string out_;
};

}  // namespace

std::string write_bvh(const Clip& clip) {
  if (clip.bones.empty() || clip.frames.empty()) throw Error(clip.name + ": there is no motion to write");
  return Writer(clip).write();
}

}  // namespace sinew
