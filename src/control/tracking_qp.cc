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

// The independent ones among rows whose Gram matrix is K, by Cholesky with pivots; their order is by index. K
// is used up; `column` is of its size.
template <typename Square, typename Column>
void find_independent(Square K, Column column, std::vector<int>& kept) {
  kept.clear();
  double freest = 0;
  for (int step = 0; step < static_cast<int>(K.rows()); ++step) {
    int pivot = 0;
    const double left = K.diagonal().maxCoeff(&pivot);
    if (step == 0) freest = left;
    if (left <= kDependent * freest) break;
    kept.push_back(pivot);
    column = K.col(pivot) / std::sqrt(left);
    for (int i = 0; i < static_cast<int>(K.cols()); ++i) K.col(i) -= column[i] * column;
    K.row(pivot).setZero();
    K.col(pivot).setZero();
  }
  std::sort(kept.begin(), kept.end());
}

// What belongs to a key, made where there is none.
template <typename Key, typename Value, typename... Sizes>
Value* find_or_make(std::map<Key, std::unique_ptr<Value>>& all, const Key& key, Sizes... sizes) {
  const auto found = all.find(key);
  if (found != all.end()) return found->second.get();
  return all.emplace(key, std::make_unique<Value>(sizes...)).first->second.get();
}

}  // namespace

struct TrackingQp::Foot {
  int body = 0;
  int contacts = 0;
  Vec3 middle = Vec3::Zero();  // of its contacts, in W
};

struct TrackingQp::Grip {
  Grip(int feet, int contacts, int nv)
      : J(6 * feet, nv),
        WJ(nv, 6 * feet),
        forces(nv, kEdges * contacts),
        edges(3, kEdges * contacts),
        to_J(6 * feet, kEdges * contacts),
        A(nv, nv - kRoot + kEdges * contacts),
        MA(nv, nv - kRoot + kEdges * contacts),
        JA(6 * feet, nv - kRoot + kEdges * contacts),
        unit(nv - kRoot + kEdges * contacts),
        lambda(VecX::Zero(kEdges * contacts)),
        Ja0(6 * feet),
        basis(6 * feet, 6 * feet),
        basis_bias(6 * feet),
        product(6 * feet, 6 * feet),
        freedom(6 * feet, 6 * feet),
        gram(6 * feet, 6 * feet),
        column(6 * feet) {}

  MatX J;       // 6 rows a foot: turning, then its middle, by nv
  MatX WJ;      // M^-1 J'
  MatX forces;  // nv x 4 contacts: what each cone edge does to the coordinates, J' V
  MatX edges;   // 3 x 4 contacts: the cone edges V in W, of normal component 1
  MatX to_J;    // 6 feet x 4 contacts: the same as forces on J's rows
  MatX A, MA;   // accelerations that torques and cone edges make, and these times M
  MatX JA;      // and of J's rows
  VecX unit;    // of each torque (N m) and cone edge (N), as a variable
  VecX lambda;  // of the solution
  VecX Ja0;
  // No-slip rows in terms of J's, of which some may follow from others; what finds out.
  MatX basis;
  VecX basis_bias;
  MatX product, freedom, gram;
  VecX column;
};

struct TrackingQp::Stance {
  Stance(int rows, int feet, int variables, int all_rows)
      : slip(rows, 6 * feet), slip_bias(rows), problem(make_qp(variables, all_rows)) {
    problem.soft.setZero(all_rows);
  }

