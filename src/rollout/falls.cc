#include "rollout/falls.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace sinew {

namespace {

using Vec2 = Eigen::Vector2d;

constexpr double kFall_m = 0.25;    // more than a stair
constexpr double kAirPace = 0.3;    // of the poses in the air
constexpr double kLinger_s = 0.15;  // feet may still stand while hands already touch
constexpr double kAhead_m = 0.05;   // of the last that is left behind: the edge
constexpr double kFarthest_m = 1;   // a motion is shifted
constexpr double kNotFromFeet = 5;
constexpr double kBeside_m = 0.1;  // of the root's path: the way that it goes

// Whether a stay is beside what one walks on, such as a beam: the way itself is higher there.
bool beside(const Draft& draft, const Stay& stay, const GroundHeight& ground) {
  const double x = stay.middle.x() + stay.way.x(), y = draft.q[stay.begin][1];
  for (double side = -kBeside_m; side <= kBeside_m; side += 0.02)
    if (ground(x, y + side) > stay.height_m + 0.5 * kFall_m) return true;
  return false;
}

// The first stay that is far below what carried the body before, and how far below.
struct Fall {
  size_t stay = 0;
  double height_m = 0;
  std::vector<size_t> from;  // the stays that carried
};
std::optional<Fall> find_fall(const Draft& draft, const std::vector<Stay>& stays, const GroundHeight& ground,
                              size_t first_frame) {
  for (size_t i = 1; i < stays.size(); ++i) {
    if (stays[i].begin <= first_frame) continue;
    // What carries when it begins, or did last.
    size_t latest = 0;
    for (size_t j = 0; j < i; ++j)
      if (stays[j].begin < stays[i].begin) latest = std::max(latest, std::min(stays[j].end, stays[i].begin));
    double carried = -std::numeric_limits<double>::infinity();
    std::vector<size_t> from;
    for (size_t j = 0; j < i; ++j)
      if (stays[j].begin < stays[i].begin && stays[j].end >= latest) {
        carried = std::max(carried, stays[j].height_m - draft.level_m[stays[j].begin]);
        from.push_back(j);
      }
    const double here = stays[i].height_m - draft.level_m[stays[i].begin];
    if (carried - here > kFall_m && !beside(draft, stays[i], ground)) return Fall{i, carried - here, from};
  }
  return {};
}

Draft shifted(Draft draft, double x) {
  for (VecX& q : draft.q) q[0] += x;
  for (auto& targets : draft.plants.target)
    for (Vec3& p : targets) p.x() += x;
  return draft;
}

// How far the edge of a fall is ahead of the foremost place that is left.
double way_to_edge(const std::vector<Stay>& stays, const Fall& fall, const GroundHeight& ground) {
  double front = -std::numeric_limits<double>::infinity(), y = 0;
  for (size_t j = 0; j < fall.stay; ++j)
    for (const auto& at : stays[j].touches)
      for (const Vec2& p : at)
        if (const Vec2 moved = stays[j].moved(p); moved.x() > front) front = moved.x(), y = moved.y();
  const double up = ground(front, y);
  for (double way = 0; way < 3; way += 0.01)
    if (up - ground(front + way, y) > kFall_m) return way;
  return 3;
}

// A frame of the draft between two of its own.
VecX between(const Character& character, const Draft& draft, double u) {
  const auto i = std::min(static_cast<size_t>(u), draft.q.size() - 2);
  return integrate(character, draft.q[i],
                   (u - static_cast<double>(i)) * difference(character, draft.q[i], draft.q[i + 1]));
}

Vec3 centre_at(const Character& character, const Draft& draft, double u) {
  return centre_of_mass(character, body_poses(character, between(character, draft, u)));
}

// The flight of a fall: it leaves at frame `off` and lands `frames` later in the pose of frame `on`.
struct Flight {
  size_t off = 0, on = 0, frames = 0;
  Vec3 c, v;  // of the centre of mass, when it leaves
};
Flight plan_flight(const Character& character, const Draft& draft, const std::vector<Stay>& stays,
                   const Fall& fall, double g) {
  const double h = draft.frame_time_s;
  const Stay& lands = stays[fall.stay];
  const auto at = [&](size_t f) { return centre_at(character, draft, static_cast<double>(f)); };

  // It leaves with the last that is up there, if that is not long after the first touches below.
  Flight flight;
  const size_t latest = lands.begin + static_cast<size_t>(std::lround(kLinger_s / h));
  for (const Stay& stay : stays)
    if (stay.begin < latest && stay.height_m > lands.height_m + 0.5 * fall.height_m)
      flight.off = std::max(flight.off, std::min(stay.end, latest));
  flight.off = std::clamp<size_t>(flight.off, 1, draft.q.size() - 2);
  flight.c = at(flight.off);
  flight.v = (at(flight.off + 1) - at(flight.off - 1)) / (2 * h);

  // How long it falls depends on the pose in which it lands, and the other way round.
  double T = std::sqrt(2 * fall.height_m / g), down = 0;
  for (int round = 0; round < 8; ++round) {
    const size_t paced = flight.off + static_cast<size_t>(std::lround(kAirPace * T / h));
    flight.on = std::max({lands.begin, flight.off + 1, std::min(paced, lands.end - 1)});
    flight.on = std::min(flight.on, draft.q.size() - 1);
    down = flight.c.z() - at(flight.on).z() + fall.height_m;
    T = (flight.v.z() + std::sqrt(std::max(0.0, flight.v.z() * flight.v.z() + 2 * g * down))) / g;
  }

  // A whole number of frames; the speed upwards makes up for the rest.
  flight.frames = std::max<size_t>(flight.on - flight.off, static_cast<size_t>(std::lround(T / h)));
  T = static_cast<double>(flight.frames) * h;
  flight.v.z() = 0.5 * g * T - down / T;
  return flight;
}

// How far the poses have come, 0 to 1, when a share of the flight has passed: as fast as on the ground when
// it leaves and when it lands, slower in between.
double progress(double share, double pace) {
  const double slope = 1 / pace;
  const double s2 = share * share, s3 = s2 * share;
  return (3 * s2 - 2 * s3) + slope * (s3 - 2 * s2 + share) + slope * (s3 - s2);
}

// What carried no longer does once it has left, and what lies below not before it has landed.
void let_go(const Character& character, const std::vector<Stay>& stays,
            const std::vector<ContactGroup>& groups, const Fall& fall, const Flight& flight, Draft& draft) {
  const double below_m = stays[fall.stay].height_m + 0.5 * fall.height_m;
  for (const Stay& stay : stays) {
    if (stay.begin >= flight.on) continue;
    const bool lower = stay.height_m < below_m && stay.end > flight.off;
    const size_t begin = lower ? stay.begin : std::max(flight.off, stay.begin);
    const size_t end = lower ? std::min(stay.end, flight.on) : stay.end;
    for (size_t f = begin; f < end; ++f) {
      draft.body_contact[f][static_cast<size_t>(stay.body)] = 0;
      if (stay.group < 0) continue;
      for (const size_t k : groups[static_cast<size_t>(stay.group)].points) {
        draft.plants.bears[f][k] = 0;
        draft.body_contact[f][static_cast<size_t>(character.contact_points[k].body)] = 0;
      }
    }
  }
}

Draft insert_flight(const Character& character, const Draft& draft, const Flight& flight, double height_m,
                    double g) {
  Draft out;
  out.frame_time_s = draft.frame_time_s;
  const auto copy = [&](size_t f) {
    out.q.push_back(draft.q[f]);
    out.plants.bears.push_back(draft.plants.bears[f]);
    out.plants.target.push_back(draft.plants.target[f]);
    out.body_contact.push_back(draft.body_contact[f]);
    out.level_m.push_back(draft.level_m[f]);
    out.falls.push_back(draft.falls[f]);
  };
  for (size_t f = 0; f <= flight.off; ++f) copy(f);

  // In the air.
  const auto poses = static_cast<double>(flight.on - flight.off), frames = static_cast<double>(flight.frames);
  for (size_t k = 1; k < flight.frames; ++k) {
    const double s = static_cast<double>(k) * draft.frame_time_s;
    const double u =
        static_cast<double>(flight.off) + poses * progress(static_cast<double>(k) / frames, poses / frames);
    copy(flight.off);
    VecX& q = out.q.back() = between(character, draft, u);
    q.head<3>() += flight.c + s * flight.v - Vec3(0, 0, 0.5 * g * s * s) - centre_at(character, draft, u);
    std::fill(out.plants.bears.back().begin(), out.plants.bears.back().end(), char{0});
    std::fill(out.body_contact.back().begin(), out.body_contact.back().end(), char{0});
    out.falls.back() = 1;
    out.level_m.back() = draft.level_m[flight.off] + q[2] - between(character, draft, u)[2];
  }

  // The rest of the motion, from where that ends.
  Vec3 shift = flight.c + frames * draft.frame_time_s * flight.v -
               centre_at(character, draft, static_cast<double>(flight.on));
  shift.z() = -height_m;
  for (size_t f = flight.on; f < draft.q.size(); ++f) {
    copy(f);
    out.q.back().head<3>() += shift;
    for (Vec3& p : out.plants.target.back()) p += Vec3(shift.x(), shift.y(), 0);
    out.level_m.back() -= height_m;
  }
  return out;
}

}  // namespace

