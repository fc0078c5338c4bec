#include "character/retarget.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "character/cycle.h"
#include "character/footing.h"
#include "character/performance.h"
#include "character/plants.h"
#include "character/poise.h"
#include "character/reach.h"
#include "character/settling.h"
#include "character/transfer.h"
#include "core/error.h"
#include "core/smooth.h"

namespace sinew {

namespace {

constexpr double kStraighten_rad = 0.25;
constexpr double kRolledOff_m = 0.01;  // less than this is no other way

// A radian of a mended leg counts as so many metres beside its foot's place: straight legs do not flip.
constexpr double kMended_m = 0.003;

// A knee from which a leg can be shortened.
constexpr double kBent_rad = 0.5;
constexpr double kBlend_s = 0.1;  // over which it passes to legs that were captured

std::string say(const char* format, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// Smooths every coordinate of a motion in time.
void smooth_motion(const Character& character, std::vector<VecX>& q, double h, double cutoff_hz) {
  const auto quats = [&](int at) {
    std::vector<Quat> track;
    for (const VecX& x : q) track.emplace_back(x[at], x[at + 1], x[at + 2], x[at + 3]);
    track = smooth(track, h, cutoff_hz);
    for (size_t f = 0; f < q.size(); ++f)
      q[f].segment<4>(at) << track[f].w(), track[f].x(), track[f].y(), track[f].z();
  };
  const auto scalars = [&](int at) {
    std::vector<double> track;
    for (const VecX& x : q) track.push_back(x[at]);
    track = smooth(track, h, cutoff_hz);
    for (size_t f = 0; f < q.size(); ++f) q[f][at] = track[f];
  };
  for (const Joint& joint : character.joints) {
    if (joint.type == JointType::kBall) quats(joint.q);
    if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) scalars(joint.q);
    if (joint.type != JointType::kFree) continue;
    for (int k = 0; k < 3; ++k) scalars(joint.q + k);
    quats(joint.q + 3);
  }
}

// Slide of the loaded foot points and the deepest penetration of a motion.
ContactQuality measure(const Character& character, const std::vector<VecX>& q,
                       const std::vector<std::vector<char>>& bears, double h) {
  ContactQuality quality;
  const auto track = contact_point_tracks(character, q);
  const std::vector<char> stands = standing_points(character);
  double sum = 0, count = 0;
  for (size_t f = 0; f < q.size(); ++f) {
    quality.max_penetration_m =
        std::max(quality.max_penetration_m, -lowest_point(character, body_poses(character, q[f])));
    if (f == 0) continue;
    for (size_t k = 0; k < character.contact_points.size(); ++k) {
      if (!bears[f][k] || !bears[f - 1][k] || !stands[k]) continue;
      sum += (track[f][k] - track[f - 1][k]).head<2>().norm() / h;
      ++count;
    }
  }
  quality.foot_slide_m_s = count > 0 ? sum / count : 0;
  return quality;
}

double rms_change(const Character& character, const std::vector<VecX>& from, const std::vector<VecX>& to) {
  double sum = 0, count = 0;
  for (size_t f = 0; f < from.size(); ++f) {
    const VecX d = difference(character, from[f], to[f]);
    for (size_t j = 1; j < character.joints.size(); ++j)
      sum += d.segment(character.joints[j].v, character.joints[j].v_size()).squaredNorm(), ++count;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

// What the later steps work on: a motion and what is known of its limbs, frame by frame.
struct Draft {
  std::vector<VecX> q;
  std::vector<PerPart<Vec3>> end_offset;
  std::vector<char> grounded;  // some part of the body is on the floor
};

// `count` cycles one after the other, so that the middle one knows both neighbours.
Draft repeat(const Draft& cycle, const Pose& X_cycle, int count) {
  Draft out;
  Pose X;
  for (int c = 0; c < count; ++c, X = X_cycle * X)
    for (size_t f = 0; f < cycle.q.size(); ++f) {
      out.q.push_back(moved(cycle.q[f], X));
      out.end_offset.push_back(cycle.end_offset[f]);
      out.grounded.push_back(cycle.grounded[f]);
    }
  return out;
}

template <typename T>
std::vector<T> slice(const std::vector<T>& x, size_t begin, size_t end) {
  return {x.begin() + static_cast<long>(begin), x.begin() + static_cast<long>(end)};
}

// One joint of a leg between two poses: a share of the way from the first.
void mix_joint(const Character& character, const Joint& joint, const VecX& from, const VecX& to, double share,
               VecX& q) {
  VecX turn = VecX::Zero(character.nv());
  turn.segment(joint.v, joint.v_size()) =
      share * difference(character, from, to).segment(joint.v, joint.v_size());
  q.segment(joint.q, joint.q_size()) = integrate(character, from, turn).segment(joint.q, joint.q_size());
}

// Legs that are anyone's guess reach for where their feet stand, with bent knees, frame after frame; and on
// both sides they pass over to what was captured.
void mend_legs(const Character& character, const Plants& plants, double h, std::vector<VecX>& q) {
  const auto blend = static_cast<size_t>(std::lround(kBlend_s / h));
  for (const ContactGroup& group : contact_groups(character)) {
    std::vector<int> leg = joints_between(character, group.body, 0);
    std::erase_if(leg, [&](int j) { return hardly_moves(character.joints[static_cast<size_t>(j)]); });
    const auto joint_of = [&](int j) -> const Joint& { return character.joints[static_cast<size_t>(j)]; };
    const auto mended = [&](size_t f) {
      return f < q.size() && plants.is_guess(f, group.body) &&
             std::any_of(group.points.begin(), group.points.end(),
                         [&](size_t k) { return plants.bears[f][k] != 0; });
    };
    for (size_t begin = 1; begin < q.size(); ++begin) {
      if (!mended(begin)) continue;
      size_t end = begin;
      for (VecX start = q[begin]; mended(end); start = q[end++]) {
        for (const int j : leg) {
          const Joint& joint = joint_of(j);
          mix_joint(character, joint, start, start, 0, q[end]);
          if (joint.type == JointType::kHinge && joint.limited &&
              joint.upper[0] - joint.lower[0] > 2 * kBent_rad)
            q[end][joint.q] =
                std::clamp(q[end][joint.q], joint.lower[0] + kBent_rad, joint.upper[0] - kBent_rad);
        }
        std::vector<ReachTarget> targets;
        for (const size_t k : group.points)
          targets.push_back(
              {character.contact_points[k].body, character.contact_points[k].p_BP, plants.target[end][k]});
        q[end] = reach(character, q[end], leg, targets, kMended_m);
      }
      for (const int j : leg)
        for (size_t i = 1; i <= blend; ++i) {
          const double share = 1 - static_cast<double>(i) / static_cast<double>(blend + 1);
          if (begin >= i) mix_joint(character, joint_of(j), q[begin - i], q[begin], share, q[begin - i]);
          if (end - 1 + i < q.size())
            mix_joint(character, joint_of(j), q[end - 1 + i], q[end - 1], share, q[end - 1 + i]);
        }
      begin = end;
    }
  }
}

// The motion with plants and floor kept, and the plants that are.
std::vector<VecX> place(const Character& character, const Draft& draft, const RetargetOptions& options,
                        double h, Plants& plants) {
  plants = find_plants(character, draft.q, h);
  if (!options.plant_feet) return draft.q;
  FootingOptions footing;
  footing.clearance_m = options.clearance_m;
  std::vector<VecX> placed = draft.q;
  mend_legs(character, plants, h, placed);
  placed = fit_footing(character, placed, plants, draft.end_offset, draft.grounded, h, footing);
  if (stands_on_all_fours(character)) return placed;
  // The body is moved above its feet, which stay where they are.
  std::vector<PerPart<Vec3>> end_offset = poise(character, draft.grounded, h, {}, placed);
  for (size_t f = 0; f < placed.size(); ++f)
    for (size_t i = 0; i < end_offset[f].size(); ++i)
      if (!draft.end_offset[f][i].allFinite()) end_offset[f][i] = draft.end_offset[f][i];
  return fit_footing(character, placed, plants, end_offset, draft.grounded, h, footing);
}

// A cycle placed between two neighbours like itself, so that its seam is as good as any other frame. Fills in
// the plants of the cycle and what the report says of feet.
CycleFrames place_cycle(const Character& character, const Draft& draft, const Cycle& cycle,
                        const RetargetOptions& options, double h, Plants& plants, RetargetReport& report) {
  const CycleFrames closed = close_cycle(character, draft.q, cycle, kStraighten_rad);
  const Draft one{closed.q, slice(draft.end_offset, cycle.begin, cycle.end),
                  slice(draft.grounded, cycle.begin, cycle.end)};
  const size_t n = one.q.size();
  const Draft three = repeat(one, closed.X_cycle, 3);
  const std::vector<VecX> placed = place(character, three, options, h, plants);
  report.before = measure(character, slice(three.q, n, 2 * n + 1), slice(plants.bears, n, 2 * n + 1), h);
  plants.bears = slice(plants.bears, n, 2 * n);

  // The middle one, moved back to where the first was.
  CycleFrames middle = close_cycle(character, placed, {n, 2 * n, 0}, kStraighten_rad);
  const Pose home = closed.X_cycle.inverse();
  for (VecX& q : middle.q) q = moved(q, home);
  middle.X_cycle = home * middle.X_cycle * closed.X_cycle;
  report.pose_change_rad = rms_change(character, one.q, middle.q);
  return middle;
}

}  // namespace

Retargeted retarget(const Clip& clip, const Character& character, const RetargetOptions& options) {
  Retargeted out;
  RetargetReport& report = out.report;
  const double h = 1.0 / options.rate_hz;

  // The performer by body parts, then the character in the same poses.
  const SkeletonParts parts = find_parts(clip);
  report.notes = parts.notes;
  Performance performance = perform(clip, parts, options.rate_hz, report.notes);
  if (is_planar(character)) performance = project_to_plane(performance, report.notes);
  const Transfer carried = transfer(performance, character, report.notes);
  report.scale = carried.scale;
  report.notes.push_back(say("path and steps scaled by %.3f, the ratio of leg lengths", report.scale));
  Draft draft{carried.q, carried.end_offset, {}};
  // The paws of a gallop stand for a third of the time that a runner's feet do: so much quicker is what must
  // be left of it.
  smooth_motion(character, draft.q, h, options.smooth_hz * (performance.on_all_fours ? 3 : 1));

  // Down onto the floor.
  const double floor = find_floor(character, draft.q, h);
  for (VecX& q : draft.q) q[2] -= floor;
  draft.grounded = find_grounded(character, draft.q, h);
  settle(character, draft.q, draft.grounded, h);
  std::vector<Vec3> way(draft.q.size(), Vec3::Zero());
  report.floor_m = floor / report.scale;
  report.notes.push_back(say("floor found at %.3f m of the clip", report.floor_m));

  // Onto their places: the whole motion, or the cycle that is found in it.
  Reference& reference = out.reference;
  reference.clip = clip.name;
  reference.frame_time_s = h;
  Plants plants;
  size_t first_frame = 0;
  std::optional<Cycle> cycle;
  if (options.loop || options.loop_or_whole) cycle = find_cycle(character, draft.q, h);
  if (options.loop && !cycle)
    throw Error(clip.name + ": no cycle found to loop; the motion does not come back to a pose that it left");
  if (cycle) {
    report.cycle_from_s = static_cast<double>(cycle->begin) * h;
    report.cycle_to_s = static_cast<double>(cycle->end) * h;
    report.notes.push_back(say("cycle from %.2f to %.2f s, seam of %.1f cm", report.cycle_from_s,
                               report.cycle_to_s, 100 * cycle->mismatch_m));
    const CycleFrames placed = place_cycle(character, draft, *cycle, options, h, plants, report);
    reference.q = placed.q;
    reference.cyclic = true;
    reference.X_cycle = placed.X_cycle;
    first_frame = cycle->begin;
  } else {
    reference.q = place(character, draft, options, h, plants);
    // Where that rolls other ways than the performer did, once more along its own.
    way = rolled_way(character, reference.q, plants, h);
    if (std::any_of(way.begin(), way.end(), [](const Vec3& p) { return p.norm() > kRolledOff_m; })) {
      for (size_t f = 0; f < draft.q.size(); ++f) draft.q[f].head<3>() += way[f];
      reference.q = place(character, draft, options, h, plants);
    } else {
      way.assign(way.size(), Vec3::Zero());
    }
    report.before = measure(character, draft.q, plants.bears, h);
    report.pose_change_rad = rms_change(character, draft.q, reference.q);
  }

  // What controllers need to know besides.
  differentiate(character, reference);
  reference.point_contact = plants.bears;
  reference.body_contact = find_body_contacts(character, reference.q, h);
  report.after = measure(character, reference.q, reference.point_contact, h);

  // The performer, scaled and on the same floor, to be drawn beside.
  for (size_t f = 0; f < reference.q.size(); ++f) {
    std::vector<Pose> X = world_poses_at(clip, static_cast<double>(first_frame + f) * h);
    if (!performance.X_plane.empty())
      for (Pose& x : X) x = performance.X_plane[first_frame + f] * x;
    for (Pose& x : X) x.p = report.scale * (x.p - Vec3(0, 0, report.floor_m)) + way[first_frame + f];
    out.source.push_back(X);
  }
  return out;
}

}  // namespace sinew
