#include "rollout/stays.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {

namespace {

using Vec2 = Eigen::Vector2d;

constexpr double kEdge_m = 0.03;  // the ground jumps by more than this: an edge
constexpr double kFine_m = 0.01;  // places are tried this far apart
constexpr double kSideways_m = 0.45, kAlong_m = 0.15;
constexpr double kHigher_m = 0.05;  // a place that is higher than the last by more than this is another way

// The runs of frames in which a group keeps one place.
void add_group_stays(const Draft& draft, const ContactGroup& group, int index, std::vector<Stay>& out) {
  const Plants& plants = draft.plants;
  const auto bearing = [&](size_t f) {
    std::vector<Vec2> at;
    for (const size_t k : group.points)
      if (plants.bears[f][k]) at.push_back(plants.target[f][k].head<2>());
    return at;
  };
  const auto same_place = [&](size_t a, size_t b) {
    return std::all_of(group.points.begin(), group.points.end(), [&](size_t k) {
      return !plants.bears[a][k] || !plants.bears[b][k] || plants.target[a][k] == plants.target[b][k];
    });
  };
  for (size_t f = 0; f < draft.q.size(); ++f) {
    std::vector<Vec2> at = bearing(f);
    if (at.empty()) continue;
    if (out.empty() || out.back().group != index || out.back().end != f || !same_place(f - 1, f))
      out.push_back({.begin = f, .end = f, .group = index, .body = group.body, .foot = group.is_foot});
    out.back().end = f + 1;
    out.back().touches.push_back(std::move(at));
  }
}

bool is_foot(Part part) {
  return part == Part::kLeftFoot || part == Part::kRightFoot || part == Part::kLeftToes ||
         part == Part::kRightToes;
}

// The runs of frames in which a body rests on its lowest point and none of its contact points keeps a place.
void add_body_stays(const Character& character, const Draft& draft, int body, std::vector<Stay>& out) {
  const auto b = static_cast<size_t>(body);
  const auto planted = [&](size_t f) {
    for (size_t k = 0; k < character.contact_points.size(); ++k)
      if (character.contact_points[k].body == body && draft.plants.bears[f][k]) return true;
    return false;
  };
  for (size_t f = 0; f < draft.q.size(); ++f) {
    if (!draft.body_contact[f][b] || planted(f)) continue;
    const Pose X_WB = body_poses(character, draft.q[f])[b];
    Vec3 low(0, 0, 1e9);
    for (const Shape& shape : character.shapes)
      if (shape.body == body && shape.collides)
        if (const Vec3 p = support(shape, X_WB, -Vec3::UnitZ()); p.z() < low.z()) low = p;
    if (out.empty() || out.back().body != body || out.back().group >= 0 || out.back().end != f)
      out.push_back({.begin = f, .end = f, .body = body, .foot = is_foot(character.bodies[b].part)});
    out.back().end = f + 1;
    out.back().touches.push_back({low.head<2>()});
  }
}

// Which way the root goes around a stay; as the foot points where it stays.
Vec2 direction_of_travel(const Draft& draft, const Stay& stay, double foot_heading) {
  const auto half = static_cast<size_t>(std::lround(0.4 / draft.frame_time_s));
  const size_t a = stay.begin > half ? stay.begin - half : 0;
  const size_t b = std::min(stay.end + half, draft.q.size() - 1);
  const Vec2 way = draft.q[b].head<2>() - draft.q[a].head<2>();
  if (way.norm() > 0.2) return way.normalized();
  return {std::cos(foot_heading), std::sin(foot_heading)};
}

// The sole of a stay as points in the plane: a grid over the rectangle that holds all its touches.
class Sole {
 public:
  Sole(const Stay& stay, double heading) {
    const Eigen::Rotation2Dd to_foot(-heading);
    Vec2 low(1e9, 1e9), high(-1e9, -1e9);
    for (const auto& at : stay.touches)
      for (const Vec2& p : at) {
        low = low.cwiseMin(to_foot * p);
        high = high.cwiseMax(to_foot * p);
      }
    middle_ = to_foot.inverse() * (0.5 * (low + high));
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 7; ++j)
        grid_.push_back(to_foot.inverse() *
                        Vec2((i / 4.0 - 0.5) * (high - low).x(), (j / 6.0 - 0.5) * (high - low).y()));
  }

  const Vec2& middle() const { return middle_; }

  // The plane on which the sole lies at a place, level or as steep as the ground is there, and the share of
  // the sole that is carried: where the ground is not much lower or higher.
  struct Support {
    double height_m = 0, share = 0;
    Vec2 rise = Vec2::Zero();
  };
  Support support_at(const Vec2& way, double turn, const GroundHeight& ground) const {
    const Vec2 at = middle_ + way;
    const Eigen::Rotation2Dd R(turn);
    std::vector<double> heights;
    for (const Vec2& p : grid_) heights.push_back(ground((at + R * p).x(), (at + R * p).y()));

    // The best plane by least squares, if it explains more than a level one does.
    Mat3 A = Mat3::Zero();
    Vec3 b = Vec3::Zero();
    for (size_t i = 0; i < grid_.size(); ++i) {
      const Vec2 p = R * grid_[i];
      const Vec3 row(1, p.x(), p.y());
      A += row * row.transpose();
      b += heights[i] * row;
    }
    A.diagonal().tail<2>().array() += 1e-9;
    const Vec3 plane = A.ldlt().solve(b);
    Support level, tilted;
    level.height_m = ground(at.x(), at.y());
    tilted.height_m = plane[0];
    tilted.rise = plane.tail<2>();
    for (Support* s : {&level, &tilted}) {
      int carried = 0;
      double highest = 0;
      for (size_t i = 0; i < grid_.size(); ++i) {
        const double above = heights[i] - s->height_m - s->rise.dot(R * grid_[i]);
        if (std::abs(above) >= kEdge_m) continue;
        ++carried;
        highest = std::max(highest, above);
      }
      s->height_m += highest;
      s->share = static_cast<double>(carried) / static_cast<double>(grid_.size());
    }
    return tilted.share > level.share || (tilted.share == 1 && plane.tail<2>().norm() < 0.7) ? tilted : level;
  }

