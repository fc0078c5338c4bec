#include "rollout/rollout.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// A ball flies from this far away, or from the start of the simulation.
constexpr double kFlight_m = 1.0;

long every(double rate_hz, double step_s) {
  return rate_hz <= 0 ? 0 : std::max(1L, std::lround(1 / (rate_hz * step_s)));
}

double radius_of(const World& world, int prop) {
  for (const WorldShape& shape : world.shapes)
    if (shape.shape.body == prop) return shape.shape.size[0];
  return 0;
}

}  // namespace

double flight_s(const Throw& thrown) { return std::min(kFlight_m / thrown.speed_m_s, thrown.at_s); }

Rollout::Rollout(Simulator& simulator, Controller& controller, const RolloutOptions& options)
    : simulator_(simulator),
      controller_(controller),
      command_(rest_command(simulator.character())),
      plan_every_(std::max(1L, every(options.plan_hz, simulator.step_s()))),
      record_every_(every(options.record_hz, simulator.step_s())) {
  recording_.engine = simulator.engine();
  recording_.step_s = simulator.step_s();
  recording_.frame_time_s = simulator.step_s() * static_cast<double>(record_every_);
  if (record_every_ == 0) return;
  recording_.character = simulator.character();
  recording_.world = simulator.world();
}

// What the scene does to the character in the coming step: everything follows from the time alone, so that a
// rollout that goes back in time meets the same balls again.
void Rollout::disturb() {
  const State& state = simulator_.state();
  const Character& character = simulator_.character();
  const World& world = simulator_.world();
  const double h = simulator_.step_s();

  // A ball is let go in the step in which its flight must begin.
  for (const Throw& thrown : world.throws) {
    const double flight = flight_s(thrown);
    const double left = thrown.at_s - flight - state.time_s;
    if (left > 0.5 * h || left <= -0.5 * h) continue;
    simulator_.set_prop(thrown.prop,
                        aim(thrown, radius_of(world, thrown.prop), character, state, world.gravity, flight));
    if (record_every_ > 0) recording_.events.push_back({state.time_s, "a ball is thrown at " + thrown.body});
  }

  // Pushes act at the body's centre of mass, hands where they are.
  pushes_.clear();
  pushes_.swap(hands_);
  for (const Push& push : world.pushes) {
    if (state.time_s < push.at_s - 0.5 * h || state.time_s >= push.at_s + push.for_s - 0.5 * h) continue;
    const auto body = static_cast<size_t>(std::max(character.body_of(push.part), 0));
    const std::vector<Pose> X_WB = body_poses(character, state.q);
    const Quat facing = exp_map(Vec3(0, 0, heading(X_WB[0].q)));
    pushes_.push_back({static_cast<int>(body), push.force_N * (facing * push.toward),
                       X_WB[body] * character.bodies[body].p_BC, Vec3::Zero()});
  }
  for (const ExternalForce& push : pushes_) simulator_.add_force(push);
}

void Rollout::plan() {
  std::vector<PropState> props;
  for (size_t i = 0; i < simulator_.world().props.size(); ++i)
    props.push_back(simulator_.prop(static_cast<int>(i)));
  controller_.plan({simulator_.state(), last_contacts(), props});
}

StepStatus Rollout::advance() {
  if (status_ != StepStatus::kOk) return status_;
  if (steps_ % plan_every_ == 0) plan();
  const Observation now{simulator_.state(), last_contacts()};
  controller_.act(now, command_);
  for (const ExternalForce& force : controller_.helping_forces()) simulator_.add_force(force);
  disturb();

  // What is known before the step; the rest of the frame is of the step itself.
  const bool frame = record_every_ > 0 && steps_ % record_every_ == 0;
  if (frame) begin_frame();
  status_ = simulator_.step(command_);
  if (status_ != StepStatus::kOk) {
    if (frame) recording_.frames.pop_back();
    recording_.diverged = true;
    return status_;
  }
  ++steps_;
  went_back_ = false;
  if (record_every_ > 0) measure_depth();
  if (frame) end_frame();
  return status_;
}

StepStatus Rollout::run(double seconds, const std::function<bool(double time_s)>& keep_going) {
  const long last = steps_ + std::lround(seconds / simulator_.step_s());
  while (steps_ < last && advance() == StepStatus::kOk) {
    const bool frame = record_every_ > 0 && steps_ % record_every_ == 0;
    if (frame && keep_going && !keep_going(time_s())) break;
  }
  return status_;
}

std::span<const Contact> Rollout::last_contacts() const {
  return went_back_ ? std::span<const Contact>(contacts_) : simulator_.contacts();
}

// Frames are fewer than steps, and the deepest overlap may be between them.
void Rollout::measure_depth() {
  for (const Contact& contact : simulator_.contacts()) {
    if (contact.world_shape < 0) continue;
    const double give_m = simulator_.world().shapes[static_cast<size_t>(contact.world_shape)].give_m;
    max_depth_m_ = std::max(max_depth_m_, contact.depth_m - give_m);
  }
}

void Rollout::begin_frame() {
  RecordingFrame frame;
  frame.time_s = simulator_.state().time_s;
  frame.q = simulator_.state().q;
  frame.v = simulator_.state().v;
  controller_.target(frame.time_s, frame.q_reference);
  frame.pushes = pushes_;
  const auto helping = controller_.helping_forces();
  frame.helping.assign(helping.begin(), helping.end());
  for (size_t i = 0; i < simulator_.world().props.size(); ++i)
    frame.props.push_back(simulator_.prop(static_cast<int>(i)).X_WP);
  recording_.frames.push_back(std::move(frame));
}

void Rollout::end_frame() {
  RecordingFrame& frame = recording_.frames.back();
  frame.torque = simulator_.torques();
  const auto contacts = simulator_.contacts();
  frame.contacts.assign(contacts.begin(), contacts.end());
  frame.momentum_rate = simulator_.momentum_rate();
  frame.max_depth_m = max_depth_m_;
  max_depth_m_ = 0;
}

void Rollout::save(Saved& into) const {
  simulator_.save(into.simulator);
  controller_.save(into.controller);
  const auto contacts = last_contacts();
  into.contacts.assign(contacts.begin(), contacts.end());
  into.command = command_;
  into.steps = steps_;
}

void Rollout::restore(const Saved& from) {
  simulator_.restore(from.simulator);
  controller_.restore(from.controller);
  contacts_ = from.contacts;
  went_back_ = true;
  command_ = from.command;
  steps_ = from.steps;
  max_depth_m_ = 0;
  status_ = StepStatus::kOk;
}

}  // namespace sinew
