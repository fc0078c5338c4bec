#include "studio/performer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "control/mcsim.h"
#include "control/open_loop.h"
#include "control/runner.h"
#include "control/servo_tracker.h"
#include "core/error.h"
#include "record/metrics.h"
#include "search/preview.h"
#include "sim/engines.h"

namespace sinew::studio {

namespace {

// A hand's spring for each kilogram of the character, and the most that it pulls.
constexpr double kGripStiffness = 12, kGripDamping = 1.6, kGripMost_N = 900;
// So many pushes act at once.
constexpr size_t kMostShoves = 8;
// One that turns into another and back takes so long for a way, and stays so long.
constexpr double kWay_s = 7, kStay_s = 3;
// A body changes every so many steps of the simulator.
constexpr long kChangeSteps = 4;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::unique_ptr<Controller> make_method(const Casting& casting, int threads, double& plan_hz) {
  const Role& role = casting.role;
  if (role.method == Method::kPreview) {
    PreviewOptions options;
    options.start_s = casting.start_s;
    options.full_torque_rad /= role.gain;
    options.executor = on_threads(threads);
    auto preview =
        std::make_unique<PreviewTracker>(casting.character, casting.believed, casting.reference, options);
    plan_hz = preview->plan_hz();
    return preview;
  }
  if (role.method == Method::kPaper) {
    McsimOptions options;
    options.start_s = casting.start_s;
    options.k *= role.gain;
    plan_hz = options.plan_hz;
    return std::make_unique<Mcsim>(casting.character, casting.reference, options);
  }
  if (role.method == Method::kControl)
    return std::make_unique<OpenLoopController>(casting.character, casting.reference, role.control->control,
                                                casting.start_s);
  if (role.method == Method::kRun)
    return std::make_unique<Runner>(casting.character, casting.run.parameters,
                                    RunCommand{casting.run.parameters.speed, 0});
  if (role.method == Method::kRide)
    return std::make_unique<Cyclist>(casting.character, *casting.course, casting.ride);
  return std::make_unique<ServoTracker>(casting.character, casting.reference,
                                        ServoTrackerOptions{casting.start_s, role.gain});
}

// Seconds of a step: a control has that of its search; the paper's recipe, pedals, and runs by who may become
// small want a shorter one.
double step_of(const Role& role) {
  if (role.method == Method::kControl) return role.control->step_s;
  return role.method == Method::kPreview || role.method == Method::kServo ? 0.002 : 0.001;
}

// How long a ride takes to the end of its course, about.
double seconds_of(const Course& course) {
  double sum_s = 0;
  for (double s = 0; s < course.length_m(); s += 1) sum_s += 1 / course.at(s).speed_m_s;
  return sum_s;
}

}  // namespace

// A method under a stopwatch.
class Performer::Timed : public Controller {
 public:
  explicit Timed(Controller& inner) : inner_(inner) {}
  void plan(const Observation& now) override {
    const auto begin = std::chrono::steady_clock::now();
    inner_.plan(now);
    plan_ms_ = 1000 * seconds_since(begin);
  }
  void act(const Observation& now, Command& command) override { inner_.act(now, command); }
  void target(double time_s, VecX& q) const override { inner_.target(time_s, q); }
  std::span<const ExternalForce> helping_forces() const override { return inner_.helping_forces(); }
  void save(std::vector<double>& into) const override { inner_.save(into); }
  void restore(const std::vector<double>& from) override { inner_.restore(from); }
  double plan_ms() const { return plan_ms_; }

