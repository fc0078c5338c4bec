#include "character/plants.h"

#include <algorithm>
#include <cmath>

#include "core/smooth.h"

namespace sinew {

namespace {

constexpr double kLow_m = 0.02;  // a point lower than this may bear load
constexpr double kLowHand_m = 0.03;
// A foot so deep in the floor was not there, nor from where it sank in until where it came out: parts of the
// height of the root at rest.
constexpr double kThrough = 0.1, kSunk = 0.03;
constexpr double kThrough_s = 1.0;      // who stays there longer has another floor
constexpr double kShortGap_s = 0.10;    // shorter lifts are flickers
constexpr double kShortPlant_s = 0.05;  // shorter contacts are flickers

using Track = std::vector<std::vector<Vec3>>;  // [frame][contact point]

Vec3 velocity(const Track& track, size_t f, size_t k, double h) {
  const size_t a = f > 0 ? f - 1 : 0, b = std::min(f + 1, track.size() - 1);
  return (track[b][k] - track[a][k]) / (std::max<double>(static_cast<double>(b - a), 1) * h);
}

double speed_xy(const Track& track, size_t f, size_t k, double h) {
  return velocity(track, f, k, h).head<2>().norm();
}

// Height of a group's lowest point above z = 0, and how fast that point moves.
struct Low {
  double height_m;
  double speed_m_s;
};
Low lowest_of(const Character& character, const Track& track, const ContactGroup& group, size_t f, double h) {
  size_t low = group.points[0];
  const auto height = [&](size_t k) { return track[f][k].z() - character.contact_points[k].radius_m; };
  for (const size_t k : group.points)
    if (height(k) < height(low)) low = k;
  return {height(low), velocity(track, f, low, h).norm()};
}

// The height at which a foot stands around each frame: captured floors are neither level nor steady.
std::vector<double> local_floor(const Character& character, const Track& track, const ContactGroup& group,
                                double h) {
  std::vector<std::pair<size_t, double>> still;
  for (size_t f = 0; f < track.size(); ++f)
    if (const Low low = lowest_of(character, track, group, f, h);
        low.speed_m_s < 0.25 && std::abs(low.height_m) < 0.08)
      still.emplace_back(f, low.height_m);
  std::vector<double> floor(track.size(), 0.0);
  const auto reach = static_cast<size_t>(0.75 / h);
  for (size_t f = 0; f < track.size(); f += 4) {
    std::vector<double> near;
    const auto begin =
        std::lower_bound(still.begin(), still.end(), std::pair{f > reach ? f - reach : size_t{0}, -1e9});
    for (auto it = begin; it != still.end() && it->first <= f + reach; ++it) near.push_back(it->second);
    const double here = static_cast<double>(near.size()) * h < 0.05 ? 0.0 : percentile(near, 0.4);
    for (size_t g = f; g < std::min(f + 4, track.size()); ++g) floor[g] = here;
  }
  return smooth(floor, h, 2.0);
}

// Frames in which a foot was captured deep in the floor, until it is out of it and still again: it was on the
// floor then, and nobody knows where.
std::vector<char> find_lost(const Character& character, const Track& track, const ContactGroup& group,
                            double h) {
  const size_t frames = track.size();
  const double through_m = kThrough * character.q_rest[2], sunk_m = kSunk * character.q_rest[2];
  std::vector<Low> low;
  for (size_t f = 0; f < frames; ++f) low.push_back(lowest_of(character, track, group, f, h));
  std::vector<char> lost(frames, 0);
  for (size_t begin = 0; begin < frames;) {
    size_t end = begin;
    double deepest_m = 0;
    for (; end < frames && low[end].height_m < -sunk_m; ++end)
      deepest_m = std::min(deepest_m, low[end].height_m);
    const bool comes_back = begin > 0 && end < frames && static_cast<double>(end - begin) * h < kThrough_s;
    if (deepest_m < -through_m && comes_back) {
      for (size_t more = 0; static_cast<double>(more) * h < kShortGap_s && end < frames &&
                            low[end].speed_m_s > 0.5 && low[end].height_m < through_m;
           ++more)
        ++end;
      std::fill(lost.begin() + static_cast<long>(begin), lost.begin() + static_cast<long>(end), char{1});
    }
    begin = std::max(end, begin + 1);
  }
  return lost;
}

// Where a foot stands at one frame: middle of its front points, and heading.
struct Placement {
  Eigen::Vector2d front = Eigen::Vector2d::Zero();
  double yaw = 0;
};

// The flat sole: front points and the offset of every point from their middle, at rest, heading +X.
struct Sole {
  std::vector<size_t> front;            // indices into ContactGroup::points
  std::vector<Eigen::Vector2d> offset;  // per ContactGroup::points
  Quat q_WB;                            // orientation of the body that carries the heading

