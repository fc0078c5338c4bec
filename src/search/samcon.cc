#include "search/samcon.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <span>

#include "core/error.h"
#include "core/random.h"
#include "rollout/rollout.h"
#include "search/segments.h"
#include "world/height_error.h"

namespace sinew {

namespace {

constexpr double kKept = 0.6;    // share of the samples that may be saved
constexpr double kLost_m = 0.5;  // a root that is so far from its height does not come back
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kCheckpoint = 4001;  // this search's, first version

// What all evaluators of a search know: it follows from the task and the options alone.
struct Plan {
  Plan(const SearchTask& the_task, const SamconOptions& the_options, double the_step_s)
      : task(the_task),
        options(the_options),
        step_s(the_step_s),
        ends(sampling_steps(critical_times(task.character, task.reference, task.start_s, task.seconds),
                            task.seconds, step_s, options.sampling_s)),
        gains(open_loop(task.character, options.gain)),
        effectors(end_effectors(task.character)),
        height_m(standing_height(task.character)) {
    gains.between = Between::kHold;
    gains.contact_scale = options.contact_scale;
    for (const long end : ends) time_s.push_back(static_cast<double>(end) * step_s);
    for (const double t : time_s) {
      const ReferenceSample at = sample(task.character, task.reference, task.start_s + t);
      reference.push_back(samcon_moment(task.character, effectors, at.q, at.v));
    }
  }

  long steps(size_t k) const { return ends[k] - (k > 0 ? ends[k - 1] : 0); }
  // The samples of job i of an iteration: [first_sample(i), first_sample(i + 1)).
  long first_sample(long job) const { return job * options.samples / options.save; }

  const SearchTask& task;
  const SamconOptions& options;
  double step_s;
  std::vector<long> ends;      // of the sampling steps, in steps of the simulator
  std::vector<double> time_s;  // the same in seconds
  OpenLoop gains;              // the control without its knots
  std::vector<int> effectors;
  double height_m;
  std::vector<SamconMoment> reference;  // at the ends
};

// Leads the joints to one pose: what OpenLoopController does up to a knot, made once instead of every step.
class Hold : public Controller {
 public:
  explicit Hold(const Plan& plan) : plan_(plan), command_(rest_command(plan.task.character)) {
    command_.kp = plan.gains.kp;
    command_.kd = plan.gains.kd;
    command_.limit = plan.gains.limit;
    command_.v_target.setZero();
    command_.torque.setZero();
  }

  void aim(size_t k, const VecX& offset) {
    command_.q_target = integrate(plan_.task.character, plan_.reference[k].q, offset);
  }
  void act(const Observation& now, Command& command) override {
    command = command_;
    if (plan_.gains.contact_scale) stiffen(plan_.task.character, now.contacts, command);
  }
  void target(double, VecX& q) const override { q = command_.q_target; }

 private:
  const Plan& plan_;
  Command command_;
};

// A state of the simulation as numbers: the snapshot, and the last contacts where gains depend on them.
constexpr size_t kContactNumbers = 14;

void pack(const Rollout::Saved& saved, bool contacts, Numbers& into) {
  into.insert(into.end(), saved.simulator.begin(), saved.simulator.end());
  if (!contacts) return;
  for (const Contact& c : saved.contacts)
    into.insert(into.end(), {double(c.body), double(c.shape), double(c.other_shape), double(c.world_shape),
                             c.p_W.x(), c.p_W.y(), c.p_W.z(), c.normal_W.x(), c.normal_W.y(), c.normal_W.z(),
                             c.force_W.x(), c.force_W.y(), c.force_W.z(), c.depth_m});
}

void unpack(std::span<const double> state, Rollout::Saved& saved) {
  const size_t snapshot = saved.simulator.size();
  if (state.size() < snapshot || (state.size() - snapshot) % kContactNumbers != 0)
    throw Error("a saved state is of another simulation");
  std::copy_n(state.begin(), snapshot, saved.simulator.begin());
  saved.contacts.clear();
  for (size_t i = snapshot; i < state.size(); i += kContactNumbers) {
    const double* x = &state[i];
    saved.contacts.push_back({int(x[0]), int(x[1]), int(x[2]), int(x[3]), Vec3(x[4], x[5], x[6]),
                              Vec3(x[7], x[8], x[9]), Vec3(x[10], x[11], x[12]), x[13]});
  }
}

// One simulator that goes back and forth in time. A job is
//   sampling step, first sample, samples, state...
// and its result, for each sample,
//   cost, how many numbers follow, offset (nv), state...
class Sampler : public Evaluator {
 public:
  explicit Sampler(const Plan& plan)
      : plan_(plan),
        simulator_(plan.task.engine(plan.task.character, plan.task.world, {plan.task.step_s})),
        hold_(plan),
        rollout_(*simulator_, hold_, {.record_hz = 0}) {
    simulator_->set_state(plan.task.start);
    rollout_.save(begin_);
    end_ = begin_;
  }