 private:
  Controller& inner_;
  double plan_ms_ = 0;
};

Performer::Performer(Casting casting, int threads) : casting_(std::move(casting)) {
  simulator_ = make_mujoco(casting_.character, casting_.world, {step_of(casting_.role)});
  double plan_hz = 100;
  method_ = make_method(casting_, threads, plan_hz);
  runner_ = dynamic_cast<Runner*>(method_.get());
  if (auto* cyclist = dynamic_cast<Cyclist*>(method_.get()))
    casting_.start = cyclist->start(simulator_->state(), casting_.course->at(0).speed_m_s);
  if (casting_.course) ride_s_ = seconds_of(*casting_.course);
  if (casting_.becomes) {
    become(*casting_.becomes, kWay_s);
    change_.goal = 0;
    change_.to_and_fro = true;
  }
  timed_ = std::make_unique<Timed>(*method_);
  simulator_->set_state(casting_.start);
  rollout_ = std::make_unique<Rollout>(*simulator_, *timed_, RolloutOptions{plan_hz, 1 / kFrame_s});
  steps_a_frame_ = std::max(1L, std::lround(kFrame_s / simulator_->step_s()));
  rollout_->save(beginning_);
  first_change_ = change_;
}

Performer::~Performer() = default;

bool Performer::advance(double clock_s) {
  if (diverged_) return false;
  if (frames_++ % kWayBackFrames == 0) {
    ways_back_.push_back({clock_s, {}, lost_s_, change_});
    rollout_->save(ways_back_.back().saved);
  }
  for (long i = 0; i < steps_a_frame_; ++i) {
    if (i % kChangeSteps == 0) change_body();
    apply_hands();
    if (rollout_->advance() != StepStatus::kOk) {
      diverged_ = true;
      return false;
    }
  }
  remember(clock_s);
  return true;
}

void Performer::become(const Character& to, double seconds) {
  if (runner_ == nullptr) throw Error("only one who runs can become another");
  Character from = simulator_->character();
  if (change_.way) from.name = (change_.part > 0.5 ? change_.way->to() : change_.way->from()).name;
  const RunParameters parameters =
      change_.way ? change_.way->parameters(change_.part) : casting_.run.parameters;
  auto way = std::make_shared<const Metamorphosis>(parameters, from, to);
  body_ = from;
  change_ = {std::move(way), 0, 1, 1 / seconds, false, 0};
}

// A little further on the way.
void Performer::change_body() {
  if (!change_.way) return;
  const double h = kChangeSteps * simulator_->step_s();
  if (change_.under_way()) {
    const double way = change_.goal - change_.part;
    change_.part += std::clamp(way, -h * change_.rate, h * change_.rate);
    change_.rested_s = 0;
    take_shape();
  } else if (change_.to_and_fro && (change_.rested_s += h) > kStay_s) {
    change_.goal = 1 - change_.goal;
  }
}

void Performer::take_shape() {
  change_.way->body(change_.part, body_);
  const RunParameters parameters = change_.way->parameters(change_.part);
  simulator_->reshape(body_);
  runner_->reshape(body_, parameters);
  runner_->set_command({parameters.speed, 0});
}

void Performer::apply_hands() {
  if (!grip_ && shoves_.empty()) return;
  const Character& character = simulator_->character();
  const State& state = simulator_->state();
  const Kinematics at = forward_kinematics(character, state.q);

  // A spring and a damper from the held point to the hand, no stronger than an arm or two.
  if (grip_) {
    const Vec3 p_W = at.X_WB[static_cast<size_t>(grip_->body)] * grip_->p_B;
    const Vec3 velocity = point_jacobian(character, at, grip_->body, p_W) * state.v;
    const double mass = character.mass_kg();
    Vec3 force = mass * (kGripStiffness * (grip_->target_W - p_W) - kGripDamping * velocity);
    if (force.norm() > kGripMost_N) force *= kGripMost_N / force.norm();
    rollout_->push({grip_->body, force, p_W, Vec3::Zero()});
  }
  for (Shove& shove : shoves_) {
    const auto body = static_cast<size_t>(shove.body);
    rollout_->push({shove.body, shove.force_W, at.X_WB[body] * character.bodies[body].p_BC, Vec3::Zero()});
    shove.left_s -= simulator_->step_s();
  }
  std::erase_if(shoves_, [](const Shove& shove) { return shove.left_s <= 0; });
}

void Performer::push(int body, const Vec3& force_W, double seconds) {
  if (shoves_.size() < kMostShoves) shoves_.push_back({body, force_W, seconds});
}

void Performer::throw_ball(const Vec3& from_W, const Vec3& to_W, double speed_m_s) {
  const int balls = static_cast<int>(casting_.world.props.size()) - casting_.first_ball;
  if (balls <= 0) return;
  const Vec3 way = to_W - from_W;
  const double flight_s = std::max(way.norm() / speed_m_s, 0.05);
  PropState ball;
  ball.X_WP.p = from_W;
  ball.v_WP = way / flight_s - 0.5 * flight_s * casting_.world.gravity;
  simulator_->set_prop(casting_.first_ball + next_ball_, ball);
  next_ball_ = (next_ball_ + 1) % balls;
}

// Takes the frame over from the rollout, which is to remember nothing.
void Performer::remember(double clock_s) {
  Recording& recorded = rollout_->recording();
  recorded.events.clear();
  if (recorded.frames.empty()) return;
  TakeFrame now;
  now.clock_s = clock_s;
  now.phase_s = casting_.start_s + recorded.frames.back().time_s;
  now.plan_ms = timed_->plan_ms();
  now.pose_error_rad = pose_errors(recorded).back();
  now.height_error_m = root_height_errors(recorded).back();
  const bool far = std::abs(now.height_error_m) > kMaxHeightError_m ||
                   root_tilt_errors(recorded).back() > kMaxTiltError_rad;
  lost_s_ = far || has_fallen() ? lost_s_ + kFrame_s : 0;
  now.way = change_.way;
  now.part = change_.part;
  now.frame = std::move(recorded.frames.back());
  now.frame.time_s = clock_s;
  recorded.frames.clear();
  take_.push_back(std::move(now));
  if (take_.size() > kTakeFrames) take_.pop_front();
  while (!ways_back_.empty() && ways_back_.front().clock_s < take_.front().clock_s) ways_back_.pop_front();
}

// Without a motion: the trunk tilts too far, or the root sinks too low (docs/interface.md).
bool Performer::has_fallen() const {
  if (follows_motion(casting_.role.method)) return false;
  const VecX &q = simulator_->state().q, &q_rest = simulator_->character().q_rest;
  const Quat turn =
      Quat(q[3], q[4], q[5], q[6]) * Quat(q_rest[3], q_rest[4], q_rest[5], q_rest[6]).conjugate();
  return (turn * Vec3::UnitZ()).z() < std::cos(kMaxTiltError_rad) ||
         moment().ground_m + kMinStandingShare * q_rest[2] > q[2];
}

// Back to the body that it had.
void Performer::change_to(const Change& change) {
  const bool other = change_.way != nullptr;
  change_ = change;
  if (change_.way) {
    body_ = change_.way->from();
    take_shape();
  } else if (other) {
    simulator_->reshape(casting_.character);
    runner_->reshape(casting_.character, casting_.run.parameters);
    runner_->set_command({casting_.run.parameters.speed, 0});
  }
}

void Performer::reset() {
  change_to(first_change_);
  rollout_->restore(beginning_);
  shoves_.clear();
  lost_s_ = 0;
  diverged_ = false;
}

void Performer::rewind(double clock_s) {
  while (ways_back_.size() > 1 && ways_back_.back().clock_s > clock_s) ways_back_.pop_back();
  if (ways_back_.empty()) return;
  const WayBack& back = ways_back_.back();
  change_to(back.change);
  rollout_->restore(back.saved);
  lost_s_ = back.lost_s;
  shoves_.clear();
  diverged_ = false;
  frames_ = 0;
  while (!take_.empty() && take_.back().clock_s >= back.clock_s) take_.pop_back();
  ways_back_.pop_back();
}

void Performer::forget_take() {
  take_.clear();
  ways_back_.clear();
  frames_ = 0;
}

Moment Performer::moment() const {
  const State& state = simulator_->state();
  std::vector<Pose> props;
  for (size_t i = 0; i < casting_.world.props.size(); ++i)
    props.push_back(simulator_->prop(static_cast<int>(i)).X_WP);
  return {state.q, state.v, phase_s(), ground_height(casting_.world, props, state.q[0], state.q[1])};
}

double Performer::phase_s() const { return casting_.start_s + simulator_->state().time_s; }

double Performer::left_s() const {
  if (casting_.role.method == Method::kControl)
    return casting_.role.control->seconds - simulator_->state().time_s;
  if (casting_.course) return ride_s_ - simulator_->state().time_s;
  if (casting_.role.method == Method::kRun) return std::numeric_limits<double>::infinity();
  if (casting_.reference.cyclic) return std::numeric_limits<double>::infinity();
  return casting_.reference.duration_s() - phase_s();
}

Recording Performer::recording() const {
  Recording out;
  out.clip = casting_.role.clip;
  out.command = "sinew studio";
  out.engine = simulator_->engine();
  out.step_s = simulator_->step_s();
  out.frame_time_s = kFrame_s;
  out.character = simulator_->character();
  out.world = casting_.world;
  for (const TakeFrame& frame : take_) out.frames.push_back(frame.frame);
  return out;
}

}  // namespace sinew::studio
