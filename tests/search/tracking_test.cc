#include "search/tracking.h"

#include <algorithm>
#include <cmath>

#include "character/dynamics.h"
#include "core/random.h"
#include "search/tasks.h"

namespace sinew {
namespace {

const Character& human() {
  static const Character character = tasks::character("human50");
  return character;
}

// Somewhere, moving.
State random_moment(const Character& character, uint64_t seed) {
  Random random(seed);
  VecX dq(character.nv()), v(character.nv());
  for (double& x : dq) x = 0.3 * random.normal();
  for (double& x : v) x = random.normal();
  return {0, integrate(character, character.q_rest, dq), v};
}

double cost(const Tracking& tracking, const Posture& now, const Posture& reference, double weight = 1) {
  std::vector<double> residuals;
  tracking.residuals(now, reference, weight, residuals);
  double sum = 0;
  for (const double r : residuals) sum += r * r;
  return sum;
}

// A posture that is off by `units` in one of the things that count, and in nothing else.
struct Off {
  const char* what;
  void (*by)(const TrackingUnits&, double units, Posture&);
};

void displace(Posture& now, double pose, double rate) {
  VecX dq = VecX::Zero(human().nv());
  for (const Joint& joint : human().joints) {
    if (joint.type == JointType::kFree) continue;
    dq[joint.v] = pose;
    now.v[joint.v] += rate;
  }
  now.q = integrate(human(), now.q, dq);
}

void turn_root(Posture& now, const Vec3& by) {
  const Quat turned = exp_map(by) * Quat(now.q[3], now.q[4], now.q[5], now.q[6]);
  now.q.segment<4>(3) << turned.w(), turned.x(), turned.y(), turned.z();
}

void move_ends(Posture& now, const Vec3& by) {
  for (Vec3& p : now.end) p += by;
}

void hasten_ends(Posture& now, const Vec3& by) {
  for (Vec3& v : now.end_velocity) v += by;
}

const Off kOffs[] = {
    {"every joint", [](const TrackingUnits& u, double n, Posture& now) { displace(now, n * u.pose_rad, 0); }},
    {"every joint's rate",
     [](const TrackingUnits& u, double n, Posture& now) { displace(now, 0, n * u.joint_rate); }},
    {"the root's turn",
     [](const TrackingUnits& u, double n, Posture& now) { turn_root(now, Vec3(0, n * u.root_rad, 0)); }},
    {"the root's rate",
     [](const TrackingUnits& u, double n, Posture& now) { now.root_rate.x() -= n * u.root_rate; }},
    {"the centre's height",
     [](const TrackingUnits& u, double n, Posture& now) { now.com.z() -= n * u.com_height_m; }},
    {"the centre's place",
     [](const TrackingUnits& u, double n, Posture& now) {
       now.com.y() += n * u.com_m;
       move_ends(now, Vec3(0, n * u.com_m, 0));
     }},
    {"the centre's velocity",
     [](const TrackingUnits& u, double n, Posture& now) {
       now.com_velocity.x() += n * u.com_velocity;
       // Ends are where they should be once the centre has gone on.
       move_ends(now, Vec3(u.end_ahead_s * n * u.com_velocity, 0, 0));
     }},
    {"room between the legs",
     [](const TrackingUnits& u, double n, Posture& now) { now.leg_room_m += n * u.leg_room_m; }},
    {"spin", [](const TrackingUnits& u, double n, Posture& now) { now.spin.z() += n * u.spin; }},
    {"the ends' height",
     [](const TrackingUnits& u, double n, Posture& now) { move_ends(now, Vec3(0, 0, n * u.end_height_m)); }},
    {"the ends' place",
     [](const TrackingUnits& u, double n, Posture& now) { move_ends(now, Vec3(-n * u.end_m, 0, 0)); }},
    {"the ends' velocity", [](const TrackingUnits& u, double n,
                              Posture& now) { hasten_ends(now, Vec3(0, n * u.end_velocity, 0)); }},
};

TEST(Tracking, AReferenceIsNowhereOffItself) {
  for (const char* name : {"human50", "robot35", "biped18", "cheetah"}) {
    const Character character = tasks::character(name);
    const Tracking tracking(character);
    const State state = random_moment(character, 3);
    const Posture posture = tracking.posture(state.q, state.v);
    std::vector<double> residuals{7};
    tracking.residuals(posture, posture, 1, residuals);
    ASSERT_EQ(static_cast<int>(residuals.size()), 1 + tracking.size()) << name;
    EXPECT_EQ(residuals[0], 7) << "they are appended";
    for (size_t i = 1; i < residuals.size(); ++i) EXPECT_NEAR(residuals[i], 0, 1e-6) << name << " " << i;
    EXPECT_NEAR(tracking.danger(posture, posture), 0, 1e-6);
  }
}

TEST(Tracking, OneUnitOfEachErrorCostsOne) {
  const TrackingUnits units;
  const Tracking tracking(human(), units);
  const State state = random_moment(human(), 5);
  const Posture reference = tracking.posture(state.q, state.v);
  for (const Off& off : kOffs) {
    Posture now = reference;
    off.by(units, 1, now);
    EXPECT_NEAR(cost(tracking, now, reference), 1, 1e-6) << off.what;
    EXPECT_NEAR(cost(tracking, now, reference, 3), 9, 1e-5) << off.what << ", weighted";
  }
}

TEST(Tracking, UnitsGoWithSize) {
  const TrackingUnits units, same = sized(units, human()), small = sized(units, tasks::character("robot35"));
  EXPECT_NEAR(same.com_m, units.com_m, 0.01 * units.com_m);
  EXPECT_NEAR(same.spin, units.spin, 0.01 * units.spin);
  const double length = tasks::character("robot35").q_rest[2] / human().q_rest[2];
  EXPECT_NEAR(small.end_m / same.end_m, length, 1e-9);
  EXPECT_NEAR(small.com_velocity / same.com_velocity, std::sqrt(length),
              1e-9);  // falls from its height as fast
  EXPECT_LT(small.spin, 0.5 * same.spin);
  EXPECT_EQ(small.root_rad, same.root_rad);
}

TEST(Tracking, FarOffTheCostGrowsLinearly) {
  const TrackingUnits units;
  const Tracking tracking(human(), units);
  const State state = random_moment(human(), 5);
  const Posture reference = tracking.posture(state.q, state.v);
  for (const Off& off : kOffs) {
    const auto at = [&](double n) {
      Posture now = reference;
      off.by(units, n, now);
      return cost(tracking, now, reference);
    };
    EXPECT_NEAR(at(4), 16, 1e-4) << off.what;
    // Tangent to the parabola at four units: a slope of eight.
    EXPECT_NEAR(at(6) - at(4), 16, 1e-4) << off.what;
    EXPECT_NEAR(at(9) - at(6), 24, 1e-4) << off.what;
  }
}

TEST(Tracking, AnEndThatBearsLoadMustNotSlide) {
  TrackingUnits units;
  units.slide = 0.25 * units.end_velocity;
  const Tracking tracking(human(), units);
  const State state = random_moment(human(), 6);
  Posture reference = tracking.posture(state.q, state.v);
  Posture now = reference;
  now.end_velocity[0].x() += units.end_velocity;
  const double swinging = cost(tracking, now, reference);
  reference.planted[0] = 1;
  EXPECT_NEAR(cost(tracking, now, reference), 16 * swinging, 1e-5);
}

TEST(Tracking, BesideAnEdgePlacesCountAndLeavingItIsLosingTheMotion) {
  const TrackingUnits units;
  const Tracking tracking(human(), units);
  const State state = random_moment(human(), 7);
  Posture reference = tracking.posture(state.q, state.v);
  Posture now = reference;
  now.com.y() += 0.5 * units.com_m;
  move_ends(now, Vec3(0, 0.5 * units.com_m, 0));
  const double anywhere = cost(tracking, now, reference);
  EXPECT_NEAR(tracking.danger(now, reference), 0, 1e-6);

  reference.edge = Vec2::UnitX();  // along the way: it may go aside
  EXPECT_NEAR(cost(tracking, now, reference), anywhere, 1e-9);
  EXPECT_NEAR(tracking.danger(now, reference), 0, 1e-6);

  reference.edge = Vec2::UnitY();
  EXPECT_GT(cost(tracking, now, reference), 10 * anywhere);
  now.com.y() = reference.com.y() + 0.3;
  EXPECT_NEAR(tracking.danger(now, reference), 1, 1e-9);
}

TEST(Tracking, CentreOfMassAndMomentumAreThoseOfTheDynamics) {
  for (const char* name : {"human50", "robot35", "cheetah"}) {
    const Character character = tasks::character(name);
    const Tracking tracking(character);
    const State state = random_moment(character, 8);
    const Posture posture = tracking.posture(state.q, state.v);
    const Momentum p = momentum(character, state.q, state.v);
    const Vec3 com = centre_of_mass(character, body_poses(character, state.q));
    EXPECT_NEAR((posture.com - com).norm(), 0, 1e-12) << name;
    EXPECT_NEAR((character.mass_kg() * posture.com_velocity - p.linear).norm(), 0, 1e-9) << name;
    EXPECT_NEAR((posture.spin - (p.angular - com.cross(p.linear))).norm(), 0, 1e-9) << name;

    // Velocities are what positions do.
    const double h = 1e-6;
    const Posture next = tracking.posture(integrate(character, state.q, h * state.v), state.v);
    EXPECT_NEAR(((next.com - posture.com) / h - posture.com_velocity).norm(), 0, 1e-4) << name;
    for (size_t i = 0; i < posture.end.size(); ++i)
      EXPECT_NEAR(((next.end[i] - posture.end[i]) / h - posture.end_velocity[i]).norm(), 0, 1e-4) << name;
  }
}

TEST(Tracking, DangerIsOneWhereTheMotionCountsAsLost) {
  const Tracking tracking(human());
  const State state{0, human().q_rest, VecX::Zero(human().nv())};
  const Posture reference = tracking.posture(state.q, state.v);
  Posture now = reference;
  now.q[2] -= kMaxHeightError_m;
  EXPECT_NEAR(tracking.danger(now, reference), 1, 1e-9);
  turn_root(now, Vec3(0, 0.5 * kMaxTiltError_rad, 0));
  EXPECT_NEAR(tracking.danger(now, reference), 1, 1e-9) << "the larger of both counts";
  now = reference;
  turn_root(now, Vec3(-kMaxTiltError_rad, 0, 0));
  EXPECT_NEAR(tracking.danger(now, reference), 1, 1e-9);

  // Where it ends it must be twice as near.
  now = reference;
  now.q[2] += kMaxEndHeightError_m;
  EXPECT_LE(tracking.danger(now, reference), 0.5 + 1e-9);
}

TEST(Tracking, AReferenceSaysWhichFeetStand) {
  const Reference walk = tasks::reference("walk", human());
  const Tracking tracking(human());
  int standing = 0, swinging = 0;
  for (double t = 0; t < walk.duration_s(); t += 0.1) {
    const Posture posture = tracking.posture(walk, t);
    ASSERT_EQ(posture.planted.size(), posture.end.size());
    const auto feet = std::count(posture.planted.begin(), posture.planted.end(), char{1});
    EXPECT_GE(feet, 1) << "a walk is never in the air";
    for (size_t i = 0; i < posture.planted.size(); ++i) {
      if (!posture.planted[i]) continue;
      EXPECT_LT(posture.end[i].z(), 0.2) << t;
    }
    standing += feet == 2;
    swinging += feet == 1;
  }
  EXPECT_GT(standing, 0);
  EXPECT_GT(swinging, 0);
}

}  // namespace
}  // namespace sinew
