#include "sim/mujoco/mujoco_simulator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "core/error.h"
#include "sim/couplings.h"
#include "sim/engines.h"
#include "sim/mujoco/model_text.h"
#include "sim/touching.h"

namespace sinew {

namespace {

constexpr double kDefaultStep_s = 0.002;
// Beyond these no body goes: the state makes no sense any more.
constexpr double kFastest = 1e3;   // m/s, rad/s
constexpr double kFarthest = 1e5;  // m
// A servo that is this much over its limit, as a share of it, is weakened and the step solved again, so many
// times.
constexpr double kLimitSlack = 0.02;
constexpr int kMaxResolves = 6;
// What friction at most tries to slow down a sliding contact by, unless that takes less than this part of what
// the pressure lets it have.
constexpr double kSlidingStops_m_s2 = 50, kGrip = 0.9;
constexpr double kWaiting_m = 1000;  // height at which thrown balls wait
constexpr int kRoot = 6;             // coordinates of v that no servo moves

Vec3 vec3(const mjtNum* x) { return Vec3(x[0], x[1], x[2]); }
Quat quat(const mjtNum* x) { return Quat(x[0], x[1], x[2], x[3]); }
void put(const Vec3& v, mjtNum* x) { std::copy_n(v.data(), 3, x); }
void put(const Quat& q, mjtNum* x) { x[0] = q.w(), x[1] = q.x(), x[2] = q.y(), x[3] = q.z(); }

// A model to simulate. Steps too may meet errors.
MjModel compile(const std::string& text, const std::string& name) {
  try {
    keep_mujoco_quiet();
    return compile_mjcf_text(text);
  } catch (const std::runtime_error& e) {
    throw Error(name + " cannot be simulated by MuJoCo: " + e.what());
  }
}

}  // namespace

MujocoSimulator::MujocoSimulator(const Character& character, const World& world,
                                 const SimulatorOptions& options)
    : character_(character), world_(world), rough_(options.rough) {
  const double step_s = options.step_s > 0 ? options.step_s : kDefaultStep_s;
  model_ = compile(mujoco_model_text(character, world, step_s), character.name);
  data_.reset(mj_makeData(model_.get()));
  if (!data_) throw Error("there is not enough memory to simulate " + character.name);
  index_model();
  pairs_.emplace(*model_);
  inertia_.emplace(*model_);
  for (const Prop& prop : world.props) waiting_.push_back(prop.waiting);

  // MuJoCo's short cuts for bodies that never change would not see changed masses, sizes and servos.
  std::fill_n(model_->body_sameframe, model_->nbody, 0);
  std::fill_n(model_->geom_sameframe, model_->ngeom, 0);
  std::fill_n(model_->body_simple, model_->nbody, 0);
  std::fill_n(model_->dof_simplenum, model_->nv, 0);

  const auto nv = static_cast<size_t>(character_.nv());
  armature_ = share_ = torques_ = v_before_ = VecX::Zero(character_.nv());
  laws_.resize(nv);
  for (const Joint& joint : character_.joints)
    if (joint.type != JointType::kFree)
      armature_.segment(joint.v, joint.v_size()).setConstant(joint.armature);
  set_state(standing_state(character_, world_));
}

MujocoSimulator::MujocoSimulator(const MujocoSimulator& other)
    : Simulator(other),
      character_(other.character_),
      world_(other.world_),
      rough_(other.rough_),
      model_(mj_copyModel(nullptr, other.model_.get())),
      data_(mj_makeData(other.model_.get())),
      pairs_(other.pairs_),
      inertia_(other.inertia_),
      character_shape_(other.character_shape_),
      world_shape_(other.world_shape_),
      shape_geom_(other.shape_geom_),
      waiting_(other.waiting_),
      state_(other.state_),
      v_before_(other.v_before_),
      torques_(other.torques_),
      laws_(other.laws_),
      armature_(other.armature_),
      share_(other.share_),
      forces_(other.forces_),
      stepped_(other.stepped_),
      diverged_(other.diverged_),
      contacts_(other.contacts_),
      contacts_known_(other.contacts_known_) {
  if (!model_ || !data_) throw Error("there is not enough memory to simulate " + character_.name);
  mj_copyData(data_.get(), model_.get(), other.data_.get());
}

std::unique_ptr<Simulator> MujocoSimulator::clone() const { return std::make_unique<MujocoSimulator>(*this); }

void MujocoSimulator::index_model() {
  character_shape_.assign(static_cast<size_t>(model_->ngeom), -1);
  world_shape_ = character_shape_;
  shape_geom_.assign(character_.shapes.size(), -1);
  for (int g = 0; g < model_->ngeom; ++g) {
    const char* name = mj_id2name(model_.get(), mjOBJ_GEOM, g);
    const int index = std::stoi(name + 1);
    (name[0] == 'c' ? character_shape_ : world_shape_)[static_cast<size_t>(g)] = index;
    if (name[0] == 'c') shape_geom_[static_cast<size_t>(index)] = g;
  }
}

void MujocoSimulator::read_state() {
  state_.time_s = data_->time;
  state_.q = Eigen::Map<const VecX>(data_->qpos, character_.nq());
  state_.v = Eigen::Map<const VecX>(data_->qvel, character_.nv());
}

// There is nothing to tell of a step that did not happen.
void MujocoSimulator::forget_last_step() {
  stepped_ = false;
  diverged_ = false;
  contacts_.clear();
  contacts_known_ = true;
  torques_.setZero();
  forces_.clear();
}

void MujocoSimulator::set_state(const State& state) {
  check_state(character_, state);
  std::copy_n(state.q.data(), character_.nq(), data_->qpos);
  std::copy_n(state.v.data(), character_.nv(), data_->qvel);
  data_->time = state.time_s;
  mju_zero(data_->qacc_warmstart, model_->nv);
  forget_last_step();
  place_props();
  read_state();
}

// Props that go their own way or wait are put where they belong before every step.
void MujocoSimulator::place_props() {
  for (size_t p = 0; p < world_.props.size(); ++p) {
    const Prop& prop = world_.props[p];
    const int body = prop_body(p);
    mjtNum* applied = data_->xfrc_applied + 6 * static_cast<ptrdiff_t>(body);
    if (waiting_[p]) {
      const int joint = model_->body_jntadr[body];
      // High above everything, where no ground reaches.
      put(Vec3(0, 0, kWaiting_m + 10 * static_cast<double>(p)), data_->qpos + model_->jnt_qposadr[joint]);
      put(prop.X_WP.q, data_->qpos + model_->jnt_qposadr[joint] + 3);
      std::fill_n(data_->qvel + model_->jnt_dofadr[joint], 6, 0.0);
      put(Vec3(-prop.mass_kg * world_.gravity), applied);
    } else if (prop.drive == Drive::kMoved) {
      // The force that makes it do just that, whatever it carries.
      const double h = step_s();
      const PropState now = scheduled(prop, data_->time), next = scheduled(prop, data_->time + h);
      const int joint = model_->body_jntadr[body];
      put(now.X_WP.p, data_->qpos + model_->jnt_qposadr[joint]);
      put(now.X_WP.q, data_->qpos + model_->jnt_qposadr[joint] + 3);
      put(now.v_WP, data_->qvel + model_->jnt_dofadr[joint]);
      std::fill_n(data_->qvel + model_->jnt_dofadr[joint] + 3, 3, 0.0);
      put(Vec3(model_->body_mass[body] * ((next.v_WP - now.v_WP) / h - world_.gravity)), applied);
    } else {
      std::fill_n(applied, 6, 0.0);
    }
  }
}

// Forces on bodies, once it is known where they are.
void MujocoSimulator::apply_forces(const std::vector<ExternalForce>& forces) {
  for (const ExternalForce& force : forces) {
    const ptrdiff_t body = force.body + 1;
    const Vec3 torque = force.torque_W + (force.p_W - vec3(data_->xipos + 3 * body)).cross(force.force_W);
    for (int k = 0; k < 3; ++k) {
      data_->xfrc_applied[6 * body + k] += force.force_W[k];
      data_->xfrc_applied[6 * body + 3 + k] += torque[k];
    }
  }
}

// Springs and chains, once it is known how the bodies move.
void MujocoSimulator::apply_couplings() {
  couplings_.clear();
  if (character_.springs.empty() && character_.chains.empty()) return;
  const auto motion_of = [this](int body) {
    std::array<mjtNum, 6> turn_and_move{};
    mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, body + 1, turn_and_move.data(), 0);
    const auto at = static_cast<ptrdiff_t>(body) + 1;
    return BodyMotion{{vec3(data_->xpos + 3 * at), quat(data_->xquat + 4 * at)},
                      vec3(turn_and_move.data() + 3),
                      vec3(turn_and_move.data())};
  };
  add_coupling_forces(character_, state_, motion_of, couplings_);
  apply_forces(couplings_);
}

