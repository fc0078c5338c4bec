#include "rollout/terrain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "character/footing.h"
#include "character/poise.h"
#include "core/smooth.h"
#include "rollout/falls.h"
#include "rollout/stays.h"

namespace sinew {

namespace {

using Vec2 = Eigen::Vector2d;

constexpr double kPathCutoff_hz = 0.7;  // the root follows the ground this smoothly
constexpr double kSwingClear_m = 0.03;  // a free foot is at least this high, if it was so on the floor
constexpr double kApart_m = 0.13;       // between the middles of feet that pass each other
constexpr double kLeastSway = 0.3;      // of the root, where the feet stand on a line
constexpr int kPoises = 3;              // how often the body is moved above its feet
constexpr double kAlmostOne_m = 0.01;   // feet no farther apart to the sides than this are on a line

// Whether all that is below the motion is the floor z = 0.
bool is_level(const Character& character, const Reference& reference, const GroundHeight& ground) {
  bool level = true;
  const GroundHeight probe = [&](double x, double y) {
    const double z = ground(x, y);
    level = level && std::abs(z) < 1e-9;
    return z;
  };
  for (const VecX& q : reference.q) {
    const std::vector<Pose> X_WB = body_poses(character, q);
    for (const Shape& shape : character.shapes)
      if (shape.collides) nearest_point(shape, X_WB[static_cast<size_t>(shape.body)], probe);
    if (!level) return false;
  }
  return true;
}

// A cyclic reference as one that ends.
Reference written_out(const Character& character, const Reference& reference, double until_s) {
  Reference out = reference;
  out.cyclic = false;
  out.X_cycle = {};
  const auto n = static_cast<size_t>(std::ceil(until_s / reference.frame_time_s)) + 1;
  for (auto* rows : {&out.q, &out.v, &out.a}) rows->clear();
  out.point_contact.clear();
  out.body_contact.clear();
  for (size_t f = 0; f < n; ++f) {
    const ReferenceSample at = sample(character, reference, static_cast<double>(f) * reference.frame_time_s);
    out.q.push_back(at.q);
    out.v.push_back(at.v);
    out.a.push_back(at.a);
    out.point_contact.push_back(*at.point_contact);
    out.body_contact.push_back(*at.body_contact);
  }
  return out;
}

// Values at some frames, joined by straight lines and held at both ends.
std::vector<double> joined(std::vector<double> x) {
  size_t last = x.size();
  for (size_t f = 0; f < x.size(); ++f) {
    if (std::isnan(x[f])) continue;
    for (size_t i = last < x.size() ? last + 1 : 0; i < f; ++i)
      x[i] = last < x.size()
                 ? x[last] + (x[f] - x[last]) * static_cast<double>(i - last) / static_cast<double>(f - last)
                 : x[f];
    last = f;
  }
  for (size_t i = last < x.size() ? last + 1 : 0; i < x.size(); ++i) x[i] = last < x.size() ? x[last] : 0;
  return x;
}

double smooth_step(double x) { return x * x * (3 - 2 * x); }

// How a foot is moved at each frame: as its stay, or in between from one to the next.
struct FootWay {
  std::vector<Vec3> way;  // [frame]: z against the floor that the frame was performed on
  std::vector<char> rests;
};

FootWay way_of_foot(const Draft& draft, const std::vector<Stay>& stays, int group) {
  FootWay out{std::vector<Vec3>(draft.q.size(), Vec3::Zero()), std::vector<char>(draft.q.size(), 0)};
  size_t last_end = 0;
  Vec3 last = Vec3::Zero();
  for (const Stay& stay : stays) {
    if (stay.group != group) continue;
    const Vec3 way(stay.way.x(), stay.way.y(), stay.height_m - draft.level_m[stay.begin]);
    for (size_t f = last_end; f < stay.begin; ++f)
      out.way[f] = last_end == 0 ? way
                                 : last + smooth_step(static_cast<double>(f - last_end + 1) /
                                                      static_cast<double>(stay.begin - last_end + 1)) *
                                              (way - last);
    for (size_t f = stay.begin; f < stay.end; ++f) out.way[f] = way, out.rests[f] = 1;
    last = way;
    last_end = std::max(stay.end, size_t{1});
  }
  for (size_t f = last_end; f < draft.q.size(); ++f) out.way[f] = last;
  return out;
}

// The two feet of a character, if it has two.
struct Feet {
  std::array<int, 2> group = {-1, -1}, body = {-1, -1};
  bool both() const { return group[0] >= 0 && group[1] >= 0; }
};

Feet find_feet(const std::vector<ContactGroup>& groups) {
  Feet feet;
  for (size_t g = 0; g < groups.size(); ++g)
    if (groups[g].is_foot) {
      const auto side = static_cast<size_t>(groups[g].side);
      feet.group[side] = static_cast<int>(g);
      feet.body[side] = groups[g].body;
    }
  return feet;
}

// One motion on its way onto the ground.
class Layer {
 public:
  Layer(const Character& character, const Draft& draft, const GroundHeight& ground)
      : character_(character),
        draft_(draft),
        ground_(ground),
        groups_(contact_groups(character)),
        feet_(find_feet(groups_)),
        stays_(find_stays(character, draft, ground)),
        q_(draft.q) {}

