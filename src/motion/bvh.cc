#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "motion/convention.h"
#include "motion/load.h"
#include "motion/text_scanner.h"

namespace sinew {

namespace {

constexpr size_t kMaxBones = 4096;

// A skeleton as written, before the motion. Bones of second and later roots are read and dropped.
struct Hierarchy {
  std::vector<Bone> bones;
  std::vector<int> first_channel;  // index into a frame's numbers, one a bone
  int channel_count = 0;
  size_t kept = 0;  // bones of the first root
  int roots = 0;
};

char channel_code(std::string_view word) {
  constexpr std::pair<std::string_view, char> kChannels[] = {{"Xposition", 'X'}, {"Yposition", 'Y'},
                                                             {"Zposition", 'Z'}, {"Xrotation", 'x'},
                                                             {"Yrotation", 'y'}, {"Zrotation", 'z'}};
  for (const auto& [name, code] : kChannels)
    if (same_word(word, name)) return code;
  return 0;
}

class HierarchyReader {
 public:
  explicit HierarchyReader(TextScanner& in) : in_(in) {}

  Hierarchy read() {
    const std::string_view first = in_.word();
    if (!same_word(first, "HIERARCHY")) in_.fail_expected("HIERARCHY at the beginning of a BVH file", first);
    while (same_word(in_.peek(), "ROOT")) read_root();
    if (out_.roots == 0) in_.fail_expected("ROOT", in_.peek());
    return std::move(out_);
  }

 private:
  // One root and everything under it; a stack of open bones instead of recursion, so that depth costs
  // nothing.
  void read_root() {
    in_.word();
    open_bone(joint_name(), false);
    while (!open_.empty()) read_item();
    if (out_.roots++ == 0) out_.kept = out_.bones.size();
  }

  void read_item() {
    const std::string_view word = in_.word();
    if (same_word(word, "OFFSET")) {
      read_offset();
    } else if (same_word(word, "CHANNELS")) {
      read_channels();
    } else if (same_word(word, "JOINT")) {
      refuse_below_end_site("JOINT");
      open_bone(joint_name(), false);
    } else if (same_word(word, "End")) {
      refuse_below_end_site("End Site");
      end_site_name();
      open_bone(out_.bones[open_.back()].name + "_end", true);
    } else if (word == "}") {
      open_.pop_back();
    } else {
      in_.fail_expected("OFFSET, CHANNELS, JOINT, End Site or }", word);
    }
  }

  // Names may have blanks in them ("Bip01 L Thigh") and end with the line or the brace.
  std::string joint_name() {
    std::string name;
    for (std::string_view w = in_.word_on_line(); !w.empty(); w = in_.word_on_line()) {
      if (w == "{") {
        brace_seen_ = true;
        break;
      }
      if (!name.empty()) name += ' ';
      name += w;
    }
    if (name.ends_with('{')) {
      name.pop_back();
      brace_seen_ = true;
    }
    if (name.empty()) in_.fail("expected the name of a joint");
    if (name.size() > 256) in_.fail("the name of this joint is longer than 256 characters");
    return name;
  }

  void end_site_name() {
    for (std::string_view w = in_.word_on_line(); !w.empty(); w = in_.word_on_line())
      if (w.ends_with('{')) {
        brace_seen_ = true;
        return;
      }
  }

  void open_bone(std::string name, bool is_end) {
    if (!std::exchange(brace_seen_, false)) {
      const std::string_view brace = in_.word();
      if (brace != "{") in_.fail_expected("{", brace);
    }
    if (out_.bones.size() >= kMaxBones)
      in_.fail("this skeleton has more than " + std::to_string(kMaxBones) + " joints");
    Bone bone;
    bone.name = std::move(name);
    bone.parent = open_.empty() ? -1 : static_cast<int>(open_.back());
    bone.is_end = is_end;
    open_.push_back(out_.bones.size());
    out_.bones.push_back(std::move(bone));
    out_.first_channel.push_back(out_.channel_count);
  }

  void refuse_below_end_site(const char* what) {
    if (out_.bones[open_.back()].is_end) in_.fail(std::string(what) + " inside an End Site");
  }

  void read_offset() {
    Vec3& p = out_.bones[open_.back()].X_PB.p;
    for (int k = 0; k < 3; ++k) p[k] = in_.number("three numbers after OFFSET");
  }

