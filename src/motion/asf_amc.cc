#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/error.h"
#include "motion/convention.h"
#include "motion/load.h"
#include "motion/text_scanner.h"

namespace sinew {

namespace {

constexpr size_t kMaxBones = 4096;

// A bone as an ASF file writes it: a segment with a direction, and a joint at its beginning.
struct AsfBone {
  std::string name;
  Vec3 span = Vec3::Zero();      // direction times length, in the file's axes
  Quat axis = Quat::Identity();  // C: the frame in which the degrees of freedom are meant
  std::vector<char> dof;         // 'X','Y','Z' translations, 'x','y','z' rotations, 'l' length, in order
  std::vector<int> children;
};

// A whole ASF file. Bone 0 is the root.
struct Asf {
  std::vector<AsfBone> bones;
  std::map<std::string, int, std::less<>> index;
  bool degrees = true;
  double length_scale = 0;  // the number after "length" in :units; 0 if there is none
};

Quat turn(char axis, double angle_rad) {
  Vec3 v = Vec3::Zero();
  v[axis - 'x'] = angle_rad;
  return exp_map(v);
}

// Rotations in the order of application: the first one is the innermost.
Quat turns(std::string_view order, const Vec3& angles_rad) {
  Quat q = Quat::Identity();
  for (size_t k = 0; k < order.size(); ++k) q = turn(order[k], angles_rad[static_cast<long>(k)]) * q;
  return q;
}

// "XYZ" -> "xyz"; anything but three different axes is refused.
std::string axis_order(TextScanner& in, std::string_view word) {
  std::string order(word);
  for (char& c : order) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != "xyz") in.fail_expected("an axis order such as XYZ", word);
  return order;
}

char dof_code(std::string_view word) {
  constexpr std::pair<std::string_view, char> kDof[] = {{"tx", 'X'}, {"ty", 'Y'}, {"tz", 'Z'}, {"rx", 'x'},
                                                        {"ry", 'y'}, {"rz", 'z'}, {"l", 'l'}};
  for (const auto& [name, code] : kDof)
    if (same_word(word, name)) return code;
  return 0;
}

class AsfReader {
 public:
  AsfReader(std::string_view text, const std::string& file) : in_(text, file) {
    out_.bones.push_back({"root", Vec3::Zero(), Quat::Identity(), {'X', 'Y', 'Z', 'x', 'y', 'z'}, {}});
    out_.index["root"] = 0;
  }

  Asf read() {
    // Before the first section there are only comments.
    while (!in_.at_end() && !in_.peek().starts_with(':')) in_.rest_of_line();
    if (in_.at_end()) in_.fail("expected sections such as :bonedata, as an ASF file has them");
    while (!in_.at_end()) read_section();
    if (hierarchy_first_) {
      in_ = *hierarchy_first_;
      read_hierarchy();
    }
    if (out_.bones.size() < 2) in_.fail("the skeleton has no bones: there is no :bonedata section");
    if (!has_hierarchy_) in_.fail("there is no :hierarchy section");
    return std::move(out_);
  }

 private:
  double angle(double value) const { return out_.degrees ? radians(value) : value; }

  void read_section() {
    const std::string_view name = in_.word();
    if (same_word(name, ":units"))
      read_units();
    else if (same_word(name, ":root"))
      read_root();
    else if (same_word(name, ":bonedata"))
      read_bones();
    else if (same_word(name, ":hierarchy") && out_.bones.size() < 2)
      leave_hierarchy_for_later(name);
    else if (same_word(name, ":hierarchy"))
      read_hierarchy();
    else
      skip_section(name);
  }

  void skip_section(std::string_view name) {
    if (!name.starts_with(':')) in_.fail_expected("a section such as :bonedata", name);
    in_.rest_of_line();
    while (!in_.at_end() && !in_.peek().starts_with(':')) in_.rest_of_line();
  }