 private:
  Vec2 middle_;
  std::vector<Vec2> grid_;  // about the middle
};

// How much higher than here the ground is at places to both sides, counting jumps alone: slopes do not count.
std::vector<double> jumps_sideways(const Vec2& at, const Vec2& side, const GroundHeight& ground) {
  const int reach = static_cast<int>(std::lround(kSideways_m / kFine_m));
  std::vector<double> jump(static_cast<size_t>(2 * reach + 1), 0.0);
  for (const int sign : {-1, 1}) {
    double before = ground(at.x(), at.y()), sum = 0;
    for (int i = 1; i <= reach; ++i) {
      const Vec2 p = at + sign * i * kFine_m * side;
      const double here = ground(p.x(), p.y());
      if (std::abs(here - before) > kEdge_m) sum += here - before;
      jump[static_cast<size_t>(reach + sign * i)] = sum;
      before = here;
    }
  }
  return jump;
}

// Moves a foot to where the ground carries it; `last_m` is where the step before stood.
void settle_foot(const Draft& draft, double heading, const GroundHeight& ground, double last_m, Stay& stay) {
  const Sole sole(stay, heading);
  stay.middle = sole.middle();
  const Vec2 along = direction_of_travel(draft, stay, heading), side(-along.y(), along.x());
  const std::vector<double> jump = jumps_sideways(stay.middle, side, ground);
  const int reach = static_cast<int>(jump.size() / 2);
  const Sole::Support here = sole.support_at(Vec2::Zero(), 0, ground);
  const auto take = [&](const Sole::Support& support) {
    stay.height_m = support.height_m;
    stay.rise = support.rise;
  };
  take(here);

  // The highest ground to the sides that the last step stood on as well.
  const double level = ground(stay.middle.x(), stay.middle.y());
  double best = 0;
  for (const double j : jump)
    if (level + j < last_m + kHigher_m) best = std::max(best, j);
  if (here.share == 1 && best == 0) return;

  // The place with the most support that is not far.
  const double straight = std::remainder(std::atan2(along.y(), along.x()) - heading, 2 * kPi);
  double least = std::numeric_limits<double>::infinity();
  for (const double turn : {0.0, straight})
    for (double ahead = -kAlong_m; ahead < kAlong_m + 1e-9; ahead += 0.025)
      for (int i = -reach; i <= reach; ++i) {
        if (std::abs(turn) > radians(40) || jump[static_cast<size_t>(reach + i)] < best - kEdge_m) continue;
        const Vec2 way = ahead * along + i * kFine_m * side;
        const double far = 0.5 * std::abs(i * kFine_m) + 1.0 * std::abs(ahead) + 0.1 * std::abs(turn);
        if (far - 1 >= least) continue;
        const Sole::Support support = sole.support_at(way, turn, ground);
        if (far - support.share >= least) continue;
        least = far - support.share;
        stay.way = way;
        stay.turn_rad = turn;
        take(support);
      }
}

}  // namespace

std::vector<Stay> find_stays(const Character& character, const Draft& draft, const GroundHeight& ground) {
  const std::vector<ContactGroup> groups = contact_groups(character);
  std::vector<Stay> stays;
  for (size_t g = 0; g < groups.size(); ++g) add_group_stays(draft, groups[g], static_cast<int>(g), stays);
  for (size_t b = 0; b < character.bodies.size(); ++b)
    add_body_stays(character, draft, static_cast<int>(b), stays);
  std::stable_sort(stays.begin(), stays.end(),
                   [](const Stay& a, const Stay& b) { return a.begin < b.begin; });

  // Feet to where they are carried, one step after the other; the rest is where it is.
  const std::vector<Pose> X_rest = body_poses(character, character.q_rest);
  double last_m = ground(draft.q[0][0], draft.q[0][1]);
  for (Stay& stay : stays) {
    const Vec2 first = stay.touches.front().front();
    stay.middle = first;
    stay.height_m = ground(first.x(), first.y());
    if (!stay.foot) continue;
    const auto body = static_cast<size_t>(stay.body);
    const Quat now = body_poses(character, draft.q[(stay.begin + stay.end) / 2])[body].q;
    settle_foot(draft, heading(now * X_rest[body].q.conjugate()), ground, last_m, stay);
    last_m = stay.height_m;
  }
  return stays;
}

int straddles(const Stay& stay, const GroundHeight& ground) {
  constexpr double kNear_m = 0.05, kSteepest = 0.6;
  int count = 0;
  for (const auto& at : stay.touches)
    for (const Vec2& touch : at) {
      const Vec2 p = stay.moved(touch);
      const double behind = ground(p.x() - kNear_m, p.y()), ahead = ground(p.x() + kNear_m, p.y());
      count += std::abs(ahead - behind) > kEdge_m + kSteepest * 2 * kNear_m;
    }
  for (size_t i = 1; i < stay.touches.size(); ++i) {
    const Vec2 a = stay.moved(stay.touches[i - 1].front()), b = stay.moved(stay.touches[i].front());
    count += std::abs(ground(b.x(), b.y()) - ground(a.x(), a.y())) > kEdge_m + kSteepest * (b - a).norm();
  }
  return count;
}

}  // namespace sinew
