#include "search/look_ahead.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <mutex>
#include <numeric>
#include <optional>

#include "character/performance.h"
#include "rollout/rollout.h"
#include "sim/engines.h"

namespace sinew {

namespace {

// A residual of what was never simulated, because the simulation had diverged.
constexpr double kDiverged = 3;
constexpr double kDivergedDanger = 10;

constexpr double kPush_s = 0.03;  // over which pushes are averaged

constexpr double kStepLength[] = {2, 1, 0.5};  // per Steps and of fine ones, of LookAheadOptions::step_s
constexpr size_t kFine = 2;

template <typename Vector>
void append(Numbers& out, const Vector& values) {
  out.insert(out.end(), values.begin(), values.end());
}

// Reads numbers one after the other.
class Reader {
 public:
  explicit Reader(const Numbers& numbers) : next_(numbers.data()) {}
  double number() { return *next_++; }
  VecX vector(int size) {
    const VecX out = Eigen::Map<const VecX>(next_, size);
    next_ += size;
    return out;
  }
  Vec3 vec3() { return vector(3); }
  Quat quat() {
    const Vec4 q = vector(4);
    return Quat(q[0], q[1], q[2], q[3]);
  }

 private:
  const double* next_;
};

// Models are compiled once, whoever of the evaluators asks first, and copied for each: compiling takes as
// long as looking ahead some ten times.
class Models {
 public:
  explicit Models(const LookAheadTask& shared) : shared_(shared) {}
  std::unique_ptr<Simulator> make(size_t steps) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Simulator>& first = first_[steps];
    const double step_s = kStepLength[steps] * shared_.options.step_s;
    if (!first) first = make_mujoco(shared_.task->character, shared_.task->world, {step_s, true});
    return first->clone();
  }

 private:
  const LookAheadTask& shared_;
  std::mutex mutex_;
  std::array<std::unique_ptr<Simulator>, std::size(kStepLength)> first_;
};

// Per shape: 0 of the left leg, 1 of the right, -1 of none.
std::vector<int> legs_of(const Character& character) {
  constexpr int kLeg = 4;  // where the parts of a side's leg begin
  std::vector<int> out;
  for (const Shape& shape : character.shapes) {
    const Part part = character.bodies[static_cast<size_t>(shape.body)].part;
    out.push_back(-1);
    for (int side = 0; side < 2; ++side)
      if (std::find(kSides[side] + kLeg, std::end(kSides[side]), part) != std::end(kSides[side]))
        out.back() = side;
  }
  return out;
}

class LookAhead : public Evaluator {
 public:
  LookAhead(const LookAheadTask& shared, std::shared_ptr<Models> models)
      : shared_(shared),
        models_(std::move(models)),
        task_(*shared.task),
        weight_N_(task_.character.mass_kg() * task_.world.gravity.norm()),
        leg_of_(legs_of(task_.character)),
        control_(shared.gains),
        controller_(task_.character, task_.reference, control_, task_.start_s, shared.feedforward) {}

  void evaluate(const Numbers& job, Numbers& result) override {
    const auto [first, steps, finely] = begin(job);
    const int knots = static_cast<int>(control_.offset.size()) - 1, joints = task_.character.nv() - 6;
    result.assign(2 + static_cast<size_t>(knots * joints), 0.0);
    residuals_.clear();
    double danger = 0;
    const int looks = shared_.options.looks;
    for (int i = 1; i <= knots * looks; ++i) {
      const double until = (first + static_cast<double>(i) / looks) * shared_.options.knot_s;
      if (finely > 0 && i == finely * looks + 1) go_on_with(steps);
      if (!run(until)) {
        danger = kDivergedDanger;
        break;
      }
      const Posture now = shared_.tracking->posture(simulator_->state().q, simulator_->state().v);
      const Posture& reference = shared_.at(first, i);
      const double weight = i == knots * looks ? std::sqrt(shared_.options.last_weight) : 1;
      shared_.tracking->residuals(now, reference, weight, residuals_);
      if (counts_pushes()) {
        residuals_.push_back(std::max(0.0, hardest_bw_ - asked_bw(first, i)) / shared_.options.push_bw);
        residuals_.push_back(kick_bw_ / shared_.options.push_bw);
      }
      danger = std::max(danger, shared_.tracking->danger(now, reference));
      if (i % looks == 0) {
        const VecX error = difference(task_.character, now.q, reference.q).tail(joints);
        std::copy(error.begin(), error.end(), result.begin() + 2 + (i / looks - 1) * joints);
      }
    }
    const int a_look = shared_.tracking->size() + (counts_pushes() ? 2 : 0);
    residuals_.resize(static_cast<size_t>(knots * looks * a_look), kDiverged);
    add_effort();

    double cost = 0;
    for (const double r : residuals_) cost += r * r;
    result[0] = cost / knots;
    result[1] = danger;
    append(result, residuals_);
  }

