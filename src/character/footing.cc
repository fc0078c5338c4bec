#include "character/footing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "character/leg_room.h"
#include "character/reach.h"
#include "core/block_banded.h"
#include "core/smooth.h"

namespace sinew {

namespace {

// Right Jacobian of the exponential map: the body-frame rate of exp(r(t)) is J_r(r) dr/dt.
Mat3 right_jacobian(const Vec3& r) {
  const double a = r.norm();
  Mat3 K;
  K << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  if (a < 1e-6) return Mat3::Identity() - 0.5 * K;
  return Mat3::Identity() - (1 - std::cos(a)) / (a * a) * K + (a - std::sin(a)) / (a * a * a) * K * K;
}

// Cubic B-spline basis: weights of the four control points around a fraction of a knot interval.
std::array<double, 4> basis(double f) {
  const double g = 1 - f;
  return {g * g * g / 6, (3 * f * f * f - 6 * f * f + 4) / 6, (-3 * f * f * f + 3 * f * f + 3 * f + 1) / 6,
          f * f * f / 6};
}

// A foot faster than this swings, and its sole rises and falls at most at the other rate on the way.
constexpr double kSwingFrom_m_s = 0.5, kClearRise_m_s = 0.3;

class FootingProblem {
 public:
  FootingProblem(const Character& character, const std::vector<VecX>& q, const Plants& plants,
                 const std::vector<PerPart<Vec3>>& end_offset, const std::vector<char>& grounded, double h,
                 const FootingOptions& options, const std::vector<char>& free_bodies)
      : character_(character),
        q_(q),
        plants_(plants),
        grounded_(grounded),
        h_(h),
        options_(options),
        stands_(standing_points(character)),
        legs_(leg_pairs(character)) {
    // Only the coordinates of these bodies' joints are corrected, without hinges of a few degrees.
    column_.assign(static_cast<size_t>(character.nv()), -1);
    for (const Joint& joint : character.joints)
      if (free_bodies[static_cast<size_t>(joint.body)] && !hardly_moves(joint))
        for (int k = 0; k < joint.v_size(); ++k) column_[static_cast<size_t>(joint.v + k)] = n_++;
    knots_ =
        std::max(4, static_cast<int>(std::ceil(static_cast<double>(q.size() - 1) * h / options.knot_s)) + 3);
    control_.assign(static_cast<size_t>(knots_), VecX::Zero(n_));
    find_end_targets(end_offset);
    // Who corrects arms alone cannot part legs.
    std::erase_if(legs_, [&](const auto& pair) {
      return !free_bodies[static_cast<size_t>(character.shapes[pair[0]].body)];
    });
  }

  // Improves the correction by Gauss-Newton; contacts become strict over the first iterations, and a step
  // that makes things worse is shortened.
  std::vector<VecX> solve(int iterations) {
    if (n_ == 0) return q_;
    ramp_plants();
    find_clearance();
    BlockBanded H(knots_, n_, 3);
    std::vector<VecX> accepted = control_, step;
    double accepted_cost = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < iterations; ++iteration) {
      const double before = std::exchange(strictness_, std::min(1.0, 3 * strictness_));
      std::vector<VecX> g(static_cast<size_t>(knots_), VecX::Zero(n_));
      H.set_zero();
      cost_ = 0;
      add_smoothness(H, g);
      for (size_t f = 0; f < q_.size(); ++f) add_frame(f, H, g);
      if (before == strictness_ && cost_ > accepted_cost) {
        for (size_t i = 0; i < step.size(); ++i) step[i] *= 0.3, control_[i] = accepted[i] + step[i];
        continue;
      }
      const bool settled = before == strictness_ && cost_ > 0.99 * accepted_cost;
      accepted = control_;
      accepted_cost = cost_;
      if (settled) break;
      for (VecX& v : g) v = -v;
      if (!H.solve_in_place(g)) break;
      step = g;
      // Where a step is too long for the linearisation, it alone is shortened.
      for (size_t i = 0; i < step.size(); ++i) {
        step[i] *= std::min(1.0, 0.4 / std::max(step[i].cwiseAbs().maxCoeff(), 1e-12));
        control_[i] += step[i];
      }
    }
    // The last step was not looked at: what counts is the last that was.
    control_ = accepted;
    std::vector<VecX> out;
    for (size_t f = 0; f < q_.size(); ++f) out.push_back(corrected(f));
    return out;
  }

