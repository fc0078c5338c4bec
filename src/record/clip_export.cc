#include "record/clip_export.h"

#include <algorithm>
#include <cstdio>

#include "core/error.h"
#include "core/smooth.h"

namespace sinew {

namespace {

// Where a body without children ends: its farthest point in the direction in which its shapes lie.
Vec3 end_point(const Character& character, int body, const Pose& X_WB, const Vec3& p_WJ) {
  Vec3 middle = Vec3::Zero();
  int count = 0;
  for (const Shape& shape : character.shapes)
    if (shape.body == body) {
      middle += X_WB * shape.X_BS.p - p_WJ;
      ++count;
    }
  if (count == 0 || middle.norm() < 1e-6) middle = Vec3(0, 0, 0.1);
  const Vec3 direction = middle.normalized();
  double reach = 0.02;
  for (const Shape& shape : character.shapes)
    if (shape.body == body) reach = std::max(reach, direction.dot(support(shape, X_WB, direction) - p_WJ));
  return reach * direction;
}

std::vector<Pose> local_frame(const std::vector<Bone>& bones, const std::vector<Pose>& world) {
  std::vector<Pose> out;
  for (size_t b = 0; b < world.size(); ++b)
    out.push_back(bones[b].parent < 0 ? world[b]
                                      : world[static_cast<size_t>(bones[b].parent)].inverse() * world[b]);
  return out;
}

// Bones of the bodies, then their end sites, with rest poses that are not turned.
std::vector<Bone> bones_of(const Character& character, const std::vector<Pose>& X_BBone) {
  const std::vector<Pose> rest = body_poses(character, character.q_rest);
  std::vector<Bone> bones;
  std::vector<Pose> world;
  std::vector<bool> has_child(rest.size(), false);
  for (size_t b = 0; b < rest.size(); ++b) {
    const int parent = character.bodies[b].parent;
    if (parent >= 0) has_child[static_cast<size_t>(parent)] = true;
    bones.push_back({character.bodies[b].name, parent, {}, false, {}});
    world.push_back(rest[b] * X_BBone[b]);
  }
  const auto local = local_frame(bones, world);
  for (size_t b = 0; b < rest.size(); ++b) bones[b].X_PB = local[b];
  for (size_t b = 0; b < rest.size(); ++b)
    if (!has_child[b])
      bones.push_back({character.bodies[b].name + "_end",
                       static_cast<int>(b),
                       Pose{end_point(character, static_cast<int>(b), rest[b], world[b].p), Quat::Identity()},
                       true,
                       {}});
  return bones;
}

// Rotations for all, positions for the root and for bones that are moved against their parent.
void choose_channels(Clip& clip) {
  for (size_t b = 0; b < clip.bones.size(); ++b) {
    if (clip.bones[b].is_end) continue;
    double moved = 0;
    for (const Frame& frame : clip.frames)
      moved = std::max(moved, (frame[b].p - clip.bones[b].X_PB.p).norm());
    if (b == 0 || moved > 1e-6) clip.bones[b].channels = {'X', 'Y', 'Z'};
    for (const char axis : {'z', 'x', 'y'}) clip.bones[b].channels.push_back(axis);
  }
}

}  // namespace

std::vector<Pose> bone_frames(const Character& character) {
  const std::vector<Pose> rest = body_poses(character, character.q_rest);
  std::vector<Pose> out;
  for (size_t b = 0; b < rest.size(); ++b) {
    const Body& body = character.bodies[b];
    const bool jointed = body.joint_count > 0 &&
                         character.joints[static_cast<size_t>(body.first_joint)].type != JointType::kFree;
    const Vec3 anchor =
        jointed ? character.joints[static_cast<size_t>(body.first_joint)].p_BJ : Vec3(Vec3::Zero());
    out.push_back({anchor, rest[b].q.conjugate()});
  }
  return out;
}

std::vector<VecX> smoothed(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                           double cutoff_hz) {
  std::vector<VecX> out = q;
  const auto smooth_number = [&](int at) {
    std::vector<double> x;
    for (const VecX& frame : q) x.push_back(frame[at]);
    x = smooth(x, frame_time_s, cutoff_hz);
    for (size_t i = 0; i < x.size(); ++i) out[i][at] = x[i];
  };
  const auto smooth_turn = [&](int at) {
    std::vector<Quat> turns;
    for (const VecX& frame : q) turns.emplace_back(frame[at], frame[at + 1], frame[at + 2], frame[at + 3]);
    make_continuous(turns);
    turns = smooth(turns, frame_time_s, cutoff_hz);
    for (size_t i = 0; i < turns.size(); ++i)
      out[i].segment<4>(at) << turns[i].w(), turns[i].x(), turns[i].y(), turns[i].z();
  };

  // Positions, angles and ways one by one, rotations as a whole.
  if (cutoff_hz <= 0) return out;
  for (const Joint& joint : character.joints) {
    const int turn = joint.q_size() > 1 ? joint.q + joint.q_size() - 4 : -1;
    for (int i = joint.q; i < (turn < 0 ? joint.q + 1 : turn); ++i) smooth_number(i);
    if (turn >= 0) smooth_turn(turn);
  }
  return out;
}

Clip clip_from_motion(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                      const std::string& name) {
  if (q.empty()) throw Error("a clip needs at least one frame");
  const std::vector<Pose> X_BBone = bone_frames(character);
  Clip clip;
  clip.name = name;
  clip.frame_time_s = frame_time_s;
  clip.bones = bones_of(character, X_BBone);
  for (const VecX& coordinates : q) {
    std::vector<Pose> world = body_poses(character, coordinates);
    for (size_t b = 0; b < world.size(); ++b) world[b] = world[b] * X_BBone[b];
    Frame frame = local_frame(clip.bones, world);
    for (size_t b = world.size(); b < clip.bones.size(); ++b) frame.push_back(clip.bones[b].X_PB);
    clip.frames.push_back(std::move(frame));
  }
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);
  choose_channels(clip);