 private:
  // Of steps of one length.
  struct Stage {
    std::unique_ptr<Simulator> simulator;
    Snapshot untouched;  // before any ball was thrown
  };

  // Simulates with steps of this length from now on; pushes go on at the mean of those before.
  void choose(size_t steps) {
    Stage& stage = stages_[steps];
    if (!stage.simulator) {
      stage.simulator = models_->make(steps);
      stage.simulator->save(stage.untouched);
    }
    stage.simulator->restore(stage.untouched);
    simulator_ = stage.simulator.get();
    rollout_.emplace(*simulator_, controller_, RolloutOptions{.plan_hz = 1, .record_hz = 0});
    const double last_bw = pushes_bw_.empty() ? 1 : mean_push_bw();
    pushes_bw_.assign(static_cast<size_t>(std::max(1L, std::lround(kPush_s / simulator_->step_s()))),
                      last_bw);
  }

  // Everything goes on from where it is, with steps of another length.
  void go_on_with(size_t steps) {
    const Simulator& before = *simulator_;
    choose(steps);
    simulator_->set_state(before.state());
    for (int i = 0; i < static_cast<int>(task_.world.props.size()); ++i) put(i, before.prop(i));
  }

  // A ball that was not thrown yet is where it began, and waits on.
  void put(int prop, const PropState& state) {
    const Prop& thing = task_.world.props[static_cast<size_t>(prop)];
    if (!thing.waiting || state.X_WP.p != thing.X_WP.p) simulator_->set_prop(prop, state);
  }

  struct Begun {
    int first;     // knot
    size_t steps;  // once those that are looked at finely are over
    int finely;
  };

  // Puts everything where the job says.
  Begun begin(const Numbers& job) {
    Reader in(job);
    const int first = static_cast<int>(in.number()), count = static_cast<int>(in.number());
    const auto steps = static_cast<size_t>(in.number());
    const int finely = static_cast<int>(in.number());
    pushes_bw_.clear();
    choose(finely > 0 ? kFine : steps);
    State state;
    state.time_s = in.number();
    state.q = in.vector(task_.character.nq());
    state.v = in.vector(task_.character.nv());
    simulator_->set_state(state);
    for (int i = 0; i < static_cast<int>(task_.world.props.size()); ++i) {
      PropState prop;
      prop.X_WP.p = in.vec3();
      prop.X_WP.q = in.quat();
      prop.v_WP = in.vec3();
      prop.w_WP = in.vec3();
      put(i, prop);
    }
    control_.time_s.clear();
    control_.offset.clear();
    for (int k = 0; k < count; ++k) {
      control_.time_s.push_back((first + k) * shared_.options.knot_s);
      control_.offset.push_back(VecX::Zero(task_.character.nv()));
      control_.offset.back().tail(task_.character.nv() - 6) = in.vector(task_.character.nv() - 6);
    }
    return {first, steps, finely};
  }

  bool counts_pushes() const { return shared_.options.push_bw > 0 && weight_N_ > 0; }