  // The motion, and in `plants` what bears load.
  std::vector<VecX> lay(Plants& plants) {
    move_feet();
    move_root();
    plants = planted();
    FootingOptions options;
    options.ground = ground_;
    options.keep_path = draft_.falls;
    const double h = draft_.frame_time_s;
    std::vector<VecX> laid = fit_footing(character_, q_, plants, limb_offsets(), grounded(), h, options);
    // Above its feet again, whose places are others; what falls has its own way. Legs that lean otherwise
    // spin otherwise: a few rounds.
    const bool falls = std::find(draft_.falls.begin(), draft_.falls.end(), char{1}) != draft_.falls.end();
    if (falls || stands_on_all_fours(character_)) return laid;
    for (int round = 0; round < kPoises; ++round) {
      const std::vector<PerPart<Vec3>> offsets = poise(character_, grounded(), h, ground_, laid);
      laid = fit_footing(character_, laid, plants, offsets, grounded(), h, options);
    }
    return laid;
  }

 private:
  void move_feet() {
    for (size_t side = 0; side < 2; ++side)
      if (feet_.group[side] >= 0) ways_[side] = way_of_foot(draft_, stays_, feet_.group[side]);
    for (const VecX& q : draft_.q) {
      const std::vector<Pose> X_WB = body_poses(character_, q);
      for (size_t side = 0; side < 2; ++side)
        p_WF_[side].push_back(feet_.body[side] >= 0 ? X_WB[static_cast<size_t>(feet_.body[side])].p
                                                    : Vec3::Zero());
    }
  }

  // Height of what carries the body, against the floor that it was performed on.
  std::vector<double> carried() const {
    std::vector<double> sum(q_.size(), 0.0), count(q_.size(), 0.0);
    for (const Stay& stay : stays_)
      for (size_t f = stay.begin; f < stay.end; ++f) {
        double height = 0;
        const auto& at = stay.touches[f - stay.begin];
        for (const Vec2& p : at) {
          height += (stay.foot ? stay.ground_at(stay.moved(p)) : ground_(p.x(), p.y())) /
                    static_cast<double>(at.size());
        }
        sum[f] += height - draft_.level_m[f];
        ++count[f];
      }
    for (size_t f = 0; f < sum.size(); ++f)
      sum[f] = count[f] > 0 ? sum[f] / count[f] : std::numeric_limits<double>::quiet_NaN();
    return sum;
  }

  // Up and down with the ground; sideways with the feet, and where they were drawn together its sway too.
  void move_root() {
    const double h = draft_.frame_time_s;
    lift_ = smooth(joined(carried()), h, kPathCutoff_hz);
    std::vector<Vec3> shift(q_.size(), Vec3::Zero());
    if (feet_.both()) {
      std::vector<Vec3> middle;
      std::vector<double> apart, new_apart;
      for (size_t f = 0; f < q_.size(); ++f) {
        const Vec3 a = p_WF_[0][f], b = p_WF_[1][f], da = ways_[0].way[f], db = ways_[1].way[f];
        shift[f] = 0.5 * (da + db);
        middle.push_back(0.5 * (a + b));
        const Vec3 side = sideways(f);
        apart.push_back(std::max(kAlmostOne_m, std::abs((a - b).dot(side))));
        new_apart.push_back(std::max(kAlmostOne_m, std::abs((a + da - b - db).dot(side))));
      }
      middle = smooth(middle, h, kPathCutoff_hz);
      apart = smooth(apart, h, kPathCutoff_hz);
      new_apart = smooth(new_apart, h, kPathCutoff_hz);
      for (size_t f = 0; f < q_.size(); ++f) {
        const double sway = (Vec3(q_[f].head<3>()) - middle[f]).dot(sideways(f));
        const double keep = std::clamp(new_apart[f] / std::max(apart[f], kAlmostOne_m), kLeastSway, 1.0);
        shift[f] += (keep - 1) * sway * sideways(f);
      }
      shift = smooth(shift, h, kPathCutoff_hz);
    }
    for (size_t f = 0; f < q_.size(); ++f)
      q_[f].head<3>() += Vec3(shift[f].x(), shift[f].y(), lift_[f]), shift_.push_back(shift[f]);
  }

