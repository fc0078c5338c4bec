#include "character/performance.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <set>

#include "core/error.h"
#include "core/smooth.h"

namespace sinew {

namespace {

// The part at whose joint another part ends: where its direction points to.
Part next_part(Part part) {
  switch (part) {
    case Part::kLeftThigh:
      return Part::kLeftShin;
    case Part::kLeftShin:
      return Part::kLeftFoot;
    case Part::kLeftFoot:
      return Part::kLeftToes;
    case Part::kLeftClavicle:
      return Part::kLeftUpperArm;
    case Part::kLeftUpperArm:
      return Part::kLeftLowerArm;
    case Part::kLeftLowerArm:
      return Part::kLeftHand;
    case Part::kPelvis:
      return Part::kThorax;
    case Part::kThorax:
      return Part::kHead;
    case Part::kNeck:
      return Part::kHead;
    default: {
      const Part mirror = part_mirror(part);
      return std::string_view(part_name(part)).starts_with("right_") ? part_mirror(next_part(mirror))
                                                                     : Part::kNone;
    }
  }
}

// How upright a figure stands: 1 with the trunk straight up and both legs straight down.
double uprightness(const std::vector<Pose>& X_WB, const SkeletonParts& parts) {
  const auto at = [&](Part p) { return X_WB[static_cast<size_t>(parts[p])].p; };
  double least = 1;
  const Part top = parts[Part::kHead] >= 0 ? Part::kHead : Part::kThorax;
  if (parts[top] >= 0) {
    const Vec3 hips = 0.5 * (at(Part::kLeftThigh) + at(Part::kRightThigh));
    least = std::min(least, (at(top) - hips).normalized().z());
  }
  for (int side = 0; side < 2; ++side) {
    const Part thigh = kSides[side][4];
    const Part end = parts[kSides[side][6]] >= 0 ? kSides[side][6] : kSides[side][5];
    if (parts[end] >= 0) least = std::min(least, -(at(end) - at(thigh)).normalized().z());
  }
  return least;
}

// Whether a figure stands as quadrupeds do: the legs below the hips, and the hands down by the feet.
bool is_on_all_fours(const std::vector<Pose>& X_WB, const SkeletonParts& parts) {
  const auto height = [&](Part p) { return X_WB[static_cast<size_t>(parts[p])].p.z(); };
  for (int side = 0; side < 2; ++side) {
    const Part foot = kSides[side][6], hand = kSides[side][3], thigh = kSides[side][4];
    if (parts[foot] < 0 || parts[hand] < 0) return false;
    const double leg = height(thigh) - height(foot);
    if (leg <= 0 || height(hand) > height(foot) + 0.25 * leg) return false;
  }
  return true;
}

// The stance that rotations are counted from: the clip's rest pose, or the most upright frame where that is
// none.
Frame find_stance(const Clip& clip, const SkeletonParts& parts, std::vector<std::string>& notes) {
  if (is_on_all_fours(world_poses(clip, clip.rest), parts)) return clip.rest;
  if (uprightness(world_poses(clip, clip.rest), parts) > 0.8) return clip.rest;
  double best = -2;
  size_t at = 0;
  for (size_t i = 0; i < clip.frames.size(); i += std::max<size_t>(1, clip.frames.size() / 400))
    if (const double u = uprightness(world_poses(clip, clip.frames[i]), parts); u > best) best = u, at = i;
  notes.push_back("the rest pose does not stand upright; the frame at " +
                  std::to_string(static_cast<double>(at) * clip.frame_time_s).substr(0, 5) +
                  " s serves as the rest stance");
  return clip.frames[at];
}

double stance_heading(const std::vector<Pose>& X_WB, const SkeletonParts& parts) {
  const auto at = [&](Part p) { return X_WB[static_cast<size_t>(parts[p])].p; };
  Vec3 to_left = at(Part::kLeftThigh) - at(Part::kRightThigh);
  if (parts[Part::kLeftUpperArm] >= 0 && parts[Part::kRightUpperArm] >= 0 &&
      std::hypot(to_left.x(), to_left.y()) < 0.02)
    to_left = at(Part::kLeftUpperArm) - at(Part::kRightUpperArm);
  const Vec3 forward = to_left.cross(Vec3::UnitZ());
  return std::atan2(forward.y(), forward.x());
}

// Sum of the distances along a limb of three joints, in a stance.
double limb_length(const std::vector<Pose>& X_WB, const SkeletonParts& parts, Part a, Part b, Part c) {
  if (parts[a] < 0 || parts[b] < 0 || parts[c] < 0) return 0;
  const auto at = [&](Part p) { return X_WB[static_cast<size_t>(parts[p])].p; };
  return (at(b) - at(a)).norm() + (at(c) - at(b)).norm();
}

}  // namespace

std::vector<Pose> world_poses_at(const Clip& clip, double time_s) {
  const double last = static_cast<double>(clip.frames.size() - 1);
  const double u = std::clamp(time_s / clip.frame_time_s, 0.0, last);
  const auto i = static_cast<size_t>(std::min(std::floor(u), std::max(last - 1, 0.0)));
  const double f = u - static_cast<double>(i);
  if (f < 1e-9 || i + 1 >= clip.frames.size()) return world_poses(clip, clip.frames[i]);
  Frame frame(clip.frames[i].size());
  for (size_t b = 0; b < frame.size(); ++b) {
    const Pose& x0 = clip.frames[i][b];
    const Pose& x1 = clip.frames[i + 1][b];
    frame[b] = {(1 - f) * x0.p + f * x1.p, x0.q.slerp(f, x1.q)};
  }
  return world_poses(clip, frame);
}

Performance perform(const Clip& clip, const SkeletonParts& parts, double rate_hz,
                    std::vector<std::string>& notes) {
  Performance out;
  out.frame_time_s = 1.0 / rate_hz;

  // The stance that everything is counted from, turned to face +X.
  const std::vector<Pose> X_stance = world_poses(clip, find_stance(clip, parts, notes));
  const Quat q_facing = exp_map(Vec3(0, 0, stance_heading(X_stance, parts)));
  out.on_all_fours = is_on_all_fours(world_poses(clip, clip.rest), parts);
  for (int p = 1; p < kPartCount; ++p) {
    const auto part = static_cast<Part>(p);
    const auto i = static_cast<size_t>(p);
    out.has[i] = parts[part] >= 0;
    out.rest_direction[i].setZero();
    const Part next = next_part(part);
    if (out.has[i] && next != Part::kNone && parts[next] >= 0)
      out.rest_direction[i] = q_facing.conjugate() * (X_stance[static_cast<size_t>(parts[next])].p -
                                                      X_stance[static_cast<size_t>(parts[part])].p);
  }
  // The trunk points from the middle of the hips to the middle of the shoulders.
  if (parts[Part::kThorax] >= 0 && parts[Part::kLeftUpperArm] >= 0 && parts[Part::kRightUpperArm] >= 0) {
    const auto at = [&](Part p) { return X_stance[static_cast<size_t>(parts[p])].p; };
    out.rest_direction[index(Part::kThorax)] =
        q_facing.conjugate() * Vec3(at(Part::kLeftUpperArm) + at(Part::kRightUpperArm) -
                                    at(Part::kLeftThigh) - at(Part::kRightThigh));
  }
  for (int side = 0; side < 2; ++side) {
    const auto& s = kSides[side];
    out.leg_length_m += 0.5 * limb_length(X_stance, parts, s[4], s[5], s[6]);
    out.arm_length_m += 0.5 * limb_length(X_stance, parts, s[1], s[2], s[3]);
  }
  if (out.leg_length_m < 1e-6) throw Error(clip.name + ": its legs have no length");

  // Bones that play no part are told by name; of two of one name the first.
  std::vector<size_t> others;
  std::set<std::string> names;
  const std::set<int> used(parts.bone.begin(), parts.bone.end());
  for (size_t b = 0; b < clip.bones.size(); ++b)
    if (!clip.bones[b].is_end && !used.contains(static_cast<int>(b)) &&
        names.insert(clip.bones[b].name).second)
      others.push_back(b);

  // Each frame: rotation since the stance, and joint of every part.
  const auto frames = static_cast<size_t>(std::floor(clip.duration_s() * rate_hz + 1e-6)) + 1;
  for (size_t f = 0; f < frames; ++f) {
    const std::vector<Pose> X_WB = world_poses_at(clip, static_cast<double>(f) * out.frame_time_s);
    PerPart<Quat> turn;
    PerPart<Vec3> joint;
    turn[0] = Quat::Identity();
    joint[0].setZero();
    for (int p = 1; p < kPartCount; ++p) {
      const auto part = static_cast<Part>(p);
      const auto i = static_cast<size_t>(p);
      const Part parent = part_parent(part);
      if (out.has[i]) {
        const auto bone = static_cast<size_t>(parts[part]);
        turn[i] = (X_WB[bone].q * X_stance[bone].q.conjugate() * q_facing).normalized();
        joint[i] = X_WB[bone].p;
      } else {
        turn[i] = turn[index(parent)];
        joint[i] = joint[index(parent)];
      }
    }
    out.turn.push_back(turn);
    out.joint.push_back(joint);
    for (const size_t b : others)
      out.others[clip.bones[b].name].push_back(
          (X_WB[b].q * X_stance[b].q.conjugate() * q_facing).normalized());
  }
  return out;
}

namespace {

// Slow heading of the pelvis: where the sideways axis is near the vertical it says little and weighs little.
// It is told by the double angle, so that a body that rolls over keeps its plane instead of turning about.
std::vector<double> slow_heading(const Performance& performance) {
  std::vector<double> x, y;
  for (const auto& turn : performance.turn) {
    const Vec3 left = turn[index(Part::kPelvis)] * Vec3::UnitY();
    x.push_back(left.y() * left.y() - left.x() * left.x());
    y.push_back(-2 * left.x() * left.y());
  }
  x = smooth(x, performance.frame_time_s, 0.7);
  y = smooth(y, performance.frame_time_s, 0.7);
  std::vector<double> heading(x.size());
  double facing = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double plane = 0.5 * std::atan2(y[i], x[i]);
    heading[i] = i == 0 ? plane : plane + kPi * std::round((heading[i - 1] - plane) / kPi);
    const Vec3 left = performance.turn[i][index(Part::kPelvis)] * Vec3::UnitY();
    facing += left.y() * std::cos(heading[i]) - left.x() * std::sin(heading[i]);
  }
  // Which of the plane's two ways is ahead: the one that the performer faces more.
  if (facing < 0)
    for (double& h : heading) h += kPi;
  return heading;
}

double out_of_plane(const Performance& performance, const std::vector<double>& heading, double offset) {
  double sum = 0;
  for (size_t f = 0; f < heading.size(); ++f) {
    const double h = heading[f] + offset;
    const Vec3 up = performance.turn[f][index(Part::kThorax)] * Vec3::UnitZ();
    sum += std::pow(up.dot(Vec3(-std::sin(h), std::cos(h), 0)), 2);
  }
  return sum / static_cast<double>(heading.size());
}

// The angle about Y of a direction seen in the plane; 0 is straight up.
std::complex<double> in_plane(const Vec3& v, double heading) {
  return {v.z(), v.x() * std::cos(heading) + v.y() * std::sin(heading)};
}

}  // namespace