  MatX slip;  // rows x 6 feet: the independent no-slip rows in terms of J's
  VecX slip_bias;
  QpProblem problem;
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

const QpProblem& TrackingQp::problem() const { return now_->problem; }

// The bodies that touch, how they move, and what pushing along each cone edge does to them.
void TrackingQp::find_feet() {
  // Body by body, else in the order given.
  const auto before = [](const PlanContact& a, const PlanContact& b) { return a.body < b.body; };
  for (auto it = contacts_.begin(); it != contacts_.end(); ++it)
    std::rotate(std::upper_bound(contacts_.begin(), it, *it, before), it, it + 1);
  feet_.clear();
  for (const PlanContact& contact : contacts_) {
    if (feet_.empty() || feet_.back().body != contact.body) feet_.push_back({.body = contact.body});
    ++feet_.back().contacts;
    feet_.back().middle += contact.p_W;
  }
  const auto n = static_cast<int>(contacts_.size()), feet = static_cast<int>(feet_.size());
  grip_ = find_or_make(grips_, {feet, n}, feet, n, model_.nv());
  Grip& g = *grip_;
  g.to_J.setZero();
  int c = 0;
  for (int f = 0; f < feet; ++f) {
    Foot& foot = feet_[static_cast<size_t>(f)];
    foot.middle /= foot.contacts;
    model_.turn_jacobian(foot.body, jacobian_);
    g.J.middleRows<3>(6 * f) = kReach_m * jacobian_;
    model_.point_jacobian(foot.body, foot.middle, jacobian_);
    g.J.middleRows<3>(6 * f + 3) = jacobian_;
    for (const int end = c + foot.contacts; c < end; ++c) {
      const PlanContact& contact = contacts_[static_cast<size_t>(c)];
      g.edges.middleCols<kEdges>(kEdges * c) = cone_edges(contact.normal_W, options_.friction);
      g.to_J.block<6, kEdges>(6 * f, kEdges * c) =
          point_of(contact.p_W - foot.middle).transpose() * g.edges.middleCols<kEdges>(kEdges * c);
    }
  }
  g.WJ.noalias() = model_.inverse_mass_matrix() * g.J.transpose();
  g.forces.noalias() = g.J.transpose() * g.to_J;
}

// Eq. 5. The points of one foot have no more than six accelerations among them, fewer where they lie in a
// line: an orthonormal basis of what they can do, in the sense of least squares where they cannot all rest.
void TrackingQp::find_no_slip() {
  Grip& g = *grip_;
  g.basis.setZero();
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
      g.basis.block<1, 6>(found, 6 * f) = std::sqrt(size) * directions.eigenvectors().col(k).transpose();
      g.basis_bias[found++] = directions.eigenvectors().col(k).dot(pull) / std::sqrt(size);
    }
  }

  // Feet that the body's joints hold together cannot move each on its own.
  const auto basis = g.basis.topRows(found);
  g.freedom.noalias() = g.J * g.WJ;
  g.product.topRows(found).noalias() = basis * g.freedom;
  g.gram.topLeftCorner(found, found).noalias() = g.product.topRows(found) * basis.transpose();
  find_independent(g.gram.topLeftCorner(found, found), g.column.head(found), kept_);
  const int rows = no_slip_rows(), feet = static_cast<int>(feet_.size());
  const auto contacts = static_cast<int>(contacts_.size());
  const bool full = options_.form == QpForm::kFull;
  now_ = find_or_make(stances_, {feet, contacts, rows}, rows, feet,
                      kEdges * contacts + (full ? 2 * model_.nv() : model_.nv() - kRoot),
                      rows + (full ? model_.nv() : 0));
  for (int i = 0; i < rows; ++i) {
    now_->slip.row(i) = g.basis.row(kept_[static_cast<size_t>(i)]);
    now_->slip_bias[i] = g.basis_bias[kept_[static_cast<size_t>(i)]];
  }
}

// What each torque and cone edge does, a = A x + a0, with every force in a unit of its own so that the
// columns of A have length 1: a wrist answers to a torque a million times as much as the trunk.
void TrackingQp::find_responses() {
  Grip& g = *grip_;
  const MatX& W = model_.inverse_mass_matrix();
  const auto joints = model_.nv() - kRoot;
  a0_.noalias() = -W * model_.bias();
  g.A.leftCols(joints) = W.rightCols(joints);
  g.A.rightCols(g.forces.cols()).noalias() = g.WJ * g.to_J;
  g.unit = g.A.colwise().norm().cwiseInverse().transpose();
  for (int i = 0; i < static_cast<int>(g.A.cols()); ++i) g.A.col(i) *= g.unit[i];
}

// Minimise |A x + a0 - a_desired|, subject to no-slip rows in terms of x.
void TrackingQp::set_up_reduced(const VecX& a_desired) {
  Grip& g = *grip_;
  QpProblem& problem = now_->problem;
  residual_ = a0_ - a_desired;

  // Eq. 7a.
  if (options_.metric == QpMetric::kInertiaMatrix) {
    g.MA.noalias() = model_.mass_matrix() * g.A;
    problem.H.noalias() = g.A.transpose() * g.MA;
    problem.g.noalias() = g.MA.transpose() * residual_;
  } else {
    problem.H.setZero();
    problem.H.selfadjointView<Eigen::Lower>().rankUpdate(g.A.transpose());
    problem.H.triangularView<Eigen::StrictlyUpper>() = problem.H.transpose();
    problem.g.noalias() = g.A.transpose() * residual_;
  }
  problem.H.diagonal() *= 1 + kForceCost;

  // Eq. 7e, 7b and 7c.
  g.JA.noalias() = g.J * g.A;
  problem.A.noalias() = now_->slip * g.JA;
  g.Ja0.noalias() = g.J * a0_;
  problem.a_low = -now_->slip_bias;
  problem.a_low.noalias() -= now_->slip * g.Ja0;
  bound(0);
}