  void read_units() {
    while (!in_.at_end() && !in_.peek().starts_with(':')) {
      const std::string_view key = in_.word();
      if (same_word(key, "length")) {
        out_.length_scale = in_.number("a number after length");
        if (!(out_.length_scale > 0)) in_.fail("the length unit must be greater than zero");
      } else if (same_word(key, "angle")) {
        const std::string_view unit = in_.word();
        if (!same_word(unit, "deg") && !same_word(unit, "rad")) in_.fail_expected("deg or rad", unit);
        out_.degrees = same_word(unit, "deg");
      } else {
        in_.rest_of_line();
      }
    }
  }

  Vec3 three_numbers(std::string_view what) {
    Vec3 v;
    for (int k = 0; k < 3; ++k) v[k] = in_.number(what);
    return v;
  }

  void read_root() {
    AsfBone& root = out_.bones[0];
    std::string order = "xyz";
    Vec3 orientation = Vec3::Zero();
    while (!in_.at_end() && !in_.peek().starts_with(':')) {
      const std::string_view key = in_.word();
      if (same_word(key, "order")) {
        root.dof = read_dof();
      } else if (same_word(key, "axis")) {
        order = axis_order(in_, in_.word());
      } else if (same_word(key, "orientation")) {
        orientation = three_numbers("three numbers after orientation");
      } else {
        in_.rest_of_line();
      }
    }
    for (int k = 0; k < 3; ++k) orientation[k] = angle(orientation[k]);
    root.axis = turns(order, orientation);
  }

  std::vector<char> read_dof() {
    std::vector<char> dof;
    for (std::string_view w = in_.word_on_line(); !w.empty(); w = in_.word_on_line()) {
      const char code = dof_code(w);
      if (!code) in_.fail_expected("degrees of freedom such as rx or tz", w);
      dof.push_back(code);
      if (dof.size() > 16) in_.fail("a bone has at most 16 degrees of freedom");
    }
    return dof;
  }

  void read_bones() {
    while (!in_.at_end() && !in_.peek().starts_with(':')) {
      const std::string_view word = in_.word();
      if (!same_word(word, "begin")) in_.fail_expected("begin of a bone", word);
      read_bone();
    }
  }

  void read_bone() {
    AsfBone bone;
    Vec3 direction = Vec3::Zero();
    double length = 0;
    for (;;) {
      const std::string_view key = in_.word();
      if (key.empty()) in_.fail("a bone is begun and never ended");
      if (same_word(key, "end")) break;
      if (same_word(key, "name")) {
        bone.name = in_.word();
      } else if (same_word(key, "direction")) {
        direction = three_numbers("three numbers after direction");
      } else if (same_word(key, "length")) {
        length = in_.number("a number after length");
      } else if (same_word(key, "axis")) {
        Vec3 angles = three_numbers("three numbers after axis");
        for (int k = 0; k < 3; ++k) angles[k] = angle(angles[k]);
        bone.axis = turns(axis_order(in_, in_.word()), angles);
      } else if (same_word(key, "dof")) {
        bone.dof = read_dof();
      } else {
        // Ids, masses and limits, which may go over several lines of "(low high)", are of no use here.
        in_.rest_of_line();
      }
    }
    if (bone.name.empty()) in_.fail("a bone has no name");
    if (bone.name.size() > 256) in_.fail("the name of this bone is longer than 256 characters");
    if (out_.bones.size() >= kMaxBones) in_.fail("this skeleton has too many bones");
    if (!out_.index.emplace(bone.name, static_cast<int>(out_.bones.size())).second)
      in_.fail("a second bone is called " + quotable(bone.name));
    if (direction.norm() > 0) bone.span = length * direction.normalized();
    out_.bones.push_back(std::move(bone));
  }

  int bone_index(std::string_view name) {
    const auto found = out_.index.find(name);
    if (found == out_.index.end()) in_.fail("there is no bone called '" + quotable(name) + "'");
    return found->second;
  }