Performance project_to_plane(const Performance& performance, std::vector<std::string>& notes) {
  // The plane faces where the performer faces, unless the trunk swings mostly sideways (a cartwheel): then
  // sideways.
  std::vector<double> heading = slow_heading(performance);
  const double ahead = out_of_plane(performance, heading, 0);
  const double aside = out_of_plane(performance, heading, kPi / 2);
  if (ahead > 0.08 && aside < 0.5 * ahead) {
    const Vec3 path =
        performance.joint.back()[index(Part::kPelvis)] - performance.joint.front()[index(Part::kPelvis)];
    const bool left = path.dot(Vec3(-std::sin(heading[0]), std::cos(heading[0]), 0)) > 0;
    for (double& h : heading) h += left ? kPi / 2 : -kPi / 2;
    notes.push_back("planar: the trunk swings sideways, so the plane is that of the sideways motion");
  } else {
    notes.push_back("planar: projected to the plane that follows the performer's slow heading");
  }

  Performance out = performance;
  const size_t frames = performance.turn.size();

  // Unroll the path along X and flatten every joint against the pelvis.
  double x = 0;
  for (size_t f = 0; f < frames; ++f) {
    const Vec3 forward(std::cos(heading[f]), std::sin(heading[f]), 0);
    const Vec3 pelvis = performance.joint[f][index(Part::kPelvis)];
    if (f > 0) x += (pelvis - performance.joint[f - 1][index(Part::kPelvis)]).dot(forward);
    for (auto& joint : out.joint[f]) joint = Vec3(x + (joint - pelvis).dot(forward), 0, joint.z());
    const Quat back = exp_map(Vec3(0, 0, -heading[f]));
    out.X_plane.push_back({Vec3(x, 0, 0) - back * Vec3(pelvis.x(), pelvis.y(), 0), back});
  }

  // Each segment turns about Y as its direction does; foreshortened frames are bridged by their neighbours.
  for (int p = 1; p < kPartCount; ++p) {
    const auto i = static_cast<size_t>(p);
    const bool limb = index(Part::kLeftClavicle) <= i || i == index(Part::kThorax);
    Vec3 rest = limb && performance.rest_direction[i].norm() > 1e-6
                    ? performance.rest_direction[i].normalized()
                    : Vec3::UnitZ();
    if (static_cast<Part>(p) == Part::kLeftHand || static_cast<Part>(p) == Part::kRightHand)
      rest = performance.rest_direction[i - 1].norm() > 1e-6 ? performance.rest_direction[i - 1].normalized()
                                                             : rest;
    const Vec3 seen = rest;
    if (std::hypot(rest.x(), rest.z()) < 0.5) rest = -Vec3::UnitZ();
    std::vector<double> re, im;
    for (size_t f = 0; f < frames; ++f) {
      const auto z = in_plane(performance.turn[f][i] * seen, heading[f]) / in_plane(rest, 0);
      re.push_back(z.real() * std::abs(z));
      im.push_back(z.imag() * std::abs(z));
    }
    re = smooth(re, performance.frame_time_s, 5);
    im = smooth(im, performance.frame_time_s, 5);
    for (size_t f = 0; f < frames; ++f) out.turn[f][i] = exp_map(Vec3(0, std::atan2(im[f], re[f]), 0));
    out.rest_direction[i] = Vec3(rest.x(), 0, rest.z());
  }
  return out;
}

}  // namespace sinew