// Eq. 7 with all that it names as variables: accelerations, forces of all coordinates, cone coefficients.
void TrackingQp::set_up_full(const VecX& a_desired) {
  Grip& g = *grip_;
  QpProblem& problem = now_->problem;
  const int nv = model_.nv(), joints = nv - kRoot;
  const auto lambdas = static_cast<int>(g.forces.cols());
  problem.H.setZero();
  problem.g.setZero();
  auto metric = problem.H.topLeftCorner(nv, nv);
  if (options_.metric == QpMetric::kInertiaMatrix)
    metric = model_.mass_matrix();
  else
    metric.setIdentity();
  problem.g.head(nv).noalias() = -metric * a_desired;
  problem.H.diagonal().segment<kRoot>(nv).setOnes();
  g.MA.noalias() = metric * g.A;
  for (int i = 0; i < joints + lambdas; ++i)
    problem.H(nv + kRoot + i, nv + kRoot + i) = kForceCost * g.A.col(i).dot(g.MA.col(i));

  // The equations of motion, Eq. 7d, and no-slip, Eq. 7e.
  problem.A.setZero();
  problem.A.topLeftCorner(nv, nv) = model_.mass_matrix();
  problem.A.block<kRoot, kRoot>(0, nv).diagonal().setConstant(-1);
  problem.A.block(kRoot, nv + kRoot, joints, joints).diagonal() = -g.unit.head(joints);
  for (int i = 0; i < lambdas; ++i)
    problem.A.col(2 * nv + i).head(nv) = -g.unit[joints + i] * g.forces.col(i);
  problem.A.bottomLeftCorner(no_slip_rows(), nv).noalias() = now_->slip * g.J;
  problem.a_low.head(nv) = -model_.bias();
  problem.a_low.tail(no_slip_rows()) = -now_->slip_bias;
  bound(nv + kRoot);
  problem.x_low.segment<kRoot>(nv).setZero();
  problem.x_high.segment<kRoot>(nv).setZero();
}

// Torques within limits, cones that push; all rows are equations, of which those of no-slip may give way.
void TrackingQp::bound(int first_torque) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  QpProblem& problem = now_->problem;
  const int joints = model_.nv() - kRoot;
  problem.x_low.setConstant(-kInfinity);
  problem.x_high.setConstant(kInfinity);
  problem.x_high.segment(first_torque, joints) = limit_.tail(joints).cwiseQuotient(grip_->unit.head(joints));
  problem.x_low.segment(first_torque, joints) = -problem.x_high.segment(first_torque, joints);
  problem.x_low.tail(grip_->forces.cols()).setZero();
  problem.a_high = problem.a_low;
  problem.soft.tail(no_slip_rows()).setConstant(kSlipCost);
}

const QpSolution& TrackingQp::solve() {
  warm_start();
  Grip& g = *grip_;
  const QpSolution& solution = solver_.solve(now_->problem);
  g.lambda.setZero();
  if (!solution.ok()) return solution;
  remember(solution);

  // Forces are the last variables in both forms.
  const auto joints = model_.nv() - kRoot;
  const auto x = solution.x();
  torques_.tail(joints) = x.tail(g.unit.size()).head(joints).cwiseProduct(g.unit.head(joints));
  g.lambda = x.tail(g.lambda.size()).cwiseProduct(g.unit.tail(g.lambda.size()));
  if (options_.form == QpForm::kReduced) {
    accelerations_ = a0_;
    accelerations_.noalias() += g.A * x;
  } else {
    accelerations_ = x.head(model_.nv());
  }
  return solution;
}

Vec3 TrackingQp::contact_force(size_t contact) const {
  const auto first = kEdges * static_cast<int>(contact);
  return grip_->edges.middleCols<kEdges>(first) * grip_->lambda.segment<kEdges>(first);
}

// Torques at their limits are likely there again, and so are the edges of cones that pushed.
void TrackingQp::warm_start() {
  start_bounds_.assign(static_cast<size_t>(problem().variables()), QpSide::kNone);
  start_rows_.assign(static_cast<size_t>(problem().rows()), QpSide::kLower);
  auto at = start_bounds_.end() - grip_->unit.size();
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
  auto at = solution.active_bounds().end() - grip_->unit.size();
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