  // The state in which the search begins.
  Numbers start() const {
    Numbers state;
    pack(begin_, plan_.options.contact_scale, state);
    return state;
  }

  // The coordinates of a state, and how much higher its root is than the reference's at a sampling step's
  // end.
  SamconMoment look(std::span<const double> state, size_t k, double& root_higher_m) {
    unpack(state, begin_);
    rollout_.restore(begin_);
    const SamconMoment now = moment();
    root_higher_m = higher()(now.q.head<3>(), plan_.reference[k].q.head<3>());
    return now;
  }

  void evaluate(const Numbers& job, Numbers& result) override {
    const auto k = static_cast<size_t>(job[0]);
    const auto first = static_cast<uint64_t>(job[1]), count = static_cast<uint64_t>(job[2]);
    unpack(std::span(job).subspan(3), begin_);
    if (!std::equal(job.begin() + 3, job.end(), offset_of_.begin(), offset_of_.end()) || k != offset_step_) {
      offset_ = feedforward(k);
      offset_of_.assign(job.begin() + 3, job.end());
      offset_step_ = k;
    }
    result.clear();
    for (uint64_t s = first; s < first + count; ++s) {
      const VecX offset = offset_ + displacement(k, s);
      result.push_back(simulate(k, offset) ? cost(k) : kInfinity);
      const size_t length = result.size();
      result.push_back(0);
      result.insert(result.end(), offset.begin(), offset.end());
      rollout_.save(end_);
      pack(end_, plan_.options.contact_scale, result);
      result[length] = static_cast<double>(result.size() - length - 1);
    }
  }

 private:
  // From the job's state to the end of the sampling step.
  bool simulate(size_t k, const VecX& offset) {
    rollout_.restore(begin_);
    hold_.aim(k, offset);
    for (long i = plan_.steps(k); i > 0; --i)
      if (rollout_.advance() != StepStatus::kOk) return false;
    return true;
  }

  // What tracking alone misses the pose by: it stands in for feedforward torques.
  VecX feedforward(size_t k) {
    VecX missed = VecX::Zero(plan_.task.character.nv());
    if (!simulate(k, missed)) return missed;
    missed = difference(plan_.task.character, simulator_->state().q, plan_.reference[k].q);
    missed.head<6>().setZero();
    return missed;
  }

  VecX displacement(size_t k, uint64_t s) const {
    Random random(plan_.task.seed, k, s);
    VecX by = VecX::Zero(plan_.task.character.nv());
    for (const Joint& joint : plan_.task.character.joints) {
      if (joint.type == JointType::kFree) continue;
      for (int axis = 0; axis < joint.v_size(); ++axis) {
        const double window = plan_.options.window_scale * joint.window[axis];
        if (window > 0) by[joint.v + axis] = random.between(-window, window);
      }
    }
    return by;
  }

  SamconMoment moment() const {
    const State& state = simulator_->state();
    return samcon_moment(plan_.task.character, plan_.effectors, state.q, state.v);
  }

  // The ground as it is now: what one stands on may have moved.
  HeightError higher() const {
    std::vector<Pose> props;
    for (size_t i = 0; i < plan_.task.world.props.size(); ++i)
      props.push_back(simulator_->prop(static_cast<int>(i)).X_WP);
    return [&world = plan_.task.world, props](const Vec3& p, const Vec3& p_reference) {
      return height_error(world, props, p, p_reference);
    };
  }

  double cost(size_t k) const {
    const double sum = samcon_cost(
        samcon_errors(plan_.task.character, moment(), plan_.reference[k], plan_.height_m, higher()),
        plan_.options.weights);
    return std::isfinite(sum) ? sum : kInfinity;
  }

