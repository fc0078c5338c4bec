#include "character/rider.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "character/reach.h"
#include "character/scaling.h"
#include "character/transfer.h"
#include "core/error.h"

namespace sinew {

namespace {

// How a rider sits: of the trunk, from upright; the knee at the lowest pedal; foot with the heel lifted.
constexpr double kPelvisTilt = radians(14), kWaist = radians(20);
constexpr double kKneeFlexion = radians(35), kHeelLift = radians(20), kHeelSwing = radians(12);
constexpr double kSeatTube = radians(73), kHeadTilt = radians(18);
// Shares of lengths: the crank of the leg; of an arm to the grip when it is stretched; the trail of a wheel.
constexpr double kCrankShare = 0.2, kArmShare = 0.93, kTrailShare = 0.18;
constexpr double kArmBelow = radians(50);  // from the shoulder to the grip, below the horizontal
constexpr double kGripOutside_m = 0.035, kSaddleGive_m = 0.015, kToes_m = 0.09;

// Springs of the man; those of others go with mass and length (Figure 6).
constexpr double kManMass_kg = 75.2, kManLeg_m = 0.75;
constexpr double kGripStiffness = 4000, kGripDamping = 60, kPedalStiffness = 40000, kPedalDamping = 60;

// The points of a rider that matter to a bicycle builder.
struct Limbs {
  std::array<int, 2> thigh, shin, foot, upper_arm, lower_arm, hand;  // left, right
  int pelvis, thorax, head;
};

Limbs limbs_of(const Character& c) {
  const auto part = [&](Part p) {
    const int body = c.find(p);
    if (body < 0) throw Error(c.name + " cannot ride: there is no " + std::string(part_name(p)));
    return body;
  };
  return {{part(Part::kLeftThigh), part(Part::kRightThigh)},
          {part(Part::kLeftShin), part(Part::kRightShin)},
          {part(Part::kLeftFoot), part(Part::kRightFoot)},
          {part(Part::kLeftUpperArm), part(Part::kRightUpperArm)},
          {part(Part::kLeftLowerArm), part(Part::kRightLowerArm)},
          {part(Part::kLeftHand), part(Part::kRightHand)},
          part(Part::kPelvis),
          part(Part::kThorax),
          part(Part::kHead)};
}

const Body& body(const Character& c, int index) { return c.bodies[static_cast<size_t>(index)]; }

// Where the foot stands on the pedal: under the ball, the middle of its two foremost points.
Vec3 ball_of(const Character& c, int foot) {
  std::vector<ContactPoint> points;
  for (const ContactPoint& point : c.contact_points)
    if (point.body == foot) points.push_back(point);
  if (points.size() < 2) throw Error(c.name + " cannot ride: its feet have no soles");
  std::sort(points.begin(), points.end(),
            [](const auto& a, const auto& b) { return a.p_BP.x() > b.p_BP.x(); });
  Vec3 p = 0.5 * (points[0].p_BP + points[1].p_BP);
  p.z() -= 0.5 * (points[0].radius_m + points[1].radius_m);
  return p;
}

// Where the hand holds the grip.
Vec3 palm_of(const Character& c, int hand) { return 2 * body(c, hand).p_BC; }

Vec3 pitched(const Vec3& v, double angle) { return exp_map(Vec3(0, angle, 0)) * v; }

// Positions in the pelvis of one who stands: of a body's origin.
Vec3 in_pelvis(const Character& c, const Limbs& limbs, int index) {
  Vec3 p = Vec3::Zero();
  for (int b = index; b != limbs.pelvis; b = body(c, b).parent) {
    if (b < 0) throw Error(c.name + " cannot ride: its limbs do not hang on the pelvis");
    p = body(c, b).X_PB * p;
  }
  return p;
}

// From the hips down to where the rider sits.
double seat_depth(const Character& c, const Limbs& limbs) {
  double low = 0;
  for (const Shape& shape : c.shapes)
    if (shape.body == limbs.pelvis && shape.collides)
      low = std::min(low, support(shape, Pose{}, -Vec3::UnitZ()).z());
  return in_pelvis(c, limbs, limbs.thigh[0]).z() - low - kSaddleGive_m;
}

Vec3 hips_of(const Character& c, const Limbs& limbs) {
  return 0.5 * (in_pelvis(c, limbs, limbs.thigh[0]) + in_pelvis(c, limbs, limbs.thigh[1]));
}

BicycleWheel spoked_wheel(const BicycleSizes& sizes) {
  // Nearly all of its mass is in the rim.
  const double r = 0.93 * sizes.wheel_radius_m, m = sizes.wheel_mass_kg;
  return {sizes.wheel_radius_m, m, 0.5 * m * r * r, m * r * r};
}

Mat3 rod_inertia(double mass_kg, const Vec3& along) {
  return mass_kg / 12 * (along.squaredNorm() * Mat3::Identity() - along * along.transpose()) +
         1e-3 * mass_kg * Mat3::Identity();
}

}  // namespace

Bicycle bicycle_for(const Character& rider, const BicycleSizes& sizes) {
  const Limbs limbs = limbs_of(rider);
  const double thigh = body(rider, limbs.shin[0]).X_PB.p.norm(),
               shin = body(rider, limbs.foot[0]).X_PB.p.norm();
  const Vec3 ball = ball_of(rider, limbs.foot[0]);
  Bicycle b;
  b.rear = b.front = spoked_wheel(sizes);
  b.head_tilt_rad = kHeadTilt;
  b.trail_m = kTrailShare * sizes.wheel_radius_m;
  b.crank_m = kCrankShare * (thigh + shin);
  b.pedal_m = std::max(in_pelvis(rider, limbs, limbs.thigh[0]).y() + ball.y(), 0.08);
  b.gear = 2.2;

  // The lowest pedal is where a leg that is bent a little reaches it.
  const double to_ankle = std::sqrt(thigh * thigh + shin * shin + 2 * thigh * shin * std::cos(kKneeFlexion));
  const double to_bracket = to_ankle - pitched(ball, kHeelLift).z() - b.crank_m;
  b.bracket = Vec3(1.28 * sizes.wheel_radius_m, 0, 0.81 * sizes.wheel_radius_m);
  const Vec3 hips = b.bracket + to_bracket * Vec3(-std::cos(kSeatTube), 0, std::sin(kSeatTube));
  b.saddle = hips - Vec3(0, 0, seat_depth(rider, limbs));
  b.wheel_base_m = b.bracket.x() + b.crank_m + kToes_m + sizes.wheel_radius_m;

  // The bars are where an arm reaches that is bent a little, from a trunk that leans forward.
  const Vec3 waist = in_pelvis(rider, limbs, limbs.thorax);
  const Vec3 shoulder = in_pelvis(rider, limbs, limbs.upper_arm[0]);
  const Vec3 at = hips + pitched(waist - hips_of(rider, limbs), kPelvisTilt) +
                  pitched(shoulder - waist, kPelvisTilt + kWaist);
  const double arm =
      kArmShare * (body(rider, limbs.lower_arm[0]).X_PB.p.norm() + body(rider, limbs.hand[0]).X_PB.p.norm() +
                   palm_of(rider, limbs.hand[0]).norm());
  b.grip = at + arm * Vec3(std::cos(kArmBelow), 0, -std::sin(kArmBelow)) + Vec3(0, kGripOutside_m, 0);

  // Masses: frame, fork with bars, cranks.
  const double frame = 0.45 * sizes.frame_mass_kg, fork = 0.25 * sizes.frame_mass_kg;
  const Vec3 hub(b.wheel_base_m, 0, sizes.wheel_radius_m), bar(b.grip.x(), 0, b.grip.z());
  const Vec3 length(0.6 * b.wheel_base_m, 0, 0), width(0, 2 * b.grip.y(), 0);
  b.frame = {frame, 0.5 * (b.bracket + Vec3(0.5 * b.wheel_base_m, 0, b.saddle.z())),
             rod_inertia(frame, length)};
  b.fork = {fork, 0.5 * (hub + bar), rod_inertia(0.6 * fork, bar - hub) + rod_inertia(0.4 * fork, width)};
  b.crank_mass_kg = sizes.frame_mass_kg - frame - fork;
  return b;
}

namespace {

// Appends the rider's bodies, joints and shapes to the bicycle; the pelvis loses its free joint.
void seat_rider(Character& c, const Character& rider, const Pose& X_FP) {
  const auto bodies = static_cast<int>(c.bodies.size()), joints = static_cast<int>(c.joints.size());
  for (size_t i = 0; i < rider.bodies.size(); ++i) {
    Body link = rider.bodies[i];
    link.parent = i == 0 ? 0 : link.parent + bodies;
    if (i == 0) link.X_PB = X_FP;
    link.first_joint += joints - 1;
    if (i == 0) link.first_joint = joints, link.joint_count = 0;
    c.bodies.push_back(link);
  }
  const Joint& last = c.joints.back();
  const int dq = last.q + last.q_size() - rider.joints.front().q_size();
  const int dv = last.v + last.v_size() - rider.joints.front().v_size();
  for (size_t j = 1; j < rider.joints.size(); ++j) {
    Joint joint = rider.joints[j];
    joint.body += bodies;
    joint.q += dq;
    joint.v += dv;
    c.joints.push_back(joint);
  }
  for (Shape shape : rider.shapes) shape.body += bodies, c.shapes.push_back(shape);
  for (ContactPoint point : rider.contact_points) point.body += bodies, c.contact_points.push_back(point);
  const Eigen::Index old = c.q_rest.size(), more = rider.q_rest.size() - 7;
  c.q_rest.conservativeResize(old + more);
  c.q_rest.tail(more) = rider.q_rest.tail(more);
}

void pass_through_each_other(Character& c) {
  c.excluded.clear();
  const auto n = static_cast<int>(c.bodies.size());
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b) c.excluded.push_back({a, b});
}

int body_named(const Character& c, const char* name) {
  for (size_t b = 0; b < c.bodies.size(); ++b)
    if (c.bodies[b].name == name) return static_cast<int>(b);
  throw Error(c.name + " is no rider on a bicycle: there is no " + name);
}

const PointSpring& spring_named(const Character& c, const char* name) {
  for (const PointSpring& spring : c.springs)
    if (spring.name == name) return spring;
  throw Error(c.name + " is no rider on a bicycle: there is no spring " + name);
}

}  // namespace

