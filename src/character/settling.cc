#include "character/settling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/block_banded.h"
#include "core/polygon.h"
#include "core/smooth.h"

namespace sinew {

namespace {

constexpr double kGravity = 9.81;

// Off the floor by more than this, for longer than this, with the speed of the centre of mass falling by more
// than this a second: a flight.
constexpr double kOffFloor_m = 0.01, kShortGap_s = 0.05, kFalling_m_s2 = 5;

// A seat is what of the trunk is lower than this. It is left when the centre of mass rises faster than this,
// is not held down for longer than this, and not at all if it rises less than this meanwhile.
constexpr double kSeat_m = 0.05, kRising_m_s = 0.1, kHeld_s = 0.6, kThrown_m = 0.15;

// What is lower than this can carry, and the body comes to rest over it if its capture point is this near.
constexpr double kTouch_m = 0.03, kCapture_m = 0.05;

// Hovering bodies are let down no quicker than this.
constexpr double kHover_hz = 0.8;

// Standard deviations of how far a body is held down: to its seat where it has one, else not at all; and of
// the way's acceleration.
constexpr double kToFloor_m = 0.018, kElsewhere_m = 0.1, kAcceleration_m_s2 = 4;

// What of the trunk is this near to its lowest point carries with it. Standard deviations of how it slips,
// of how the way changes where the body does not roll, and of the horizontal acceleration of the whole body.
constexpr double kCarries_m = 0.02, kSlip_m_s = 0.25, kStays_m_s = 0.02, kRolled_m_s2 = 5;

// [body]: of the trunk or head, not of an arm or leg.
std::vector<char> find_trunk(const Character& character) {
  std::vector<int> limbs(character.bodies.size(), 0);  // that hang on it
  for (const ContactGroup& group : contact_groups(character)) {
    int last = group.body;
    for (const size_t k : group.points) last = std::max(last, character.contact_points[k].body);
    for (int b = last; b >= 0; b = character.bodies[static_cast<size_t>(b)].parent)
      ++limbs[static_cast<size_t>(b)];
  }
  std::vector<char> trunk;
  for (const int n : limbs) trunk.push_back(n != 1);
  return trunk;
}

// Lowest points of everything that collides.
struct LowPoint {
  int body;
  Vec3 p_W;
};
std::vector<LowPoint> low_points(const Character& character, const VecX& q) {
  const std::vector<Pose> X_WB = body_poses(character, q);
  std::vector<LowPoint> low;
  for (const Shape& shape : character.shapes)
    if (shape.collides)
      low.push_back({shape.body, support(shape, X_WB[static_cast<size_t>(shape.body)], -Vec3::UnitZ())});
  for (const ContactPoint& point : character.contact_points)
    low.push_back(
        {point.body, X_WB[static_cast<size_t>(point.body)] * point.p_BP - point.radius_m * Vec3::UnitZ()});
  return low;
}

// Whether a body whose seat has left the floor would fall back onto it: what it would come to rest over
// (its capture point) is not above what touches the floor, but on the side of the seat.
bool falls_back(const std::vector<LowPoint>& low, const LowPoint& seat, const Vec2& capture) {
  std::vector<Vec2> touching;
  for (const LowPoint& point : low)
    if (point.body != seat.body && point.p_W.z() < kTouch_m) touching.push_back(point.p_W.head<2>());
  if (touching.empty()) return true;
  const Vec2 edge = nearest_point(convex_hull(touching), capture);
  return (edge - capture).norm() > kCapture_m && (edge - capture).dot(edge - seat.p_W.head<2>()) > 0;
}

// [frame]: how high the seat is where the body rises from it and would fall back; else 0.
std::vector<double> find_left_seats(const Character& character, const std::vector<VecX>& q,
                                    const std::vector<char>& grounded, double h) {
  const std::vector<char> trunk = find_trunk(character);
  std::vector<Vec3> com;
  for (const VecX& x : q) com.push_back(centre_of_mass(character, body_poses(character, x)));
  com = smooth(com, h, 6.0);

  const auto lowest = [](const std::vector<LowPoint>& points, const auto& counts) {
    LowPoint found{-1, Vec3(0, 0, std::numeric_limits<double>::infinity())};
    for (const LowPoint& point : points)
      if (counts(point.body) && point.p_W.z() < found.p_W.z()) found = point;
    return found;
  };
  std::vector<double> gap(q.size(), 0.0);
  int seat = -1;                   // body that the character sits, lies or rolls on
  double left_s = 0, flown_s = 0;  // since it left the floor; since all did
  for (size_t f = 0; f < q.size(); ++f) {
    const std::vector<LowPoint> low = low_points(character, q[f]);
    flown_s = grounded[f] ? 0 : flown_s + h;
    if (flown_s > kShortGap_s) seat = -1;
    const LowPoint sits = lowest(low, [&](int b) { return trunk[static_cast<size_t>(b)] != 0; });
    if (sits.p_W.z() < kSeat_m) {
      seat = sits.body;
      left_s = 0;
      continue;
    }
    if (seat < 0) continue;
    left_s += h;
    const LowPoint left = lowest(low, [&](int b) { return b == seat; });
    const Vec3 v = rate(com, f, h);
    const Vec3 capture = com[f] + std::sqrt(std::max(0.0, com[f].z()) / kGravity) * v;
    if (v.z() > kRising_m_s && left_s < kHeld_s && falls_back(low, left, capture.head<2>()))
      gap[f] = left.p_W.z();
    else
      seat = -1;
  }
  // What hardly rises was not thrown up.
  for (size_t f = 0; f < gap.size();) {
    size_t end = f;
    double most = 0;
    for (; end < gap.size() && gap[end] > 0; ++end) most = std::max(most, gap[end]);
    if (most < kThrown_m)
      std::fill(gap.begin() + static_cast<long>(f), gap.begin() + static_cast<long>(end), 0);
    f = end + 1;
  }
  return gap;
}

// A smooth way down to where the body is held, by least squares over all frames.
std::vector<double> smooth_way(std::vector<double> gap, double h) {
  if (std::all_of(gap.begin(), gap.end(), [](double g) { return g == 0; })) return gap;
  BlockBanded H(static_cast<int>(gap.size()), 1, 2);
  std::vector<VecX> way;
  const double c = 1 / (h * h * kAcceleration_m_s2);
  const double second[3] = {c, -2 * c, c};
  for (int f = 0; f < static_cast<int>(gap.size()); ++f) {
    const double g = gap[static_cast<size_t>(f)];
    const double w = 1 / std::pow(g > 0 ? kToFloor_m : kElsewhere_m, 2);
    way.push_back(VecX::Constant(1, w * g));
    H.block(f, 0)(0, 0) += w;
    for (int i = 0; f >= 2 && i < 3; ++i)
      for (int j = 0; j <= i; ++j) H.block(f - 2 + i, i - j)(0, 0) += second[i] * second[j];
  }
  H.solve_in_place(way);  // positive definite: every frame has a weight
  for (size_t f = 0; f < gap.size(); ++f) gap[f] = way[f][0];
  return gap;
}

// The way that takes as much of the slip away as the whole body can follow, by least squares over all frames.
std::vector<Vec3> smooth_roll(const Character& character, const std::vector<VecX>& q,
                              const std::vector<Vec3>& slip, const std::vector<char>& rolls, double h) {
  std::vector<Vec3> way(q.size(), Vec3::Zero());
  if (std::find(rolls.begin(), rolls.end(), char{1}) == rolls.end()) return way;
  std::vector<Vec3> com;
  for (const VecX& x : q) com.push_back(centre_of_mass(character, body_poses(character, x)));
  com = smooth(com, h, 6.0);

  BlockBanded H(static_cast<int>(q.size()), 2, 2);
  std::vector<VecX> g(q.size(), VecX::Zero(2));
  // A weighted sum over a few frames from `first` should be `wanted`.
  const auto add = [&](size_t first, std::initializer_list<double> weights, const Vec2& wanted,
                       double sigma) {
    const double* w = weights.begin();
    for (size_t i = 0; i < weights.size(); ++i) {
      g[first + i] += w[i] / (sigma * sigma) * wanted;
      for (size_t j = 0; j <= i; ++j)
        H.block(static_cast<int>(first + i), static_cast<int>(i - j)).diagonal().array() +=
            w[i] * w[j] / (sigma * sigma);
    }
  };
  add(0, {1}, Vec2::Zero(), 1e-3);
  for (size_t f = 0; f + 1 < q.size(); ++f)
    add(f, {-1 / h, 1 / h}, rolls[f] ? Vec2(-slip[f].head<2>() / h) : Vec2::Zero(),
        rolls[f] ? kSlip_m_s : kStays_m_s);
  for (size_t f = 0; f + 2 < q.size(); ++f) {
    const Vec2 a = ((com[f + 2] - 2 * com[f + 1] + com[f]) / (h * h)).head<2>();
    add(f, {1 / (h * h), -2 / (h * h), 1 / (h * h)}, rolls[f + 1] ? Vec2(-a) : Vec2::Zero(), kRolled_m_s2);
  }
  H.solve_in_place(g);  // positive definite: every frame has a weight
  for (size_t f = 0; f < q.size(); ++f) way[f].head<2>() = g[f];
  return way;
}

}  // namespace

std::vector<char> find_grounded(const Character& character, const std::vector<VecX>& q, double h) {
  const size_t n = q.size();
  std::vector<double> gap(n), height(n);
  for (size_t f = 0; f < n; ++f) {
    const std::vector<Pose> X_WB = body_poses(character, q[f]);
    gap[f] = lowest_point(character, X_WB);
    height[f] = centre_of_mass(character, X_WB).z();
  }
  height = smooth(height, h, 6.0);
  std::vector<char> grounded(n, 1);
  for (size_t f = 0; f < n;) {
    if (gap[f] < kOffFloor_m) {
      ++f;
      continue;
    }
    size_t end = f;
    while (end + 1 < n && gap[end + 1] >= kOffFloor_m) ++end;
    const double seconds = h * static_cast<double>(end - f);
    const bool falls = rate(height, end, h) - rate(height, f, h) < -kFalling_m_s2 * seconds;
    if (falls || seconds < kShortGap_s)
      std::fill(grounded.begin() + static_cast<long>(f), grounded.begin() + static_cast<long>(end) + 1, 0);
    f = end + 1;
  }
  return grounded;
}

void settle(const Character& character, std::vector<VecX>& q, const std::vector<char>& grounded, double h) {
  std::vector<double> lower(q.size(), 0.0);
  for (size_t f = 0; f < q.size(); ++f)
    if (grounded[f]) lower[f] = std::max(0.0, lowest_point(character, body_poses(character, q[f])));
  lower = smooth(lower, h, kHover_hz);
  for (size_t f = 0; f < q.size(); ++f) q[f][2] -= lower[f];

  lower = smooth_way(find_left_seats(character, q, grounded, h), h);
  for (size_t f = 0; f < q.size(); ++f) q[f][2] -= std::max(0.0, lower[f]);
}

std::vector<Vec3> rolled_way(const Character& character, const std::vector<VecX>& q, const Plants& plants,
                             double h) {
  const std::vector<char> trunk = find_trunk(character);
  const std::vector<char> stands = standing_points(character);
  const auto on_feet = [&](size_t f) {
    for (size_t k = 0; k < stands.size(); ++k)
      if (stands[k] && plants.bears[f][k]) return true;
    return false;
  };

  std::vector<Vec3> slip(q.size(), Vec3::Zero());  // m a frame
  std::vector<char> rolls(q.size(), 0);
  for (size_t f = 0; f + 1 < q.size(); ++f) {
    std::vector<LowPoint> low = low_points(character, q[f]);
    std::erase_if(low, [&](const LowPoint& point) { return !trunk[static_cast<size_t>(point.body)]; });
    double lowest = std::numeric_limits<double>::infinity();
    for (const LowPoint& point : low) lowest = std::min(lowest, point.p_W.z());
    if (lowest > kTouch_m || on_feet(f)) continue;
    const std::vector<Pose> X_WB = body_poses(character, q[f]), X_next = body_poses(character, q[f + 1]);
    double total = 0;
    for (const LowPoint& point : low) {
      const auto b = static_cast<size_t>(point.body);
      const double share = std::max(0.0, 1 - (point.p_W.z() - lowest) / kCarries_m);
      slip[f] += share * (X_next[b] * (X_WB[b].inverse() * point.p_W) - point.p_W);
      total += share;
    }
    slip[f] /= total;  // the lowest has all of its share
    slip[f].z() = 0;
    rolls[f] = 1;
  }
  return smooth_roll(character, q, slip, rolls, h);
}

}  // namespace sinew
