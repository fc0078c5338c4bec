#include "character/transfer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "character/plants.h"
#include "core/error.h"
#include "core/smooth.h"

namespace sinew {

namespace {

Part side_part(int side, int k) { return kSides[side][k]; }

const Pose& pose_of(const Character& character, const std::vector<Pose>& X_WB, Part part) {
  return X_WB[static_cast<size_t>(character.body_of(part))];
}

// Orientation of every body when the character stands as the performer does in the rest stance: limbs are
// turned by the shortest arc onto the performer's directions, the trunk and feet are taken to agree.
std::vector<Quat> align_rest(const Performance& performance, const Character& character) {
  const std::vector<Pose> X = body_poses(character, character.q_rest);
  std::vector<Quat> aligned(X.size());
  for (size_t b = 0; b < X.size(); ++b) aligned[b] = X[b].q;
  const Vec3& trunk = performance.rest_direction[index(Part::kThorax)];
  const int thorax = character.find(Part::kThorax), abdomen = character.find(Part::kAbdomen);
  if (thorax >= 0 && trunk.norm() > 1e-6 && character.find(Part::kLeftUpperArm) >= 0 &&
      character.find(Part::kRightUpperArm) >= 0) {
    const Vec3 ours = pose_of(character, X, Part::kLeftUpperArm).p +
                      pose_of(character, X, Part::kRightUpperArm).p -
                      pose_of(character, X, Part::kLeftThigh).p - pose_of(character, X, Part::kRightThigh).p;
    const Vec3 lean = log_map(shortest_arc(ours, trunk));
    aligned[static_cast<size_t>(thorax)] = exp_map(lean) * aligned[static_cast<size_t>(thorax)];
    if (abdomen >= 0)
      aligned[static_cast<size_t>(abdomen)] = exp_map(0.5 * lean) * aligned[static_cast<size_t>(abdomen)];
  }
  for (int side = 0; side < 2; ++side) {
    for (const auto& [from, to] : {std::pair{1, 2}, {2, 3}, {4, 5}, {5, 6}}) {
      const int body = character.find(side_part(side, from));
      const int next = character.find(side_part(side, to));
      Vec3 wanted = performance.rest_direction[index(side_part(side, from))];
      // Arms that nobody captured hang.
      if (from < 4 && !performance.has[index(side_part(side, 1))])
        wanted = Vec3(0, side == 0 ? 0.15 : -0.15, -1);
      if (body < 0 || wanted.norm() < 1e-6) continue;
      // A limb that ends without a next joint (an arm without a hand) points away from its centre of mass.
      const Vec3 direction =
          next >= 0 ? Vec3(X[static_cast<size_t>(next)].p - X[static_cast<size_t>(body)].p)
                    : Vec3(X[static_cast<size_t>(body)].q * character.bodies[static_cast<size_t>(body)].p_BC);
      const Quat arc = shortest_arc(direction, wanted);
      aligned[static_cast<size_t>(body)] = arc * aligned[static_cast<size_t>(body)];
      if (from == 2 && next >= 0)
        aligned[static_cast<size_t>(next)] = arc * aligned[static_cast<size_t>(next)];
    }
  }
  return aligned;
}

// Frames in which a foot stands still and low: there its sole is flat.
std::vector<size_t> flat_frames(const Performance& performance, Part foot) {
  const double h = performance.frame_time_s;
  std::vector<size_t> still;
  std::vector<double> heights;
  for (size_t f = 1; f + 1 < performance.turn.size(); ++f) {
    const double speed =
        (performance.joint[f + 1][index(foot)] - performance.joint[f - 1][index(foot)]).norm() / (2 * h);
    const double spin =
        angle_between(performance.turn[f - 1][index(foot)], performance.turn[f + 1][index(foot)]) / (2 * h);
    if (speed > 0.2 || spin > 0.6) continue;
    still.push_back(f);
    heights.push_back(performance.joint[f][index(foot)].z());
  }
  const double low = percentile(heights, 0.1) + 0.03;
  std::erase_if(still, [&](size_t f) { return !(performance.joint[f][index(foot)].z() < low); });
  return still;
}

// The tilt that makes a sole flat when the performer's is: the shortest arc from up to the mean direction of
// up seen in the part's own frame while it is flat. None when the clip shows the foot flat for less than 0.15
// s.
Quat calibrate_sole(const Performance& performance, Part part, const std::vector<size_t>& flat,
                    std::vector<std::string>& notes) {
  if (static_cast<double>(flat.size()) * performance.frame_time_s < 0.15) return Quat::Identity();
  Vec3 up = Vec3::Zero();
  for (const size_t f : flat) up += performance.turn[f][index(part)].conjugate() * Vec3::UnitZ();
  Vec3 tilt = log_map(shortest_arc(Vec3::UnitZ(), up));
  // More than 25 degrees is no sole: the performer stood on the toes, or lay.
  if (tilt.norm() > radians(25)) return Quat::Identity();
  notes.push_back(std::string(part_name(part)) + ": sole turned by " +
                  std::to_string(degrees(tilt.norm())).substr(0, 4) +
                  " degrees to be flat where the performer stands on it");
  return exp_map(tilt);
}

// Sets the coordinates of one body's joints so that it comes as close as they can to a local rotation, and
// tells by how many radians the rotation lies outside their limits.
class JointFitter {
 public:
  explicit JointFitter(const Character& character) : character_(character) {}

