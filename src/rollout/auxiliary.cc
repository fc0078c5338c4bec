#include "rollout/auxiliary.h"

#include <algorithm>

#include "control/joint_targets.h"

namespace sinew {

namespace {

// Joints between the root and the feet, and those of the feet.
std::vector<char> leg_joints(const Character& character) {
  std::vector<char> out(character.joints.size(), 0);
  for (const Part part : {Part::kLeftFoot, Part::kRightFoot, Part::kLeftToes, Part::kRightToes})
    for (int b = character.find(part); b > 0; b = character.bodies[static_cast<size_t>(b)].parent) {
      const Body& body = character.bodies[static_cast<size_t>(b)];
      std::fill_n(out.begin() + body.first_joint, body.joint_count, 1);
    }
  return out;
}

// Whether `body` is `limb` or hangs on it.
bool hangs_on(const Character& character, int body, int limb) {
  while (body > limb) body = character.bodies[static_cast<size_t>(body)].parent;
  return body == limb;
}

// ---- contacts as numbers, and back

constexpr size_t kContactNumbers = 14;

void put(const Contact& contact, std::vector<double>& into) {
  for (const int number : {contact.body, contact.shape, contact.other_shape, contact.world_shape})
    into.push_back(number);
  for (const Vec3& vector : {contact.p_W, contact.normal_W, contact.force_W})
    into.insert(into.end(), vector.begin(), vector.end());
  into.push_back(contact.depth_m);
}

Contact contact_at(const double* at) {
  const auto vector = [at](int i) { return Vec3(at[i], at[i + 1], at[i + 2]); };
  return {static_cast<int>(at[0]),
          static_cast<int>(at[1]),
          static_cast<int>(at[2]),
          static_cast<int>(at[3]),
          vector(4),
          vector(7),
          vector(10),
          at[13]};
}

}  // namespace

World as_expected(World world) {
  std::erase_if(world.throws, [](const Throw& thrown) { return !thrown.expected; });
  world.pushes.clear();
  return world;
}

Character that_passes_itself(Character character) {
  const auto bodies = static_cast<int>(character.bodies.size());
  for (int a = 0; a < bodies; ++a)
    for (int b = a + 1; b < bodies; ++b) character.excluded.push_back({a, b});
  return character;
}

// Servos by Eqs. 1 and 2 of the paper, and the forces that help, for either simulation. A tracker in their
// place does all of it.
class AuxiliaryTracker::Follower : public Controller {
 public:
  Follower(const Simulator& simulator, const Goals& goals, const InertialGains& gains,
           const HelpingHandOptions& hand, Controller* tracker)
      : character_(simulator.character()),
        goals_(goals),
        gains_(gains),
        step_s_(simulator.step_s()),
        rest_(rest_command(character_)),
        model_(character_, simulator.world().gravity),
        hand_(character_, reference_ground(simulator.world()), step_s_, hand),
        tracker_(tracker) {}

  void act(const Observation& now, Command& command) override {
    if (tracker_) return tracker_->act(now, command);
    const Goal goal = goals_(now.state.time_s + step_s_);
    command = rest_;
    command.q_target = goal.q;
    command.v_target = goal.v;
    see_from_joints(character_, now.state.q, goal.q, command.v_target);
    drive(now, command);
    help(now, goal, command);
  }

  // Gains for a command whose targets are known.
  void drive(const Observation& now, Command& command) {
    model_.set(now.state.q, now.state.v);
    set_gains(character_, gains_, model_.mass_matrix().diagonal(), now.state.q, command);
  }
  // After `drive`.
  void help(const Observation& now, const Goal& goal, const Command& command,
            std::span<const ExternalForce> lead = {}) {
    if (!tracker_) forces_ = hand_.forces(now, model_, command, goal, lead);
  }

  HelpingHand& hand() { return hand_; }

  void target(double time_s, VecX& q) const override { q = goals_(time_s).q; }
  std::span<const ExternalForce> helping_forces() const override { return forces_; }

