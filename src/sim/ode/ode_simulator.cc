#include "sim/ode/ode_simulator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/error.h"
#include "sim/couplings.h"
#include "sim/engines.h"

namespace sinew::ode {

namespace {

constexpr double kDefaultStep_s = 0.001;
// A servo that used this share of its limit is told the limit in the next step.
constexpr double kNearLimit = 0.8;
// After so many tries every servo is told.
constexpr int kMostTries = 6;

// A number that changes with any length that the poses of bodies depend on (FNV-1a over the bits).
double key_of(const Character& character) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto mix = [&](const auto& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i)
      hash = (hash ^ std::bit_cast<std::uint64_t>(values.data()[i])) * 1099511628211ULL;
  };
  for (const Body& body : character.bodies) mix(body.X_PB.p), mix(body.X_PB.q.coeffs()), mix(body.p_BC);
  for (const Joint& joint : character.joints) mix(joint.p_BJ), mix(joint.axis_B);
  return static_cast<double>(hash >> 12);
}

bool finite(const ExternalForce& force) {
  return force.force_W.allFinite() && force.p_W.allFinite() && force.torque_W.allFinite();
}

}  // namespace

OdeSimulator::OdeSimulator(const Character& character, const World& world, const SimulatorOptions& options)
    : character_(character),
      world_(world),
      step_s_(options.step_s > 0 ? options.step_s : kDefaultStep_s),
      self_(self_pairs(character)),
      model_(std::make_unique<Model>(character, world, self_)),
      shape_key_(key_of(character)) {
  set_state(standing_state(character_, world_));
}

OdeSimulator::OdeSimulator(const OdeSimulator& other)
    : Simulator(other),
      character_(other.character_),
      world_(other.world_),
      step_s_(other.step_s_),
      self_(other.self_),
      model_(std::make_unique<Model>(other.character_, other.world_, other.self_)),
      shape_key_(other.shape_key_) {
  set_state(other.state_);
  Snapshot now;
  other.save(now);
  restore(now);
  forces_ = other.forces_;
  contacts_ = other.contacts_;
  torques_ = other.torques_;
  momentum_rate_ = other.momentum_rate_;
}

std::unique_ptr<Simulator> OdeSimulator::clone() const { return std::make_unique<OdeSimulator>(*this); }

// There is nothing to tell of a step that did not happen.
void OdeSimulator::forget_last_step() {
  forces_.clear();
  contacts_.clear();
  torques_ = warm_torques_ = VecX::Zero(character_.nv());
  momentum_rate_ = {};
  diverged_ = false;
}

void OdeSimulator::set_state(const State& state) {
  check_state(character_, state);
  forget_last_step();
  state_ = state;
  model_->place(character_, state.q, state.v);
  model_->props().follow(state.time_s, 0);
}

bool OdeSimulator::sane(const Command& command) const {
  for (const ExternalForce& force : forces_)
    if (!finite(force)) return false;
  return command.q_target.allFinite() && command.v_target.allFinite() && command.kp.allFinite() &&
         command.kd.allFinite() && command.torque.allFinite() && !command.limit.hasNaN();
}

StepStatus OdeSimulator::step(const Command& command) {
  check_command(character_, command);
  if (diverged_) return StepStatus::kDiverged;
  init();

  save(last_good_);
  if (sane(command) && advance(command)) return StepStatus::kOk;
  restore(last_good_);
  diverged_ = true;
  return StepStatus::kDiverged;
}

// Rows without limits are much cheaper to solve, and few servos come near theirs: gives ODE only the limits
// that these torques came near. False if they broke one that it was not given.
bool OdeSimulator::ease(const Command& command, const VecX& torques) {
  bool kept = true;
  for (Eigen::Index i = 0; i < torques.size(); ++i) {
    const double size = std::abs(torques[i]), limit = command.limit[i];
    if (size > limit && eased_.limit[i] > limit) kept = false;
    eased_.limit[i] = size > kNearLimit * limit ? limit : std::numeric_limits<double>::infinity();
  }
  return kept;
}

// Lets ODE make the step; false if nothing sensible came out. Bodies and torques are then after it.
bool OdeSimulator::solve(const Command& command, bool again) {
  bool done = false;
  try {
    prepare(command, again);
    done = model_->ode().step(step_s_);
  } catch (const Failure&) {
    done = false;
  }
  model_->collider().collect(model_->ode(), contacts_);
  if (!done || !model_->sensible()) return false;
  torques_.setZero();
  for (const auto& joint : model_->joints()) joint->collect(torques_);
  return torques_.allFinite();
}

// One step; false if nothing sensible came out.
bool OdeSimulator::advance(const Command& command) {
  eased_ = command;
  ease(command, warm_torques_);
  bool good = solve(eased_, false);
  for (int again = 0; again < kMostTries && good; ++again) {
    const bool torques_kept = ease(command, torques_), friction_kept = model_->collider().within_cones();
    if (torques_kept && friction_kept) break;
    if (again == kMostTries - 1) eased_.limit = command.limit;
    load_links(last_good_);
    good = solve(eased_, true);
  }
  forces_.clear();
  if (!good) return false;
  torques_ = torques_.cwiseMin(command.limit).cwiseMax(-command.limit);
  warm_torques_ = torques_;

  measure_momentum();
  model_->measure(step_s_, state_);
  model_->props().measure(step_s_);
  state_.time_s += step_s_;
  return state_.q.allFinite() && state_.v.allFinite();
}

