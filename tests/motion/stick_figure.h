#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/math.h"
#include "motion/clip.h"
#include "motion/part.h"

// A person of sticks in a T-pose, facing +X, Z up, metres, for tests that need a body but no file.
namespace sinew::testing {

// Adds a bone to a skeleton; its index.
inline int add_bone(Clip& clip, const std::string& name, int parent, const Vec3& offset) {
  Bone bone;
  bone.name = name;
  bone.parent = parent;
  bone.X_PB.p = offset;
  clip.bones.push_back(bone);
  return static_cast<int>(clip.bones.size()) - 1;
}

struct StickJoint {
  Part part;
  Vec3 p_W;
  bool is_tip = false;  // where the last bone of `part` ends
};

// Depth first, parents before children.
inline std::vector<StickJoint> stick_joints() {
  std::vector<StickJoint> out = {{Part::kPelvis, {0, 0, 0.95}}};
  for (const double s : {1.0, -1.0}) {
    const bool left = s > 0;
    const auto part = [&](Part p) { return left ? p : part_mirror(p); };
    out.push_back({part(Part::kLeftThigh), {0, 0.09 * s, 0.90}});
    out.push_back({part(Part::kLeftShin), {0, 0.09 * s, 0.49}});
    out.push_back({part(Part::kLeftFoot), {0, 0.09 * s, 0.08}});
    out.push_back({part(Part::kLeftToes), {0.14, 0.09 * s, 0.02}});
    out.push_back({part(Part::kLeftToes), {0.20, 0.09 * s, 0.02}, true});
  }
  out.push_back({Part::kAbdomen, {0, 0, 1.06}});
  out.push_back({Part::kThorax, {0, 0, 1.22}});
  for (const double s : {1.0, -1.0}) {
    const bool left = s > 0;
    const auto part = [&](Part p) { return left ? p : part_mirror(p); };
    out.push_back({part(Part::kLeftClavicle), {0, 0.03 * s, 1.40}});
    out.push_back({part(Part::kLeftUpperArm), {0, 0.18 * s, 1.42}});
    out.push_back({part(Part::kLeftLowerArm), {0, 0.46 * s, 1.42}});
    out.push_back({part(Part::kLeftHand), {0, 0.71 * s, 1.42}});
    out.push_back({part(Part::kLeftHand), {0, 0.88 * s, 1.42}, true});
  }
  out.push_back({Part::kNeck, {0, 0, 1.47}});
  out.push_back({Part::kHead, {0, 0, 1.56}});
  out.push_back({Part::kHead, {0, 0, 1.74}, true});
  return out;
}

using NameOf = std::function<std::string(Part)>;

// The figure as bones. A part whose name is empty is left out and its children hang on its parent.
inline std::vector<Bone> stick_bones(const NameOf& name_of) {
  std::vector<Bone> bones;
  std::vector<Vec3> p_W;
  std::map<Part, int> index;
  for (const StickJoint& joint : stick_joints()) {
    const std::string name = name_of(joint.part);
    if (name.empty()) continue;
    Part above = joint.is_tip ? joint.part : part_parent(joint.part);
    while (above != Part::kNone && !index.contains(above)) above = part_parent(above);
    Bone bone;
    bone.name = joint.is_tip ? name + "_end" : name;
    bone.is_end = joint.is_tip;
    bone.parent = above == Part::kNone ? -1 : index[above];
    bone.X_PB.p = bone.parent < 0 ? joint.p_W : Vec3(joint.p_W - p_W[static_cast<size_t>(bone.parent)]);
    if (!joint.is_tip) index[joint.part] = static_cast<int>(bones.size());
    p_W.push_back(joint.p_W);
    bones.push_back(bone);
  }
  return bones;
}

inline std::string own_name(Part part) { return std::string(part_name(part)); }

// The figure standing for a number of frames.
inline Clip stick_clip(const NameOf& name_of, size_t frames = 3) {
  Clip clip;
  clip.name = "stick";
  clip.bones = stick_bones(name_of);
  clip.frame_time_s = 1.0 / 60;
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);
  clip.frames.assign(frames, clip.rest);
  return clip;
}

// How the figure is written down: rows of `R_FW` are the file's axes in the world.
struct BvhStyle {
  Mat3 R_FW = (Mat3() << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished();  // Y up, faces +Z
  double unit_m = 0.01;
  std::string rotations = "ZYX";
  double frame_time_s = 1.0 / 60;
};

// Angles in degrees for the three rotation channels of each bone that is no end, and the root's place
// (metres, world).
struct BvhFrame {
  Vec3 root_p_W = {0, 0, 0.95};
  std::vector<Vec3> angles;
};

inline std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.8g", value);
  return text;
}

// A BVH file written without any of the library's own code for it.
inline std::string bvh_text(const std::vector<Bone>& bones, const std::vector<BvhFrame>& frames,
                            const BvhStyle& style) {
  std::string out = "HIERARCHY\n";
  const std::function<void(int)> joint = [&](int b) {
    const Bone& bone = bones[static_cast<size_t>(b)];
    out += bone.parent < 0 ? "ROOT " + bone.name : bone.is_end ? "End Site" : "JOINT " + bone.name;
    const Vec3 p_F = style.R_FW * bone.X_PB.p / style.unit_m;
    out += "\n{\nOFFSET";
    for (int k = 0; k < 3; ++k) out += " " + number_text(bone.parent < 0 ? 0.0 : p_F[k]);
    out += "\n";
    if (!bone.is_end) {
      out += bone.parent < 0 ? "CHANNELS 6 Xposition Yposition Zposition" : "CHANNELS 3";
      for (const char axis : style.rotations) out += std::string(" ") + axis + "rotation";
      out += "\n";
    }
    for (size_t c = 0; c < bones.size(); ++c)
      if (bones[c].parent == b) joint(static_cast<int>(c));
    out += "}\n";
  };
  joint(0);
  out += "MOTION\nFrames: " + std::to_string(frames.size()) +
         "\nFrame Time: " + number_text(style.frame_time_s) + "\n";
  for (const BvhFrame& frame : frames) {
    const Vec3 p_F = style.R_FW * frame.root_p_W / style.unit_m;
    out += number_text(p_F.x()) + " " + number_text(p_F.y()) + " " + number_text(p_F.z());
    size_t n = 0;
    for (const Bone& bone : bones) {
      if (bone.is_end) continue;
      const Vec3 angles = n < frame.angles.size() ? frame.angles[n] : Vec3(0, 0, 0);
      for (int k = 0; k < 3; ++k) out += " " + number_text(angles[k]);
      ++n;
    }
    out += "\n";
  }
  return out;
}

}  // namespace sinew::testing