 private:
  const Character& character_;
  const Goals& goals_;
  const InertialGains gains_;
  const double step_s_;
  const Command rest_;
  RigidModel model_;
  HelpingHand hand_;
  Controller* tracker_;
  std::span<const ExternalForce> forces_;
};

AuxiliaryTracker::AuxiliaryTracker(std::unique_ptr<Simulator> auxiliary, Goals goals,
                                   const AuxiliaryOptions& options, std::unique_ptr<Controller> tracker)
    : auxiliary_(std::move(auxiliary)),
      goals_(std::move(goals)),
      options_(options),
      tracker_(std::move(tracker)),
      high_(std::make_unique<Follower>(*auxiliary_, goals_, options.high, options.hand, tracker_.get())),
      loop_(*auxiliary_, *high_, {.record_hz = 0}),
      limit_(rest_command(auxiliary_->character()).limit),
      legs_(rest_command(auxiliary_->character())),
      leg_(leg_joints(auxiliary_->character())) {
  InertialGains low = options.high;
  low.ks *= options.low;
  low_ = std::make_unique<Follower>(*auxiliary_, goals_, low, options.hand, tracker_.get());
}

AuxiliaryTracker::~AuxiliaryTracker() = default;

void AuxiliaryTracker::plan(const Observation& now) {
  if (!tracker_) return;
  meet(now.state);
  tracker_->plan(now);
}

// The auxiliary character feels where the main one stands.
void AuxiliaryTracker::meet(const State& main) {
  State state = auxiliary_->state();
  for (size_t j = 0; j < leg_.size(); ++j) {
    const Joint& joint = auxiliary_->character().joints[j];
    if (!leg_[j] && joint.type != JointType::kFree) continue;
    state.q.segment(joint.q, joint.q_size()) = main.q.segment(joint.q, joint.q_size());
    state.v.segment(joint.v, joint.v_size()) = main.v.segment(joint.v, joint.v_size());
  }
  auxiliary_->set_state(state);
}

void AuxiliaryTracker::look_at_balls() {
  if (!main_) return;
  const double now_s = main_->state().time_s, half_step_s = 0.5 * auxiliary_->step_s();
  for (const Throw& thrown : auxiliary_->world().throws)
    if (now_s > thrown.at_s - flight_s(thrown) + half_step_s)
      auxiliary_->set_prop(thrown.prop, main_->prop(thrown.prop));
}

// A leg that meets a ball which it did not expect. Each surprises once: then it is known.
void AuxiliaryTracker::feel(const Observation& now) {
  if (!main_ || tracker_) return;
  const World& world = main_->world();
  const Character& character = auxiliary_->character();
  met_.resize(world.throws.size(), 0);
  for (const Contact& contact : now.contacts) {
    if (contact.world_shape < 0) continue;
    const int thing = world.shapes[static_cast<size_t>(contact.world_shape)].shape.body;
    for (size_t i = 0; i < met_.size(); ++i) {
      if (world.throws[i].prop != thing || world.throws[i].expected || met_[i]) continue;
      for (const int foot : {0, 1}) {
        const int thigh = character.find(foot == 0 ? Part::kLeftThigh : Part::kRightThigh);
        if (thigh >= 0 && hangs_on(character, contact.body, thigh))
          low_->hand().let_go(foot, now.state.time_s);
      }
      met_[i] = 1;
    }
  }
}

void AuxiliaryTracker::act(const Observation& now, Command& command) {
  look_at_balls();
  feel(now);
  loop_.advance();
  const State& ahead = auxiliary_->state();
  const Character& character = auxiliary_->character();

  // Balance by a tracker departs from the goals: where the auxiliary character is, it is in balance.
  const Goal goal = tracker_ ? Goal{ahead.q, ahead.v} : goals_(ahead.time_s);
  command.q_target = goal.q;
  command.v_target = ahead.v;
  see_from_joints(character, now.state.q, ahead.q, command.v_target);
  command.limit = limit_;
  command.torque.setZero(character.nv());
  if (options_.feedforward) command.torque = auxiliary_->torques();
  low_->drive(now, command);
  if (tracker_) carry(now, command);
  low_->help(now, goal, command,
             options_.feedforward ? high_->helping_forces() : std::span<const ExternalForce>());
}

// Legs are the tracker's in the main simulation too: what hangs on an ankle is a foot, but what stands on it
// is the whole body, and gains by the inertia of a foot would not carry it.
void AuxiliaryTracker::carry(const Observation& now, Command& command) {
  tracker_->act(now, legs_);
  for (size_t j = 0; j < leg_.size(); ++j) {
    const Joint& joint = auxiliary_->character().joints[j];
    if (!leg_[j]) continue;
    command.q_target.segment(joint.q, joint.q_size()) = legs_.q_target.segment(joint.q, joint.q_size());
    for (VecX Command::*part : {&Command::v_target, &Command::kp, &Command::kd, &Command::torque})
      (command.*part).segment(joint.v, joint.v_size()) = (legs_.*part).segment(joint.v, joint.v_size());
  }
}

void AuxiliaryTracker::target(double time_s, VecX& q) const { q = goals_(time_s).q; }

std::span<const ExternalForce> AuxiliaryTracker::helping_forces() const { return low_->helping_forces(); }

void AuxiliaryTracker::save(std::vector<double>& into) const {
  Rollout::Saved saved;
  loop_.save(saved);
  std::vector<double> tracker;
  if (tracker_) tracker_->save(tracker);
  const std::array<double, 4> hand = low_->hand().memory();
  into = {static_cast<double>(saved.steps), static_cast<double>(saved.simulator.size()),
          static_cast<double>(saved.contacts.size()), static_cast<double>(met_.size())};
  into.insert(into.end(), hand.begin(), hand.end());
  into.insert(into.end(), met_.begin(), met_.end());
  into.insert(into.end(), saved.simulator.begin(), saved.simulator.end());
  for (const Contact& contact : saved.contacts) put(contact, into);
  into.insert(into.end(), tracker.begin(), tracker.end());
}

void AuxiliaryTracker::restore(const std::vector<double>& from) {
  const auto numbers = static_cast<long>(from[1]);
  Rollout::Saved saved;
  saved.steps = static_cast<long>(from[0]);
  saved.command = rest_command(auxiliary_->character());
  low_->hand().remember({from[4], from[5], from[6], from[7]});
  auto at = from.begin() + 8;
  met_.assign(at, at + static_cast<long>(from[3]));
  at += static_cast<long>(from[3]);
  saved.simulator.assign(at, at + numbers);
  at += numbers;
  for (double left = from[2]; left > 0; --left, at += kContactNumbers)
    saved.contacts.push_back(contact_at(&*at));
  loop_.restore(saved);
  if (tracker_) tracker_->restore({at, from.end()});
}

}  // namespace sinew