  void read_channels() {
    Bone& bone = out_.bones[open_.back()];
    if (bone.is_end) in_.fail("CHANNELS inside an End Site");
    if (!bone.channels.empty()) in_.fail("a second CHANNELS line for the joint " + quotable(bone.name));
    const double count = in_.number("the number of channels");
    if (count < 0 || count != std::floor(count) || count > 1000)
      in_.fail("the number of channels must be a small whole number");
    for (int k = 0; k < static_cast<int>(count); ++k) {
      const std::string_view word = in_.word();
      const char code = channel_code(word);
      if (!code) in_.fail_expected("a channel such as Xposition or Zrotation", word);
      bone.channels.push_back(code);
    }
    out_.first_channel[open_.back()] = out_.channel_count;
    out_.channel_count += static_cast<int>(count);
  }

  TextScanner& in_;
  Hierarchy out_;
  std::vector<size_t> open_;
  bool brace_seen_ = false;
};

// "Frames: 12" and "Frame Time: .0083": the number behind a label that may or may not touch its colon.
double labelled_number(TextScanner& in, std::string_view label) {
  std::string line;
  for (const char c : in.full_line().substr(0, 200)) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank || !line.ends_with(' ')) line += blank ? ' ' : c;
  }
  const std::string expected = std::string(label) + ": and a number";
  if (line.size() < label.size() || !same_word(line.substr(0, label.size()), label))
    in.fail_expected(expected, line);
  std::string_view value = std::string_view(line).substr(label.size());
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t' || value.front() == ':'))
    value.remove_prefix(1);
  double number = 0;
  // A count too large for parse_number is still a number: the missing frames are the better complaint.
  if (!parse_number(value, number)) {
    const bool digits = !value.empty() && value.size() < 40 &&
                        std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) in.fail_expected(expected, line);
    number = 1e18;
  }
  return number;
}

// The numbers of all frames, one after the other, and what was odd about them.
struct Numbers {
  std::vector<double> values;
  size_t frames = 0;
  bool more_follows = false;
};

[[noreturn]] void fail_missing(TextScanner& in, double declared, size_t present) {
  const std::string count = declared < 1e17 ? std::to_string(static_cast<long long>(declared)) : "more";
  in.fail(count + " frames are declared, but the file ends after " + std::to_string(present));
}

Numbers read_numbers(TextScanner& in, double declared, size_t per_frame) {
  Numbers out;
  const double possible = static_cast<double>(in.bytes_left() / 2 + 1) / static_cast<double>(per_frame);
  out.values.reserve(static_cast<size_t>(std::min(declared, possible)) * per_frame);

  // A frame is a line; only if the first line is shorter than a frame, lines mean nothing.
  in.at_end();
  bool by_line = true;
  while (static_cast<double>(out.frames) < declared) {
    if (in.at_end()) fail_missing(in, declared, out.frames);
    for (size_t k = 0; k < per_frame; ++k) {
      std::string_view word = by_line ? in.word_on_line() : in.word();
      if (word.empty() && by_line && out.frames == 0) {
        by_line = false;
        word = in.word();
      }
      const int line = in.line();
      if (word.empty() && !in.at_end())
        throw Error(in.file(), line,
                    "frame " + std::to_string(out.frames) + " has " + std::to_string(k) +
                        " numbers instead of " + std::to_string(per_frame));
      if (word.empty()) fail_missing(in, declared, out.frames);
      double value = 0;
      if (!parse_number(word, value)) in.fail_expected("a finite number", word);
      out.values.push_back(value);
    }
    if (by_line && !in.word_on_line().empty())
      in.fail("frame " + std::to_string(out.frames) + " has more than " + std::to_string(per_frame) +
              " numbers");
    ++out.frames;
  }
  out.more_follows = !in.at_end();
  return out;
}

// q times a turn about one axis: the product written out, because it is done half a million times a clip.
Quat turned(const Quat& q, char axis, double angle_rad) {
  const double s = std::sin(0.5 * angle_rad);
  const double c = std::cos(0.5 * angle_rad);
  const double w = q.w(), x = q.x(), y = q.y(), z = q.z();
  if (axis == 'x') return Quat(w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s);
  if (axis == 'y') return Quat(w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s);
  return Quat(w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s);
}

// The local pose of a bone from its channels, in the order written: the first rotation is the outermost. A
// position channel stands for the offset's component, or is added to it where `positions_add`.
Pose posed(const Bone& bone, const double* values, bool positions_add) {
  Pose X_PB = bone.X_PB;
  for (const char channel : bone.channels) {
    const double value = *values++;
    if (channel >= 'x') {
      if (value != 0) X_PB.q = turned(X_PB.q, channel, radians(value));
    } else {
      double& component = X_PB.p[channel - 'X'];
      component = positions_add ? component + value : value;
    }
  }
  return X_PB;
}

bool has_positions(const Bone& bone) {
  return std::any_of(bone.channels.begin(), bone.channels.end(), [](char c) { return c < 'x'; });
}