// One axis as MuJoCo takes it: what is proportional to the velocity at the end of the step is inertia. Of the
// servo's law a share acts, 1 unless it is at its limit.
void MujocoSimulator::set_axis(int i, double share) {
  const AxisLaw& law = laws_[static_cast<size_t>(i)];
  const double damping = law.passive_damping + share * law.servo_damping;
  share_[i] = share;
  model_->dof_armature[i] = armature_[i] + step_s() * damping;
  data_->qfrc_applied[i] = law.passive_drive + share * law.servo_drive - damping * data_->qvel[i];
}

// The same once the inertia matrix is made.
void MujocoSimulator::change_axis(int i, double share) {
  const double before = model_->dof_armature[i];
  set_axis(i, share);
  data_->qM[model_->dof_Madr[i]] += model_->dof_armature[i] - before;
}

// The torque that a servo's law asks for at the end of the step, as it was solved last.
double MujocoSimulator::wanted(int i) const {
  const AxisLaw& law = laws_[static_cast<size_t>(i)];
  return law.servo_drive - law.servo_damping * (data_->qvel[i] + step_s() * data_->qacc[i]);
}

void MujocoSimulator::apply_servos(const Command& command) {
  servo_laws(character_, state_, command, step_s(), laws_);
  for (int i = kRoot; i < character_.nv(); ++i) {
    // Whether it will be at its limit is guessed from the last step's acceleration.
    const AxisLaw& law = laws_[static_cast<size_t>(i)];
    const double v1 = data_->qvel[i] + step_s() * data_->qacc_warmstart[i];
    const double torque = std::abs(law.servo_drive - law.servo_damping * v1);
    set_axis(i, torque > command.limit[i] ? command.limit[i] / torque : 1);
  }

  // Props on hinges have springs and dampers too.
  for (size_t p = 0; p < world_.props.size(); ++p) {
    const Prop& prop = world_.props[p];
    if (prop.drive != Drive::kHinge) continue;
    const int joint = model_->body_jntadr[prop_body(p)];
    const int dof = model_->jnt_dofadr[joint];
    const double damping = prop.damping + step_s() * prop.stiffness;
    model_->dof_armature[dof] = step_s() * damping;
    data_->qfrc_applied[dof] =
        -prop.stiffness * data_->qpos[model_->jnt_qposadr[joint]] - damping * data_->qvel[dof];
  }
}

