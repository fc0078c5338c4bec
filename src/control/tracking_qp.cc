#include "control/tracking_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr int kRoot = 6;   // coordinates that no joint moves
constexpr int kEdges = 4;  // of a friction cone

// Turning counts as the speed of a point this far away, m: about half a foot.
constexpr double kReach_m = 0.1;
// Contacts of a foot that are as good as in one point or line give no row for turning about it.
constexpr double kSamePlace = 1e-4;
// A no-slip row that others leave less freedom than this share of the freest follows from them.
constexpr double kDependent = 1e-6;
// What a force costs, as a share of the accelerations that it alone would make: enough to choose among equal
// solutions.
constexpr double kForceCost = 1e-9;
// Where no-slip contradicts cones and limits, a row that slips costs as so many accelerations.
constexpr double kSlipCost = 1e3;

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Mat36 = Eigen::Matrix<double, 3, 6>;

Mat3 skew(const Vec3& r) {
  Mat3 out;
  out << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return out;
}

// The velocity of a point at r from a foot's middle, from the rows that the foot has in J.
Mat36 point_of(const Vec3& r) {
  Mat36 P;
  P << -skew(r) / kReach_m, Mat3::Identity();
  return P;
}

// The edges of a friction pyramid inside the cone, each of normal component 1.
Eigen::Matrix<double, 3, kEdges> cone_edges(const Vec3& normal, double friction) {
  const Vec3 beside = std::abs(normal.x()) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 t1 = normal.cross(beside).normalized(), t2 = normal.cross(t1);
  Eigen::Matrix<double, 3, kEdges> V;
  V << normal + friction * t1, normal - friction * t1, normal + friction * t2, normal - friction * t2;
  return V;
}