// Position channels below the root normally repeat the offset. Where they stay near zero although the bone
// has length, they are meant to be added to it.
bool positions_are_added(const Bone& bone, const Numbers& numbers, size_t per_frame, int first) {
  if (bone.parent < 0 || !has_positions(bone)) return false;
  double largest = 0;
  for (size_t f = 0; f < numbers.frames; ++f)
    for (size_t k = 0; k < bone.channels.size(); ++k)
      if (bone.channels[k] < 'x')
        largest = std::max(largest, std::abs(numbers.values[f * per_frame + static_cast<size_t>(first) + k]));
  return largest < 0.25 * bone.X_PB.p.norm();
}

std::vector<Frame> make_frames(const Hierarchy& skeleton, const Numbers& numbers,
                               std::vector<ImportNote>& notes) {
  const auto per_frame = static_cast<size_t>(skeleton.channel_count);
  std::vector<char> adds(skeleton.kept);
  for (size_t b = 0; b < skeleton.kept; ++b) {
    adds[b] = positions_are_added(skeleton.bones[b], numbers, per_frame, skeleton.first_channel[b]);
    if (adds[b])
      notes.push_back({"positions", "the position channels of " + skeleton.bones[b].name +
                                        " stay near zero and were added to its offset"});
  }
  std::vector<Frame> frames(numbers.frames);
  for (size_t f = 0; f < numbers.frames; ++f) {
    frames[f].resize(skeleton.kept);
    const double* values = numbers.values.data() + f * per_frame;
    for (size_t b = 0; b < skeleton.kept; ++b)
      frames[f][b] = posed(skeleton.bones[b], values + skeleton.first_channel[b], adds[b]);
  }
  return frames;
}

// Some writers put a rate or milliseconds where seconds belong; a second a frame is no motion capture.
double sane_frame_time(TextScanner& in, double value, std::vector<ImportNote>& notes) {
  if (!(value > 0)) in.fail("the frame time must be greater than zero");
  if (value < 1e-5) in.fail("a frame time of " + std::to_string(value) + " s is too short to be true");
  if (value <= 2) return value;
  const bool whole = value == std::floor(value);
  if (value > 1000) in.fail("a frame time of " + std::to_string(value) + " s is too long to be true");
  const double seconds = whole ? 1.0 / value : value / 1000.0;
  notes.push_back({"frame time", "the file says " + std::to_string(value) + ", which was read as " +
                                     (whole ? "frames per second" : "milliseconds") +
                                     " because no motion has seconds between frames (--fps overrides)"});
  return seconds;
}

}  // namespace

ImportedClip read_bvh(std::string_view text, const std::string& name, const ImportOptions& options) {
  TextScanner in(text, name);
  std::vector<ImportNote> notes;

  // The skeleton.
  Hierarchy skeleton = HierarchyReader(in).read();
  const std::string_view motion = in.word();
  if (!same_word(motion, "MOTION")) in.fail_expected("MOTION after the skeleton", motion);
  if (skeleton.channel_count == 0) in.fail("the skeleton has no channels, so there is no motion");
  if (skeleton.roots > 1)
    notes.push_back({"skeleton", "the file has " + std::to_string(skeleton.roots) +
                                     " roots; only the first, " + skeleton.bones[0].name + ", was read"});

  // The declared sizes. Nothing is allocated that the rest of the file cannot fill.
  const double declared = labelled_number(in, "Frames");
  if (declared < 1 || declared != std::floor(declared))
    in.fail("the number of frames must be a whole number of at least 1");
  Clip clip;
  clip.frame_time_s = sane_frame_time(in, labelled_number(in, "Frame Time"), notes);
  const auto per_frame = static_cast<size_t>(skeleton.channel_count);
  const Numbers numbers = read_numbers(in, declared, per_frame);
  if (numbers.frames * skeleton.kept > 1'000'000 + text.size())
    in.fail(
        "the skeleton has far more joints than channels: refused, because its frames would fill the memory");
  if (numbers.more_follows)
    notes.push_back({"frames", "the file goes on after its " + std::to_string(numbers.frames) +
                                   " declared frames; the rest was left out"});

  // The clip in the file's own axes and units.
  clip.name = std::filesystem::path(name).stem().string();
  clip.frames = make_frames(skeleton, numbers, notes);
  skeleton.bones.resize(skeleton.kept);
  clip.bones = std::move(skeleton.bones);
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);

  FileFacts facts;
  facts.format = "bvh";
  facts.may_begin_with_rest = true;
  facts.frame_time_is_suspect = true;
  return into_world(std::move(clip), facts, options, std::move(notes));
}

}  // namespace sinew