  bool is_front(const ContactGroup& group, size_t point) const {
    return std::any_of(front.begin(), front.end(), [&](size_t i) { return group.points[i] == point; });
  }
};

Sole sole_of(const Character& character, const std::vector<Pose>& X_rest, const ContactGroup& group) {
  Sole sole;
  std::vector<Vec3> p;
  double front = -1e9, back = 1e9;
  for (const size_t k : group.points) {
    const ContactPoint& point = character.contact_points[k];
    p.push_back(X_rest[static_cast<size_t>(point.body)] * point.p_BP);
    front = std::max(front, p.back().x());
    back = std::min(back, p.back().x());
  }
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();
  for (size_t i = 0; i < p.size(); ++i)
    if (p[i].x() >= 0.5 * (front + back)) sole.front.push_back(i), middle += p[i].head<2>();
  middle /= static_cast<double>(sole.front.size());
  for (const Vec3& point : p) sole.offset.push_back(point.head<2>() - middle);
  sole.q_WB = X_rest[static_cast<size_t>(group.body)].q;
  return sole;
}

Placement placement_at(const Track& track, const ContactGroup& group, const Sole& sole, const Quat& q_WB,
                       size_t f) {
  Placement out;
  for (const size_t i : sole.front) out.front += track[f][group.points[i]].head<2>();
  out.front /= static_cast<double>(sole.front.size());
  out.yaw = heading(q_WB * sole.q_WB.conjugate());
  return out;
}

double wrap(double angle) { return std::remainder(angle, 2 * kPi); }

// One step of a foot: its frames get one placement; a step in which the foot moves on is split where it is
// fastest.
class StepPlanter {
 public:
  StepPlanter(const Character& character, const ContactGroup& group, const Sole& sole, const Track& track,
              const std::vector<Quat>& q_WB, const std::vector<double>& body_speed,
              const std::vector<char>& lost, double h, Plants& plants)
      : character_(character),
        group_(group),
        sole_(sole),
        track_(track),
        q_WB_(q_WB),
        body_speed_(body_speed),
        lost_(lost),
        h_(h),
        plants_(plants) {}

  void plant(size_t begin, size_t end) {
    if (end - begin < 2 || total_weight(begin, end) == 0) return release(begin, end);
    if (mean_tilt(begin, end) > radians(40)) return plant_points(begin, end);
    const Placement mean = mean_placement(begin, end);
    double drift = 0, turn = 0;
    size_t fastest = begin;
    for (size_t f = begin; f < end; ++f) {
      const Placement at = placement_at(track_, group_, sole_, q_WB_[f], f);
      if (weight(f) > 0)
        drift = std::max(drift, (at.front - mean.front).norm()),
        turn = std::max(turn, std::abs(wrap(at.yaw - mean.yaw)));
      if (!lost_[f] && speed(f) > speed(fastest) && f > begin + 2 && f + 3 < end) fastest = f;
    }
    if ((drift > 0.10 + 0.08 * body_speed_[begin] || turn > radians(35)) && fastest > begin + 2) {
      release(fastest - 1, fastest + 2);
      plant(begin, fastest - 1);
      plant(fastest + 2, end);
      return;
    }
    const Eigen::Rotation2Dd yaw(mean.yaw);
    for (size_t f = begin; f < end; ++f)
      for (size_t i = 0; i < group_.points.size(); ++i) {
        const size_t k = group_.points[i];
        const Eigen::Vector2d at = mean.front + yaw * sole_.offset[i];
        plants_.target[f][k] = Vec3(at.x(), at.y(), character_.contact_points[k].radius_m);
      }
  }

