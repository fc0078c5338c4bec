#include "control/goals.h"

#include <algorithm>
#include <cmath>

#include "control/joint_targets.h"

namespace sinew {

namespace {

// A point nearer to the ground and slower than this bears load.
constexpr double kLoad_m = 0.02, kLoad_m_s = 0.5;

// From 0 to 1 without a jerk at either end; and how fast.
struct Ease {
  double share = 0, rate = 0;
};
Ease ease(double time_s, double from_s, double over_s) {
  const double u = over_s > 0 ? std::clamp((time_s - from_s) / over_s, 0.0, 1.0) : (time_s < from_s ? 0 : 1);
  if (u <= 0 || u >= 1) return {u, 0};
  return {u * u * (3 - 2 * u), 6 * u * (1 - u) / over_s};
}

// What of a root's pose is free to be chosen: heading and place in the plane.
Pose in_plane(const VecX& q) {
  return {Vec3(q[0], q[1], 0), exp_map(Vec3(0, 0, heading(Quat(q[3], q[4], q[5], q[6]))))};
}

Goal moved(const Goal& goal, const Pose& X) {
  Goal out{moved(goal.q, X), goal.v};
  out.v.head<3>() = X.q * Vec3(goal.v.head<3>());
  return out;
}

// Between two goals. Their velocities are along axes that differ by as much as their turns do: near enough
// for motions that one would blend.
Goal between(const Character& character, const Goal& a, const Goal& b, const Ease& by) {
  const VecX way = difference(character, a.q, b.q);
  VecX v = b.v;
  see_from_joints(character, a.q, b.q, v);
  return {integrate(character, a.q, by.share * way), (1 - by.share) * a.v + by.share * v + by.rate * way};
}

}  // namespace

Goals along(const Character& character, const Reference& reference, double start_s) {
  return [&character, &reference, start_s](double time_s) {
    ReferenceSample at = sample(character, reference, start_s + time_s);
    return Goal{std::move(at.q), std::move(at.v)};
  };
}

Goals transition(const Character& character, Goals first, Goals second, double at_s, double over_s) {
  return [&character, first = std::move(first), second = std::move(second), at_s, over_s](double time_s) {
    if (time_s < at_s) return first(time_s);
    const Pose X = in_plane(first(at_s).q) * in_plane(second(0).q).inverse();
    const Goal next = moved(second(time_s - at_s), X);
    const Ease by = ease(time_s, at_s, over_s);
    return by.share >= 1 ? next : between(character, first(time_s), next, by);
  };
}

Reference as_reference(const Character& character, const Goals& goals, double seconds, double frame_time_s,
                       const std::function<double(double, double)>& ground) {
  Reference out;
  out.frame_time_s = frame_time_s;
  const long frames = std::lround(std::ceil(seconds / frame_time_s)) + 1;
  for (long i = 0; i < frames; ++i) {
    const Goal goal = goals(frame_time_s * static_cast<double>(i));
    const Kinematics at = forward_kinematics(character, goal.q);
    std::vector<char> points, bodies(character.bodies.size(), 0);
    for (const ContactPoint& point : character.contact_points) {
      const auto body = static_cast<size_t>(point.body);
      const Vec3 p = at.X_WB[body] * point.p_BP;
      const bool low = p.z() - point.radius_m - ground(p.x(), p.y()) < kLoad_m;
      const bool loaded = low && (point_jacobian(character, at, point.body, p) * goal.v).norm() < kLoad_m_s;
      points.push_back(loaded);
      if (loaded) bodies[body] = 1;
    }
    out.q.push_back(goal.q);
    out.point_contact.push_back(std::move(points));
    out.body_contact.push_back(std::move(bodies));
  }
  differentiate(character, out);
  return out;
}

Goals through_poses(const Character& character, std::vector<KeyPose> poses) {
  return [&character, poses = std::move(poses)](double time_s) {
    const auto next = std::upper_bound(poses.begin(), poses.end(), time_s,
                                       [](double t, const KeyPose& pose) { return t < pose.time_s; });
    const VecX still = VecX::Zero(character.nv());
    if (next == poses.begin()) return Goal{poses.front().q, still};
    const KeyPose& last = *(next - 1);
    if (next == poses.end()) return Goal{last.q, still};
    const Ease by = ease(time_s, last.time_s, next->time_s - last.time_s);
    return between(character, {last.q, still}, {next->q, still}, by);
  };
}

// No more is known of its velocity than that it is not known.
Goals LiveGoal::goals() const {
  return [this](double) { return Goal{q_, still_}; };
}

}  // namespace sinew