  // p_file = (y, z, x) of the world, in centimetres.
  Mat3 R_FW;
  R_FW << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  clip.source = {0.01, Quat(R_FW), "bvh"};
  return clip;
}

namespace {

std::vector<std::string> column_names(const Joint& joint) {
  if (joint.type == JointType::kFree)
    return {"root.x", "root.y", "root.z", "root.qw", "root.qx", "root.qy", "root.qz"};
  if (joint.type == JointType::kBall) return {joint.name + ".x", joint.name + ".y", joint.name + ".z"};
  return {joint.name};
}

void append_number(std::string& out, double value) {
  char text[40];
  std::snprintf(text, sizeof text, ",%.9g", value);
  out += text;
}

}  // namespace

std::string frames_csv(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                       const std::vector<VecX>& torques) {
  std::string csv = "time_s";
  for (const Joint& joint : character.joints)
    for (const std::string& column : column_names(joint)) csv += ',' + column;
  if (!torques.empty())
    for (const Joint& joint : character.joints)
      if (joint.type != JointType::kFree)
        for (const std::string& column : column_names(joint)) csv += ",torque." + column;
  csv += '\n';

  for (size_t i = 0; i < q.size(); ++i) {
    char time[40];
    std::snprintf(time, sizeof time, "%.9g", static_cast<double>(i) * frame_time_s);
    csv += time;
    for (const Joint& joint : character.joints) {
      if (joint.type == JointType::kBall) {
        const Vec3 turned =
            log_map(Quat(q[i][joint.q], q[i][joint.q + 1], q[i][joint.q + 2], q[i][joint.q + 3]));
        for (int k = 0; k < 3; ++k) append_number(csv, turned[k]);
      } else {
        for (int k = 0; k < joint.q_size(); ++k) append_number(csv, q[i][joint.q + k]);
      }
    }
    for (const Joint& joint : character.joints)
      if (i < torques.size() && joint.type != JointType::kFree)
        for (int k = 0; k < joint.v_size(); ++k) append_number(csv, torques[i][joint.v + k]);
    csv += '\n';
  }
  return csv;
}

}  // namespace sinew