  // A hierarchy that stands before the bones is read once they are known.
  void leave_hierarchy_for_later(std::string_view name) {
    hierarchy_first_ = in_;
    skip_section(name);
  }

  // Lines of a parent and its children; a bone has one parent, the root none.
  void read_hierarchy() {
    has_hierarchy_ = true;
    std::set<int> placed = {0};
    const std::string_view begin = in_.word();
    if (!same_word(begin, "begin")) in_.fail_expected("begin of the hierarchy", begin);
    for (;;) {
      const std::string_view first = in_.word();
      if (first.empty()) in_.fail("the hierarchy is begun and never ended");
      if (same_word(first, "end")) return;
      const int parent = bone_index(first);
      if (!placed.contains(parent))
        in_.fail("the bone " + quotable(first) + " gets children before it has a parent itself");
      for (std::string_view w = in_.word_on_line(); !w.empty(); w = in_.word_on_line()) {
        const int child = bone_index(w);
        if (!placed.insert(child).second) in_.fail("the bone " + quotable(w) + " has two parents");
        out_.bones[static_cast<size_t>(parent)].children.push_back(child);
      }
    }
  }

  TextScanner in_;
  Asf out_;
  bool has_hierarchy_ = false;
  std::optional<TextScanner> hierarchy_first_;
};

// The skeleton of a Clip, depth first. A bone begins where its parent's span ends; tips get an end site.
struct Skeleton {
  std::vector<Bone> bones;
  std::vector<int> bone_of_asf;  // index into `bones` by ASF bone, -1 if it is not in the hierarchy
};

Skeleton skeleton_of(const Asf& asf) {
  Skeleton out;
  out.bone_of_asf.assign(asf.bones.size(), -1);
  std::vector<std::pair<int, int>> open = {{0, -1}};  // ASF bone, parent in `bones`
  while (!open.empty()) {
    const auto [a, parent] = open.back();
    open.pop_back();
    const AsfBone& from = asf.bones[static_cast<size_t>(a)];
    const int self = static_cast<int>(out.bones.size());
    Bone bone;
    bone.name = from.name;
    bone.parent = parent;
    out.bone_of_asf[static_cast<size_t>(a)] = self;
    out.bones.push_back(bone);
    for (auto child = from.children.rbegin(); child != from.children.rend(); ++child)
      open.emplace_back(*child, self);
    if (from.children.empty()) {
      Bone end;
      end.name = from.name + "_end";
      end.parent = self;
      end.is_end = true;
      out.bones.push_back(end);
    }
  }
  // Every bone is displaced by its parent's span.
  std::vector<const AsfBone*> asf_of(out.bones.size(), nullptr);
  for (size_t a = 0; a < asf.bones.size(); ++a)
    if (out.bone_of_asf[a] >= 0) asf_of[static_cast<size_t>(out.bone_of_asf[a])] = &asf.bones[a];
  for (Bone& bone : out.bones)
    bone.X_PB.p = bone.parent < 0 ? Vec3::Zero() : asf_of[static_cast<size_t>(bone.parent)]->span;
  return out;
}

// The local pose from a line of values: C M C^-1 at the bone's place.
Pose posed(const AsfBone& bone, const Pose& rest, const std::vector<double>& values, bool degrees_in) {
  Quat M = Quat::Identity();
  Pose X = rest;
  for (size_t k = 0; k < bone.dof.size(); ++k) {
    const char dof = bone.dof[k];
    if (dof == 'l') continue;
    if (dof >= 'x')
      M = turn(dof, degrees_in ? radians(values[k]) : values[k]) * M;
    else
      X.p[dof - 'X'] += values[k];
  }
  X.q = (bone.axis * M * bone.axis.conjugate()).normalized();
  return X;
}

class AmcReader {
 public:
  AmcReader(std::string_view text, const std::string& file, const Asf& asf, const Skeleton& skeleton)
      : in_(text, file), asf_(asf), skeleton_(skeleton), degrees_(asf.degrees) {
    for (const Bone& bone : skeleton.bones) rest_.push_back(bone.X_PB);
    most_poses_ = 1'000'000 + text.size();
  }