Draft shifted_to_edges(const Character& character, const Draft& draft, const GroundHeight& ground) {
  bool falls = false;  // unshifted: then it shall so in other places, too
  const auto cost = [&](double x) {
    const Draft moved = shifted(draft, x);
    const std::vector<Stay> stays = find_stays(character, moved, ground);
    double sum = 0;
    for (const Stay& stay : stays)
      if (!stay.foot || stay.group < 0) sum += straddles(stay, ground);
    const auto fall = find_fall(moved, stays, ground, 0);
    if (x == 0) falls = fall.has_value();
    if (falls != fall.has_value()) return std::numeric_limits<double>::infinity();
    if (fall) {
      sum += 2 * std::abs(way_to_edge(stays, *fall, ground) - kAhead_m);
      // One jumps from one's feet.
      for (const size_t i : fall->from) sum += stays[i].foot ? 0 : kNotFromFeet;
    }
    return sum;
  };
  double best = 0, least = cost(0);
  if (least == 0) return draft;
  for (double x = 0.05; x <= kFarthest_m + 1e-9; x += 0.05)
    for (const double way : {x, -x})
      if (const double here = cost(way) + x; here < least) least = here, best = way;
  return shifted(draft, best);
}

Draft with_falls(const Character& character, Draft draft, const GroundHeight& ground, double gravity_m_s2,
                 size_t first_frame) {
  constexpr int kMost = 8;
  constexpr double kLeast_m_s2 = 0.5;
  const std::vector<ContactGroup> groups = contact_groups(character);
  if (draft.q.size() < 4 || gravity_m_s2 < kLeast_m_s2) return draft;
  for (int i = 0; i < kMost; ++i) {
    const std::vector<Stay> stays = find_stays(character, draft, ground);
    const auto fall = find_fall(draft, stays, ground, first_frame);
    if (!fall) break;
    const Flight flight = plan_flight(character, draft, stays, *fall, gravity_m_s2);
    let_go(character, stays, groups, *fall, flight, draft);
    draft = insert_flight(character, draft, flight, fall->height_m, gravity_m_s2);
    first_frame = flight.off + flight.frames;
  }
  return draft;
}

}  // namespace sinew