 private:
  // A plant takes hold and lets go over a few frames.
  void ramp_plants() {
    const size_t points = character_.contact_points.size();
    hold_.assign(q_.size(), std::vector<double>(points, 0.0));
    const double step = h_ / 0.05;
    for (size_t k = 0; k < points; ++k) {
      double w = 1;
      for (size_t f = 0; f < q_.size(); ++f)
        hold_[f][k] = w = plants_.bears[f][k] ? std::min(1.0, w + step) : 0.0;
      w = 1;
      for (size_t f = q_.size(); f-- > 0;) {
        w = plants_.bears[f][k] ? std::min(1.0, w + step) : 0.0;
        hold_[f][k] = std::min(hold_[f][k], w);
      }
    }
  }

  // How high each body must be at least: the soles of a foot that swings fast, more the longer it is until it
  // stands again.
  void find_clearance() {
    clear_.assign(q_.size(), std::vector<double>(character_.bodies.size(), 0.0));
    if (options_.clearance_m <= 0) return;
    for (const auto& [foot, toes] :
         {std::pair{Part::kLeftFoot, Part::kLeftToes}, std::pair{Part::kRightFoot, Part::kRightToes}}) {
      const int body = character_.find(foot), front = character_.find(toes);
      if (body < 0) continue;
      const std::vector<double> room = swing_room(body, front);
      for (size_t f = 0; f < q_.size(); ++f)
        for (const int b : {body, front})
          if (b >= 0) clear_[f][static_cast<size_t>(b)] = room[f];
    }
  }

  std::vector<double> swing_room(int foot, int toes) const {
    const size_t n = q_.size();
    std::vector<Vec3> p(n);
    for (size_t f = 0; f < n; ++f) p[f] = body_poses(character_, q_[f])[static_cast<size_t>(foot)].p;

    // Time to the nearest stance, before or after.
    std::vector<double> away_s(n, 1.0);
    const auto stands = [&](size_t f, bool this_foot) {
      for (size_t k = 0; k < character_.contact_points.size(); ++k) {
        const int b = character_.contact_points[k].body;
        if ((b == foot || b == toes) == this_foot && plants_.bears[f][k]) return true;
      }
      return false;
    };
    for (size_t f = 0; f < n; ++f) away_s[f] = stands(f, true) ? 0 : f > 0 ? away_s[f - 1] + h_ : 1.0;
    for (size_t f = n - 1; f-- > 0;) away_s[f] = std::min(away_s[f], away_s[f + 1] + h_);

    std::vector<double> room(n, 0.0);
    for (size_t f = 0; f < n; ++f) {
      if (grounded_[f] && !stands(f, false)) continue;  // nothing else could carry the body
      const size_t a = f > 0 ? f - 1 : f, b = f + 1 < n ? f + 1 : f;
      const double speed =
          (p[b] - p[a]).head<2>().norm() / (h_ * static_cast<double>(std::max<size_t>(b - a, 1)));
      const double fast = std::clamp((speed - kSwingFrom_m_s) / kSwingFrom_m_s, 0.0, 1.0);
      room[f] = fast * std::min(options_.clearance_m, kClearRise_m_s * away_s[f]);
    }
    return smooth(room, h_, 8.0);
  }

