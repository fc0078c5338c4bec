#include "search/tracking.h"

#include <algorithm>
#include <cmath>

#include "character/leg_room.h"
#include "character/plants.h"
#include "character/velocities.h"
#include "record/metrics.h"

namespace sinew {

namespace {

constexpr double kLinearBeyond = 4;

// Legs that are this far apart have room.
constexpr double kLegRoom_m = 0.01;

// Who is this far from an edge beside which he should stand has left it.
constexpr double kAside_m = 0.3;

// The human that the units are for: height of the root at rest, mass.
constexpr double kHumanRoot_m = 0.9, kHuman_kg = 62.5;

double eased(double r) {
  const double size = std::abs(r);
  if (size <= kLinearBeyond) return r;
  return std::copysign(std::sqrt(2 * kLinearBeyond * size - kLinearBeyond * kLinearBeyond), r);
}

Quat root_of(const VecX& q) { return Quat(q[3], q[4], q[5], q[6]); }

}  // namespace

TrackingUnits sized(const TrackingUnits& human, const Character& character) {
  const double length = character.q_rest[2] / kHumanRoot_m, speed = std::sqrt(length);
  TrackingUnits units = human;
  for (double* u : {&units.com_height_m, &units.com_m, &units.end_height_m, &units.end_m, &units.leg_room_m})
    *u *= length;
  for (double* u : {&units.com_velocity, &units.com_rise, &units.end_velocity, &units.slide}) *u *= speed;
  units.spin *= character.mass_kg() / kHuman_kg * length * speed;
  return units;
}

Tracking::Tracking(const Character& character, const TrackingUnits& units)
    : character_(character), units_(units), legs_(leg_pairs(character)) {
  for (const ContactGroup& group : contact_groups(character)) {
    ends_.push_back(group.body);
    points_.push_back(group.points);
  }
  joint_share_ = 1 / std::sqrt(std::max(1.0, static_cast<double>(character.joints.size()) - 1));
  end_share_ = 1 / std::sqrt(std::max(1.0, static_cast<double>(ends_.size())));
}

int Tracking::size() const { return 2 * (character_.nv() - 6) + 16 + 6 * static_cast<int>(ends_.size()); }

Posture Tracking::posture(const VecX& q, const VecX& v) const {
  Posture out;
  out.q = q;
  out.v = v;
  const Kinematics at = forward_kinematics(character_, q);
  const std::vector<BodyVelocity> velocities = body_velocities(character_, at, v);
  const auto centre = [&](size_t i) { return Vec3(at.X_WB[i] * character_.bodies[i].p_BC); };
  const auto velocity = [&](size_t i, const Vec3& p) {
    return Vec3(velocities[i].v_WB + velocities[i].w_WB.cross(p - at.X_WB[i].p));
  };

  // Centre of mass and momentum.
  double mass = 0;
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  for (size_t i = 0; i < character_.bodies.size(); ++i) {
    const Body& body = character_.bodies[i];
    const Vec3 c = centre(i), vc = velocity(i, c);
    const Quat& R = at.X_WB[i].q;
    mass += body.mass_kg;
    out.com += body.mass_kg * c;
    linear += body.mass_kg * vc;
    angular += body.mass_kg * c.cross(vc) + R * (body.I_C * (R.conjugate() * velocities[i].w_WB));
  }
  out.com /= mass;
  out.com_velocity = linear / mass;
  out.spin = angular - out.com.cross(linear);

  out.root_rate = velocities[0].w_WB;
  for (const int end : ends_) {
    const auto i = static_cast<size_t>(end);
    out.end.push_back(centre(i));
    out.end_velocity.push_back(velocity(i, out.end.back()));
  }
  out.planted.assign(ends_.size(), 0);
  for (const NearLegs& near : find_near_legs(character_, legs_, at.X_WB, kLegRoom_m))
    out.leg_room_m = std::max(out.leg_room_m, near.missing_m);
  return out;
}

Posture Tracking::posture(const Reference& reference, double time_s) const {
  return posture(sample(character_, reference, time_s));
}

Posture Tracking::posture(const ReferenceSample& at) const {
  Posture out = posture(at.q, at.v);
  for (size_t i = 0; i < ends_.size(); ++i)
    out.planted[i] = std::any_of(points_[i].begin(), points_[i].end(),
                                 [&](size_t k) { return (*at.point_contact)[k] != 0; });
  return out;
}

bool Tracking::bears(const Posture& reference, int body) const {
  for (size_t i = 0; i < ends_.size(); ++i)
    if (ends_[i] == body) return reference.planted[i] != 0;
  return false;
}

void Tracking::residuals(const Posture& now, const Posture& reference, double weight,
                         std::vector<double>& out) const {
  const auto add = [&](double error, double unit, double share) {
    out.push_back(weight * share * eased(error / unit));
  };
  const auto add3 = [&](const Vec3& error, double unit) {
    for (const double e : error) add(e, unit, 1);
  };

  // Joints, root, centre of mass, momentum.
  const VecX dq = difference(character_, reference.q, now.q);
  for (int i = 6; i < character_.nv(); ++i) {
    add(dq[i], units_.pose_rad, joint_share_);
    add(now.v[i] - reference.v[i], units_.joint_rate, joint_share_);
  }
  add3(log_map(root_of(now.q) * root_of(reference.q).conjugate()), units_.root_rad);
  add3(now.root_rate - reference.root_rate, units_.root_rate);
  const Vec3 com = now.com - reference.com, velocity = now.com_velocity - reference.com_velocity;
  // Across an edge beside which one stands, places count: there is nothing to step on.
  const auto finer = [&](int axis) { return reference.edge[axis] != 0 ? units_.beside_edge : 1.0; };
  for (int k = 0; k < 2; ++k) {
    add(com[k], finer(k) * units_.com_m, 1);
    add(velocity[k], finer(k) * units_.com_velocity, 1);
  }
  add(com.z(), units_.com_height_m, 1);
  add(velocity.z(), units_.com_rise, 1);
  add3(now.spin - reference.spin, units_.spin);
  add(std::max(0.0, now.leg_room_m - reference.leg_room_m), units_.leg_room_m, 1);

  // Feet and hands: where they are against the centre of mass, how high, how fast; not sliding where they
  // bear.
  for (size_t i = 0; i < ends_.size(); ++i) {
    const Vec3 error = now.end[i] - reference.end[i];
    for (int k = 0; k < 2; ++k) {
      const double seen = error[k] - com[k] - units_.end_ahead_s * velocity[k];
      add(reference.edge[k] != 0 ? error[k] : seen, units_.end_m, end_share_);
    }
    add(error.z(), units_.end_height_m, end_share_);
    const Vec3 speed = now.end_velocity[i] - reference.end_velocity[i];
    const double along = reference.planted[i] ? units_.slide : units_.end_velocity;
    add(speed.x(), along, end_share_);
    add(speed.y(), along, end_share_);
    add(speed.z(), units_.end_velocity, end_share_);
  }
}

double Tracking::danger(const Posture& now, const Posture& reference) const {
  const double height = std::abs(now.q[2] - reference.q[2]) / kMaxHeightError_m;
  const double tilt = angle_between(root_of(now.q), root_of(reference.q)) / kMaxTiltError_rad;
  double aside = 0;
  for (int k = 0; k < 2; ++k)
    aside = std::max(aside, reference.edge[k] * std::abs(now.com[k] - reference.com[k]) / kAside_m);
  return std::max({height, tilt, aside});
}

}  // namespace sinew
