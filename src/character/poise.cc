#include "character/poise.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "character/dynamics.h"
#include "character/reference.h"
#include "core/block_banded.h"
#include "core/polygon.h"
#include "core/smooth.h"

namespace sinew {

namespace {

constexpr double kGravity = 9.81;

// What is lower than this touches the floor.
constexpr double kTouch_m = 0.02;

// Of the centre of mass and the spin, what is quicker than this is noise.
constexpr double kNoise_hz = 6;

// Standard deviations: of the displacement and its acceleration, of how far the zero-moment point is from
// what touches the floor, and of what pushes in flight.
constexpr double kMoved_m = 0.03, kAcceleration_m_s2 = 1.5, kOutside_m = 0.02, kPush_m_s2 = 0.3;

// A zero-moment point that stays farther outside than this for long shows that something else carries, a
// chair say: it counts less and less.
constexpr double kElsewhere_m = 0.06, kLong_hz = 1;

// The ground carries at least this part of the weight, where it carries.
constexpr double kLeast = 0.3;

constexpr int kRounds = 12;

// What a motion asks of the ground at a frame.
struct Demand {
  Vec2 performed;             // centre of mass along the floor, as it was
  Vec2 com, acceleration;     //   and without noise
  Vec2 zmp;                   // where the ground force acts
  double per_m_s2 = 0;        // how far it moves for an acceleration
  std::vector<Vec2> support;  // hull of the feet on the ground
  double doubt = 0;           // how far away something else may carry, in units of kElsewhere_m
};

// What the feet stand on. None where more than the feet touches: who sits, rolls or leans on his hands is
// carried by too much to say.
struct Support {
  std::vector<Vec2> hull;
  double height_m = 0;  // of the ground there
};
Support find_support(const Character& character, const std::vector<Pose>& X_WB, const GroundHeight& ground) {
  const auto is_foot = [&](int body) {
    const Part part = character.bodies[static_cast<size_t>(body)].part;
    return part == Part::kLeftFoot || part == Part::kRightFoot || part == Part::kLeftToes ||
           part == Part::kRightToes;
  };
  std::vector<Vec2> touching;
  double height = 0;
  for (const Shape& shape : character.shapes) {
    if (!shape.collides) continue;
    const NearestPoint low = nearest_point(shape, X_WB[static_cast<size_t>(shape.body)], ground);
    if (low.height_m >= kTouch_m) continue;
    if (!is_foot(shape.body)) return {};
    touching.push_back(low.p_W.head<2>());
    height += low.p_W.z() - low.height_m;
  }
  if (touching.empty()) return {};
  return {convex_hull(touching), height / static_cast<double>(touching.size())};
}

// The second derivative of a track.
std::vector<Vec3> curvature(const std::vector<Vec3>& x, double h) {
  std::vector<Vec3> out(x.size(), Vec3::Zero());
  for (size_t f = 1; f + 1 < x.size(); ++f) out[f] = (x[f - 1] - 2 * x[f] + x[f + 1]) / (h * h);
  if (x.size() > 2) out.front() = out[1], out.back() = out[x.size() - 2];
  return out;
}

std::vector<Demand> find_demands(const Character& character, const std::vector<VecX>& q, double h,
                                 const GroundHeight& ground) {
  Reference motion;
  motion.q = q;
  motion.frame_time_s = h;
  differentiate(character, motion);
  const double mass = character.mass_kg();
  std::vector<Demand> out(q.size());
  std::vector<Vec3> com, spin;
  std::vector<double> height;
  for (size_t f = 0; f < q.size(); ++f) {
    const std::vector<Pose> X_WB = body_poses(character, q[f]);
    com.push_back(centre_of_mass(character, X_WB));
    const Momentum m = momentum(character, q[f], motion.v[f]);
    spin.push_back(m.angular - com[f].cross(m.linear));
    out[f].performed = com[f].head<2>();
    const Support under = find_support(character, X_WB, ground);
    out[f].support = under.hull;
    height.push_back(under.height_m);
  }
  com = smooth(com, h, kNoise_hz);
  spin = smooth(spin, h, kNoise_hz);

  const std::vector<Vec3> acceleration = curvature(com, h);
  for (size_t f = 0; f < q.size(); ++f) {
    Demand& d = out[f];
    const Vec3 spin_rate = rate(spin, f, h);
    const double weight = std::max(kLeast * kGravity, kGravity + acceleration[f].z());
    d.com = com[f].head<2>();
    d.acceleration = acceleration[f].head<2>();
    d.per_m_s2 = (com[f].z() - height[f]) / weight;
    d.zmp = d.com - d.per_m_s2 * d.acceleration + Vec2(-spin_rate.y(), spin_rate.x()) / (mass * weight);
  }

  std::vector<Vec3> outside(q.size(), Vec3::Zero());
  for (size_t f = 0; f < q.size(); ++f)
    if (!out[f].support.empty())
      outside[f].head<2>() = out[f].zmp - nearest_point(out[f].support, out[f].zmp);
  outside = smooth(outside, h, kLong_hz);
  for (size_t f = 0; f < q.size(); ++f) out[f].doubt = outside[f].norm() / kElsewhere_m;
  return out;
}

}  // namespace

std::vector<Vec3> find_poise(const Character& character, const std::vector<VecX>& q,
                             const std::vector<char>& grounded, double frame_time_s,
                             const GroundHeight& ground) {
  const size_t n = q.size();
  std::vector<Vec3> out(n, Vec3::Zero());
  if (n < 5) return out;
  const double h = frame_time_s, per_h2 = 1 / (h * h);
  const std::vector<Demand> demands = find_demands(character, q, h, ground);

  // Round by round the zero-moment points that are outside are drawn to what is nearest of the support.
  std::vector<Vec2> moved(n, Vec2::Zero());
  for (int round = 0; round < kRounds; ++round) {
    BlockBanded H(static_cast<int>(n), 2, 2);
    std::vector<VecX> x(n, VecX::Zero(2));
    const auto add = [&](size_t f, const std::array<double, 3>& row, const Vec2& wanted, double deviation) {
      const double w = 1 / (deviation * deviation);
      for (size_t i = 0; i < 3; ++i) {
        x[f - 1 + i] += w * row[i] * wanted;
        for (size_t j = 0; j <= i; ++j)
          H.block(static_cast<int>(f - 1 + i), static_cast<int>(i - j)).diagonal().array() +=
              w * row[i] * row[j];
      }
    };
    for (size_t f = 0; f < n; ++f)
      H.block(static_cast<int>(f), 0).diagonal().array() += 1 / (kMoved_m * kMoved_m);
    for (size_t f = 1; f + 1 < n; ++f) {
      const Demand& d = demands[f];
      const std::array<double, 3> second = {per_h2, -2 * per_h2, per_h2};
      add(f, second, Vec2::Zero(), kAcceleration_m_s2);
      if (!grounded[f]) add(f, second, -d.acceleration, kPush_m_s2);
      if (!grounded[f] || d.support.empty()) continue;
      const double k = d.per_m_s2 * per_h2;
      const Vec2 zmp = d.zmp - k * moved[f - 1] + (1 + 2 * k) * moved[f] - k * moved[f + 1];
      add(f, {-k, 1 + 2 * k, -k}, nearest_point(d.support, zmp) - d.zmp,
          kOutside_m * (1 + d.doubt * d.doubt));
    }
    H.solve_in_place(x);  // positive definite: every frame has a weight
    for (size_t f = 0; f < n; ++f) moved[f] = x[f];
  }
  for (size_t f = 0; f < n; ++f) out[f].head<2>() = demands[f].com + moved[f] - demands[f].performed;
  return out;
}

std::vector<PerPart<Vec3>> poise(const Character& character, const std::vector<char>& grounded,
                                 double frame_time_s, const GroundHeight& ground, std::vector<VecX>& q) {
  const std::vector<Vec3> moved = find_poise(character, q, grounded, frame_time_s, ground);
  std::vector<PerPart<Vec3>> offset(q.size());
  for (size_t f = 0; f < q.size(); ++f) {
    q[f].head<3>() += moved[f];
    offset[f].fill(Vec3::Zero());
    const Vec3 back = Quat(q[f][3], q[f][4], q[f][5], q[f][6]).conjugate() * -moved[f];
    for (const Part foot : {Part::kLeftFoot, Part::kRightFoot}) offset[f][index(foot)] = back;
  }
  return offset;
}

}  // namespace sinew