 private:
  double speed(size_t f) const {
    double sum = 0;
    for (const size_t i : sole_.front) sum += speed_xy(track_, f, group_.points[i], h_);
    return sum / static_cast<double>(sole_.front.size());
  }

  // Frames count by how many points bear load and how still the foot is.
  double weight(size_t f) const {
    if (lost_[f]) return 0;
    double points = 0;
    for (const size_t k : group_.points) points += plants_.bears[f][k];
    return points * points / std::pow(0.05 + speed(f), 2);
  }

  double total_weight(size_t begin, size_t end) const {
    double sum = 0;
    for (size_t f = begin; f < end; ++f) sum += weight(f);
    return sum;
  }

  // How far the sole is from flat.
  double mean_tilt(size_t begin, size_t end) const {
    double sum = 0, total = 0;
    for (size_t f = begin; f < end; ++f) {
      const Vec3 up = q_WB_[f] * (sole_.q_WB.conjugate() * Vec3::UnitZ());
      sum += weight(f) * std::acos(std::clamp(up.z(), -1.0, 1.0));
      total += weight(f);
    }
    return total > 0 ? sum / total : 0;
  }

  // A foot that lies or kneels has no sole on the floor: each point keeps its own place for as long as it
  // stays.
  void plant_points(size_t begin, size_t end) {
    for (const size_t k : group_.points)
      for (size_t a = begin; a < end;) {
        size_t b = a;
        Vec3 mean = Vec3::Zero();
        double known = 0;
        for (; b < end && plants_.bears[b][k]; ++b)
          if (!lost_[b]) mean += track_[b][k], ++known;
        if (known == 0) release(a, b);
        mean /= std::max(1.0, known);
        for (size_t f = a; f < b; ++f)
          plants_.target[f][k] = Vec3(mean.x(), mean.y(), character_.contact_points[k].radius_m);
        a = std::max(b, a + 1);
      }
  }

  Placement mean_placement(size_t begin, size_t end) const {
    Placement mean;
    double total = 0, c = 0, s = 0;
    for (size_t f = begin; f < end; ++f) {
      const double w = weight(f);
      const Placement at = placement_at(track_, group_, sole_, q_WB_[f], f);
      mean.front += w * at.front;
      c += w * std::cos(at.yaw), s += w * std::sin(at.yaw);
      total += w;
    }
    mean.front /= std::max(total, 1e-12);
    mean.yaw = std::atan2(s, c);
    return mean;
  }

  void release(size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f)
      for (const size_t k : group_.points) plants_.bears[f][k] = 0;
  }

  const Character& character_;
  const ContactGroup& group_;
  const Sole& sole_;
  const Track& track_;
  const std::vector<Quat>& q_WB_;
  const std::vector<double>& body_speed_;
  const std::vector<char>& lost_;  // [frame]: nobody knows where the foot was
  double h_;
  Plants& plants_;
};

// Smoothed horizontal speed of the root.
std::vector<double> root_speed(const std::vector<VecX>& q, double h) {
  std::vector<double> speed(q.size(), 0.0);
  for (size_t f = 0; f < q.size(); ++f) {
    const size_t a = f > 0 ? f - 1 : 0, b = std::min(f + 1, q.size() - 1);
    if (b > a) speed[f] = (q[b].head<2>() - q[a].head<2>()).norm() / (static_cast<double>(b - a) * h);
  }
  return smooth(speed, h, 1.5);
}

// Calls `visit(begin, end)` for every run of frames in which any point of the group bears load.
template <typename Visit>
void for_each_step(const Plants& plants, const ContactGroup& group, Visit visit) {
  const auto any = [&](size_t f) {
    return std::any_of(group.points.begin(), group.points.end(),
                       [&](size_t k) { return plants.bears[f][k]; });
  };
  for (size_t f = 0; f < plants.bears.size();) {
    size_t end = f;
    while (end < plants.bears.size() && any(end)) ++end;
    if (end > f) visit(f, end);
    f = std::max(end, f + 1);
  }
}

}  // namespace