// The independent ones among rows whose Gram matrix is K, by Cholesky with pivots; their order is by index.
std::vector<int> independent(MatX K) {
  std::vector<int> kept;
  const auto n = static_cast<int>(K.rows());
  double freest = 0;
  for (int step = 0; step < n; ++step) {
    int pivot = 0;
    const double left = K.diagonal().maxCoeff(&pivot);
    if (step == 0) freest = left;
    if (left <= kDependent * freest) break;
    kept.push_back(pivot);
    const VecX column = K.col(pivot) / std::sqrt(left);
    K.noalias() -= column * column.transpose();
    K.row(pivot).setZero();
    K.col(pivot).setZero();
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

struct TrackingQp::Foot {
  int body = 0;
  int contacts = 0;
  Vec3 middle = Vec3::Zero();  // of its contacts, in W
};

TrackingQp::TrackingQp(const RigidModel& model, VecX torque_limit, const TrackingQpOptions& options)
    : model_(model),
      limit_(std::move(torque_limit)),
      options_(options),
      jacobian_(3, model.nv()),
      torques_(VecX::Zero(model.nv())),
      accelerations_(VecX::Zero(model.nv())),
      torque_side_(static_cast<size_t>(model.nv() - kRoot), QpSide::kNone) {}

TrackingQp::~TrackingQp() = default;

void TrackingQp::set_up(std::span<const PlanContact> contacts, const VecX& a_desired) {
  contacts_.assign(contacts.begin(), contacts.end());
  find_feet();
  find_no_slip();
  find_responses();
  if (options_.form == QpForm::kReduced)
    set_up_reduced(a_desired);
  else
    set_up_full(a_desired);
}

// The bodies that touch, how they move, and what pushing along each cone edge does to them.
void TrackingQp::find_feet() {
  feet_.clear();
  std::stable_sort(contacts_.begin(), contacts_.end(),
                   [](const PlanContact& a, const PlanContact& b) { return a.body < b.body; });
  for (const PlanContact& contact : contacts_) {
    if (feet_.empty() || feet_.back().body != contact.body) feet_.push_back({.body = contact.body});
    ++feet_.back().contacts;
    feet_.back().middle += contact.p_W;
  }
  const auto n = static_cast<int>(contacts_.size()), rows = 6 * static_cast<int>(feet_.size());
  J_.resize(rows, model_.nv());
  edges_.resize(3, kEdges * n);
  to_J_.setZero(rows, kEdges * n);
  int c = 0;
  for (int f = 0; f < static_cast<int>(feet_.size()); ++f) {
    Foot& foot = feet_[static_cast<size_t>(f)];
    foot.middle /= foot.contacts;
    model_.turn_jacobian(foot.body, jacobian_);
    J_.middleRows<3>(6 * f) = kReach_m * jacobian_;
    model_.point_jacobian(foot.body, foot.middle, jacobian_);
    J_.middleRows<3>(6 * f + 3) = jacobian_;
    for (const int end = c + foot.contacts; c < end; ++c) {
      const PlanContact& contact = contacts_[static_cast<size_t>(c)];
      edges_.middleCols<kEdges>(kEdges * c) = cone_edges(contact.normal_W, options_.friction);
      to_J_.block<6, kEdges>(6 * f, kEdges * c) =
          point_of(contact.p_W - foot.middle).transpose() * edges_.middleCols<kEdges>(kEdges * c);
    }
  }
  WJ_.noalias() = model_.inverse_mass_matrix() * J_.transpose();
  forces_.noalias() = J_.transpose() * to_J_;
}

// Eq. 5. The points of one foot have no more than six accelerations among them, fewer where they lie in a
// line: an orthonormal basis of what they can do, in the sense of least squares where they cannot all rest.
void TrackingQp::find_no_slip() {
  const auto rows = static_cast<int>(J_.rows());
  MatX basis = MatX::Zero(rows, rows);
  VecX bias = VecX::Zero(rows);
  int found = 0, c = 0;
  for (int f = 0; f < static_cast<int>(feet_.size()); ++f) {
    const Foot& foot = feet_[static_cast<size_t>(f)];
    Mat6 gram = Mat6::Zero();
    Eigen::Matrix<double, 6, 1> pull = Eigen::Matrix<double, 6, 1>::Zero();
    for (const int end = c + foot.contacts; c < end; ++c) {
      const Vec3& p_W = contacts_[static_cast<size_t>(c)].p_W;
      const Mat36 P = point_of(p_W - foot.middle);
      const Vec3 own =
          model_.point_bias(foot.body, p_W) + options_.slip_damping * model_.point_velocity(foot.body, p_W);
      gram += P.transpose() * P;
      pull += P.transpose() * own;
    }
    const Eigen::SelfAdjointEigenSolver<Mat6> directions(gram);
    for (int k = 0; k < 6; ++k) {
      const double size = directions.eigenvalues()[k];
      if (size < kSamePlace) continue;
      basis.block<1, 6>(found, 6 * f) = std::sqrt(size) * directions.eigenvectors().col(k).transpose();
      bias[found++] = directions.eigenvectors().col(k).dot(pull) / std::sqrt(size);
    }
  }

  // Feet that the body's joints hold together cannot move each on its own.
  const MatX G = basis.topRows(found);
  const std::vector<int> kept = independent(G * (J_ * WJ_) * G.transpose());
  no_slip_rows_ = static_cast<int>(kept.size());
  slip_.resize(no_slip_rows_, rows);
  slip_bias_.resize(no_slip_rows_);
  for (int i = 0; i < no_slip_rows_; ++i) {
    slip_.row(i) = basis.row(kept[static_cast<size_t>(i)]);
    slip_bias_[i] = bias[kept[static_cast<size_t>(i)]];
  }
}

// What each torque and cone edge does, a = A x + a0, with every force in a unit of its own so that the
// columns of A have length 1: a wrist answers to a torque a million times as much as the trunk.
void TrackingQp::find_responses() {
  const MatX& W = model_.inverse_mass_matrix();
  const auto joints = model_.nv() - kRoot, lambdas = static_cast<int>(forces_.cols());
  a0_.noalias() = -W * model_.bias();
  A_.resize(model_.nv(), joints + lambdas);
  A_.leftCols(joints) = W.rightCols(joints);
  A_.rightCols(lambdas).noalias() = WJ_ * to_J_;
  unit_ = A_.colwise().norm().cwiseInverse().transpose();
  A_ *= unit_.asDiagonal();
}

// Minimise |A x + a0 - a_desired|, subject to no-slip rows in terms of x.
void TrackingQp::set_up_reduced(const VecX& a_desired) {
  const auto n = static_cast<int>(A_.cols());
  residual_ = a0_ - a_desired;

  // Eq. 7a.
  problem_.H.setZero(n, n);
  if (options_.metric == QpMetric::kMass) {
    MA_.noalias() = model_.mass_matrix() * A_;
    problem_.H.noalias() = A_.transpose() * MA_;
    problem_.g.noalias() = MA_.transpose() * residual_;
  } else {
    problem_.H.selfadjointView<Eigen::Lower>().rankUpdate(A_.transpose());
    problem_.H.triangularView<Eigen::StrictlyUpper>() = problem_.H.transpose();
    problem_.g.noalias() = A_.transpose() * residual_;
  }
  problem_.H.diagonal() *= 1 + kForceCost;

  // Eq. 7e, 7b and 7c.
  problem_.A.noalias() = slip_ * (J_ * A_);
  problem_.a_low = -slip_bias_ - slip_ * (J_ * a0_);
  bound(0);
}

// Eq. 7 with all that it names as variables: accelerations, forces of all coordinates, cone coefficients.
void TrackingQp::set_up_full(const VecX& a_desired) {
  const int nv = model_.nv(), joints = nv - kRoot;
  const auto lambdas = static_cast<int>(forces_.cols()), n = 2 * nv + lambdas;
  problem_.H.setZero(n, n);
  problem_.g.setZero(n);
  auto metric = problem_.H.topLeftCorner(nv, nv);
  if (options_.metric == QpMetric::kMass)
    metric = model_.mass_matrix();
  else
    metric.setIdentity();
  problem_.g.head(nv).noalias() = -metric * a_desired;
  problem_.H.diagonal().segment<kRoot>(nv).setOnes();
  for (int i = 0; i < joints + lambdas; ++i)
    problem_.H(nv + kRoot + i, nv + kRoot + i) = kForceCost * A_.col(i).dot(metric * A_.col(i));

  // The equations of motion, Eq. 7d, and no-slip, Eq. 7e.
  problem_.A.setZero(nv + no_slip_rows_, n);
  problem_.A.topLeftCorner(nv, nv) = model_.mass_matrix();
  problem_.A.block<kRoot, kRoot>(0, nv).diagonal().setConstant(-1);
  problem_.A.block(kRoot, nv + kRoot, joints, joints).diagonal() = -unit_.head(joints);
  problem_.A.topRightCorner(nv, lambdas) = -forces_ * unit_.tail(lambdas).asDiagonal();
  problem_.A.bottomLeftCorner(no_slip_rows_, nv).noalias() = slip_ * J_;
  problem_.a_low.resize(nv + no_slip_rows_);
  problem_.a_low << -model_.bias(), -slip_bias_;
  bound(nv + kRoot);
  problem_.x_low.segment<kRoot>(nv).setZero();
  problem_.x_high.segment<kRoot>(nv).setZero();
}

// Torques within limits, cones that push; all rows are equations, of which those of no-slip may give way.
void TrackingQp::bound(int first_torque) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto n = problem_.g.size();
  const int joints = model_.nv() - kRoot;
  problem_.x_low.setConstant(n, -kInfinity);
  problem_.x_high.setConstant(n, kInfinity);
  problem_.x_high.segment(first_torque, joints) = limit_.tail(joints).cwiseQuotient(unit_.head(joints));
  problem_.x_low.segment(first_torque, joints) = -problem_.x_high.segment(first_torque, joints);
  problem_.x_low.tail(forces_.cols()).setZero();
  problem_.a_high = problem_.a_low;
  problem_.soft.setZero(problem_.a_low.size());
  problem_.soft.tail(no_slip_rows_).setConstant(kSlipCost);
}

const QpSolution& TrackingQp::solve() {
  warm_start();
  const QpSolution& solution = solver_.solve(problem_);
  lambda_.setZero(forces_.cols());
  if (!solution.ok()) return solution;
  remember(solution);

  // Forces are the last variables in both forms.
  const auto joints = model_.nv() - kRoot;
  const auto x = solution.x();
  const VecX force = x.tail(unit_.size()).cwiseProduct(unit_);
  torques_.tail(joints) = force.head(joints);
  lambda_ = force.tail(forces_.cols());
  if (options_.form == QpForm::kReduced)
    accelerations_.noalias() = A_ * x + a0_;
  else
    accelerations_ = x.head(model_.nv());
  return solution;
}

Vec3 TrackingQp::contact_force(size_t contact) const {
  const auto first = kEdges * static_cast<int>(contact);
  return edges_.middleCols<kEdges>(first) * lambda_.segment<kEdges>(first);
}

// Torques at their limits are likely there again, and so are the edges of cones that pushed.
void TrackingQp::warm_start() {
  start_bounds_.assign(static_cast<size_t>(problem_.variables()), QpSide::kNone);
  start_rows_.assign(static_cast<size_t>(problem_.rows()), QpSide::kLower);
  auto at = start_bounds_.end() - unit_.size();
  at = std::copy(torque_side_.begin(), torque_side_.end(), at);
  for (const PlanContact& contact : contacts_) {
    const auto same = std::find_if(last_edges_.begin(), last_edges_.end(),
                                   [&](const Edge& edge) { return edge.id == contact.id; });
    if (same != last_edges_.end()) std::copy(same->side.begin(), same->side.end(), at);
    at += kEdges;
  }
  solver_.start_from(start_bounds_, start_rows_);
}

void TrackingQp::remember(const QpSolution& solution) {
  auto at = solution.active_bounds().end() - unit_.size();
  std::copy_n(at, torque_side_.size(), torque_side_.begin());
  at += static_cast<ptrdiff_t>(torque_side_.size());
  last_edges_.clear();
  for (const PlanContact& contact : contacts_) {
    last_edges_.push_back({.id = contact.id});
    std::copy_n(at, kEdges, last_edges_.back().side.begin());
    at += kEdges;
  }
}

void TrackingQp::save(std::vector<double>& into) const {
  into.insert(into.end(), torques_.begin(), torques_.end());
  into.insert(into.end(), accelerations_.begin(), accelerations_.end());
  for (const QpSide side : torque_side_) into.push_back(static_cast<double>(side));
  into.push_back(static_cast<double>(last_edges_.size()));
  for (const Edge& edge : last_edges_) {
    into.push_back(edge.id);
    for (const QpSide side : edge.side) into.push_back(static_cast<double>(side));
  }
}

const double* TrackingQp::restore(const double* from) {
  const auto side = [&] { return static_cast<QpSide>(static_cast<int>(*from++)); };
  for (double& torque : torques_) torque = *from++;
  for (double& acceleration : accelerations_) acceleration = *from++;
  for (QpSide& at : torque_side_) at = side();
  last_edges_.resize(static_cast<size_t>(*from++));
  for (Edge& edge : last_edges_) {
    edge.id = static_cast<int>(*from++);
    for (QpSide& at : edge.side) at = side();
  }
  return from;
}

}  // namespace sinew