Character mount(const Character& rider, const Bicycle& bicycle) {
  const Limbs limbs = limbs_of(rider);
  if (limbs.pelvis != 0) throw Error(rider.name + " cannot ride: its root is not the pelvis");
  for (size_t j = 1; j < rider.joints.size(); ++j)
    if (rider.joints[j].type != JointType::kHinge)
      throw Error(rider.name + " cannot ride: its joint " + rider.joints[j].name + " is no hinge");
  Character c = make_character(bicycle, rider.name);
  const Vec3 hips(0, 0, seat_depth(rider, limbs));
  const auto shift = static_cast<int>(c.bodies.size());
  seat_rider(c, rider,
             {hips - pitched(hips_of(rider, limbs), kPelvisTilt), exp_map(Vec3(0, kPelvisTilt, 0))});
  pass_through_each_other(c);

  // Hands and feet: stiffness goes with M / L, damping with M / sqrt(L) of Figure 6.
  const double mass = rider.mass_kg() / kManMass_kg, length = leg_length(rider) / kManLeg_m;
  const double stiff = mass / length, damp = mass / std::sqrt(length);
  const int fork = body_named(c, kSteering), cranks = body_named(c, kCranks);
  const Vec3 fork_origin = body(c, fork).X_PB.p + bicycle.saddle;
  for (const size_t side : {0U, 1U}) {
    const double y = side == 0 ? 1 : -1;
    const Vec3 grip(bicycle.grip.x(), y * bicycle.grip.y(), bicycle.grip.z());
    c.springs.push_back({side == 0 ? kLeftGrip : kRightGrip, limbs.hand[side] + shift, fork,
                         palm_of(rider, limbs.hand[side]), grip - fork_origin, stiff * kGripStiffness,
                         damp * kGripDamping});
    c.springs.push_back({side == 0 ? kLeftPedal : kRightPedal, limbs.foot[side] + shift, cranks,
                         ball_of(rider, limbs.foot[side]), Vec3(0, y * bicycle.pedal_m, -y * bicycle.crank_m),
                         stiff * kPedalStiffness, damp * kPedalDamping});
  }

  // The trunk leans forward, the head looks ahead; limbs begin bent, so that they bend the right way.
  const auto pitch = [&](Part part, double angle) {
    const Body& link = body(c, c.find(part));
    for (int j = link.first_joint; j < link.first_joint + link.joint_count; ++j) {
      const Joint& joint = c.joints[static_cast<size_t>(j)];
      if (joint.axis_B.y() > 0.9) c.q_rest[joint.q] = angle;
    }
  };
  pitch(Part::kThorax, kWaist);
  pitch(Part::kHead, -kPelvisTilt - kWaist);
  for (const Part part : {Part::kLeftThigh, Part::kRightThigh, Part::kLeftUpperArm, Part::kRightUpperArm})
    pitch(part, radians(-60));
  for (const Part part : {Part::kLeftShin, Part::kRightShin, Part::kLeftLowerArm, Part::kRightLowerArm}) {
    const Joint& joint = c.joints[static_cast<size_t>(body(c, c.find(part)).first_joint)];
    c.q_rest[joint.q] = 0.4 * (joint.lower[0] + joint.upper[0]);
  }
  seat(c, 0, 0, c.q_rest);
  return c;
}