  double fit(const Body& body, const Quat& local, VecX& q) const {
    if (body.joint_count == 1) {
      const Joint& joint = joint_at(body, 0);
      if (joint.type == JointType::kBall) return fit_ball(joint, local, q);
      if (joint.type == JointType::kHinge) return fit_hinge(joint, local, q);
    } else if (body.joint_count > 1) {
      fit_hinges(body, local, q);
    }
    return 0;
  }

 private:
  const Joint& joint_at(const Body& body, int k) const {
    return character_.joints[static_cast<size_t>(body.first_joint + k)];
  }

  static double fit_ball(const Joint& joint, const Quat& local, VecX& q) {
    Quat turn = local;
    double outside = 0;
    if (joint.limited) {
      // A turn of nearly half a circle can be said both ways round: take the one that breaks the limits less.
      const auto bounded = [&](const Vec3& r) -> Vec3 {
        return r.cwiseMax(joint.lower).cwiseMin(joint.upper);
      };
      Vec3 r = log_map(local);
      if (const double angle = r.norm(); angle > 1) {
        const Vec3 other = r * (1 - 2 * kPi / angle);
        if ((other - bounded(other)).norm() < (r - bounded(r)).norm()) r = other;
      }
      outside = (r - bounded(r)).norm();
      if (outside > 0) turn = exp_map(bounded(r));
    }
    q.segment<4>(joint.q) << turn.w(), turn.x(), turn.y(), turn.z();
    return outside;
  }

  static double fit_hinge(const Joint& joint, const Quat& local, VecX& q) {
    // Take the turn that is nearest to the last frame's angle, then the limits.
    double angle = swing_twist(local, joint.axis_B).twist_angle;
    angle += 2 * kPi * std::round((q[joint.q] - angle) / (2 * kPi));
    if (joint.limited && (angle < joint.lower[0] - kPi || angle > joint.upper[0] + kPi))
      angle -= 2 * kPi * std::round((angle - 0.5 * (joint.lower[0] + joint.upper[0])) / (2 * kPi));
    q[joint.q] = joint.limited ? std::clamp(angle, joint.lower[0], joint.upper[0]) : angle;
    return std::abs(angle - q[joint.q]);
  }

  // Several hinges on one body: Gauss-Newton on the rotation error, from the last frame's angles.
  void fit_hinges(const Body& body, const Quat& local, VecX& q) const {
    const int n = body.joint_count;
    for (int iteration = 0; iteration < 6; ++iteration) {
      Eigen::Matrix3Xd J = Eigen::Matrix3Xd::Zero(3, n);
      Quat after = Quat::Identity();
      for (int k = n - 1; k >= 0; --k) {
        const Joint& joint = joint_at(body, k);
        if (joint.type != JointType::kHinge) continue;
        J.col(k) = after.conjugate() * joint.axis_B;
        after = exp_map(joint.axis_B * q[joint.q]) * after;
      }
      const Vec3 error = log_map(after.conjugate() * local);
      const MatX A = J.transpose() * J + 1e-4 * MatX::Identity(n, n);
      const VecX step = A.ldlt().solve(J.transpose() * error);
      for (int k = 0; k < n; ++k) {
        const Joint& joint = joint_at(body, k);
        double angle = q[joint.q] + std::clamp(step[k], -0.7, 0.7);
        if (joint.limited) angle = std::clamp(angle, joint.lower[0], joint.upper[0]);
        q[joint.q] = angle;
      }
      if (step.norm() < 1e-6) break;
    }
  }