  void find_end_targets(const std::vector<PerPart<Vec3>>& end_offset) {
    end_target_ = end_offset;
    for (size_t f = 0; f < q_.size(); ++f) {
      const std::vector<Pose> X_WB = body_poses(character_, q_[f]);
      for (const Part part : {Part::kLeftFoot, Part::kRightFoot, Part::kLeftHand, Part::kRightHand})
        if (const int body = character_.find(part); body >= 0)
          end_target_[f][index(part)] =
              X_WB[static_cast<size_t>(body)].p + X_WB[0].q * end_offset[f][index(part)];
    }
  }

  VecX delta(size_t f) const {
    const double u = static_cast<double>(f) * h_ / options_.knot_s;
    const auto i = static_cast<size_t>(std::min(std::floor(u), static_cast<double>(knots_ - 4)));
    const auto b = basis(u - static_cast<double>(i));
    VecX active =
        b[0] * control_[i] + b[1] * control_[i + 1] + b[2] * control_[i + 2] + b[3] * control_[i + 3];
    VecX full = VecX::Zero(character_.nv());
    for (size_t c = 0; c < column_.size(); ++c)
      if (column_[c] >= 0) full[static_cast<long>(c)] = active[column_[c]];
    return full;
  }

  VecX corrected(size_t f) const { return integrate(character_, q_[f], delta(f)); }

  double pose_sigma(size_t f, const Joint& joint, int k) const {
    constexpr double kKept_m = 0.002, kKnown = 0.2;
    if (joint.type != JointType::kFree)
      return plants_.is_guess(f, joint.body) ? options_.guess_rad : options_.pose_rad;
    // Legs that are guessed hardly pull at what is known.
    const double share = plants_.has_guess(f) ? kKnown : 1;
    if (k >= 3) return share * options_.root_rad;
    return !options_.keep_path.empty() && options_.keep_path[f] ? kKept_m : share * options_.root_m;
  }

  void add_smoothness(BlockBanded& H, std::vector<VecX>& g) {
    const double t2 = options_.knot_s * options_.knot_s;
    VecX w(n_);
    for (const Joint& joint : character_.joints)
      for (int k = 0; k < joint.v_size(); ++k)
        if (const int c = column_[static_cast<size_t>(joint.v + k)]; c >= 0) {
          const double a = joint.type != JointType::kFree ? options_.acceleration_rad
                           : k == 2                       ? options_.acceleration_z
                           : k < 2                        ? options_.acceleration_m
                                                          : options_.acceleration_root_rad;
          w[c] = 1 / std::pow(a * t2, 2);
        }
    constexpr double kSecond[3] = {1, -2, 1};
    for (int i = 2; i < knots_; ++i) {
      const auto u = static_cast<size_t>(i);
      const VecX second = control_[u - 2] - 2 * control_[u - 1] + control_[u];
      cost_ += w.dot(second.cwiseAbs2());
      for (int a = 0; a < 3; ++a) {
        g[u - 2 + static_cast<size_t>(a)] += kSecond[a] * w.cwiseProduct(second);
        for (int b = 0; b <= a; ++b) H.block(i - 2 + a, a - b).diagonal() += kSecond[a] * kSecond[b] * w;
      }
    }
  }

  // Columns of the active coordinates that move a body, with the Jacobian of a point on it by the correction.
  struct Chain {
    std::vector<int> columns;
    Eigen::Matrix3Xd J;
  };
  Chain chain(const Kinematics& at, const VecX& d, int body, const Vec3& p_W) const {
    const Eigen::Matrix3Xd J = point_jacobian(character_, at, body, p_W);
    Chain out;
    out.J.resize(3, n_);
    for (int b = body; b >= 0; b = character_.bodies[static_cast<size_t>(b)].parent) {
      const Body& link = character_.bodies[static_cast<size_t>(b)];
      for (int i = link.first_joint; i < link.first_joint + link.joint_count; ++i) {
        const Joint& joint = character_.joints[static_cast<size_t>(i)];
        if (column_[static_cast<size_t>(joint.v)] < 0) continue;
        const auto n = static_cast<long>(out.columns.size());
        auto block = out.J.middleCols(n, joint.v_size());
        block = J.middleCols(joint.v, joint.v_size());
        if (joint.v_size() >= 3)
          block.rightCols<3>() =
              (block.rightCols<3>() * right_jacobian(d.segment<3>(joint.v + joint.v_size() - 3))).eval();
        for (int k = 0; k < joint.v_size(); ++k)
          out.columns.push_back(column_[static_cast<size_t>(joint.v + k)]);
      }
    }
    out.J.conservativeResize(3, static_cast<long>(out.columns.size()));
    return out;
  }