void seat(const Character& mounted, double crank_rad, double steer_rad, VecX& q) {
  const auto joint_q = [&](const char* name) {
    return mounted.joints[static_cast<size_t>(body(mounted, body_named(mounted, name)).first_joint)].q;
  };
  q[joint_q(kCranks)] = crank_rad;
  q[joint_q(kSteering)] = steer_rad;
  const std::vector<Pose> X_WB = body_poses(mounted, q);

  // Hands on the grips.
  for (const char* name : {kLeftGrip, kRightGrip}) {
    const PointSpring& spring = spring_named(mounted, name);
    const Vec3 grip = X_WB[static_cast<size_t>(spring.body_b)] * spring.p_BQ;
    q = reach(mounted, q, joints_between(mounted, spring.body_a, mounted.find(Part::kThorax)),
              {{spring.body_a, spring.p_AP, grip}});
  }

  // Feet on the pedals, the ankle where the foot's pitch puts it: the heel is lifted more behind than ahead.
  for (const char* name : {kLeftPedal, kRightPedal}) {
    const PointSpring& spring = spring_named(mounted, name);
    const Vec3 pedal_F = X_WB[0].inverse() * (X_WB[static_cast<size_t>(spring.body_b)] * spring.p_BQ);
    const Vec3 middle_F = X_WB[0].inverse() * X_WB[static_cast<size_t>(spring.body_b)].p;
    const double behind = (middle_F.x() - pedal_F.x()) / std::abs(spring.p_BQ.z());
    const Vec3 ankle_F = pedal_F - pitched(spring.p_AP, kHeelLift + kHeelSwing * behind);
    q = reach(
        mounted, q, joints_between(mounted, spring.body_a, mounted.find(Part::kPelvis)),
        {{spring.body_a, spring.p_AP, X_WB[0] * pedal_F}, {spring.body_a, Vec3::Zero(), X_WB[0] * ankle_F}});
  }
}

}  // namespace sinew