  // Simulates on, and finds the hardest push from the world, a mean over the last steps, and how hard the
  // legs hit each other: they pass within less time than lies between two looks.
  bool run(double until) {
    long left = std::lround((until - simulator_->state().time_s) / simulator_->step_s());
    hardest_bw_ = kick_bw_ = 0;
    for (; left > 0; --left) {
      if (rollout_->advance() != StepStatus::kOk) return false;
      if (!counts_pushes()) continue;
      double push_N = 0, kick_N = 0;
      for (const Contact& contact : simulator_->contacts()) {
        if (contact.world_shape >= 0) push_N += contact.force_W.z();
        if (contact.other_shape >= 0 && is_kick(contact)) kick_N += contact.force_W.norm();
      }
      kick_bw_ = std::max(kick_bw_, kick_N / weight_N_);
      std::rotate(pushes_bw_.begin(), pushes_bw_.begin() + 1, pushes_bw_.end());
      pushes_bw_.back() = push_N / weight_N_;
      hardest_bw_ = std::max(hardest_bw_, mean_push_bw());
    }
    return true;
  }

  double mean_push_bw() const {
    return std::accumulate(pushes_bw_.begin(), pushes_bw_.end(), 0.0) /
           static_cast<double>(pushes_bw_.size());
  }

  // Whether one leg touches the other.
  bool is_kick(const Contact& contact) const {
    const int a = leg_of_[static_cast<size_t>(contact.shape)],
              b = leg_of_[static_cast<size_t>(contact.other_shape)];
    return a != b && a >= 0 && b >= 0;
  }

  // The push that the motion itself has about a look, at least that of standing.
  double asked_bw(int first, int look) const {
    const double g = task_.world.gravity.norm(), between_s = shared_.options.knot_s / shared_.options.looks;
    double most = 1;
    for (int i = std::max(1, look - 1); i <= look + 1; ++i) {
      const double faster = shared_.at(first, i).com_velocity.z() - shared_.at(first, i - 1).com_velocity.z();
      most = std::max(most, 1 + faster / (between_s * g));
    }
    return most;
  }

  // Offsets and their changes cost a little.
  void add_effort() {
    const int nv = task_.character.nv();
    const double share = 1 / std::sqrt(std::max(1.0, nv - 6.0));
    for (size_t k = 1; k < control_.offset.size(); ++k)
      for (int j = 6; j < nv; ++j) {
        const double change = control_.offset[k][j] - control_.offset[k - 1][j];
        residuals_.push_back(share * control_.offset[k][j] / shared_.options.offset_rad);
        residuals_.push_back(share * change / shared_.options.change_rad);
      }
  }

  const LookAheadTask& shared_;
  const std::shared_ptr<Models> models_;
  const SearchTask& task_;
  const double weight_N_;
  const std::vector<int> leg_of_;                     // per shape
  std::array<Stage, std::size(kStepLength)> stages_;  // made when first asked for
  Simulator* simulator_ = nullptr;                    // the one of them that is used
  OpenLoop control_;
  OpenLoopController controller_;
  std::optional<Rollout> rollout_;  // of what is simulated now
  std::vector<double> residuals_;
  std::vector<double> pushes_bw_;  // of the last steps
  double hardest_bw_ = 0;          // of their means since the last look
  double kick_bw_ = 0;             // the hardest of leg against leg since then
};

}  // namespace

const Posture& LookAheadTask::at(int knot, int look) const {
  const auto i = static_cast<size_t>((knot - first) * options.looks + look);
  return reference[std::min(i, reference.size() - 1)];
}

Numbers pack(const Outlook& from, const Plan& plan) {
  Numbers out{static_cast<double>(from.knot), static_cast<double>(plan.size()),
              static_cast<double>(from.steps), static_cast<double>(from.finely), from.state.time_s};
  append(out, from.state.q);
  append(out, from.state.v);
  for (const PropState& prop : from.props) {
    append(out, prop.X_WP.p);
    append(out, Vec4(prop.X_WP.q.w(), prop.X_WP.q.x(), prop.X_WP.q.y(), prop.X_WP.q.z()));
    append(out, prop.v_WP);
    append(out, prop.w_WP);
  }
  for (const VecX& offset : plan) append(out, offset.tail(offset.size() - 6));
  return out;
}

Outcome unpack(const Numbers& result, int knots, int joints) {
  const auto errors = result.begin() + 2, residuals = errors + knots * joints;
  return {result[0], result[1], {errors, residuals}, {residuals, result.end()}};
}

EvaluatorFactory look_ahead(const LookAheadTask& shared) {
  return [&shared, models = std::make_shared<Models>(shared)] {
    return std::make_unique<LookAhead>(shared, models);
  };
}

}  // namespace sinew