  // Adds w |J d - r|^2 for some rows of a chain.
  template <typename Rows, typename Residual>
  void add_rows(const std::vector<int>& columns, const Rows& J, const Residual& r, double weight) {
    if (columns.empty()) return;
    cost_ += weight * r.squaredNorm();
    const MatX JtJ = weight * J.transpose() * J;
    const VecX Jtr = weight * J.transpose() * r;
    for (size_t a = 0; a < columns.size(); ++a) {
      gf_[columns[a]] += Jtr[static_cast<long>(a)];
      for (size_t b = 0; b < columns.size(); ++b)
        Hf_(columns[a], columns[b]) += JtJ(static_cast<long>(a), static_cast<long>(b));
    }
  }

  void add_frame(size_t f, BlockBanded& H, std::vector<VecX>& g) {
    const VecX d = delta(f);
    const VecX q = integrate(character_, q_[f], d);
    const Kinematics at = forward_kinematics(character_, q);
    Hf_ = MatX::Zero(n_, n_);
    gf_ = VecX::Zero(n_);
    add_pose(f, d, q);
    add_points(f, at, d);
    add_floor(f, at, d);
    add_legs(at, d);

    // Spread the frame's equations over the four control points that it depends on.
    const double u = static_cast<double>(f) * h_ / options_.knot_s;
    const int i = std::min(static_cast<int>(std::floor(u)), knots_ - 4);
    const auto b = basis(u - i);
    for (int r = 0; r < 4; ++r) {
      g[static_cast<size_t>(i + r)] += b[static_cast<size_t>(r)] * gf_;
      for (int c = 0; c <= r; ++c)
        H.block(i + r, r - c) += (b[static_cast<size_t>(r)] * b[static_cast<size_t>(c)]) * Hf_;
    }
  }

  // Joints stay near where they were, and within their limits.
  void add_pose(size_t f, const VecX& d, const VecX& q) {
    for (const Joint& joint : character_.joints) {
      if (column_[static_cast<size_t>(joint.v)] < 0) continue;
      Vec3 value = Vec3::Zero();
      if (joint.type == JointType::kBall)
        value = log_map(Quat(q[joint.q], q[joint.q + 1], q[joint.q + 2], q[joint.q + 3]));
      if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) value[0] = q[joint.q];
      for (int k = 0; k < joint.v_size(); ++k) {
        const int c = column_[static_cast<size_t>(joint.v + k)];
        const double w = 1 / std::pow(pose_sigma(f, joint, k), 2);
        Hf_(c, c) += w;
        gf_[c] += w * d[joint.v + k];
        cost_ += w * d[joint.v + k] * d[joint.v + k];
        if (!joint.limited || joint.type == JointType::kFree) continue;
        const double over = value[k] - std::clamp(value[k], joint.lower[k], joint.upper[k]);
        if (over == 0) continue;
        const double wl = 1 / std::pow(options_.limit_rad, 2);
        Hf_(c, c) += wl;
        gf_[c] += wl * over;
        cost_ += wl * over * over;
      }
    }
  }

