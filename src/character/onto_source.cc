#include "character/onto_source.h"

#include <cmath>
#include <string>
#include <vector>

#include "character/performance.h"
#include "character/transfer.h"
#include "motion/skeleton_parts.h"

namespace sinew {

namespace {

// The mean of rotations that lie close together.
class MeanRotation {
 public:
  void add(const Quat& q) {
    const double sign = sum_.dot(q.coeffs()) < 0 ? -1 : 1;
    sum_ += sign * q.coeffs();
  }
  Quat mean() const { return sum_.norm() < 1e-9 ? Quat::Identity() : Quat(Vec4(sum_.normalized())); }

 private:
  Vec4 sum_ = Vec4::Zero();
};

// A segment that both the skeleton and the character have.
struct Segment {
  Part part;
  int bone, body;
  Quat q_BS;  // the bone's frame in the body's, which retargeting left as it was but for planting and limits
};

struct Carrier {
  const Clip& clip;
  const Character& character;
  const Retargeted& retargeted;
  size_t first;                             // frame of the performance that frame 0 of the reference shows
  Performance performance;                  // as the character was asked to perform it
  std::vector<std::vector<Pose>> original;  // [frame][bone]: world poses of the performer
  std::vector<std::vector<Pose>> bodies;    // [frame][body]
  std::vector<Segment> segments;
  Vec3 p_BP = Vec3::Zero();  // the performer's pelvis in that of the character, scaled

  size_t frames() const { return retargeted.reference.q.size(); }
  size_t performed(size_t f) const { return std::min(first + f, performance.turn.size() - 1); }
};

// How each bone sits in its body: the mean over all frames.
std::vector<Segment> find_segments(const Carrier& carrier, const SkeletonParts& parts,
                                   const std::vector<PerPart<Quat>>& turn) {
  std::vector<Segment> segments;
  for (int p = 1; p < kPartCount; ++p) {
    const Part part = static_cast<Part>(p);
    const int bone = parts[part], body = carrier.character.find(part);
    if (bone < 0 || body < 0) continue;
    // The bone as it would be seen if the performer had done what the character was asked to do.
    MeanRotation q_BS;
    for (size_t f = 0; f < carrier.frames(); ++f) {
      const size_t at = carrier.performed(f);
      const Quat asked = carrier.performance.turn[at][index(part)] * turn[at][index(part)].conjugate() *
                         carrier.original[f][static_cast<size_t>(bone)].q;
      q_BS.add(carrier.bodies[f][static_cast<size_t>(body)].q.conjugate() * asked);
    }
    segments.push_back({part, bone, body, q_BS.mean()});
  }
  return segments;
}

// Where the pelvis of the performer is in that of the character, on the mean, in the character's scale.
Vec3 find_pelvis(const Carrier& carrier) {
  const RetargetReport& report = carrier.retargeted.report;
  Vec3 sum = Vec3::Zero();
  for (size_t f = 0; f < carrier.frames(); ++f) {
    const Vec3 p = carrier.performance.joint[carrier.performed(f)][index(Part::kPelvis)];
    sum += carrier.bodies[f][0].inverse() * Vec3(report.scale * (p - Vec3(0, 0, report.floor_m)));
  }
  return sum / static_cast<double>(carrier.frames());
}

Carrier prepare(const Clip& clip, const Character& character, const Retargeted& retargeted,
                const SkeletonParts& parts) {
  const double h = retargeted.reference.frame_time_s;
  std::vector<std::string> notes;
  Performance performance = perform(clip, parts, 1 / h, notes);
  const auto turn = performance.turn;
  if (is_planar(character)) performance = project_to_plane(performance, notes);
  Carrier carrier{clip,
                  character,
                  retargeted,
                  static_cast<size_t>(std::lround(retargeted.report.cycle_from_s / h)),
                  std::move(performance),
                  {},
                  {},
                  {}};
  for (size_t f = 0; f < carrier.frames(); ++f) {
    carrier.original.push_back(world_poses_at(clip, static_cast<double>(carrier.first + f) * h));
    carrier.bodies.push_back(body_poses(character, retargeted.reference.q[f]));
  }
  carrier.segments = find_segments(carrier, parts, turn);
  carrier.p_BP = find_pelvis(carrier);
  return carrier;
}

// World rotations of all bones: of the character's segments where it has them; others hold on to their parent
// or, above the pelvis, to the pelvis.
std::vector<Quat> turned_bones(const Carrier& carrier, size_t f, int pelvis) {
  const auto& original = carrier.original[f];
  std::vector<Quat> turned(original.size());
  std::vector<char> given(original.size(), 0);
  for (const Segment& segment : carrier.segments) {
    turned[static_cast<size_t>(segment.bone)] =
        carrier.bodies[f][static_cast<size_t>(segment.body)].q * segment.q_BS;
    given[static_cast<size_t>(segment.bone)] = 1;
  }
  const size_t hip = static_cast<size_t>(pelvis);
  const Quat with_pelvis = given[hip] ? turned[hip] * original[hip].q.conjugate() : Quat::Identity();
  for (size_t b = 0; b < original.size(); ++b) {
    if (given[b]) continue;
    const int parent = carrier.clip.bones[b].parent;
    turned[b] = parent < 0 || static_cast<int>(b) < pelvis
                    ? with_pelvis * original[b].q
                    : turned[static_cast<size_t>(parent)] *
                          original[static_cast<size_t>(parent)].q.conjugate() * original[b].q;
  }
  return turned;
}

Frame carried_frame(const Carrier& carrier, size_t f, int pelvis) {
  const auto& original = carrier.original[f];
  const std::vector<Quat> turned = turned_bones(carrier, f, pelvis);

  // Rotations against the parent; places against it stay as the performer's bones have them.
  Frame frame(original.size());
  for (size_t b = 0; b < frame.size(); ++b) {
    const int parent = carrier.clip.bones[b].parent;
    if (parent < 0) {
      frame[b] = {original[b].p, turned[b]};
    } else {
      const auto up = static_cast<size_t>(parent);
      frame[b] = {original[up].inverse() * original[b].p, (turned[up].conjugate() * turned[b]).normalized()};
    }
  }

  // The whole skeleton goes to where the character's pelvis is, in the performer's scale.
  const RetargetReport& report = carrier.retargeted.report;
  const Vec3 wanted = carrier.bodies[f][0] * carrier.p_BP / report.scale + Vec3(0, 0, report.floor_m);
  frame[0].p += wanted - world_poses(carrier.clip, frame)[static_cast<size_t>(pelvis)].p;
  return frame;
}

}  // namespace

Clip onto_source(const Clip& clip, const Character& character, const Retargeted& retargeted) {
  const SkeletonParts parts = find_parts(clip);
  const Carrier carrier = prepare(clip, character, retargeted, parts);
  Clip out = clip;
  out.frame_time_s = retargeted.reference.frame_time_s;
  out.frames.clear();
  for (size_t f = 0; f < carrier.frames(); ++f)
    out.frames.push_back(carried_frame(carrier, f, parts[Part::kPelvis]));
  return out;
}

}  // namespace sinew