  const Plan& plan_;
  std::unique_ptr<Simulator> simulator_;
  Hold hold_;
  Rollout rollout_;
  Rollout::Saved begin_, end_;
  // The feedforward of a state, for jobs that begin in the same one.
  VecX offset_;
  Numbers offset_of_;
  size_t offset_step_ = 0;
};

// A saved sample.
struct Branch {
  int parent = 0;    // among the branches of the step before
  double cost = 0;   // of its own step
  double total = 0;  // of its path
  VecX offset;
};

std::string seconds_text(double s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", s);
  return text;
}

class Search {
 public:
  Search(const Plan& plan, const SearchHooks& hooks, Sampler& own) : plan_(plan), hooks_(hooks), own_(own) {}

  SearchResult run() {
    const auto executor = hooks_.executor([this] { return std::make_unique<Sampler>(plan_); });
    states_ = {own_.start()};
    if (hooks_.resume) resume(*hooks_.resume);
    while (layers_.size() < plan_.ends.size() && result_.lost.empty() && !result_.interrupted) {
      sample_step(*executor);
      if (!result_.lost.empty()) break;
      const auto save = [this] { return checkpoint(); };
      if (hooks_.progress && !hooks_.progress(report(), save)) result_.interrupted = true;
    }
    if (layers_.size() == plan_.ends.size()) result_.interrupted = false;
    finish();
    return std::move(result_);
  }

 private:
  // One sampling step: simulate from the saved states, and save some of where they end.
  void sample_step(Executor& executor) {
    const size_t k = layers_.size();
    std::vector<Numbers> results;
    executor.run(jobs(k), results);
    const Samples samples = unfold(results);
    const std::vector<size_t> chosen = select_samples(samples.cost, plan_.options.save);
    if (chosen.empty()) {
      result_.lost = "all " + std::to_string(samples.cost.size()) + " samples of the step to " +
                     seconds_text(plan_.time_s[k]) +
                     " went beyond all measure; try a smaller step of the simulation or narrower windows";
      return;
    }

    const auto nv = static_cast<size_t>(plan_.task.character.nv());
    std::vector<Branch> layer;
    std::vector<Numbers> states;
    for (const size_t s : chosen) {
      Branch branch;
      branch.parent = samples.parent[s];
      branch.cost = branch.total = samples.cost[s];
      if (k > 0) branch.total += layers_.back()[static_cast<size_t>(branch.parent)].total;
      branch.offset = Eigen::Map<const VecX>(samples.rest[s].data(), plan_.task.character.nv());
      layer.push_back(std::move(branch));
      const auto state = samples.rest[s].subspan(nv);
      states.emplace_back(state.begin(), state.end());
    }
    look(k, states.front());
    if (!result_.lost.empty()) return;
    layers_.push_back(std::move(layer));
    states_ = std::move(states);
  }

  // Every saved state gets its share of the samples; a few states get several jobs.
  std::vector<Numbers> jobs(size_t k) {
    std::vector<Numbers> out;
    for (long i = 0; i < plan_.options.save; ++i) {
      const long first = plan_.first_sample(i), count = plan_.first_sample(i + 1) - first;
      const Numbers& state = states_[static_cast<size_t>(i) % states_.size()];
      out.push_back({static_cast<double>(k), static_cast<double>(first), static_cast<double>(count)});
      out.back().insert(out.back().end(), state.begin(), state.end());
      result_.samples +=
          count + (i < static_cast<long>(states_.size()) ? 1 : 0);  // and a state's feedforward
    }
    return out;
  }

  // All samples of a step, in their order.
  struct Samples {
    std::vector<double> cost;
    std::vector<std::span<const double>> rest;  // offset and state, in the results
    std::vector<int> parent;
  };
  Samples unfold(const std::vector<Numbers>& results) const {
    Samples out;
    for (size_t i = 0; i < results.size(); ++i) {
      for (size_t at = 0; at < results[i].size();) {
        const auto length = static_cast<size_t>(results[i][at + 1]);
        out.cost.push_back(results[i][at]);
        out.rest.emplace_back(results[i].data() + at + 2, length);
        out.parent.push_back(static_cast<int>(i % states_.size()));
        at += 2 + length;
      }
    }
    return out;
  }

