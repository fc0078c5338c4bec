#include "control/cyclist.h"

#include <algorithm>
#include <cmath>

#include "character/reach.h"
#include "character/rider.h"
#include "character/scaling.h"
#include "character/transfer.h"
#include "core/error.h"

namespace sinew {

namespace {

constexpr double kGravity = 9.81;
// Of the man, whose numbers RideParameters are.
constexpr double kManMass_kg = 75.2, kManLeg_m = 0.75;
// The gains are made for speeds up to this, so far apart.
constexpr double kSpeedStep_m_s = 0.5, kFastest_m_s = 12, kSlowest_m_s = 1;
constexpr double kMostSteering = 0.6;  // rad
constexpr double kAhead_s = 1.6, kAheadStep_s = 0.05;
constexpr int kCrankSamples = 64, kBarSamples = 29;
constexpr double kBarReach = 0.7;  // rad, to either side

// What share of a limb's stiffness a joint of this body has.
double share_of(Part part) {
  switch (part) {
    case Part::kLeftLowerArm:
    case Part::kRightLowerArm:
      return 0.6;
    case Part::kLeftHand:
    case Part::kRightHand:
      return 0.3;
    case Part::kLeftToes:
    case Part::kRightToes:
      return 0.3;
    case Part::kHead:
    case Part::kNeck:
      return 0.06;
    default:
      return 1;
  }
}

bool is_arm(Part part) { return part >= Part::kLeftClavicle && part <= Part::kRightHand; }
bool is_leg(Part part) { return part >= Part::kLeftThigh; }

const Body& body(const Character& c, int index) { return c.bodies[static_cast<size_t>(index)]; }

// The direction of a body's own left, and where it goes along the ground.
Vec3 left_of(const Pose& X_WB) { return X_WB.q * Vec3::UnitY(); }
Vec3 forward_of(const Pose& X_WB) { return left_of(X_WB).cross(Vec3::UnitZ()).normalized(); }

double radius_of(const Character& c, int body) {
  for (const Shape& shape : c.shapes)
    if (shape.body == body && shape.collides) return shape.size[0];
  return 0;
}

// Gains of the regulator that costs x' Q x + r u^2 on x' = A x + B u: value iteration at 100 Hz, to rest.
Eigen::Matrix<double, 1, 5> regulator(const Eigen::Matrix<double, 5, 5>& A,
                                      const Eigen::Matrix<double, 5, 1>& B,
                                      const Eigen::Matrix<double, 5, 1>& cost) {
  constexpr double kStep_s = 0.01;
  constexpr int kIterations = 4000;
  using Square = Eigen::Matrix<double, 5, 5>;
  const Square I = Square::Identity();
  const Square F = I + kStep_s * A * (I + 0.5 * kStep_s * A);
  const Eigen::Matrix<double, 5, 1> G = kStep_s * (I + 0.5 * kStep_s * A) * B;
  Square P = cost.asDiagonal();
  Eigen::Matrix<double, 1, 5> K = Eigen::Matrix<double, 1, 5>::Zero();
  for (int i = 0; i < kIterations; ++i) {
    const Eigen::Matrix<double, 1, 5> GP = G.transpose() * P;
    K = GP * F / (kStep_s + GP * G);
    P = (F.transpose() * P * (F - G * K)).eval();
    P += kStep_s * Square(cost.asDiagonal());
    P = (0.5 * (P + P.transpose())).eval();
  }
  return K;
}

}  // namespace

Cyclist::Cyclist(const Character& mounted, const Course& course, const RideParameters& parameters)
    : character_(mounted),
      course_(course),
      parameters_(parameters),
      steer_(joint(kSteering)),
      front_wheel_(joint(kFrontWheel)),
      rear_wheel_(joint(kRearWheel)),
      cranks_(joint(kCranks)),
      posture_(rest_command(mounted)) {
  if (character_.chains.empty()) throw Error(character_.name + " has no chain to ride with");
  gear_ = character_.chains.front().ratio;
  measure_model();
  make_gains();
  make_limbs();
}

int Cyclist::joint(const char* name) const {
  const int j = find_joint(character_, name);
  if (j < 0) throw Error(character_.name + " is no rider on a bicycle: there is no joint " + name);
  return j;
}

// ---- what it knows of the bicycle

void Cyclist::measure_model() {
  const std::vector<Pose> X_WB = body_poses(character_, character_.q_rest);
  const auto hub = [&](int joint) {
    return X_WB[static_cast<size_t>(character_.joints[static_cast<size_t>(joint)].body)].p;
  };
  const Joint& steer = character_.joints[static_cast<size_t>(steer_)];
  rear_radius_m_ = radius_of(character_, character_.joints[static_cast<size_t>(rear_wheel_)].body);
  front_radius_m_ = radius_of(character_, character_.joints[static_cast<size_t>(front_wheel_)].body);
  wheel_base_m_ = (hub(front_wheel_) - hub(rear_wheel_)).x();
  head_cos_ = steer.axis_B.normalized().z();

  // Sums over all bodies about the line of the wheels on the ground, from where the rear one touches it.
  const Vec3 from(hub(rear_wheel_).x(), 0, 0);
  double mh = 0, xx = 0, xz = 0;
  for (size_t b = 0; b < character_.bodies.size(); ++b) {
    const Body& link = character_.bodies[b];
    const Vec3 c = X_WB[b] * link.p_BC - from;
    const Mat3 R = X_WB[b].q.toRotationMatrix();
    const Mat3 I = R * link.I_C * R.transpose();
    mh += link.mass_kg * c.z();
    xx += I(0, 0) + link.mass_kg * (c.y() * c.y() + c.z() * c.z());
    xz += -I(0, 2) + link.mass_kg * c.x() * c.z();
  }
  fall_rate_ = std::sqrt(kGravity * mh / xx);
  push_ = mh / xx;
  push_rate_ = xz / xx;
}

// One regulator a speed: offset e' = V heading, heading' = (V / w) d, roll as above, d' = (u - d) / lag.
void Cyclist::make_gains() {
  const double w = wheel_base_m_, lag = parameters_.steering_lag_s;
  Errors cost;
  cost << parameters_.offset_cost, parameters_.heading_cost, parameters_.roll_cost,
      parameters_.roll_rate_cost, parameters_.steering_cost;
  for (double v = 0; v <= kFastest_m_s; v += kSpeedStep_m_s) {
    const double V = std::max(v, kSlowest_m_s);
    Eigen::Matrix<double, 5, 5> A = Eigen::Matrix<double, 5, 5>::Zero();
    Errors B = Errors::Zero();
    A(0, 1) = V;
    A(1, 4) = V / w;
    A(2, 3) = 1;
    A(3, 2) = fall_rate_ * fall_rate_;
    A(3, 4) = push_ * V * V / w - push_rate_ * V / (w * lag);
    B[3] = push_rate_ * V / (w * lag);
    A(4, 4) = -1 / lag;
    B[4] = 1 / lag;
    gains_.push_back(regulator(A, B, cost));
  }
}

Cyclist::Gains Cyclist::gains_at(double speed_m_s) const {
  const double u = std::clamp(speed_m_s / kSpeedStep_m_s, 0.0, static_cast<double>(gains_.size()) - 1.001);
  const auto i = static_cast<size_t>(u);
  const double share = u - static_cast<double>(i);
  return (1 - share) * gains_[i] + share * gains_[i + 1];
}

// ---- limbs

Cyclist::Limb Cyclist::make_limb(const char* spring, Part above, bool of_cranks) const {
  Limb limb;
  while (limb.spring < character_.springs.size() && character_.springs[limb.spring].name != spring)
    ++limb.spring;
  if (limb.spring == character_.springs.size())
    throw Error(character_.name + " is no rider on a bicycle: there is no spring " + spring);
  limb.joints = joints_between(character_, character_.springs[limb.spring].body_a, character_.find(above));
  limb.cyclic = of_cranks;
  limb.first = of_cranks ? 0 : -kBarReach;
  limb.spacing = of_cranks ? 2 * kPi / kCrankSamples : 2 * kBarReach / (kBarSamples - 1);
  return limb;
}

// What the joints of all limbs do as cranks and bars turn.
void Cyclist::make_limbs() {
  left_arm_ = make_limb(kLeftGrip, Part::kThorax, false);
  right_arm_ = make_limb(kRightGrip, Part::kThorax, false);
  left_leg_ = make_limb(kLeftPedal, Part::kPelvis, true);
  right_leg_ = make_limb(kRightPedal, Part::kPelvis, true);
  const auto take = [&](Limb& limb, const VecX& q) {
    VecX angles(static_cast<Eigen::Index>(limb.joints.size()));
    for (Eigen::Index k = 0; k < angles.size(); ++k)
      angles[k] = q[character_.joints[static_cast<size_t>(limb.joints[static_cast<size_t>(k)])].q];
    limb.angles.push_back(angles);
  };
  for (int i = 0; i < std::max(kCrankSamples, kBarSamples); ++i) {
    const double crank = left_leg_.first + i * left_leg_.spacing;
    const double bars = std::min(left_arm_.first + i * left_arm_.spacing, kBarReach);
    VecX q = character_.q_rest;
    seat(character_, crank, bars, q);
    if (i < kCrankSamples) take(left_leg_, q), take(right_leg_, q);
    if (i < kBarSamples) take(left_arm_, q), take(right_arm_, q);
  }

  // Stiffness goes with M L and damping with M L^1.5 (Figure 6, I as M L^2).
  double mass = 0;
  for (const Body& link : character_.bodies)
    if (link.part != Part::kNone) mass += link.mass_kg;
  const double M = mass / kManMass_kg, L = leg_length(character_) / kManLeg_m;
  const double torque = M * L, damping = M * std::pow(L, 1.5);
  posture_.kp.setZero();
  posture_.kd.setZero();
  posture_.torque.setZero();
  for (const Joint& j : character_.joints) {
    if (j.type == JointType::kFree) continue;
    const Part part = body(character_, j.body).part;

    // Nothing drives the bicycle.
    if (part == Part::kNone) {
      posture_.limit.segment(j.v, j.v_size()).setZero();
      continue;
    }
    const double kp = is_arm(part)   ? parameters_.arm_stiffness
                      : is_leg(part) ? parameters_.leg_stiffness
                                     : parameters_.trunk_stiffness;
    const double kd = is_arm(part)   ? parameters_.arm_damping
                      : is_leg(part) ? parameters_.leg_damping
                                     : parameters_.trunk_damping;
    posture_.kp.segment(j.v, j.v_size()).setConstant(torque * kp * share_of(part));
    posture_.kd.segment(j.v, j.v_size()).setConstant(damping * kd * share_of(part));
  }
  parameters_.bars_stiffness *= torque;
  parameters_.bars_damping *= damping;
  parameters_.speed_gain *= torque / std::sqrt(L);
  parameters_.most_crank_Nm *= torque;
}

Cyclist::Sample Cyclist::sample(const Limb& limb, double angle) {
  const auto n = static_cast<int>(limb.angles.size());
  double u = (angle - limb.first) / limb.spacing;
  if (!limb.cyclic) u = std::clamp(u, 0.0, n - 1.001);
  const double floor = std::floor(u), share = u - floor;
  const auto at = [&](double i) -> const VecX& {
    const int k = static_cast<int>(std::fmod(i, n));
    return limb.angles[static_cast<size_t>(k < 0 ? k + n : k)];
  };
  const VecX &a = at(floor), &b = at(floor + 1);
  return {a + share * (b - a), (b - a) / limb.spacing};
}

// The limb goes along with what its end holds.
void Cyclist::move_limb(const Limb& limb, double angle, double rate, Command& command) const {
  const Sample there = sample(limb, angle);
  for (Eigen::Index k = 0; k < there.angles.size(); ++k) {
    const Joint& j = character_.joints[static_cast<size_t>(limb.joints[static_cast<size_t>(k)])];
    command.q_target[j.q] = there.angles[k];
    command.v_target[j.v] = rate * there.rates[k];
  }
}

// Joint torques of the limb that press its end with a force.
void Cyclist::push(const Limb& limb, const Kinematics& at, const Vec3& force_W, Command& command) const {
  const PointSpring& spring = character_.springs[limb.spring];
  const Vec3 p = at.X_WB[static_cast<size_t>(spring.body_a)] * spring.p_AP;
  const Eigen::Matrix3Xd J = point_jacobian(character_, at, spring.body_a, p);
  for (const int index : limb.joints) {
    const Joint& j = character_.joints[static_cast<size_t>(index)];
    command.torque[j.v] += J.col(j.v).dot(force_W);
  }
}

// ---- riding

State Cyclist::start(const State& standing, double speed_m_s) const {
  State state = standing;
  state.v = VecX::Zero(character_.nv());
  const auto v_of = [&](int joint) -> double& {
    return state.v[character_.joints[static_cast<size_t>(joint)].v];
  };
  state.v[0] = speed_m_s;
  v_of(front_wheel_) = speed_m_s / front_radius_m_;
  v_of(rear_wheel_) = speed_m_s / rear_radius_m_;
  v_of(cranks_) = v_of(rear_wheel_) / gear_;

  // The legs move with the cranks.
  for (const Limb* leg : {&left_leg_, &right_leg_}) {
    const Sample there = sample(*leg, state.q[character_.joints[static_cast<size_t>(cranks_)].q]);
    for (size_t k = 0; k < leg->joints.size(); ++k)
      v_of(leg->joints[k]) = v_of(cranks_) * there.rates[static_cast<Eigen::Index>(k)];
  }

  // The rear wheel stands where the course begins.
  const Vec3 rear = rear_contact(character_, body_poses(character_, state.q));
  state.q[0] -= rear.x();
  state.q[1] -= rear.y();
  return state;
}

// The roll with which the course ahead can be ridden without falling: the one solution of the model above
// that stays bounded, from so far ahead that the rest does not matter.
void Cyclist::plan(const Observation& now) {
  const std::vector<Pose> X_WB = body_poses(character_, now.state.q);
  const double V = std::max(Vec3(now.state.v.head<3>()).dot(forward_of(X_WB[0])), kSlowest_m_s);
  s_ = course_.nearest(rear_contact(character_, X_WB), s_);
  roll_ahead_ = roll_rate_ahead_ = 0;
  for (double t = -kAhead_s; t < kAhead_s; t += kAheadStep_s) {
    const double s0 = s_ + V * t, s1 = s0 + V * kAheadStep_s;
    const double k0 = course_.at(s0).curvature, k1 = course_.at(s1).curvature;
    const double push = push_ * V * V * 0.5 * (k0 + k1) + push_rate_ * V * (k1 - k0) / kAheadStep_s;
    const double middle = t + 0.5 * kAheadStep_s;
    const double weight = std::exp(-fall_rate_ * std::abs(middle)) * kAheadStep_s * push;
    roll_ahead_ -= weight / (2 * fall_rate_);
    roll_rate_ahead_ -= 0.5 * (middle > 0 ? weight : -weight);
  }
  roll_ahead_ = std::atan(roll_ahead_);
}

// The angle that the bars shall have.
double Cyclist::steering(const State& state, const std::vector<Pose>& X_WB, double speed_m_s) const {
  const Vec3 forward = forward_of(X_WB[0]), rear = rear_contact(character_, X_WB);
  const double s = course_.nearest(rear, s_);
  const Course::Place here = course_.at(s);
  const double roll = std::asin(std::clamp(left_of(X_WB[0]).z(), -1.0, 1.0));
  const double to_ground = head_cos_ / std::max(std::cos(roll), 0.5);
  const double steer = state.q[character_.joints[static_cast<size_t>(steer_)].q];
  const Vec3 w_W = X_WB[0].q * Vec3(state.v.segment<3>(3));
  const double turned = std::atan2(forward.y(), forward.x()) - here.heading;
  Errors errors;
  errors << course_.offset(rear, s), std::remainder(turned, 2 * kPi), roll - roll_ahead_,
      w_W.dot(forward) - roll_rate_ahead_, steer * to_ground - wheel_base_m_ * here.curvature;
  const double ahead = course_.at(s + speed_m_s * parameters_.steering_lag_s).curvature;
  const double asked = wheel_base_m_ * ahead - gains_at(speed_m_s) * errors;
  return std::clamp(asked / to_ground, -kMostSteering, kMostSteering);
}

void Cyclist::act(const Observation& now, Command& command) {
  const State& state = now.state;
  const Kinematics at = forward_kinematics(character_, state.q);
  const auto q_of = [&](int joint) { return state.q[character_.joints[static_cast<size_t>(joint)].q]; };
  const auto v_of = [&](int joint) { return state.v[character_.joints[static_cast<size_t>(joint)].v]; };
  const double speed = Vec3(state.v.head<3>()).dot(forward_of(at.X_WB[0]));
  command = posture_;

  // The arms go along with the bars, and turn them: both hands push along their way around the axis.
  const double asked = steering(state, at.X_WB, speed);
  const double bars =
      parameters_.bars_stiffness * (asked - q_of(steer_)) - parameters_.bars_damping * v_of(steer_);
  const auto j = static_cast<size_t>(steer_);
  const Vec3 axis = at.q_WJ[j] * character_.joints[j].axis_B;
  for (const Limb* arm : {&left_arm_, &right_arm_}) {
    const PointSpring& spring = character_.springs[arm->spring];
    const Vec3 way = axis.cross(at.X_WB[static_cast<size_t>(spring.body_b)] * spring.p_BQ - at.p_WJ[j]);
    move_limb(*arm, q_of(steer_), v_of(steer_), command);
    push(*arm, at, 0.5 * bars / way.squaredNorm() * way, command);
  }

  // The legs go along with the cranks. To go faster the one whose pedal is ahead presses it down, to slow
  // down the one whose pedal comes up behind: as the square of a sine, which is 1/2 in the mean.
  const double wanted = course_.at(s_).speed_m_s;
  const double crank = std::clamp(parameters_.speed_gain * (wanted - speed), -parameters_.most_crank_Nm,
                                  parameters_.most_crank_Nm);
  const double left_ahead = -std::sin(q_of(cranks_));
  for (const Limb* leg : {&left_leg_, &right_leg_}) {
    const double ahead = leg == &left_leg_ ? left_ahead : -left_ahead;
    const double length_m = std::abs(character_.springs[leg->spring].p_BQ.z());
    const double down_N = 2 * std::abs(crank) / length_m * std::max(0.0, crank > 0 ? ahead : -ahead);
    move_limb(*leg, q_of(cranks_), v_of(cranks_), command);
    push(*leg, at, at.X_WB[0].q * Vec3(0, 0, -down_N), command);
  }
}

void Cyclist::save(std::vector<double>& into) const { into = {s_, roll_ahead_, roll_rate_ahead_}; }

void Cyclist::restore(const std::vector<double>& from) {
  s_ = from[0];
  roll_ahead_ = from[1];
  roll_rate_ahead_ = from[2];
}

}  // namespace sinew