// Weakens servos that are over their limit, and strengthens those that were weakened too much, so that at the
// end of the step they are at it. A weakened servo keeps its damping in proportion and so stays stable, which
// one that is simply held at its limit does not. Says whether there was any.
bool MujocoSimulator::weaken(const Command& command) {
  bool changed = false;
  for (int i = kRoot; i < character_.nv(); ++i) {
    const double limit = command.limit[i], torque = std::abs(wanted(i));
    const double over = share_[i] * torque - limit;
    const bool wrong = over > kLimitSlack * limit || (share_[i] < 1 && over < -kLimitSlack * limit);
    if (!wrong) continue;
    change_axis(i, torque > limit ? limit / torque : 1);
    changed = true;
  }
  return changed;
}

// Holds servos that are still a little over their limit exactly there. Says whether there was any.
bool MujocoSimulator::hold(const Command& command) {
  bool changed = false;
  for (int i = kRoot; i < character_.nv(); ++i) {
    const double torque = share_[i] * wanted(i);
    if (!(std::abs(torque) > command.limit[i])) continue;
    AxisLaw& law = laws_[static_cast<size_t>(i)];
    law.servo_drive = std::copysign(command.limit[i], torque);
    law.servo_damping = 0;
    change_axis(i, 1);
    changed = true;
  }
  return changed;
}

// mj_fwdPosition without what the model has not, and with only those pairs that may touch.
void MujocoSimulator::position() {
  mjModel* m = model_.get();
  mjData* d = data_.get();
  mj_kinematics(m, d);
  mj_comPos(m, d);
  inertia_->make(*m, *d);
  inertia_->factor(*m, *d);
  const int all = m->npair;
  m->npair = pairs_->apply(*m, *d);
  mj_collision(m, d);
  m->npair = all;
  mj_makeConstraint(m, d);
  inertia_->project(*m, *d);
}

// mj_fwdVelocity without what the model has not.
void MujocoSimulator::velocity() {
  mj_comVel(model_.get(), data_.get());
  mj_referenceConstraint(model_.get(), data_.get());
  mj_rne(model_.get(), data_.get(), 0, data_->qfrc_bias);
}