  std::vector<Frame> read() {
    while (!in_.at_end()) {
      const std::string_view word = in_.peek();
      if (word.starts_with('#') || word.starts_with(':'))
        read_keyword();
      else if (is_frame_number(word))
        begin_frame();
      else
        read_bone_line();
    }
    if (frames_.empty()) in_.fail("the file has no frames");
    return std::move(frames_);
  }

 private:
  static bool is_frame_number(std::string_view word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  void read_keyword() {
    const std::string_view line = in_.full_line();
    if (same_word(line, ":DEGREES")) degrees_ = true;
    if (same_word(line, ":RADIANS")) degrees_ = false;
  }

  void begin_frame() {
    in_.word();
    if (const std::string_view more = in_.word_on_line(); !more.empty())
      in_.fail_expected("the number of a frame alone on its line", more);
    if ((frames_.size() + 1) * rest_.size() > most_poses_)
      in_.fail("the skeleton has far more bones than the motion has numbers: refused");
    frames_.push_back(rest_);
  }

  void read_bone_line() {
    const std::string_view name = in_.word();
    if (frames_.empty()) in_.fail_expected("the number of the first frame", name);
    const auto found = asf_.index.find(name);
    if (found == asf_.index.end()) in_.fail("the skeleton has no bone called '" + quotable(name) + "'");
    const AsfBone& bone = asf_.bones[static_cast<size_t>(found->second)];
    values_.clear();
    for (std::string_view w = in_.word_on_line(); !w.empty(); w = in_.word_on_line()) {
      double value = 0;
      if (!parse_number(w, value)) in_.fail_expected("a finite number", w);
      if (values_.size() > 16) break;
      values_.push_back(value);
    }
    if (values_.size() != bone.dof.size())
      in_.fail(quotable(name) + " has " + std::to_string(values_.size()) +
               " numbers, but the skeleton gives it " + std::to_string(bone.dof.size()) +
               " degrees of freedom");
    const int b = skeleton_.bone_of_asf[static_cast<size_t>(found->second)];
    if (b < 0) return;
    const auto k = static_cast<size_t>(b);
    frames_.back()[k] = posed(bone, rest_[k], values_, degrees_);
  }

  TextScanner in_;
  const Asf& asf_;
  const Skeleton& skeleton_;
  bool degrees_;
  size_t most_poses_ = 0;
  Frame rest_;
  std::vector<Frame> frames_;
  std::vector<double> values_;
};

}  // namespace

ImportedClip read_asf_amc(std::string_view asf_text, const std::string& asf_name, std::string_view amc_text,
                          const std::string& amc_name, const ImportOptions& options) {
  const Asf asf = AsfReader(asf_text, asf_name).read();
  const Skeleton skeleton = skeleton_of(asf);
  Clip clip;
  clip.name = std::filesystem::path(amc_name).stem().string();
  clip.frames = AmcReader(amc_text, amc_name, asf, skeleton).read();
  clip.bones = skeleton.bones;
  clip.frame_time_s = 1.0 / 120.0;
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);

  FileFacts facts;
  facts.format = "amc";
  facts.frame_time_is_suspect = true;
  facts.frame_time_reason = "because AMC files do not say and CMU's were taken at that rate";
  if (asf.length_scale > 1e-3 && asf.length_scale < 1e3) {
    facts.declared_unit_m = 0.0254 / asf.length_scale;
    facts.unit_declared_by =
        "the skeleton's length unit of " + std::to_string(asf.length_scale) + " to the inch";
  }
  return into_world(
      std::move(clip), facts, options,
      {{"skeleton", "the bones come from " + std::filesystem::path(asf_name).filename().string()}});
}

}  // namespace sinew
