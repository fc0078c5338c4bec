#include "record/metrics.h"

#include <algorithm>
#include <cmath>

#include "character/plants.h"
#include "record/quality.h"
#include "world/height_error.h"

namespace sinew {

namespace {

// The one definition of a motion that was performed (docs/interface.md).
constexpr double kOffAllowed_s = 0.1;
constexpr double kTimeTolerance_s = 1e-9;

// A contact that presses less than this bears no load.
constexpr double kLoad_N = 5;

// A foot that has borne load for so long, and goes on for so long, stands.
constexpr double kPlanted_s = 0.05;

Quat quat_at(const VecX& q, int i) { return Quat(q[i], q[i + 1], q[i + 2], q[i + 3]).normalized(); }

double angle_between_directions(const Vec3& a, const Vec3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

// The rotation of the root from the rest stance, which stands upright and faces +X.
Quat root_turn(const Character& character, const VecX& q) {
  return quat_at(q, 3) * quat_at(character.q_rest, 3).conjugate();
}

double root_height(const Recording& recording, const RecordingFrame& frame) {
  return frame.q[2] - ground_height(recording.world, frame.props, frame.q[0], frame.q[1]);
}

// Squares of the angles between simulated and reference joints, summed, and how many joints turn.
struct JointErrors {
  double squares = 0;
  int joints = 0;
};
JointErrors joint_errors(const Character& character, const VecX& q, const VecX& q_reference) {
  JointErrors sum;
  for (const Joint& joint : character.joints) {
    double angle = 0;
    if (joint.type == JointType::kBall) {
      angle = angle_between(quat_at(q, joint.q), quat_at(q_reference, joint.q));
    } else if (joint.type == JointType::kHinge) {
      angle = q[joint.q] - q_reference[joint.q];
    } else {
      continue;
    }
    sum.squares += angle * angle;
    ++sum.joints;
  }
  return sum;
}

// How far the up axes are apart once the simulated root is turned about the vertical towards the reference:
// R_reference = swing * twist about Z * R_simulated. Unlike a heading of each, this has no pole for a body
// that lies or turns over.
double tilt_error(const Character& character, const VecX& q, const VecX& q_reference) {
  const Quat simulated = root_turn(character, q), reference = root_turn(character, q_reference);
  const Quat twist = swing_twist(reference * simulated.conjugate(), Vec3::UnitZ()).twist;
  return angle_between_directions(twist * (simulated * Vec3::UnitZ()), reference * Vec3::UnitZ());
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

bool has_reference(const Recording& recording) {
  return std::any_of(recording.frames.begin(), recording.frames.end(),
                     [](const RecordingFrame& frame) { return frame.q_reference.size() > 0; });
}

// ---- whether it was performed

// The first moment at which more than 0.1 s have passed in a row with height or tilt far off, or the end if
// they are not near there.
std::optional<double> lost_reference_at(const Recording& recording, const std::vector<double>& height,
                                        const std::vector<double>& tilt) {
  std::optional<double> off_since;
  for (size_t i = 0; i < height.size(); ++i) {
    const double time_s = recording.frames[i].time_s;
    if (std::abs(height[i]) <= kMaxHeightError_m && tilt[i] <= kMaxTiltError_rad) {
      off_since.reset();
      continue;
    }
    if (!off_since) off_since = time_s;
    if (time_s - *off_since > kOffAllowed_s + kTimeTolerance_s) return time_s;
  }
  if (std::abs(height.back()) > kMaxEndHeightError_m || tilt.back() > kMaxEndTiltError_rad)
    return recording.frames.back().time_s;
  return {};
}

// Without a reference: the first moment at which the trunk tilts or the root sinks too far.
std::optional<double> fell_at(const Recording& recording) {
  const Character& character = recording.character;
  const auto trunk = static_cast<size_t>(std::max(character.body_of(Part::kThorax), 0));
  const Quat rest = body_poses(character, character.q_rest)[trunk].q;
  for (const RecordingFrame& frame : recording.frames) {
    const Quat turn = body_poses(character, frame.q)[trunk].q * rest.conjugate();
    if (angle_between_directions(turn * Vec3::UnitZ(), Vec3::UnitZ()) > kMaxTiltError_rad ||
        root_height(recording, frame) < kMinStandingShare * character.q_rest[2])
      return frame.time_s;
  }
  return {};
}

// ---- feet

// Hands are feet to one on all fours.
bool is_foot(Part part, bool all_fours) {
  return part == Part::kLeftFoot || part == Part::kRightFoot || part == Part::kLeftToes ||
         part == Part::kRightToes || (all_fours && (part == Part::kLeftHand || part == Part::kRightHand));
}

// Velocity of the point of a moving prop, from where it is in the frame and in its neighbour.
Vec3 prop_velocity(const Recording& recording, size_t frame, int prop, const Vec3& p_W) {
  const size_t next = frame + 1 < recording.frames.size() ? frame + 1 : frame;
  const size_t last = next == frame && frame > 0 ? frame - 1 : frame;
  const RecordingFrame &a = recording.frames[last], &b = recording.frames[next];
  if (b.time_s <= a.time_s) return Vec3::Zero();
  const auto i = static_cast<size_t>(prop);
  const Vec3 p_P = recording.frames[frame].props[i].inverse() * p_W;
  return (b.props[i] * p_P - a.props[i] * p_P) / (b.time_s - a.time_s);
}

// Whether a contact is one of a foot or its toes that bears load on ground.
bool carries(const Recording& recording, const Contact& contact, bool all_fours) {
  return contact.world_shape >= 0 && contact.force_W.dot(contact.normal_W) >= kLoad_N &&
         recording.world.shapes[static_cast<size_t>(contact.world_shape)].ground &&
         is_foot(recording.character.bodies[static_cast<size_t>(contact.body)].part, all_fours);
}

// Per frame and body: whether it bears load then and `kPlanted_s` before and after.
std::vector<std::vector<char>> find_planted(const Recording& recording, bool all_fours) {
  const std::vector<char> none(recording.character.bodies.size(), 0);
  std::vector<std::vector<char>> bears(recording.frames.size(), none), planted = bears;
  for (size_t i = 0; i < bears.size(); ++i)
    for (const Contact& contact : recording.frames[i].contacts)
      if (carries(recording, contact, all_fours)) bears[i][static_cast<size_t>(contact.body)] = 1;
  const auto around = static_cast<size_t>(std::lround(kPlanted_s / recording.frame_time_s));
  for (size_t b = 0; b < none.size(); ++b) {
    size_t since = 0;  // frames in a row, up to this one
    for (size_t i = 0; i < bears.size(); ++i) {
      since = bears[i][b] ? since + 1 : 0;
      if (since > 2 * around) planted[i - around][b] = 1;
    }
  }
  return planted;
}

// Mean speeds along the ground of the points at which feet and toes bear load, against what they stand on.
void fill_slides(const Recording& recording, Metrics& metrics) {
  const Character& character = recording.character;
  const bool all_fours = stands_on_all_fours(character);
  const std::vector<std::vector<char>> planted = find_planted(recording, all_fours);
  double sum = 0, planted_sum = 0;
  long count = 0, planted_count = 0;
  for (size_t i = 0; i < recording.frames.size(); ++i) {
    const RecordingFrame& frame = recording.frames[i];
    std::optional<Kinematics> at;
    for (const Contact& contact : frame.contacts) {
      if (!carries(recording, contact, all_fours)) continue;
      const WorldShape& touched = recording.world.shapes[static_cast<size_t>(contact.world_shape)];
      if (!at) at = forward_kinematics(character, frame.q);
      Vec3 v = point_jacobian(character, *at, contact.body, contact.p_W) * frame.v;
      if (touched.shape.body >= 0) v -= prop_velocity(recording, i, touched.shape.body, contact.p_W);
      const double speed = (v - v.dot(contact.normal_W) * contact.normal_W).norm();
      sum += speed;
      ++count;
      if (!planted[i][static_cast<size_t>(contact.body)]) continue;
      planted_sum += speed;
      ++planted_count;
    }
  }
  metrics.foot_slide_m_s = count == 0 ? 0 : sum / static_cast<double>(count);
  metrics.planted_slide_m_s = planted_count == 0 ? 0 : planted_sum / static_cast<double>(planted_count);
}

// ---- forces

double torque_rms(const Recording& recording) {
  double sum = 0;
  long count = 0;
  for (const RecordingFrame& frame : recording.frames)
    for (const Joint& joint : recording.character.joints) {
      const bool turns = joint.type == JointType::kBall || joint.type == JointType::kHinge;
      if (!turns || frame.torque.size() == 0) continue;
      sum += frame.torque.segment(joint.v, joint.v_size()).squaredNorm();
      count += joint.v_size();
    }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

void fill_reference_figures(const Recording& recording, Metrics& metrics) {
  const std::vector<double> height = root_height_errors(recording), tilt = root_tilt_errors(recording);
  metrics.pose_error_rad = rms(pose_errors(recording));
  metrics.root_height_error_m = rms(height);
  metrics.root_tilt_error_rad = rms(tilt);
  const RecordingFrame& last = recording.frames.back();
  if (last.q_reference.size() > 0)
    metrics.root_drift_m = (last.q.head<2>() - last.q_reference.head<2>()).norm();
  metrics.failed_at_s = lost_reference_at(recording, height, tilt);
}

void fill_quality(const Recording& recording, Metrics& metrics) {
  metrics.torque_peak_share = torque_peak_share(recording);
  metrics.torque_rate_Nm_s = torque_rate(recording);
  metrics.impact_bw = impact(recording);
  if (const auto reference = reference_impact(recording); metrics.impact_bw && reference && *reference > 0)
    metrics.impact_ratio = *metrics.impact_bw / *reference;
  metrics.jerk_ratio = jerk_ratio(recording);
}

// One value a frame of which only those with a reference have one; the others are 0.
template <typename Function>
std::vector<double> against_reference(const Recording& recording, Function error) {
  std::vector<double> out;
  for (const RecordingFrame& frame : recording.frames)
    out.push_back(frame.q_reference.size() == 0 ? 0 : error(frame));
  return out;
}

}  // namespace

double pose_error(const Character& character, const VecX& q, const VecX& q_reference) {
  const JointErrors errors = joint_errors(character, q, q_reference);
  return errors.joints == 0 ? 0 : std::sqrt(errors.squares / errors.joints);
}

std::vector<double> pose_errors(const Recording& recording) {
  return against_reference(recording, [&](const RecordingFrame& frame) {
    return pose_error(recording.character, frame.q, frame.q_reference);
  });
}

std::vector<double> root_height_errors(const Recording& recording) {
  return against_reference(recording, [&](const RecordingFrame& frame) {
    return height_error(recording.world, frame.props, frame.q.head<3>(), frame.q_reference.head<3>());
  });
}

std::vector<double> root_tilt_errors(const Recording& recording) {
  return against_reference(recording, [&](const RecordingFrame& frame) {
    return tilt_error(recording.character, frame.q, frame.q_reference);
  });
}

std::vector<double> squared_state_errors(const Recording& recording) {
  const auto& frames = recording.frames;
  const std::vector<double> height = root_height_errors(recording), tilt = root_tilt_errors(recording);
  std::vector<double> out(frames.size(), 0);
  for (size_t i = 0; i < frames.size(); ++i) {
    const RecordingFrame &before = frames[i > 0 ? i - 1 : i],
                         &after = frames[std::min(i + 1, frames.size() - 1)];
    if (frames[i].q_reference.size() == 0 || before.q_reference.size() == 0 || after.q_reference.size() == 0)
      continue;
    const double between = after.time_s - before.time_s;
    VecX v = VecX::Zero(frames[i].v.size());
    if (between > 0) v = difference(recording.character, before.q_reference, after.q_reference) / between;
    out[i] = joint_errors(recording.character, frames[i].q, frames[i].q_reference).squares +
             height[i] * height[i] + tilt[i] * tilt[i] + (frames[i].v - v).squaredNorm();
  }
  return out;
}

std::vector<Momentum> residuals(const Recording& recording) {
  const double mass = recording.character.mass_kg();
  std::vector<Momentum> out;
  for (const RecordingFrame& frame : recording.frames) {
    const Vec3 c = centre_of_mass(recording.character, body_poses(recording.character, frame.q));
    Momentum rest = frame.momentum_rate;
    const auto explain = [&](const Vec3& force, const Vec3& p, const Vec3& torque) {
      rest.linear -= force;
      rest.angular -= p.cross(force) + torque;
    };
    explain(mass * recording.world.gravity, c, Vec3::Zero());

    // What two bodies of the character do to each other changes nothing on the whole.
    for (const Contact& contact : frame.contacts)
      if (contact.other_shape < 0) explain(contact.force_W, contact.p_W, Vec3::Zero());
    for (const ExternalForce& push : frame.pushes) explain(push.force_W, push.p_W, push.torque_W);

    // From the world's origin to the centre of mass.
    rest.angular -= c.cross(rest.linear);
    out.push_back(rest);
  }
  return out;
}

Metrics measure(const Recording& recording) {
  Metrics metrics;
  if (recording.frames.empty()) {
    metrics.failed_at_s = 0;
    return metrics;
  }
  metrics.seconds = recording.duration_s();
  if (has_reference(recording)) {
    fill_reference_figures(recording, metrics);
  } else {
    metrics.failed_at_s = fell_at(recording);
  }
  if (recording.diverged && !metrics.failed_at_s) metrics.failed_at_s = recording.frames.back().time_s;
  metrics.completed = !metrics.failed_at_s;
  fill_slides(recording, metrics);
  metrics.torque_rms_Nm = torque_rms(recording);
  for (const RecordingFrame& frame : recording.frames)
    metrics.max_penetration_m = std::max(metrics.max_penetration_m, frame.max_depth_m);
  for (const Momentum& rest : residuals(recording))
    metrics.root_residual_N = std::max({metrics.root_residual_N, rest.linear.norm(), rest.angular.norm()});
  fill_quality(recording, metrics);
  return metrics;
}

}  // namespace sinew
