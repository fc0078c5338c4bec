#pragma once

#include <string>
#include <vector>

#include "core/math.h"

namespace sinew {

// One joint of a skeleton together with the bone that hangs on it. The frame's origin is the joint.
struct Bone {
  std::string name;
  int parent = -1;      // index of a bone before this one; -1 for the root
  Pose X_PB;            // rest pose in the parent's frame (for the root: in the world), metres
  bool is_end = false;  // an end site: marks where the last bone ends, has no motion of its own
  std::vector<char>
      channels;  // BVH channels as written: 'X','Y','Z' positions, 'x','y','z' rotations; else empty
};

// The local pose of every bone at one time: X_PB as animated. Same order as `Clip::bones`.
using Frame = std::vector<Pose>;

// How the file was written, so that a motion can be put back into it: p_file = R_FW * p_W / unit_m.
struct SourceConvention {
  double unit_m = 1.0;           // length of one file unit
  Quat q_FW = Quat::Identity();  // rotation from Sinew's world (Z up, faces +X) to the file's axes
  std::string format;            // "bvh", "amc", "deepmimic", "gltf", "fbx", "keyframes", "recording"
  bool rest_in_frame_0 = false;  // the file began with its rest pose as an extra frame
};

// What a motion file says: a skeleton and its frames, in Sinew's world: metres, Z up, right-handed.
// Nothing physical. All bones' frames were turned together with the world, so that local rotations stay
// rotations.
struct Clip {
  std::string name;
  std::vector<Bone> bones;    // parents before children; bone 0 is the root
  double frame_time_s = 0;    // > 0
  std::vector<Frame> frames;  // at least one
  Frame rest;  // reference stance (T-pose if there is one, else the skeleton's zero pose or best guess)
  bool rest_is_t_pose = false;  // whether the arms of `rest` stick out sideways, as far as could be told
  SourceConvention source;

  double duration_s() const { return frame_time_s * (static_cast<double>(frames.size()) - 1); }
};

// World poses of all bones for one frame, in bone order: X_WB.
std::vector<Pose> world_poses(const Clip& clip, const Frame& frame);

// Index of the bone of this name, or -1.
int find_bone(const Clip& clip, const std::string& name);

// The frames from `from_s` to `to_s` (clamped to the clip; to_s < 0 means the end). Throws Error when nothing
// is left.
Clip cut(const Clip& clip, double from_s, double to_s);

}  // namespace sinew