// All that acts in the step: contacts, servos, forces from outside, turning inertias.
void OdeSimulator::prepare(const Command& command, bool again) {
  model_->props().follow(state_.time_s, step_s_);
  if (again)
    model_->collider().prepare_again(model_->ode(), step_s_);
  else
    model_->collider().prepare(model_->ode(), step_s_);
  for (const auto& joint : model_->joints()) joint->prepare(step_s_, state_.q, state_.v, command);
  model_->props().prepare(step_s_);
  for (const ExternalForce& force : all_forces()) {
    const dBodyID body = model_->link_of(force.body).id();
    dBodyAddForceAtPos(body, force.force_W.x(), force.force_W.y(), force.force_W.z(), force.p_W.x(),
                       force.p_W.y(), force.p_W.z());
    dBodyAddTorque(body, force.torque_W.x(), force.torque_W.y(), force.torque_W.z());
  }
  remember_momentum();
}

// Forces from outside, and those of the character's own springs and chains.
std::vector<ExternalForce> OdeSimulator::all_forces() const {
  std::vector<ExternalForce> forces = forces_;
  if (character_.springs.empty() && character_.chains.empty()) return forces;
  const std::vector<Pose> X_WB = body_poses(character_, state_.q);
  const auto motion_of = [&](int body) {
    const RigidBody& link = model_->link_of(body);
    const Pose& X = X_WB[static_cast<size_t>(body)];
    return BodyMotion{X, link.velocity_at(X.p), link.w()};
  };
  add_coupling_forces(character_, state_, motion_of, forces);
  return forces;
}

void OdeSimulator::remember_momentum() {
  before_.clear();
  for (const RigidBody& link : model_->links()) {
    const Vec3 gyroscopic = link.gyroscopic_torque(step_s_);
    dBodyAddTorque(link.id(), gyroscopic.x(), gyroscopic.y(), gyroscopic.z());
    before_.push_back({link.centre(), link.v_centre(), link.w(), gyroscopic, link.inertia_W()});
  }
}

// Newton's and Euler's equations of all links, from their velocities before and after: m dv/dt, and
// I dw/dt less what the turning of the inertia takes, about the world's origin.
void OdeSimulator::measure_momentum() {
  momentum_rate_ = {};
  for (size_t i = 0; i < before_.size(); ++i) {
    const RigidBody& link = model_->links()[i];
    const Before& then = before_[i];
    const Vec3 force = link.mass().mass_kg * (link.v_centre() - then.v) / step_s_;
    momentum_rate_.linear += force;
    momentum_rate_.angular += then.p.cross(force) + then.I * (link.w() - then.w) / step_s_ - then.gyroscopic;
  }
}

size_t OdeSimulator::snapshot_size() const {
  return 3 + model_->links().size() * RigidBody::kDoubles + static_cast<size_t>(model_->props().doubles()) +
         static_cast<size_t>(state_.q.size() + 2 * state_.v.size());
}

void OdeSimulator::save(Snapshot& into) const {
  const Eigen::Index q = state_.q.size(), v = state_.v.size();
  into.resize(snapshot_size());
  double* at = into.data();
  *at++ = state_.time_s;
  *at++ = diverged_ ? 1 : 0;
  *at++ = shape_key_;
  for (const RigidBody& link : model_->links()) link.save(at), at += RigidBody::kDoubles;
  at = model_->props().save(at);
  at = std::copy_n(state_.q.data(), q, at);
  at = std::copy_n(state_.v.data(), v, at);
  std::copy_n(warm_torques_.data(), v, at);
}

// The bodies of a snapshot of the same character; returns what follows them in it.
const double* OdeSimulator::load_links(const Snapshot& from) {
  const double* at = from.data() + 3;
  for (RigidBody& link : model_->links()) link.load(at), at += RigidBody::kDoubles;
  return model_->props().load(at);
}

void OdeSimulator::restore(const Snapshot& from) {
  if (from.size() != snapshot_size()) throw Error("a snapshot of another simulator cannot be restored");
  forget_last_step();
  state_.time_s = from[0];
  diverged_ = from[1] != 0;
  if (model_->ode().broken()) model_ = std::make_unique<Model>(character_, world_, self_);
  const double* at = load_links(from);
  std::copy_n(at, state_.q.size(), state_.q.data()), at += state_.q.size();
  std::copy_n(at, state_.v.size(), state_.v.data()), at += state_.v.size();
  std::copy_n(at, warm_torques_.size(), warm_torques_.data());

  // Poses of a body of other measures do not fit: its coordinates do.
  if (from[2] != shape_key_) model_->place(character_, state_.q, state_.v);
}

void OdeSimulator::reshape(const Character& character) {
  check_same_topology(character_, character);
  auto model = std::make_unique<Model>(character, world_, self_);
  std::vector<double> props(static_cast<size_t>(model_->props().doubles()));
  model_->props().save(props.data());
  model->props().load(props.data());
  model->place(character, state_.q, state_.v);
  model_ = std::move(model);
  character_ = character;
  shape_key_ = key_of(character);
}

}  // namespace sinew::ode

namespace sinew {

std::unique_ptr<Simulator> make_ode(const Character& character, const World& world,
                                    const SimulatorOptions& options) {
  return std::make_unique<ode::OdeSimulator>(character, world, options);
}

}  // namespace sinew