bool stands_on_all_fours(const Character& character) {
  const std::vector<Pose> X_WB = body_poses(character, character.q_rest);
  const auto on_floor = [&](Part part) {
    return std::any_of(
        character.contact_points.begin(), character.contact_points.end(), [&](const ContactPoint& point) {
          const auto b = static_cast<size_t>(point.body);
          return character.bodies[b].part == part && (X_WB[b] * point.p_BP).z() - point.radius_m < 0.01;
        });
  };
  return on_floor(Part::kLeftHand) && on_floor(Part::kRightHand);
}

std::vector<char> standing_points(const Character& character) {
  const bool all_fours = stands_on_all_fours(character);
  std::vector<char> stands;
  for (const ContactPoint& point : character.contact_points) {
    const Part part = character.bodies[static_cast<size_t>(point.body)].part;
    stands.push_back(all_fours || (part != Part::kLeftHand && part != Part::kRightHand));
  }
  return stands;
}

std::vector<char> standing_bodies(const Character& character, double lower_than_m) {
  const std::vector<Pose> X_WB = body_poses(character, character.q_rest);
  std::vector<char> stands(character.bodies.size(), 0);
  for (const Shape& shape : character.shapes) {
    const auto b = static_cast<size_t>(shape.body);
    if (shape.collides && support(shape, X_WB[b], -Vec3::UnitZ()).z() < lower_than_m) stands[b] = 1;
  }
  return stands;
}

NearestPoint nearest_point(const Shape& shape, const Pose& X_WB, const GroundHeight& ground) {
  const Vec3 low = support(shape, X_WB, -Vec3::UnitZ());
  if (!ground) return {low, low.z()};

  // The sides of its underside, and what lies between opposite ones.
  constexpr double kAslant = 0.7;
  NearestPoint nearest{low, low.z() - ground(low.x(), low.y())};
  const auto look = [&](const Vec3& p) {
    if (const double height = p.z() - ground(p.x(), p.y()); height < nearest.height_m) nearest = {p, height};
  };
  for (const Vec3& side : {Vec3(kAslant, 0, 0), Vec3(0, kAslant, 0)}) {
    const Vec3 a = support(shape, X_WB, side - Vec3::UnitZ()),
               b = support(shape, X_WB, -side - Vec3::UnitZ());
    look(a);
    look(b);
    look(0.5 * (a + b));
  }
  return nearest;
}

std::vector<ContactGroup> contact_groups(const Character& character) {
  std::vector<ContactGroup> groups;
  const bool all_fours = stands_on_all_fours(character);
  for (int side = 0; side < 2; ++side)
    for (const bool foot : {true, false}) {
      ContactGroup group{{}, character.find(kSides[side][foot ? 6 : 3]), foot || all_fours, side};
      for (size_t k = 0; k < character.contact_points.size(); ++k) {
        const Part part = character.bodies[static_cast<size_t>(character.contact_points[k].body)].part;
        if (part == kSides[side][foot ? 6 : 3] || (foot && part == kSides[side][7]))
          group.points.push_back(k);
      }
      if (group.points.empty() || group.body < 0) continue;
      // Who walks on the toes alone has them for a sole.
      const auto on_foot = [&](size_t k) { return character.contact_points[k].body == group.body; };
      if (std::none_of(group.points.begin(), group.points.end(), on_foot))
        group.body = character.contact_points[group.points[0]].body;
      groups.push_back(group);
    }
  return groups;
}

