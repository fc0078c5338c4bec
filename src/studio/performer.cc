#include "studio/performer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "control/mcsim.h"
#include "control/open_loop.h"
#include "control/servo_tracker.h"
#include "record/metrics.h"
#include "search/preview.h"
#include "sim/engines.h"

namespace sinew::studio {

namespace {

// A hand's spring for each kilogram of the character, and the most that it pulls.
constexpr double kGripStiffness = 12, kGripDamping = 1.6, kGripMost_N = 900;
// So many pushes act at once.
constexpr size_t kMostShoves = 8;

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
  return std::make_unique<ServoTracker>(casting.character, casting.reference,
                                        ServoTrackerOptions{casting.start_s, role.gain});
}

// Seconds of a step: the paper's recipe wants a shorter one, a control that of its search.
double step_of(const Role& role) {
  if (role.method == Method::kControl) return role.control->step_s;
  return role.method == Method::kPaper ? 0.001 : 0.002;
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
  timed_ = std::make_unique<Timed>(*method_);
  simulator_->set_state(casting_.start);
  rollout_ = std::make_unique<Rollout>(*simulator_, *timed_, RolloutOptions{plan_hz, 1 / kFrame_s});
  steps_a_frame_ = std::max(1L, std::lround(kFrame_s / simulator_->step_s()));
  rollout_->save(beginning_);
}

Performer::~Performer() = default;

bool Performer::advance(double clock_s) {
  if (diverged_) return false;
  if (frames_++ % kWayBackFrames == 0) {
    ways_back_.push_back({clock_s, {}, lost_s_});
    rollout_->save(ways_back_.back().saved);
  }
  for (long i = 0; i < steps_a_frame_; ++i) {
    apply_hands();
    if (rollout_->advance() != StepStatus::kOk) {
      diverged_ = true;
      return false;
    }
  }
  remember(clock_s);
  return true;
}

void Performer::apply_hands() {
  if (!grip_ && shoves_.empty()) return;
  const Character& character = casting_.character;
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
  const double tilt = root_tilt_errors(recorded).back();
  now.frame = std::move(recorded.frames.back());
  now.frame.time_s = clock_s;
  recorded.frames.clear();
  const bool lost = std::abs(now.height_error_m) > kMaxHeightError_m || tilt > kMaxTiltError_rad;
  lost_s_ = lost ? lost_s_ + kFrame_s : 0;
  take_.push_back(std::move(now));
  if (take_.size() > kTakeFrames) take_.pop_front();
  while (!ways_back_.empty() && ways_back_.front().clock_s < take_.front().clock_s) ways_back_.pop_front();
}

void Performer::reset() {
  rollout_->restore(beginning_);
  shoves_.clear();
  lost_s_ = 0;
  diverged_ = false;
}

void Performer::rewind(double clock_s) {
  while (ways_back_.size() > 1 && ways_back_.back().clock_s > clock_s) ways_back_.pop_back();
  if (ways_back_.empty()) return;
  const WayBack& back = ways_back_.back();
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
  out.character = casting_.character;
  out.world = casting_.world;
  for (const TakeFrame& frame : take_) out.frames.push_back(frame.frame);
  return out;
}

}  // namespace sinew::studio