// Friction asks to stop what slides at once. The faster it slides, the more of what cannot be had sideways
// MuJoCo's convex friction pays in the normal direction: boxes that slide hop. So no contact asks for more
// than its limit.
void MujocoSimulator::ease_sliding() {
  slides_.clear();
  for (int i = 0; i < data_->ncon; ++i) {
    const int row = data_->contact[i].efc_address;
    if (row < 0) continue;
    Eigen::Map<Eigen::Vector2d> wanted_m_s2(data_->efc_aref + row + 1);
    if (wanted_m_s2.norm() <= kSlidingStops_m_s2) continue;
    slides_.push_back({i, row, wanted_m_s2});
    wanted_m_s2 *= kSlidingStops_m_s2 / wanted_m_s2.norm();
  }
}

// Where what slides is pressed hard enough for more, as a light foot under a body, its friction may ask for
// what all contacts between the two bodies can have. True: something changed.
bool MujocoSimulator::let_grip() {
  const auto bodies = [&](const Slide& slide) {
    const mjContact& touch = data_->contact[slide.contact];
    return std::pair(model_->geom_bodyid[touch.geom1], model_->geom_bodyid[touch.geom2]);
  };
  bool more = false;
  for (const Slide& slide : slides_) {
    double used_N = 0, most_N = 0;
    for (const Slide& other : slides_) {
      if (bodies(other) != bodies(slide)) continue;
      const mjtNum* force_N = data_->efc_force + other.row;
      used_N += std::hypot(force_N[1], force_N[2]);
      most_N += data_->contact[other.contact].friction[0] * force_N[0];
    }
    if (used_N >= kGrip * most_N) continue;
    const double share =
        kSlidingStops_m_s2 * kGrip * most_N / std::max(used_N, 1e-9) / slide.wanted_m_s2.norm();
    Eigen::Map<Eigen::Vector2d>(data_->efc_aref + slide.row + 1) = std::min(share, 1.0) * slide.wanted_m_s2;
    more = true;
  }
  return more;
}

void MujocoSimulator::solve() {
  mj_fwdAcceleration(model_.get(), data_.get());
  mj_fwdConstraint(model_.get(), data_.get());
}

// The same with servos that changed.
void MujocoSimulator::solve_again() {
  inertia_->factor(*model_, *data_);
  inertia_->project(*model_, *data_);
  solve();
}

// All that would come out of the step can be computed with.
bool MujocoSimulator::finite() const {
  const double h = step_s();
  for (int i = 0; i < model_->nv; ++i) {
    const double v1 = data_->qvel[i] + h * data_->qacc[i];
    if (!(std::abs(v1) < kFastest)) return false;
  }
  for (int i = 0; i < model_->nq; ++i)
    if (!(std::abs(data_->qpos[i]) < kFarthest)) return false;
  return true;
}

StepStatus MujocoSimulator::step(const Command& command) {
  check_command(character_, command);
  if (diverged_) return StepStatus::kDiverged;
  mjModel* m = model_.get();
  mjData* d = data_.get();
  place_props();
  apply_servos(command);

  // One step of MuJoCo in its parts, so that it never resets itself and servos can be held at their limits.
  try {
    position();
    apply_forces(forces_);
    velocity();
    apply_couplings();
    ease_sliding();
    solve();
    if (let_grip()) mj_fwdConstraint(m, d);
    for (int i = 0; i < (rough_ ? 1 : kMaxResolves) && weaken(command); ++i) solve_again();
    while (!rough_ && hold(command)) solve_again();
  } catch (const std::runtime_error&) {
    // It was stopped amid its work: neither its stack nor its pairs are as they were.
    d->pstack = 0;
    m->npair = pairs_->count();
    diverged_ = true;
  }
  if (diverged_ || !finite()) {
    mju_zero(d->xfrc_applied, 6 * m->nbody);
    forget_last_step();
    diverged_ = true;
    return StepStatus::kDiverged;
  }

  // The torques that acted; the state moves on.
  v_before_ = state_.v;
  for (int i = kRoot; i < character_.nv(); ++i) torques_[i] = share_[i] * wanted(i);
  mju_copy(d->qacc_warmstart, d->qacc, m->nv);
  mj_Euler(m, d);
  if (!forces_.empty() || !couplings_.empty()) mju_zero(d->xfrc_applied, 6 * m->nbody);
  forces_.clear();
  stepped_ = true;
  contacts_known_ = false;
  read_state();
  return StepStatus::kOk;
}

