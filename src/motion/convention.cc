#include "motion/convention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "motion/frame_time.h"
#include "motion/rest_pose.h"
#include "motion/skeleton_parts.h"

namespace sinew {

namespace {

// The hip joint to the ankle is this fraction of an adult's height (Winter 2009, figure 4.1).
constexpr double kLegFraction = 0.491;

// A coordinate axis of the file with its sign: +1 is X, -3 is minus Z.
using SignedAxis = int;

Vec3 direction(SignedAxis axis) {
  Vec3 v = Vec3::Zero();
  v[std::abs(axis) - 1] = axis > 0 ? 1 : -1;
  return v;
}

std::string axis_name(SignedAxis axis) {
  return std::string(axis > 0 ? "+" : "-") + static_cast<char>('X' + std::abs(axis) - 1);
}

SignedAxis nearest_axis(const Vec3& v) {
  Eigen::Index k = 0;
  v.cwiseAbs().maxCoeff(&k);
  return static_cast<SignedAxis>(v[k] < 0 ? -(k + 1) : k + 1);
}

// The rotation from file to world for this up axis and facing.
Mat3 turn_into_world(SignedAxis up, SignedAxis forward) {
  Mat3 C;
  C.row(0) = direction(forward).transpose();
  C.row(1) = direction(up).cross(direction(forward)).transpose();
  C.row(2) = direction(up).transpose();
  return C;
}

// Where a format's people look when their rest pose does not tell: Y-up files face +Z, others the next axis
// on.
SignedAxis usual_forward(SignedAxis up) { return std::abs(up) == 2 ? 3 : std::abs(up) == 3 ? 1 : 2; }

std::string in_words(double value, int digits = 4) {
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

// Turns the resting skeleton so that this axis is up, and looks for the parts again if names did not suffice.
std::optional<SkeletonParts> parts_in_file(const Clip& clip) {
  Clip probe;
  probe.name = clip.name;
  probe.bones = clip.bones;
  for (const SignedAxis up : {2, 3, 1}) {
    const Quat q_WF(turn_into_world(up, usual_forward(up)));
    probe.rest = clip.rest;
    if (!probe.rest.empty()) probe.rest[0] = Pose{q_WF * clip.rest[0].p, q_WF * clip.rest[0].q};
    try {
      return find_parts(probe);
    } catch (const Error&) {
      // Another axis may do.
    }
  }
  return std::nullopt;
}

struct UpEvidence {
  SignedAxis axis = 2;
  std::string reason;
};

// How near to zero and how steady the lowest point of the body is along an axis: a floor shows so.
bool has_floor_at_zero(const Clip& clip, const std::vector<std::vector<Pose>>& poses, SignedAxis axis) {
  std::vector<double> lowest;
  double extent = 0;
  for (const auto& X_FB : poses) {
    double low = 1e300, high = -1e300;
    for (size_t b = 0; b < clip.bones.size(); ++b) {
      const double h = X_FB[b].p.dot(direction(axis));
      low = std::min(low, h);
      high = std::max(high, h);
    }
    lowest.push_back(low);
    extent = std::max(extent, high - low);
  }
  std::sort(lowest.begin(), lowest.end());
  const double median = lowest[lowest.size() / 2];
  const double spread = lowest[lowest.size() * 3 / 4] - lowest[lowest.size() / 4];
  return std::abs(median) < 0.08 * extent && spread < 0.05 * extent;
}

// The up axis gets votes: from the rest pose if it is a stance, from how the body is held over the clip, from
// a floor at zero, and a little from the format's habit.
UpEvidence detect_up(const Clip& clip, const SkeletonParts& parts, const FileFacts& facts,
                     const ImportOptions& options) {
  std::vector<std::vector<Pose>> poses;
  const size_t step = std::max<size_t>(1, clip.frames.size() / 40);
  for (size_t f = 0; f < clip.frames.size(); f += step) poses.push_back(world_poses(clip, clip.frames[f]));
  Vec3 held = Vec3::Zero();
  for (const auto& X_FB : poses) held += stance_of(X_FB, parts).up / static_cast<double>(poses.size());
  const Stance rest = stance_of(world_poses(clip, clip.rest), parts);
  const std::optional<char> said = options.up ? options.up : facts.declared_up;

  UpEvidence best;
  double most = -1e300;
  for (const SignedAxis axis : {1, 2, 3, -1, -2, -3}) {
    if (said && std::abs(axis) != *said - 'x' + 1) continue;
    const double by_rest = rest.is_upright ? std::max(0.0, rest.up.dot(direction(axis))) : 0.0;
    const double by_motion = std::max(0.0, held.dot(direction(axis)));
    const bool floor = has_floor_at_zero(clip, poses, axis);
    const double habit = axis == facts.usual_up - 'x' + 1 ? 0.2 : axis > 0 ? 0.1 : 0.0;
    const double votes = by_rest + by_motion + (floor ? 0.5 : 0.0) + habit;
    if (votes <= most) continue;
    most = votes;
    best.axis = axis;
    best.reason = by_rest > 0.7 && by_motion > 0.5
                      ? "the head is above the feet in the rest pose and over the clip"
                  : by_rest > 0.7   ? "the head is above the feet in the rest pose"
                  : by_motion > 0.3 ? "the head is above the feet over the clip"
                                    : "that is usual for the format and nothing speaks against it";
  }
  if (facts.declared_up) best.reason = "the format says so";
  if (options.up) best.reason = "you said so";
  return best;
}

// Forward is what stands at right angles on the left hip and up.
SignedAxis detect_forward(const Clip& clip, const SkeletonParts& parts, SignedAxis up, std::string& reason) {
  const Stance rest = stance_of(world_poses(clip, clip.rest), parts);
  const Vec3 forward = rest.left.cross(direction(up));
  const bool stands = rest.is_upright || rest.legs.dot(direction(up)) > 0.7;
  if (stands && forward.norm() > 0.5) {
    reason = "the left hip is to the left of the right one in the rest pose";
    return nearest_axis(forward);
  }
  reason = "that is usual and the rest pose is no stance that would tell";
  return usual_forward(up);
}

struct KnownUnit {
  double metres;
  const char* name;
};
constexpr std::array<KnownUnit, 6> kUnits = {{{1.0, "metre"},
                                              {0.01, "centimetre"},
                                              {0.0254, "inch"},
                                              {0.0254 / 0.45, "unit of CMU's database (inch / 0.45)"},
                                              {0.001, "millimetre"},
                                              {0.3048, "foot"}}};

// The known unit in which the skeleton is a person of believable height; else a scale that makes it one.
double detect_unit(double stature, const FileFacts& facts, const ImportOptions& options, ImportNote& note) {
  note.topic = "unit";
  const std::string overrides = " (--unit overrides)";
  const auto height_in = [&](double unit) { return in_words(stature * unit, 3) + " m tall"; };
  if (options.unit_m) {
    note.text = in_words(*options.unit_m) + " m, because you said so";
    return *options.unit_m;
  }
  const bool known = stature > 0;
  if (facts.declared_unit_m) {
    const double height = stature * *facts.declared_unit_m;
    if (!known || (height > 0.4 && height < 3.5)) {
      note.text = in_words(*facts.declared_unit_m) + " m, because " + facts.unit_declared_by + " says so" +
                  (known ? "; the performer is about " + height_in(*facts.declared_unit_m) : "") + overrides;
      return *facts.declared_unit_m;
    }
  }
  if (!known) {
    note.text = "taken as metres, because no legs were found from which to tell" + overrides;
    return 1.0;
  }
  const KnownUnit* best = nullptr;
  for (const KnownUnit& unit : kUnits) {
    const double height = stature * unit.metres;
    if (height < 1.0 || height > 2.2) continue;
    if (!best || std::abs(std::log(height / 1.7)) < std::abs(std::log(stature * best->metres / 1.7)))
      best = &unit;
  }
  if (best) {
    note.text = in_words(best->metres, 5) + " m, one " + best->name +
                ", because the performer is then about " + height_in(best->metres) + overrides;
    return best->metres;
  }
  const double scale = 1.7 / stature;
  note.text = in_words(scale) +
              " m: no known unit makes the performer a believable size, so the height was taken as 1.7 m" +
              overrides;
  return scale;
}

// p' = unit C p and R' = C R C^-1 for every local pose: bone frames turn together with the world.
void turn_and_scale(Pose& X, const Mat3& C, double unit_m) {
  X.p = unit_m * (C * X.p);
  X.q.vec() = (C * X.q.vec()).eval();
}

void turn_and_scale(Clip& clip, const Mat3& C, double unit_m) {
  for (Bone& bone : clip.bones) turn_and_scale(bone.X_PB, C, unit_m);
  for (Pose& X : clip.rest) turn_and_scale(X, C, unit_m);
  for (Frame& frame : clip.frames)
    for (Pose& X : frame) turn_and_scale(X, C, unit_m);
  clip.source.unit_m = unit_m;
  clip.source.q_FW = Quat(C).conjugate().normalized();
}

void check_options(const ImportOptions& options) {
  if (options.up && *options.up != 'x' && *options.up != 'y' && *options.up != 'z')
    throw Error("the up axis must be x, y or z");
  if (options.unit_m && !(*options.unit_m > 1e-6 && *options.unit_m < 1e6))
    throw Error("the unit must be a length in metres greater than zero");
  if (options.frame_rate_hz && !(*options.frame_rate_hz > 0 && *options.frame_rate_hz < 1e5))
    throw Error("the frame rate must be greater than zero");
}

double length_between(const std::vector<Pose>& X, int a, int b) {
  return a < 0 || b < 0 ? 0.0 : (X[static_cast<size_t>(a)].p - X[static_cast<size_t>(b)].p).norm();
}

double stature_from(const Clip& clip, const SkeletonParts& parts) {
  const std::vector<Pose> X = world_poses(clip, clip.rest);
  double legs = 0;
  for (const auto& [thigh, shin, foot] : {std::array{Part::kLeftThigh, Part::kLeftShin, Part::kLeftFoot},
                                          std::array{Part::kRightThigh, Part::kRightShin, Part::kRightFoot}})
    legs += length_between(X, parts[thigh], parts[shin]) + length_between(X, parts[shin], parts[foot]);
  return 0.5 * legs / kLegFraction;
}

}  // namespace

double estimated_stature(const Clip& clip) {
  try {
    return stature_from(clip, find_parts(clip));
  } catch (const Error&) {
    return 0;
  }
}

ImportedClip into_world(Clip clip, const FileFacts& facts, const ImportOptions& options,
                        std::vector<ImportNote> notes) {
  check_options(options);
  clip.source.format = facts.format;
  const std::optional<SkeletonParts> parts = parts_in_file(clip);

  // A T-pose in frame 0 is the rest pose and no part of the motion.
  if (facts.may_begin_with_rest || options.first_frame_is_rest)
    take_rest_frame(clip, parts ? &*parts : nullptr, options, notes);

  // Axes and unit.
  SignedAxis up = static_cast<SignedAxis>((options.up          ? *options.up
                                           : facts.declared_up ? *facts.declared_up
                                                               : facts.usual_up) -
                                          'x' + 1);
  SignedAxis forward = usual_forward(up);
  std::string up_reason =
      options.up ? "you said so" : "that is usual for the format and no body was recognised";
  std::string forward_reason = "that is usual";
  if (parts) {
    const UpEvidence evidence = detect_up(clip, *parts, facts, options);
    up = evidence.axis;
    up_reason = evidence.reason;
    forward = detect_forward(clip, *parts, up, forward_reason);
    if (std::abs(forward) == std::abs(up)) forward = usual_forward(up);
  }
  notes.push_back({"up axis", axis_name(up) + ", because " + up_reason + " (--up overrides)"});
  notes.push_back({"facing", axis_name(forward) + ", because " + forward_reason});
  ImportNote unit_note;
  const double unit_m = detect_unit(parts ? stature_from(clip, *parts) : 0.0, facts, options, unit_note);
  notes.push_back(unit_note);
  turn_and_scale(clip, turn_into_world(up, forward), unit_m);

  // What can only be judged in metres.
  settle_frame_time(clip, parts ? &*parts : nullptr, facts, options, notes);
  settle_rest(clip, parts ? &*parts : nullptr, notes);
  if (!parts) notes.push_back({"skeleton", "no body with two legs was recognised"});
  return {std::move(clip), std::move(notes)};
}

}  // namespace sinew