  // To the left of the way that the root goes around a frame.
  Vec3 sideways(size_t f) const {
    const auto half = static_cast<size_t>(std::lround(0.4 / draft_.frame_time_s));
    const size_t a = f > half ? f - half : 0, b = std::min(f + half, q_.size() - 1);
    const Vec2 way = draft_.q[b].head<2>() - draft_.q[a].head<2>();
    if (way.norm() > 0.2) return Vec3(-way.y(), way.x(), 0).normalized();
    const VecX& q = draft_.q[f];
    const double angle = heading(Quat(q[3], q[4], q[5], q[6]));
    return {-std::sin(angle), std::cos(angle), 0};
  }

  // The places of all that bears load, on the ground.
  Plants planted() const {
    Plants plants = draft_.plants;
    for (const Stay& stay : stays_) {
      if (stay.group < 0) continue;
      const ContactGroup& group = groups_[static_cast<size_t>(stay.group)];
      for (size_t f = stay.begin; f < stay.end; ++f)
        for (const size_t k : group.points) {
          Vec3& target = plants.target[f][k];
          const Vec2 at = group.is_foot ? stay.moved(target.head<2>()) : Vec2(target.head<2>());
          const double z = group.is_foot ? stay.ground_at(at) : ground_(at.x(), at.y());
          target = Vec3(at.x(), at.y(), z + character_.contact_points[k].radius_m);
        }
    }
    return plants;
  }

  // The frames in which something rests on the ground.
  std::vector<char> grounded() const {
    std::vector<char> out(q_.size(), 0);
    for (const Stay& stay : stays_)
      std::fill(out.begin() + static_cast<long>(stay.begin), out.begin() + static_cast<long>(stay.end),
                char{1});
    return out;
  }

  // Where free feet belong, against where the moved root has them: [frame] in the root's frame.
  std::vector<PerPart<Vec3>> limb_offsets() const {
    std::vector<PerPart<Vec3>> out(q_.size());
    for (auto& offsets : out) offsets.fill(Vec3::Zero());
    for (size_t side = 0; side < 2; ++side) {
      if (feet_.body[side] < 0) continue;
      std::vector<Vec3> offset = swing(side);
      for (size_t f = 0; f < q_.size(); ++f) {
        const VecX& q = q_[f];
        out[f][index(kSides[side][6])] = Quat(q[3], q[4], q[5], q[6]).conjugate() * offset[f];
      }
    }
    return out;
  }

  // A free foot goes from its last place to its next one, around the other foot and over the ground.
  std::vector<Vec3> swing(size_t side) const {
    std::vector<Vec3> offset(q_.size(), Vec3::Zero()), around = offset;
    for (size_t f = 0; f < q_.size(); ++f) {
      offset[f] = ways_[side].way[f] - Vec3(shift_[f].x(), shift_[f].y(), lift_[f]);
      if (!ways_[side].rests[f] && feet_.both()) around[f] = way_around(side, f);
    }
    around = smooth(around, draft_.frame_time_s, 4.0);
    for (size_t f = 0; f < q_.size(); ++f) offset[f] += around[f];
    const std::vector<double> over = way_over(side, offset);
    for (size_t f = 0; f < q_.size(); ++f) offset[f].z() += over[f];
    return offset;
  }

