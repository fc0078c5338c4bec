#include "motion/rest_pose.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

bool has(const SkeletonParts& parts, Part p) { return parts[p] >= 0; }

Vec3 place(const std::vector<Pose>& X, const SkeletonParts& parts, Part p) {
  return X[static_cast<size_t>(parts[p])].p;
}

// The highest part that the skeleton has.
Part top_part(const SkeletonParts& parts) {
  for (const Part p : {Part::kHead, Part::kNeck, Part::kThorax, Part::kLeftUpperArm, Part::kAbdomen})
    if (has(parts, p)) return p;
  return Part::kPelvis;
}

// The lowest part that both sides have.
std::pair<Part, Part> bottom_parts(const SkeletonParts& parts) {
  if (has(parts, Part::kLeftFoot) && has(parts, Part::kRightFoot)) return {Part::kLeftFoot, Part::kRightFoot};
  return {Part::kLeftShin, Part::kRightShin};
}

// Whether both arms stick out sideways, within 30 degrees, and are nearly straight.
bool is_t_pose(const std::vector<Pose>& X, const SkeletonParts& parts) {
  const Stance stance = stance_of(X, parts);
  if (!stance.is_upright) return false;
  for (const auto& [shoulder, elbow, hand, side] :
       {std::tuple{Part::kLeftUpperArm, Part::kLeftLowerArm, Part::kLeftHand, 1.0},
        std::tuple{Part::kRightUpperArm, Part::kRightLowerArm, Part::kRightHand, -1.0}}) {
    const Part end = has(parts, hand) ? hand : elbow;
    if (!has(parts, shoulder) || !has(parts, end)) return false;
    const Vec3 arm = place(X, parts, end) - place(X, parts, shoulder);
    if (arm.dot(side * stance.left) < 0.866 * arm.norm()) return false;
  }
  return true;
}

// The sum of the angles by which the bones turn from one frame to another.
double total_turn(const Frame& a, const Frame& b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += angle_between(a[i].q, b[i].q);
  return total;
}

// Most bones of a pose put in by hand are not turned at all.
bool is_mostly_unturned(const Clip& clip, const Frame& frame) {
  size_t turned = 0, all = 0;
  for (size_t i = 0; i < frame.size(); ++i) {
    if (clip.bones[i].is_end) continue;
    ++all;
    turned += angle_between(frame[i].q, clip.bones[i].X_PB.q) > 1e-4;
  }
  return turned * 2 < all;
}

bool looks_like_rest_frame(const Clip& clip, const SkeletonParts* parts) {
  const Frame& first = clip.frames[0];
  const bool unturned = is_mostly_unturned(clip, first) && !is_mostly_unturned(clip, clip.frames[1]);
  if (!unturned && !(parts && is_t_pose(world_poses(clip, first), *parts))) return false;
  // It jumps to frame 1, and the motion goes on from there without such jumps.
  const double jump = total_turn(first, clip.frames[1]);
  const double next = total_turn(clip.frames[1], clip.frames[2]);
  return jump > radians(15) && jump > (unturned ? 2 : 4) * next;
}

// Where a segment should point in a T-pose that faces +X.
struct Aim {
  Part part, towards;
  Vec3 direction;
};
const std::array<Aim, 13> kAims = {{{Part::kAbdomen, Part::kThorax, Vec3::UnitZ()},
                                    {Part::kThorax, Part::kNeck, Vec3::UnitZ()},
                                    {Part::kNeck, Part::kHead, Vec3::UnitZ()},
                                    {Part::kLeftUpperArm, Part::kLeftLowerArm, Vec3::UnitY()},
                                    {Part::kLeftLowerArm, Part::kLeftHand, Vec3::UnitY()},
                                    {Part::kRightUpperArm, Part::kRightLowerArm, -Vec3::UnitY()},
                                    {Part::kRightLowerArm, Part::kRightHand, -Vec3::UnitY()},
                                    {Part::kLeftThigh, Part::kLeftShin, -Vec3::UnitZ()},
                                    {Part::kLeftShin, Part::kLeftFoot, -Vec3::UnitZ()},
                                    {Part::kRightThigh, Part::kRightShin, -Vec3::UnitZ()},
                                    {Part::kRightShin, Part::kRightFoot, -Vec3::UnitZ()},
                                    {Part::kLeftFoot, Part::kLeftToes, Vec3::UnitX()},
                                    {Part::kRightFoot, Part::kRightToes, Vec3::UnitX()}}};

// Turns a bone, and all that hangs on it, by a rotation given in the world.
void turn_bone(const Clip& clip, Frame& frame, int bone, const Quat& q_W) {
  const auto b = static_cast<size_t>(bone);
  const int parent = clip.bones[b].parent;
  const Quat q_WP = parent < 0 ? Quat::Identity() : world_poses(clip, frame)[static_cast<size_t>(parent)].q;
  frame[b].q = (q_WP.conjugate() * q_W * q_WP * frame[b].q).normalized();
}

// Yaw that makes the stance face +X.
Quat yaw_to_face_x(const Stance& stance) {
  const Vec3 forward = stance.left.cross(Vec3::UnitZ());
  return Quat(Eigen::AngleAxisd(-std::atan2(forward.y(), forward.x()), Vec3::UnitZ()));
}