std::span<const Contact> MujocoSimulator::contacts() const {
  if (contacts_known_) return contacts_;
  contacts_known_ = true;
  contacts_.clear();
  for (int i = 0; i < data_->ncon; ++i) {
    const mjContact& touch = data_->contact[i];
    const auto a = static_cast<size_t>(touch.geom1), b = static_cast<size_t>(touch.geom2);
    if (touch.efc_address < 0 || (character_shape_[a] < 0 && character_shape_[b] < 0)) continue;

    // The frame's first axis leads from the first geom to the second, on which the force acts.
    std::array<mjtNum, 6> force{};
    mj_contactForce(model_.get(), data_.get(), i, force.data());
    const Mat3 R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(touch.frame).transpose();
    const bool second = character_shape_[b] >= 0;
    const size_t mine = second ? b : a, other = second ? a : b;
    Contact contact;
    contact.shape = character_shape_[mine];
    contact.body = character_.shapes[static_cast<size_t>(contact.shape)].body;
    contact.other_shape = character_shape_[other];
    contact.world_shape = world_shape_[other];
    contact.p_W = vec3(touch.pos);
    contact.normal_W = (second ? 1.0 : -1.0) * R.col(0);
    contact.force_W = (second ? 1.0 : -1.0) * (R * vec3(force.data()));
    contact.depth_m = -touch.dist;
    contacts_.push_back(contact);
  }
  return contacts_;
}

// The root's rows of M a + c, where a is how the velocities changed: total force in the world, and torque
// about the root's origin in its axes. Positions and biases in the data are still those of the beginning of
// the step.
Momentum MujocoSimulator::momentum_rate() const {
  if (!stepped_) return {};
  VecX a = VecX::Zero(model_->nv), f(model_->nv);
  a.head(character_.nv()) = (state_.v - v_before_) / step_s();
  mj_mulM(model_.get(), data_.get(), f.data(), a.data());
  f += Eigen::Map<const VecX>(data_->qfrc_bias, model_->nv);
  const Vec3 p_root = vec3(data_->xpos + 3), p_com = vec3(data_->subtree_com + 3);
  const Vec3 weight = character_.mass_kg() * world_.gravity;
  Momentum rate;
  rate.linear = f.head<3>() + weight;
  rate.angular =
      quat(data_->xquat + 4) * Vec3(f.segment<3>(3)) + p_root.cross(Vec3(f.head<3>())) + p_com.cross(weight);
  return rate;
}

PropState MujocoSimulator::prop(int index) const {
  if (waiting_[static_cast<size_t>(index)]) return {world_.props[static_cast<size_t>(index)].X_WP, {}, {}};
  const int joint = model_->body_jntadr[prop_body(static_cast<size_t>(index))];
  const mjtNum* q = data_->qpos + model_->jnt_qposadr[joint];
  const mjtNum* v = data_->qvel + model_->jnt_dofadr[joint];
  PropState out;
  if (model_->jnt_type[joint] == mjJNT_FREE) {
    out.X_WP = {vec3(q), quat(q + 3)};
    out.v_WP = vec3(v);
    out.w_WP = out.X_WP.q * vec3(v + 3);
    return out;
  }
  // Turned about its anchor, which stays where it is.
  const Prop& prop = world_.props[static_cast<size_t>(index)];
  out.X_WP.q = prop.X_WP.q * exp_map(prop.axis_P * q[0]);
  const Vec3 anchor = prop.X_WP * prop.p_PJ;
  out.X_WP.p = anchor - out.X_WP.q * prop.p_PJ;
  out.w_WP = v[0] * (out.X_WP.q * prop.axis_P);
  out.v_WP = out.w_WP.cross(out.X_WP.p - anchor);
  return out;
}

void MujocoSimulator::set_prop(int index, const PropState& state) {
  const int joint = model_->body_jntadr[prop_body(static_cast<size_t>(index))];
  mjtNum* q = data_->qpos + model_->jnt_qposadr[joint];
  mjtNum* v = data_->qvel + model_->jnt_dofadr[joint];
  waiting_[static_cast<size_t>(index)] = 0;
  if (model_->jnt_type[joint] == mjJNT_FREE) {
    put(state.X_WP.p, q);
    put(state.X_WP.q, q + 3);
    put(state.v_WP, v);
    put(Vec3(state.X_WP.q.conjugate() * state.w_WP), v + 3);
    return;
  }
  const Prop& prop = world_.props[static_cast<size_t>(index)];
  q[0] = swing_twist(prop.X_WP.q.conjugate() * state.X_WP.q, prop.axis_P).twist_angle;
  v[0] = state.w_WP.dot(state.X_WP.q * prop.axis_P);
}