  // Planted points keep their place; free ends of limbs are drawn to theirs.
  void add_points(size_t f, const Kinematics& at, const VecX& d) {
    std::array<bool, kPartCount> planted{};
    for (size_t k = 0; k < character_.contact_points.size(); ++k) {
      if (hold_[f][k] <= 0) continue;
      const ContactPoint& point = character_.contact_points[k];
      const Part part = character_.bodies[static_cast<size_t>(point.body)].part;
      planted[index(part == Part::kLeftToes    ? Part::kLeftFoot
                    : part == Part::kRightToes ? Part::kRightFoot
                                               : part)] = true;
      const Vec3 p_W = at.X_WB[static_cast<size_t>(point.body)] * point.p_BP;
      const Chain c = chain(at, d, point.body, p_W);
      const double sigma = (stands_[k] ? options_.plant_m : options_.hand_plant_m) / strictness_;
      add_rows(c.columns, c.J, Vec3(p_W - plants_.target[f][k]), hold_[f][k] * hold_[f][k] / (sigma * sigma));
    }
    for (const Part part : {Part::kLeftFoot, Part::kRightFoot, Part::kLeftHand, Part::kRightHand}) {
      const int body = character_.find(part);
      const Vec3& target = end_target_[f][index(part)];
      if (body < 0 || planted[index(part)] || !target.allFinite()) continue;
      const Vec3 p_W = at.X_WB[static_cast<size_t>(body)].p;
      const Chain c = chain(at, d, body, p_W);
      const double sigma =
          part == Part::kLeftFoot || part == Part::kRightFoot ? options_.foot_m : options_.hand_m;
      add_rows(c.columns, c.J, Vec3(p_W - target), 1 / (sigma * sigma));
    }
  }

  // The point of every shape that is deepest in the ground, or does not clear it, is lifted.
  void add_floor(size_t f, const Kinematics& at, const VecX& d) {
    const double sigma = options_.floor_m / strictness_;
    NearestPoint lowest{Vec3::Zero(), std::numeric_limits<double>::infinity()};
    int lowest_body = -1;
    for (const Shape& shape : character_.shapes) {
      if (!shape.collides) continue;
      const NearestPoint low =
          nearest_point(shape, at.X_WB[static_cast<size_t>(shape.body)], options_.ground);
      if (low.height_m < lowest.height_m) lowest = low, lowest_body = shape.body;
      const double under = low.height_m - clear_[f][static_cast<size_t>(shape.body)];
      if (under >= 0) continue;
      const Chain c = chain(at, d, shape.body, low.p_W);
      add_rows(c.columns, c.J.row(2), Eigen::Matrix<double, 1, 1>(under), 1 / (sigma * sigma));
    }

    // Where nothing touches and nobody flies, the lowest point comes down.
    if (!grounded_[f] || lowest_body < 0 || lowest.height_m <= 0) return;
    const Chain c = chain(at, d, lowest_body, lowest.p_W);
    add_rows(c.columns, c.J.row(2), Eigen::Matrix<double, 1, 1>(lowest.height_m),
             1 / (options_.gap_m * options_.gap_m));
  }