void close_flickers(std::vector<char>& on, size_t gap, size_t run) {
  for (const auto& [value, length] : {std::pair{char{0}, gap}, {char{1}, run}}) {
    for (size_t i = 0; i < on.size();) {
      size_t j = i;
      while (j < on.size() && on[j] == on[i]) ++j;
      if (on[i] == value && j - i < length && i > 0 && j < on.size())
        std::fill(on.begin() + static_cast<long>(i), on.begin() + static_cast<long>(j),
                  static_cast<char>(!value));
      i = j;
    }
  }
}

std::vector<std::vector<Vec3>> contact_point_tracks(const Character& character, const std::vector<VecX>& q) {
  Track track(q.size());
  for (size_t f = 0; f < q.size(); ++f) {
    const std::vector<Pose> X_WB = body_poses(character, q[f]);
    for (const ContactPoint& point : character.contact_points)
      track[f].push_back(X_WB[static_cast<size_t>(point.body)] * point.p_BP);
  }
  return track;
}

double find_floor(const Character& character, const std::vector<VecX>& q, double frame_time_s) {
  const Track track = contact_point_tracks(character, q);
  const std::vector<ContactGroup> groups = contact_groups(character);
  const double standing = character.q_rest[2];
  // Soles of feet that stand still under a body that is off the ground.
  std::vector<double> soles, bodies;
  for (size_t f = 0; f < q.size(); ++f) {
    bodies.push_back(lowest_point(character, body_poses(character, q[f])));
    for (const ContactGroup& group : groups) {
      if (!group.is_foot) continue;
      const Low low = lowest_of(character, track, group, f, frame_time_s);
      if (low.speed_m_s < 0.25 && q[f][2] - low.height_m > 0.5 * standing) soles.push_back(low.height_m);
    }
  }
  if (static_cast<double>(soles.size()) * frame_time_s >= 0.2) return percentile(soles, 0.3);
  return percentile(bodies, 0.2);
}

Plants find_plants(const Character& character, const std::vector<VecX>& q, double frame_time_s) {
  const double h = frame_time_s;
  const Track track = contact_point_tracks(character, q);
  const std::vector<double> body_speed = root_speed(q, h);
  const std::vector<Pose> X_rest = body_poses(character, character.q_rest);
  Plants plants;
  plants.bears.assign(q.size(), std::vector<char>(character.contact_points.size(), 0));
  plants.target.assign(q.size(), std::vector<Vec3>(character.contact_points.size(), Vec3::Zero()));
  plants.guessed.assign(q.size(), std::vector<char>(character.bodies.size(), 0));
  const auto gap = static_cast<size_t>(std::lround(kShortGap_s / h)),
             run = static_cast<size_t>(std::lround(kShortPlant_s / h));

  for (const ContactGroup& group : contact_groups(character)) {
    // Low and slow points bear load; captured hands are placed less well than feet.
    const std::vector<double> floor =
        group.is_foot ? local_floor(character, track, group, h) : std::vector<double>(q.size(), 0.0);
    const std::vector<char> lost =
        group.is_foot ? find_lost(character, track, group, h) : std::vector<char>(q.size(), 0);
    for (size_t f = 0; f < q.size(); ++f)
      for (int b = group.body; lost[f] && b > 0; b = character.bodies[static_cast<size_t>(b)].parent)
        plants.guessed[f][static_cast<size_t>(b)] = 1;
    const Sole sole = sole_of(character, X_rest, group);
    for (const size_t k : group.points) {
      const bool front = sole.is_front(group, k);
      std::vector<char> on(q.size());
      for (size_t f = 0; f < q.size(); ++f) {
        const double slow = group.is_foot ? 0.3 + 0.3 * body_speed[f] : 0.5 + 0.4 * body_speed[f];
        const double height = track[f][k].z() - character.contact_points[k].radius_m - floor[f];
        on[f] = height < (group.is_foot ? kLow_m : kLowHand_m) && speed_xy(track, f, k, h) < slow &&
                std::abs(velocity(track, f, k, h).z()) < slow + 0.3;
        if (lost[f]) on[f] = front;
      }
      close_flickers(on, gap, run);
      for (size_t f = 0; f < q.size(); ++f) plants.bears[f][k] = on[f];
    }

    // Every step gets one place on the floor.
    if (group.is_foot) {
      std::vector<Quat> q_WB(q.size());
      for (size_t f = 0; f < q.size(); ++f)
        q_WB[f] = body_poses(character, q[f])[static_cast<size_t>(group.body)].q;
      const Plants found = plants;
      StepPlanter planter(character, group, sole, track, q_WB, body_speed, lost, h, plants);
      for_each_step(found, group, [&](size_t begin, size_t end) { planter.plant(begin, end); });
    } else {
      for_each_step(plants, group, [&](size_t begin, size_t end) {
        for (const size_t k : group.points) {
          Vec3 mean = Vec3::Zero();
          for (size_t f = begin; f < end; ++f) mean += track[f][k] / static_cast<double>(end - begin);
          for (size_t f = begin; f < end; ++f)
            plants.target[f][k] = Vec3(mean.x(), mean.y(), character.contact_points[k].radius_m);
        }
      });
      // Only the lowest point of a hand is held, so that the hand may roll on it.
      for (size_t f = 0; f < q.size(); ++f) {
        size_t low = group.points[0];
        for (const size_t k : group.points)
          if (track[f][k].z() < track[f][low].z()) low = k;
        for (const size_t k : group.points)
          if (k != low) plants.bears[f][k] = 0;
      }
    }
  }
  return plants;
}