void MujocoSimulator::save(Snapshot& into) const {
  const auto nq = static_cast<size_t>(model_->nq), nv = static_cast<size_t>(model_->nv);
  into.resize(2 + nq + 2 * nv + waiting_.size());
  double* at = into.data();
  *at++ = data_->time;
  *at++ = diverged_ ? 1 : 0;
  at = std::copy_n(data_->qpos, nq, at);
  at = std::copy_n(data_->qvel, nv, at);
  at = std::copy_n(data_->qacc_warmstart, nv, at);
  std::copy(waiting_.begin(), waiting_.end(), at);
}

void MujocoSimulator::restore(const Snapshot& from) {
  const auto nq = static_cast<size_t>(model_->nq), nv = static_cast<size_t>(model_->nv);
  if (from.size() != 2 + nq + 2 * nv + waiting_.size())
    throw Error("a snapshot of another simulator cannot be restored");
  const double* at = from.data();
  forget_last_step();
  data_->time = *at++;
  diverged_ = *at++ != 0;
  std::copy_n(at, nq, data_->qpos), at += nq;
  std::copy_n(at, nv, data_->qvel), at += nv;
  std::copy_n(at, nv, data_->qacc_warmstart), at += nv;
  for (char& waits : waiting_) waits = *at++ != 0;
  read_state();
}

void MujocoSimulator::reshape(const Character& character) {
  check_same_topology(character_, character);
  mjModel& m = *model_;
  for (size_t b = 0; b < character.bodies.size(); ++b) {
    const Body& body = character.bodies[b];
    const auto i = static_cast<ptrdiff_t>(b) + 1;

    // How readily contacts move a body is a constant of the model: it goes with the mass.
    if (m.body_mass[i] > 0 && body.mass_kg > 0) m.body_invweight0[2 * i] *= m.body_mass[i] / body.mass_kg;
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(body.I_C);
    Mat3 axes = principal.eigenvectors();
    if (axes.determinant() < 0) axes.col(0) *= -1;
    m.body_mass[i] = body.mass_kg;
    put(Vec3(principal.eigenvalues()), m.body_inertia + 3 * i);
    put(body.p_BC, m.body_ipos + 3 * i);
    put(Quat(axes), m.body_iquat + 4 * i);
    put(body.X_PB.p, m.body_pos + 3 * i);
    put(body.X_PB.q, m.body_quat + 4 * i);
  }
  for (int b = m.nbody - 1; b >= 0; --b) m.body_subtreemass[b] = m.body_mass[b];
  for (int b = m.nbody - 1; b > 0; --b) m.body_subtreemass[m.body_parentid[b]] += m.body_subtreemass[b];
  for (size_t j = 0; j < character.joints.size(); ++j) {
    const Joint& joint = character.joints[j];
    const auto i = static_cast<ptrdiff_t>(j);
    if (joint.type == JointType::kFree) continue;
    put(joint.p_BJ, m.jnt_pos + 3 * i);
    armature_.segment(joint.v, joint.v_size()).setConstant(joint.armature);
    if (joint.type == JointType::kBall) continue;
    put(joint.axis_B, m.jnt_axis + 3 * i);
    m.jnt_limited[i] = joint.limited;
    m.jnt_range[2 * i] = joint.lower[0];
    m.jnt_range[2 * i + 1] = joint.upper[0];
  }
  for (size_t s = 0; s < character.shapes.size(); ++s) {
    const Shape& shape = character.shapes[s];
    const ptrdiff_t g = shape_geom_[s];
    if (g < 0 || shape.type == ShapeType::kMesh) continue;
    put(shape.size, m.geom_size + 3 * g);
    put(shape.X_BS.p, m.geom_pos + 3 * g);
    put(shape.X_BS.q, m.geom_quat + 4 * g);
    m.geom_rbound[g] = bounding_radius(shape);
  }
  pairs_->measure(m);
  character_ = character;
}

std::unique_ptr<Simulator> make_mujoco(const Character& character, const World& world,
                                       const SimulatorOptions& options) {
  return std::make_unique<MujocoSimulator>(character, world, options);
}

}  // namespace sinew