  // As far to its own side as it must go to pass the other foot, no farther than it was on the floor.
  Vec3 way_around(size_t side, size_t f) const {
    constexpr double kBeside_m = 0.15, kPast_m = 0.40;
    const Vec3 left = sideways(f), ahead(left.y(), -left.x(), 0), out = side == 0 ? left : Vec3(-left);
    const Vec3 before = p_WF_[side][f] - p_WF_[1 - side][f];
    const Vec3 now = before + ways_[side].way[f] - ways_[1 - side].way[f];
    const double far = std::clamp((std::abs(now.dot(ahead)) - kBeside_m) / (kPast_m - kBeside_m), 0.0, 1.0);
    const double apart = std::min(kApart_m, before.dot(out)) - now.dot(out);
    return std::max(0.0, apart) * (1 - smooth_step(far)) * out;
  }

  // How much higher a foot must go to be as clear of the ground as it was of the floor, or by 3 cm.
  std::vector<double> way_over(size_t side, const std::vector<Vec3>& offset) const {
    constexpr double kMost_m = 0.4;
    const double h = draft_.frame_time_s;
    std::vector<double> need(q_.size(), 0.0), wide = need;
    for (size_t f = 0; f < q_.size(); ++f) {
      if (ways_[side].rests[f]) continue;
      const std::vector<Pose> X_WB = body_poses(character_, q_[f]);
      for (const Shape& shape : character_.shapes) {
        if (!shape.collides || !is_of_foot(shape.body, side)) continue;
        Pose X = X_WB[static_cast<size_t>(shape.body)];
        const double was = support(shape, X, -Vec3::UnitZ()).z() - lift_[f] - draft_.level_m[f];
        X.p += offset[f];
        const double is = nearest_point(shape, X, ground_).height_m;
        need[f] = std::max(need[f], std::min(was, kSwingClear_m) - is);
      }
      need[f] = std::min(need[f], kMost_m);
    }
    const long reach = std::lround(0.05 / h), last = static_cast<long>(q_.size()) - 1;
    for (long f = 0; f <= last; ++f)
      wide[static_cast<size_t>(f)] = *std::max_element(need.begin() + std::max(0L, f - reach),
                                                       need.begin() + std::min(last, f + reach) + 1);
    return smooth(wide, h, 5.0);
  }

  bool is_of_foot(int body, size_t side) const {
    for (const size_t k : groups_[static_cast<size_t>(feet_.group[side])].points)
      if (character_.contact_points[k].body == body) return true;
    return false;
  }

  const Character& character_;
  const Draft& draft_;
  const GroundHeight& ground_;
  std::vector<ContactGroup> groups_;
  Feet feet_;
  std::vector<Stay> stays_;
  std::vector<VecX> q_;
  std::array<FootWay, 2> ways_;
  std::array<std::vector<Vec3>, 2> p_WF_;  // [side][frame]: of the feet, on the floor
  std::vector<double> lift_;               // [frame]: of the root
  std::vector<Vec3> shift_;                // [frame]: of the root, in the plane
};

}  // namespace

Reference onto_world(const Character& character, Reference reference, const World& world, double start_s,
                     double seconds) {
  const GroundHeight ground = reference_ground(world);
  const Reference out_of_cycle =
      reference.cyclic
          ? written_out(character, reference, start_s + std::max(seconds, reference.duration_s()))
          : reference;
  if (is_level(character, out_of_cycle, ground)) return reference;
  reference = out_of_cycle;

  // What bears load on the floor; then edges and falls, then every step onto its ground.
  const double h = reference.frame_time_s;
  Draft draft{h,
              reference.q,
              find_plants(character, reference.q, h),
              reference.body_contact,
              std::vector<double>(reference.q.size(), 0.0),
              std::vector<char>(reference.q.size(), 0)};
  for (size_t f = 0; f < draft.q.size(); ++f)
    for (size_t k = 0; k < character.contact_points.size(); ++k)
      draft.plants.bears[f][k] = draft.plants.bears[f][k] && reference.point_contact[f][k];
  draft = with_falls(character, shifted_to_edges(character, draft, ground), ground, -world.gravity.z(),
                     static_cast<size_t>(std::ceil(start_s / h)));
  Plants plants;
  reference.q = Layer(character, draft, ground).lay(plants);
  reference.point_contact = plants.bears;
  reference.body_contact = find_body_contacts(character, reference.q, h, ground);
  for (size_t f = 0; f < draft.falls.size(); ++f)
    if (draft.falls[f])
      std::fill(reference.body_contact[f].begin(), reference.body_contact[f].end(), char{0});
  differentiate(character, reference);
  return reference;
}

}  // namespace sinew