std::vector<std::vector<char>> find_body_contacts(const Character& character, const std::vector<VecX>& q,
                                                  double frame_time_s, const GroundHeight& ground) {
  const size_t bodies = character.bodies.size();
  std::vector<std::vector<char>> on(bodies, std::vector<char>(q.size(), 0));
  for (size_t f = 0; f < q.size(); ++f) {
    const std::vector<Pose> X_WB = body_poses(character, q[f]);
    for (const Shape& shape : character.shapes)
      if (const auto b = static_cast<size_t>(shape.body); shape.collides && !on[b][f])
        on[b][f] = nearest_point(shape, X_WB[b], ground).height_m < 0.01;
  }
  std::vector<std::vector<char>> contact(q.size(), std::vector<char>(bodies, 0));
  const auto short_run = std::max<size_t>(2, static_cast<size_t>(std::lround(0.05 / frame_time_s)));
  for (size_t b = 0; b < bodies; ++b) {
    close_flickers(on[b], short_run, short_run);
    for (size_t f = 0; f < q.size(); ++f) contact[f][b] = on[b][f];
  }
  return contact;
}

bool release_missed(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                    Plants& plants) {
  const Track track = contact_point_tracks(character, q);
  bool any = false;
  for (const ContactGroup& group : contact_groups(character))
    for (const size_t k : group.points)
      for (size_t begin = 0; begin < q.size();) {
        // One stay of a point on one spot.
        size_t end = begin;
        double miss = 0, way = 0;
        for (; end < q.size() && plants.bears[end][k] && plants.target[end][k] == plants.target[begin][k];
             ++end) {
          miss += (track[end][k] - plants.target[end][k]).norm();
          if (end > begin) way += (track[end][k] - track[end - 1][k]).head<2>().norm();
        }
        const auto frames = static_cast<double>(end - begin);
        const bool short_stay = frames * frame_time_s < 0.5 * kShortPlant_s && begin > 0 && end < q.size();
        if (end > begin && (miss > (group.is_foot ? 0.01 : 0.03) * frames ||
                            way > 0.1 * frames * frame_time_s || short_stay)) {
          any = true;
          for (size_t f = begin; f < end; ++f) plants.bears[f][k] = 0;
        }
        begin = std::max(end, begin + 1);
      }
  return any;
}

}  // namespace sinew