// The frame in which the body stands most upright, or -1 if it never does.
int most_upright_frame(const Clip& clip, const SkeletonParts& parts) {
  const size_t step = std::max<size_t>(1, clip.frames.size() / 200);
  int best = -1;
  double most = 0.5;
  for (size_t f = 0; f < clip.frames.size(); f += step) {
    const Stance stance = stance_of(world_poses(clip, clip.frames[f]), parts);
    if (!stance.is_upright || stance.up.z() <= most) continue;
    most = stance.up.z();
    best = static_cast<int>(f);
  }
  return best;
}

// The T-pose that this body could take: an upright frame with its segments turned to where they belong.
Frame built_t_pose(const Clip& clip, const SkeletonParts& parts, int upright_frame) {
  Frame frame = clip.frames[static_cast<size_t>(upright_frame)];
  turn_bone(clip, frame, 0, yaw_to_face_x(stance_of(world_poses(clip, frame), parts)));
  for (const Aim& aim : kAims) {
    if (!has(parts, aim.part) || !has(parts, aim.towards)) continue;
    const std::vector<Pose> X = world_poses(clip, frame);
    const Vec3 now = place(X, parts, aim.towards) - place(X, parts, aim.part);
    Vec3 wanted = aim.direction;
    // A foot keeps its slope: only its heading is set.
    if (wanted.x() > 0) wanted = Vec3(std::hypot(now.x(), now.y()), 0, now.z());
    if (now.norm() > 1e-9) turn_bone(clip, frame, parts[aim.part], shortest_arc(now, wanted));
  }
  return frame;
}

void put_on_ground(Clip& clip) {
  double lowest = 1e300;
  for (const Pose& X : world_poses(clip, clip.rest)) lowest = std::min(lowest, X.p.z());
  clip.rest[0].p.x() = clip.rest[0].p.y() = 0;
  clip.rest[0].p.z() -= lowest;
}

}  // namespace

Stance stance_of(const std::vector<Pose>& X, const SkeletonParts& parts) {
  Stance out;
  const auto [left_bottom, right_bottom] = bottom_parts(parts);
  if (!has(parts, left_bottom) || !has(parts, right_bottom)) return out;
  const Vec3 hips = 0.5 * (place(X, parts, Part::kLeftThigh) + place(X, parts, Part::kRightThigh));
  const Vec3 feet = 0.5 * (place(X, parts, left_bottom) + place(X, parts, right_bottom));
  const Part top = top_part(parts);
  const Vec3 legs = hips - feet;
  const Vec3 trunk = place(X, parts, top) - hips;
  out.left = (place(X, parts, Part::kLeftThigh) - place(X, parts, Part::kRightThigh)).normalized();
  if (legs.norm() < 1e-12 || trunk.norm() < 1e-12) return out;
  out.legs = legs.normalized();
  out.up = (legs + trunk).normalized();
  out.is_upright = legs.normalized().dot(trunk.normalized()) > 0.7 && std::abs(out.left.dot(out.up)) < 0.5;
  return out;
}

void take_rest_frame(Clip& clip, const SkeletonParts* parts, const ImportOptions& options,
                     std::vector<ImportNote>& notes) {
  const bool said = options.first_frame_is_rest.has_value();
  if (clip.frames.size() < 3 && !(said && clip.frames.size() == 2)) return;
  const bool is_rest = said ? *options.first_frame_is_rest : looks_like_rest_frame(clip, parts);
  if (!is_rest) {
    notes.push_back({"rest frame", std::string("frame 0 belongs to the motion, because ") +
                                       (said ? "you said so"
                                             : "it is no pose put there by hand that frame 1 jumps away from "
                                               "(--rest-frame yes overrides)")});
    return;
  }
  clip.rest = clip.frames.front();
  clip.frames.erase(clip.frames.begin());
  clip.source.rest_in_frame_0 = true;
  notes.push_back(
      {"rest frame", std::string("frame 0 is the rest pose and no part of the motion, because ") +
                         (said ? "you said so"
                               : "it was put there by hand and the motion jumps away from it; times "
                                 "are counted without it (--rest-frame no overrides)")});
}

void settle_rest(Clip& clip, const SkeletonParts* parts, std::vector<ImportNote>& notes) {
  if (parts) {
    const Stance stance = stance_of(world_poses(clip, clip.rest), *parts);
    const bool usable = stance.is_upright && stance.up.z() > 0.5;
    const int upright = usable ? -1 : most_upright_frame(clip, *parts);
    if (upright >= 0) {
      clip.rest = built_t_pose(clip, *parts, upright);
      notes.push_back({"rest pose",
                       "the skeleton's own rest pose is no stance, so a T-pose was built from an "
                       "upright frame"});
    } else if (stance.left.head<2>().norm() > 0.5) {
      turn_bone(clip, clip.rest, 0, yaw_to_face_x(stance));
    }
    clip.rest_is_t_pose = is_t_pose(world_poses(clip, clip.rest), *parts);
    notes.push_back({"rest pose", clip.rest_is_t_pose ? "a T-pose: the arms stick out sideways"
                                                      : "no T-pose: the arms do not stick out sideways"});
  }
  put_on_ground(clip);
}

}  // namespace sinew