  // Looks at the cheapest sample, and whether it lost the motion.
  void look(size_t k, const Numbers& state) {
    double higher_m = 0;
    const SamconMoment now = own_.look(state, k, higher_m);
    const SamconMoment& wanted = plan_.reference[k];
    root_height_m_ = now.q[2];
    if (std::abs(higher_m) <= kLost_m) return;

    // The part that is farthest from its place, where the body stands.
    VecX q = now.q;
    q.head<3>() = wanted.q.head<3>() + higher_m * Vec3::UnitZ();
    const Character& character = plan_.task.character;
    const std::vector<Pose> X = body_poses(character, q), X_wanted = body_poses(character, wanted.q);
    size_t farthest = 0;
    const auto off = [&](size_t b) { return (X[b].p - X_wanted[b].p).norm(); };
    for (size_t b = 1; b < X.size(); ++b)
      if (off(b) > off(farthest)) farthest = b;
    char text[400];
    std::snprintf(text, sizeof text,
                  "the motion was lost at %.2f s: the root is %.2f m too %s, and %s is farthest "
                  "from its place (%.2f m); try more samples, another seed, wider windows or stronger gains",
                  plan_.time_s[k], std::abs(higher_m), higher_m < 0 ? "low" : "high",
                  character.bodies[farthest].name.c_str(), off(farthest));
    result_.lost = text;
  }

  SearchReport report() const {
    const size_t k = layers_.size() - 1;
    SearchReport report;
    report.time_s = plan_.time_s[k];
    report.cost = layers_.back().front().cost;
    report.root_height_m = root_height_m_;
    report.reference_height_m = plan_.reference[k].q[2];
    report.samples = result_.samples;
    return report;
  }

  // The path whose costs add up to the least, from its end back to the beginning.
  void finish() {
    result_.control = plan_.gains;
    if (layers_.empty()) return;
    const size_t steps = layers_.size();
    result_.reached_s = steps == plan_.ends.size() ? plan_.task.seconds : plan_.time_s[steps - 1];
    result_.control.time_s.resize(steps);
    result_.control.offset.resize(steps);
    const auto best = std::min_element(layers_.back().begin(), layers_.back().end(),
                                       [](const Branch& a, const Branch& b) { return a.total < b.total; });
    auto at = static_cast<size_t>(best - layers_.back().begin());
    for (size_t k = steps; k-- > 0;) {
      const Branch& branch = layers_[k][at];
      result_.control.time_s[k] = plan_.time_s[k];
      result_.control.offset[k] = branch.offset;
      at = static_cast<size_t>(branch.parent);
    }
  }

  // What a checkpoint must agree in with the search that goes on from it.
  Checkpoint key() const {
    const SamconOptions& o = plan_.options;
    const auto number = [](auto x) { return static_cast<double>(x); };
    return {kCheckpoint,
            number(o.samples),
            number(o.save),
            o.weights.pose,
            o.weights.root,
            o.weights.effectors,
            o.weights.balance,
            o.sampling_s,
            o.window_scale,
            o.gain,
            number(o.contact_scale),
            number(plan_.task.seed),
            plan_.task.start_s,
            plan_.task.seconds,
            plan_.step_s,
            number(plan_.task.character.nv()),
            number(plan_.ends.size())};
  }

  // The key, samples so far, the layers, and the states of the last one, each with its length before it.
  Checkpoint checkpoint() const {
    Checkpoint out = key();
    out.push_back(static_cast<double>(result_.samples));
    out.push_back(static_cast<double>(layers_.size()));
    for (const std::vector<Branch>& layer : layers_) {
      out.push_back(static_cast<double>(layer.size()));
      for (const Branch& branch : layer) {
        out.insert(out.end(), {static_cast<double>(branch.parent), branch.cost, branch.total});
        out.insert(out.end(), branch.offset.begin(), branch.offset.end());
      }
    }
    for (const Numbers& state : states_) {
      out.push_back(static_cast<double>(state.size()));
      out.insert(out.end(), state.begin(), state.end());
    }
    return out;
  }