  // Legs that are too near each other part sideways.
  void add_legs(const Kinematics& at, const VecX& d) {
    const double sigma = options_.leg_apart_m / strictness_;
    for (const NearLegs& near : find_near_legs(character_, legs_, at.X_WB, options_.leg_room_m)) {
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n_);
      const auto add = [&](int body, const Vec3& p_W, const Vec3& direction) {
        const Chain c = chain(at, d, body, p_W);
        const Eigen::RowVectorXd J = direction.transpose() * c.J;
        for (size_t i = 0; i < c.columns.size(); ++i) row[c.columns[i]] += J[static_cast<long>(i)];
      };
      add(near.left, near.p_left, near.sideways);
      add(near.right, near.p_right, -near.sideways);
      std::vector<int> columns;
      for (int i = 0; i < n_; ++i)
        if (row[i] != 0) columns.push_back(i);
      add_rows(columns, Eigen::RowVectorXd(row(columns)), Eigen::Matrix<double, 1, 1>(-near.missing_m),
               1 / (sigma * sigma));
    }
  }

  const Character& character_;
  const std::vector<VecX> q_;  // a copy: the caller overwrites the motion with each solution
  const Plants& plants_;
  const std::vector<char>& grounded_;
  double h_;
  FootingOptions options_;
  std::vector<char> stands_;                 // per contact point: of a foot, not of a hand
  std::vector<std::array<size_t, 2>> legs_;  // shapes that could touch, where both are corrected
  int n_ = 0;                                // active coordinates
  std::vector<int> column_;  // per velocity coordinate: its place among the active ones, or -1
  int knots_ = 0;
  std::vector<VecX> control_;               // control points of the correction, active coordinates
  std::vector<std::vector<double>> hold_;   // [frame][contact point]: 0 free, 1 planted
  std::vector<PerPart<Vec3>> end_target_;   // [frame]: where free feet and hands belong, world
  std::vector<std::vector<double>> clear_;  // [frame][body]: height that it keeps, m
  double strictness_ = 0.04;
  double cost_ = 0;
  MatX Hf_;  // normal equations of one frame
  VecX gf_;
};

// Which bodies' joints are corrected, and whether in one problem: legs and arms are independent of each other
// unless hands bear load or more than the feet comes near the floor.
struct FreeBodies {
  bool together = false;
  std::vector<char> all, legs;
  std::array<std::vector<char>, 2> arms;
};

FreeBodies find_free_bodies(const Character& character, const std::vector<VecX>& q, const Plants& plants,
                            const GroundHeight& ground) {
  const size_t n = character.bodies.size();
  const auto chain_of = [&](std::initializer_list<Part> parts) {
    std::vector<char> bodies(n, 0);
    for (const Part part : parts)
      for (int b = character.find(part); b >= 0; b = character.bodies[static_cast<size_t>(b)].parent)
        bodies[static_cast<size_t>(b)] = 1;
    return bodies;
  };
  const auto without = [](std::vector<char> a, const std::vector<char>& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] && !b[i];
    return a;
  };
  FreeBodies free;
  free.legs = chain_of({Part::kLeftFoot, Part::kRightFoot, Part::kLeftToes, Part::kRightToes});
  const auto left = chain_of({Part::kLeftHand}), right = chain_of({Part::kRightHand});
  free.arms = {without(without(left, right), free.legs), without(without(right, left), free.legs)};
  const std::array<int, 2> clavicles = {character.find(Part::kLeftClavicle),
                                        character.find(Part::kRightClavicle)};

  // What sinks besides the legs, and hands on the floor, tie everything together.
  std::vector<char> sinks(n, 0);
  for (const VecX& x : q) {
    const std::vector<Pose> X_WB = body_poses(character, x);
    for (const Shape& shape : character.shapes)
      if (const auto b = static_cast<size_t>(shape.body);
          shape.collides && !sinks[b] && (b == 0 || !free.legs[b]))
        sinks[b] = nearest_point(shape, X_WB[b], ground).height_m < 0.02;
  }
  for (size_t k = 0; k < character.contact_points.size(); ++k)
    if (const auto b = static_cast<size_t>(character.contact_points[k].body); !free.legs[b])
      for (const auto& bears : plants.bears) sinks[b] = sinks[b] || bears[k];
  free.together = std::count(sinks.begin(), sinks.end(), char{1}) > 0;
  free.all.assign(n, 0);
  for (size_t i = 0; i < n; ++i) {
    if (!sinks[i] && !free.legs[i] && !free.arms[0][i] && !free.arms[1][i]) continue;
    for (int b = static_cast<int>(i); b >= 0; b = character.bodies[static_cast<size_t>(b)].parent)
      free.all[static_cast<size_t>(b)] = 1;
  }

  // Shoulder girdles stay as performed: they have no part in reaching the floor.
  for (const int clavicle : clavicles)
    if (clavicle >= 0)
      for (auto* bodies : {&free.all, &free.arms[0], &free.arms[1]})
        (*bodies)[static_cast<size_t>(clavicle)] = 0;
  return free;
}