  const Character& character_;
};

// The hinge of a body that does most of its bending, if its joint is not a ball.
const Joint* main_hinge(const Character& character, int body) {
  const Joint* best = nullptr;
  const Body& b = character.bodies[static_cast<size_t>(body)];
  for (int j = b.first_joint; j < b.first_joint + b.joint_count; ++j) {
    const Joint& joint = character.joints[static_cast<size_t>(j)];
    if (joint.type != JointType::kHinge) return nullptr;
    if (!best || joint.upper[0] - joint.lower[0] > best->upper[0] - best->lower[0]) best = &joint;
  }
  return best;
}

// An elbow that is a hinge can bend only about its axis: twist the upper arm so that the axis is normal to
// the plane in which the performer bends the arm, as far as the bend makes that plane clear.
Quat twist_to_bend(const Joint& hinge, const Quat& upper, const Quat& lower_rest, const Vec3& upper_direction,
                   const Vec3& lower_direction) {
  const Vec3 u = upper_direction.normalized();
  const Vec3 normal = u.cross(lower_direction.normalized());
  const double bend = normal.norm();
  if (bend < 0.05) return upper;
  Vec3 axis = upper * (lower_rest * hinge.axis_B);
  axis -= u * u.dot(axis);
  if (axis.norm() < 0.2) return upper;
  // A hinge that mostly closes the other way round (negative range) bends about the opposite axis.
  if (hinge.upper[0] + hinge.lower[0] < 0) axis = -axis;
  const double angle = std::atan2(axis.cross(normal).dot(u), axis.dot(normal));
  const double trust = std::min(1.0, bend / 0.4);
  return exp_map(u * (angle * trust)) * upper;
}

// Marks frames between two jumps that no body can make (markers swapped for a moment) and around a single
// one.
void distrust_jumps(const std::vector<VecX>& q, const Joint& joint, double h, std::vector<char>& doubtful) {
  constexpr double kFastest_rad_s = 40;
  const auto angle = [&](size_t f) {
    const auto a = q[f].segment(joint.q, joint.q_size()), b = q[f + 1].segment(joint.q, joint.q_size());
    return joint.q_size() == 1 ? std::abs(b[0] - a[0]) : 2 * std::acos(std::min(1.0, std::abs(a.dot(b))));
  };
  const auto together = static_cast<size_t>(std::lround(0.3 / h));
  std::optional<size_t> last;
  for (size_t f = 0; f + 1 < q.size(); ++f) {
    if (angle(f) < kFastest_rad_s * h) continue;
    const size_t from = last && f - *last <= together ? *last + 1 : f;
    std::fill(doubtful.begin() + static_cast<long>(from), doubtful.begin() + static_cast<long>(f) + 2,
              char{1});
    last = f;
  }
}

// Capture sometimes folds a joint through itself or swaps markers. Where a rotation lies far outside a
// joint's limits or jumps it is not believed: there the joint goes over smoothly from the last believable
// frame to the next.
void bridge_unbelievable(const Character& character, std::vector<VecX>& q,
                         const std::vector<std::vector<double>>& outside, double h,
                         std::vector<std::string>& notes) {
  for (const Joint& joint : character.joints) {
    if (joint.type == JointType::kFree) continue;
    std::vector<char> doubtful(q.size());
    for (size_t f = 0; f < q.size(); ++f) doubtful[f] = outside[f][static_cast<size_t>(joint.body)] > 0.8;
    distrust_jumps(q, joint, h, doubtful);
    const auto count = std::count(doubtful.begin(), doubtful.end(), char{1});
    if (count == 0 || count == static_cast<long>(q.size())) continue;
    notes.push_back(joint.name + ": not believable in the clip for " +
                    std::to_string(static_cast<double>(count) * h).substr(0, 4) +
                    " s (bent far beyond its limits, or jumping); bridged from the frames around");
    for (size_t begin = 0; begin < q.size();) {
      size_t end = begin;
      while (end < q.size() && doubtful[end]) ++end;
      for (size_t f = begin; f < end; ++f) {
        const size_t from = begin > 0 ? begin - 1 : end, to = end < q.size() ? end : begin - 1;
        const double u = static_cast<double>(f + 1 - begin) / static_cast<double>(end - begin + 1);
        const double w = u * u * (3 - 2 * u);
        auto x = q[f].segment(joint.q, joint.q_size());
        x = VecX((1 - w) * q[from].segment(joint.q, joint.q_size()) +
                 w * q[to].segment(joint.q, joint.q_size()));
        if (joint.q_size() == 4) x.normalize();
      }
      begin = std::max(end, begin + 1);
    }
  }
}

// Ball joints' quaternions without jumps between the two signs of one rotation.
void make_continuous(const Character& character, std::vector<VecX>& q) {
  for (const Joint& joint : character.joints)
    if (joint.q_size() >= 4)
      for (size_t f = 1, at = static_cast<size_t>(joint.q_size() == 7 ? joint.q + 3 : joint.q); f < q.size();
           ++f)
        if (q[f].segment<4>(static_cast<long>(at)).dot(q[f - 1].segment<4>(static_cast<long>(at))) < 0)
          q[f].segment<4>(static_cast<long>(at)) *= -1;
}

Vec3 mid_hips(const Character& character, const std::vector<Pose>& X_WB) {
  return 0.5 * (pose_of(character, X_WB, Part::kLeftThigh).p + pose_of(character, X_WB, Part::kRightThigh).p);
}

}  // namespace

double leg_length(const Character& character) {
  const auto X = body_poses(character, character.q_rest);
  double length = 0;
  for (int side = 0; side < 2; ++side)
    for (int k = 4; k < 6; ++k)
      length += 0.5 * (pose_of(character, X, side_part(side, k + 1)).p -
                       pose_of(character, X, side_part(side, k)).p)
                          .norm();
  return length;
}

bool is_planar(const Character& character) {
  const Kinematics at = forward_kinematics(character, character.q_rest);
  for (size_t j = 1; j < character.joints.size(); ++j) {
    const Joint& joint = character.joints[j];
    if (joint.type != JointType::kHinge || std::abs((at.q_WJ[j] * joint.axis_B).y()) < 0.999) return false;
  }
  return true;
}

Transfer transfer(const Performance& performance, const Character& character,
                  std::vector<std::string>& notes) {
  for (const Part part : {Part::kLeftThigh, Part::kLeftShin, Part::kLeftFoot, Part::kRightThigh,
                          Part::kRightShin, Part::kRightFoot})
    if (character.find(part) < 0)
      throw Error(character.name + ": has no " + std::string(part_name(part)) +
                  ", so a person's motion cannot be put onto it");
  if (performance.on_all_fours != stands_on_all_fours(character))
    throw Error(character.name + (performance.on_all_fours
                                      ? ": stands on two feet, so a quadruped's motion cannot be put onto it"
                                      : ": stands on all fours, so a biped's motion cannot be put onto it"));

  Transfer out;
  out.scale = leg_length(character) / performance.leg_length_m;

  // How each body stands when the performer rests, and how its sole lies.
  std::vector<Quat> aligned = align_rest(performance, character);
  for (int side = 0; side < 2; ++side) {
    const std::vector<size_t> flat = flat_frames(performance, side_part(side, 6));
    for (int k = 6; k < 8; ++k) {
      const int body = character.find(side_part(side, k));
      if (body < 0 || !performance.has[index(side_part(side, 6))]) continue;
      const auto b = static_cast<size_t>(body);
      aligned[b] = calibrate_sole(performance, side_part(side, k), flat, notes) * aligned[b];
    }
  }

  const JointFitter fitter(character);
  const bool planar = is_planar(character);
  const std::vector<Pose> X_rest = body_poses(character, character.q_rest);
  VecX q = character.q_rest;
  std::vector<std::vector<double>> outside(performance.turn.size(),
                                           std::vector<double>(character.bodies.size(), 0.0));
  for (size_t f = 0; f < performance.turn.size(); ++f) {
    const auto& turn = performance.turn[f];
    const auto& joint = performance.joint[f];

    // Wanted orientation of every body; what is no part turns as the bone of its name, else with its parent.
    std::vector<std::optional<Quat>> wanted(character.bodies.size());
    for (size_t b = 0; b < wanted.size(); ++b) {
      const Body& body = character.bodies[b];
      if (body.part != Part::kNone)
        wanted[b] = turn[index(body.part)] * aligned[b];
      else if (const auto other = performance.others.find(body.name); other != performance.others.end())
        wanted[b] = other->second[f] * X_rest[b].q;
    }
    for (int side = 0; side < 2; ++side) {
      const int upper = character.find(side_part(side, 1));
      const int lower = character.find(side_part(side, 2));
      const Joint* hinge = lower < 0 ? nullptr : main_hinge(character, lower);
      if (upper < 0 || !hinge || planar) continue;
      auto& R = wanted[static_cast<size_t>(upper)];
      R = twist_to_bend(
          *hinge, *R, character.bodies[static_cast<size_t>(lower)].X_PB.q,
          turn[index(side_part(side, 1))] * performance.rest_direction[index(side_part(side, 1))],
          turn[index(side_part(side, 2))] * performance.rest_direction[index(side_part(side, 2))]);
    }

    // From the root outwards, each local rotation against the parent as posed.
    std::vector<Quat> posed(character.bodies.size());
    for (size_t b = 0; b < posed.size(); ++b) {
      const Body& body = character.bodies[b];
      if (body.parent < 0) {
        posed[b] = wanted[b].value_or(turn[index(Part::kPelvis)] * X_rest[b].q);
        q.segment<4>(3) << posed[b].w(), posed[b].x(), posed[b].y(), posed[b].z();
        continue;
      }
      const Quat base = posed[static_cast<size_t>(body.parent)] * body.X_PB.q;
      if (wanted[b]) outside[f][b] = fitter.fit(body, (base.conjugate() * *wanted[b]).normalized(), q);
      posed[b] = base;
      for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j) {
        const Joint& jt = character.joints[static_cast<size_t>(j)];
        if (jt.type == JointType::kBall)
          posed[b] = posed[b] * Quat(q[jt.q], q[jt.q + 1], q[jt.q + 2], q[jt.q + 3]);
        if (jt.type == JointType::kHinge) posed[b] = posed[b] * exp_map(jt.axis_B * q[jt.q]);
      }
    }

    // The middle of the hips follows the performer's path, scaled.
    const Vec3 hips = 0.5 * (joint[index(Part::kLeftThigh)] + joint[index(Part::kRightThigh)]);
    const std::vector<Pose> X = body_poses(character, q);
    q.head<3>() += out.scale * hips - mid_hips(character, X);
    out.q.push_back(q);

    // Ends of the limbs where a performer of these proportions has them: limb for limb, scaled by its length.
    PerPart<Vec3> ends;
    ends.fill(Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
    for (int side = 0; side < 2; ++side)
      for (const auto& [first, last, length] :
           {std::tuple{4, 6, performance.leg_length_m}, {1, 3, performance.arm_length_m}}) {
        const Part end = side_part(side, last);
        const int a = character.find(side_part(side, first)), m = character.find(side_part(side, first + 1)),
                  e = character.find(end);
        if (a < 0 || m < 0 || e < 0 || length < 1e-6 || !performance.has[index(end)]) continue;
        const auto origin = [&](int b) { return X_rest[static_cast<size_t>(b)].p; };
        const double ours = (origin(m) - origin(a)).norm() + (origin(e) - origin(m)).norm();
        const Vec3 reach = joint[index(end)] - joint[index(side_part(side, first))];
        const Vec3 p_W = X[static_cast<size_t>(a)].p + reach * (ours / length);
        ends[index(end)] = X[0].q.conjugate() * (p_W - X[static_cast<size_t>(e)].p);
      }
    out.end_offset.push_back(ends);
  }
  make_continuous(character, out.q);
  bridge_unbelievable(character, out.q, outside, performance.frame_time_s, notes);
  return out;
}

}  // namespace sinew