  void resume(const Checkpoint& from) {
    size_t at = 0;
    const auto take = [&](size_t count) {
      if (count > from.size() - at) throw Error("the checkpoint is damaged: it ends too early");
      at += count;
      return std::span(from).subspan(at - count, count);
    };
    // A whole number of something that is to come.
    const auto count_of = [&](size_t most) {
      const double number = take(1)[0];
      if (!(number >= 0 && number <= static_cast<double>(most)))
        throw Error("the checkpoint is damaged: one of its numbers makes no sense");
      return static_cast<size_t>(number);
    };
    const Checkpoint expected = key();
    const auto head = take(std::min(expected.size(), from.size()));
    if (!std::equal(head.begin(), head.end(), expected.begin(), expected.end()))
      throw Error("the checkpoint is of another search: of another motion, seed, step or number of samples");

    result_.samples = static_cast<long>(count_of(size_t{1} << 52));
    layers_.resize(count_of(plan_.ends.size()));
    const auto nv = static_cast<size_t>(plan_.task.character.nv());
    size_t parents = 1;
    for (std::vector<Branch>& layer : layers_) {
      layer.resize(count_of(static_cast<size_t>(plan_.options.save)));
      for (Branch& branch : layer) {
        branch.parent = static_cast<int>(count_of(parents - 1));
        branch.cost = take(1)[0];
        branch.total = take(1)[0];
        branch.offset = Eigen::Map<const VecX>(take(nv).data(), static_cast<Eigen::Index>(nv));
      }
      if (layer.empty()) throw Error("the checkpoint is damaged: it saved nothing");
      parents = layer.size();
    }
    states_.resize(parents);
    for (Numbers& state : states_) {
      const auto taken = take(count_of(from.size()));
      state.assign(taken.begin(), taken.end());
    }
  }

  const Plan& plan_;
  const SearchHooks& hooks_;
  Sampler& own_;                             // the leader's, to look at states
  std::vector<std::vector<Branch>> layers_;  // saved samples, per sampling step
  std::vector<Numbers> states_;              // of the last layer; the start before the first
  double root_height_m_ = 0;                 // of the cheapest sample
  SearchResult result_;
};

void check(const SearchTask& task, const SamconOptions& options) {
  if (options.save < 1 || options.samples < options.save)
    throw Error("at least one sample must be saved, and not more than are simulated");
  if (!(options.sampling_s > 0)) throw Error("the sampling step must be longer than nothing");
  if (!(options.gain > 0) || !(options.window_scale >= 0))
    throw Error("gains must be above 0 and windows not below");
  if (!(task.seconds > 0)) throw Error("there is nothing to reconstruct in 0 seconds");
}

}  // namespace

std::vector<size_t> select_samples(const std::vector<double>& cost, int save) {
  // The cheaper 60 %; equal costs by their index.
  std::vector<size_t> order(cost.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return cost[a] < cost[b]; });
  order.resize(static_cast<size_t>(std::ceil(kKept * static_cast<double>(cost.size()))));
  while (!order.empty() && !std::isfinite(cost[order.back()])) order.pop_back();
  if (order.size() <= static_cast<size_t>(save)) return order;

  // For each place on the convex scale over the range of costs, the nearest sample not yet taken.
  const double lowest = cost[order.front()], range = cost[order.back()] - lowest;
  std::vector<char> taken(order.size(), 0);
  for (int i = 0; i < save; ++i) {
    const double x = lowest + range * std::pow(static_cast<double>(i) / save, 6);
    size_t nearest = order.size();
    for (size_t s = 0; s < order.size(); ++s) {
      if (taken[s]) continue;
      if (nearest == order.size() || std::abs(cost[order[s]] - x) < std::abs(cost[order[nearest]] - x))
        nearest = s;
    }
    taken[nearest] = 1;
  }
  std::vector<size_t> chosen;
  for (size_t s = 0; s < order.size(); ++s)
    if (taken[s]) chosen.push_back(order[s]);
  return chosen;
}

SearchResult samcon(const SearchTask& task, const SamconOptions& options, const SearchHooks& hooks) {
  check(task, options);
  const double step_s = task.engine(task.character, task.world, {task.step_s})->step_s();
  const Plan plan(task, options, step_s);
  if (plan.ends.empty()) throw Error("there is less than one step of the simulation to reconstruct");
  Sampler own(plan);
  return Search(plan, hooks, own).run();
}

}  // namespace sinew