// The last thousandths of a radian back within the joint limits.
void keep_limits(const Character& character, std::vector<VecX>& q) {
  for (const Joint& joint : character.joints) {
    if (!joint.limited || joint.type == JointType::kFree) continue;
    for (VecX& x : q) {
      if (joint.type != JointType::kBall) {
        x[joint.q] = std::clamp(x[joint.q], joint.lower[0], joint.upper[0]);
        continue;
      }
      const Vec3 r = log_map(Quat(x[joint.q], x[joint.q + 1], x[joint.q + 2], x[joint.q + 3]));
      const Vec3 bounded = r.cwiseMax(joint.lower).cwiseMin(joint.upper);
      if (bounded == r || (bounded - r).norm() > 0.1) continue;
      const Quat turn = exp_map(bounded);
      x.segment<4>(joint.q) << turn.w(), turn.x(), turn.y(), turn.z();
    }
  }
}

// Height of the nearest point of all colliding shapes above the ground.
double clearance(const Character& character, const VecX& q, const GroundHeight& ground) {
  const std::vector<Pose> X_WB = body_poses(character, q);
  double least = std::numeric_limits<double>::infinity();
  for (const Shape& shape : character.shapes)
    if (shape.collides)
      least = std::min(least, nearest_point(shape, X_WB[static_cast<size_t>(shape.body)], ground).height_m);
  return least;
}

// What little is still in the ground is lifted with the whole body, smoothly.
void lift_rest(const Character& character, std::vector<VecX>& q, double h, const GroundHeight& ground) {
  std::vector<double> lift(q.size(), 0.0);
  double most = 0;
  for (size_t f = 0; f < q.size(); ++f)
    most = std::max(most, lift[f] = std::max(0.0, -clearance(character, q[f], ground) - 0.003));
  if (most < 0.002) return;
  const long reach = std::lround(0.1 / h);
  std::vector<double> wide(q.size());
  for (long f = 0; f < static_cast<long>(q.size()); ++f)
    for (long k = std::max(0L, f - reach); k <= std::min(static_cast<long>(q.size()) - 1, f + reach); ++k)
      wide[static_cast<size_t>(f)] = std::max(wide[static_cast<size_t>(f)], lift[static_cast<size_t>(k)]);
  wide = smooth(wide, h, 4.0);
  for (size_t f = 0; f < q.size(); ++f) q[f][2] += std::max(0.0, wide[f]);
}

}  // namespace

std::vector<VecX> fit_footing(const Character& character, const std::vector<VecX>& q, Plants& plants,
                              const std::vector<PerPart<Vec3>>& end_offset, const std::vector<char>& grounded,
                              double frame_time_s, const FootingOptions& options) {
  const FreeBodies free = find_free_bodies(character, q, plants, options.ground);
  std::vector<VecX> out = q;
  const auto correct = [&](const std::vector<char>& bodies) {
    if (std::count(bodies.begin(), bodies.end(), char{1}) == 0) return;
    FootingProblem problem(character, out, plants, end_offset, grounded, frame_time_s, options, bodies);
    out = problem.solve(options.iterations);
    for (int attempt = 0; attempt < 2 && release_missed(character, out, frame_time_s, plants); ++attempt)
      out = problem.solve(3);
  };
  if (free.together) {
    correct(free.all);
  } else {
    correct(free.legs);
    for (const auto& arm : free.arms) correct(arm);
  }
  keep_limits(character, out);
  lift_rest(character, out, frame_time_s, options.ground);
  release_missed(character, out, frame_time_s, plants);
  return out;
}

}  // namespace sinew
