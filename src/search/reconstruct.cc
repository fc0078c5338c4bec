#include "search/reconstruct.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/random.h"
#include "rollout/rollout.h"
#include "sim/engines.h"

namespace sinew {

namespace {

constexpr double kLostHeight_m = 0.25;

// All that look-ahead and commitment share.
struct Shared {
  const SearchTask& task;
  const ReconstructOptions& options;
  Tracking tracking;
  OpenLoop gains;
  VecX noise;                        // nv, rad
  std::vector<MatX> ways;            // per knot: directions in which it is worth to displace, nv x m
  std::vector<Posture> reference;    // every cost_every_s
  int knots = 0;                     // the last one is at or after the end
  int per_knot = 1;
  const Posture& at(int knot, int part) const {
    return reference[std::min(reference.size() - 1, static_cast<size_t>(knot * per_knot + part))];
  }
};

// Jobs: first knot, number of knots, q, v, props (13 each), offsets of the knots first .. first + n.
struct Job {
  static Numbers pack(int first, int n, const State& state, const std::vector<PropState>& props,
                      const std::vector<VecX>& offsets) {
    Numbers out;
    out.push_back(first);
    out.push_back(n);
    out.push_back(state.time_s);
    for (const double x : state.q) out.push_back(x);
    for (const double x : state.v) out.push_back(x);
    for (const PropState& prop : props) {
      for (const double x : prop.X_WP.p) out.push_back(x);
      out.insert(out.end(), {prop.X_WP.q.w(), prop.X_WP.q.x(), prop.X_WP.q.y(), prop.X_WP.q.z()});
      for (const double x : prop.v_WP) out.push_back(x);
      for (const double x : prop.w_WP) out.push_back(x);
    }
    for (const VecX& offset : offsets)
      for (int i = 6; i < offset.size(); ++i) out.push_back(offset[i]);
    return out;
  }
};

// Result: cost, then joint errors at knots (n x (nv - 6)), then residuals.
class LookAhead : public Evaluator {
 public:
  explicit LookAhead(const Shared& shared)
      : shared_(shared),
        simulator_(make_mujoco(shared.task.character, shared.task.world, {shared.options.plan_step_s})),
        control_(shared.gains),
        controller_(shared.task.character, shared.task.reference, control_, shared.task.start_s) {}

  void evaluate(const Numbers& job, Numbers& result) override {
    const Character& character = shared_.task.character;
    const ReconstructOptions& options = shared_.options;
    const int nv = character.nv(), nq = character.nq();
    const double* p = job.data();
    const int first = static_cast<int>(*p++), n = static_cast<int>(*p++);
    State state;
    state.time_s = *p++;
    state.q = Eigen::Map<const VecX>(p, nq);
    p += nq;
    state.v = Eigen::Map<const VecX>(p, nv);
    p += nv;
    simulator_->set_state(state);
    for (size_t i = 0; i < shared_.task.world.props.size(); ++i, p += 13) {
      PropState prop;
      prop.X_WP.p = Vec3(p[0], p[1], p[2]);
      prop.X_WP.q = Quat(p[3], p[4], p[5], p[6]);
      prop.v_WP = Vec3(p[7], p[8], p[9]);
      prop.w_WP = Vec3(p[10], p[11], p[12]);
      if (!shared_.task.world.props[i].waiting) simulator_->set_prop(static_cast<int>(i), prop);
    }
    control_.time_s.clear();
    control_.offset.clear();
    for (int k = 0; k <= n; ++k, p += nv - 6) {
      control_.time_s.push_back((first + k) * options.knot_s);
      VecX offset = VecX::Zero(nv);
      offset.tail(nv - 6) = Eigen::Map<const VecX>(p, nv - 6);
      control_.offset.push_back(offset);
    }

    // Simulate, and look at the cost several times a knot.
    Rollout rollout(*simulator_, controller_, {.plan_hz = 1, .record_hz = 0});
    result.clear();
    result.push_back(0);
    const size_t errors_at = result.size();
    result.resize(errors_at + static_cast<size_t>(n * (nv - 6)), 0);
    residuals_.clear();
    bool ok = true;
    for (int k = 0; k < n && ok; ++k) {
      for (int part = 1; part <= shared_.per_knot && ok; ++part) {
        const double until = (first + k) * options.knot_s + part * options.cost_every_s;
        const double left = until - simulator_->state().time_s;
        if (left > 1e-9) ok = rollout.run(left) == StepStatus::kOk;
        if (!ok) break;
        const Posture now = shared_.tracking.posture(simulator_->state().q, simulator_->state().v);
        const Posture& reference = shared_.at(first + k, part);
        const bool last = k + 1 == n && part == shared_.per_knot;
        shared_.tracking.residuals(now, reference, last ? std::sqrt(2.0) : 1, residuals_);
        if (part == shared_.per_knot) {
          const VecX error = difference(character, now.q, reference.q);
          for (int i = 6; i < nv; ++i)
            result[errors_at + static_cast<size_t>(k * (nv - 6) + i - 6)] = error[i];
        }
      }
    }
    // What never came costs as much as can be.
    residuals_.resize(static_cast<size_t>(n * shared_.per_knot * shared_.tracking.size()), 3);
    // Offsets and their bends.
    const double share = 1 / std::sqrt(static_cast<double>(nv - 6));
    for (int k = 1; k <= n; ++k) {
      const auto i = static_cast<size_t>(k);
      for (int j = 6; j < nv; ++j) {
        residuals_.push_back(share * control_.offset[i][j] / options.offset_unit_rad);
        const double bend = control_.offset[i][j] - control_.offset[i - 1][j];
        residuals_.push_back(share * bend / options.bend_unit_rad);
      }
    }
    double cost = 0;
    for (const double r : residuals_) cost += r * r;
    result[0] = cost / n;
    result.insert(result.end(), residuals_.begin(), residuals_.end());
  }

 private:
  const Shared& shared_;
  std::unique_ptr<Simulator> simulator_;
  OpenLoop control_;
  OpenLoopController controller_;
  std::vector<double> residuals_;
};

using Plan = std::vector<VecX>;  // offsets of the knots first .. first + n

class Reconstruction {
 public:
  Reconstruction(const SearchTask& task, const ReconstructOptions& options, const SearchHooks& hooks)
      : shared_{task, options, Tracking(task.character, options.units), open_loop(task.character, options.gain),
                VecX::Zero(task.character.nv()), {}, {}, 0, 1},
        hooks_(hooks) {
    const Character& character = task.character;
    shared_.knots = static_cast<int>(std::ceil(task.seconds / options.knot_s - 1e-9));
    shared_.per_knot = static_cast<int>(std::lround(options.knot_s / options.cost_every_s));
    for (int i = 0; i <= shared_.knots * shared_.per_knot; ++i) {
      const ReferenceSample s = sample(character, task.reference, task.start_s + i * options.cost_every_s);
      shared_.reference.push_back(shared_.tracking.posture(s.q, s.v));
    }
    for (int i = 6; i < character.nv(); ++i) {
      const double reach = shared_.gains.limit[i] / shared_.gains.kp[i];
      shared_.noise[i] = std::min(options.noise * reach, options.max_noise_rad);
    }
    for (int k = 0; k <= shared_.knots; ++k) shared_.ways.push_back(ways(shared_.at(k, 0).q));
    executor_ = hooks.executor([this] { return std::make_unique<LookAhead>(shared_); });
  }

  SearchResult run() {
    const SearchTask& task = shared_.task;
    const ReconstructOptions& options = shared_.options;
    simulator_ = task.engine(task.character, task.world, {task.step_s});
    simulator_->set_state(task.start);
    OpenLoop control = shared_.gains;
    OpenLoopController controller(task.character, task.reference, control, task.start_s);
    Rollout rollout(*simulator_, controller, {.plan_hz = 1, .record_hz = 0});
    std::vector<Rollout::Saved> saved(static_cast<size_t>(shared_.knots) + 1);
    std::vector<Plan> plans(static_cast<size_t>(shared_.knots) + 1);
    plans[0] = Plan(1, VecX::Zero(task.character.nv()));

    SearchResult result;
    int furthest = 0, tries = 0;
    for (int k = 0; k < shared_.knots;) {
      rollout.save(saved[static_cast<size_t>(k)]);
      const int n = std::min(options.horizon, shared_.knots - k);
      Plan plan = plans[static_cast<size_t>(k)];
      while (static_cast<int>(plan.size()) <= n) plan.push_back(plan.back());
      plan.resize(static_cast<size_t>(n) + 1);
      double cost = improve(k, n, plan, tries);

      // Commit one knot.
      control.time_s.resize(static_cast<size_t>(k));
      control.offset.resize(static_cast<size_t>(k));
      for (int i = 0; i < 2; ++i) {
        control.time_s.push_back((k + i) * options.knot_s);
        control.offset.push_back(plan[static_cast<size_t>(i)]);
      }
      const double until = std::min((k + 1) * options.knot_s, task.seconds);
      const StepStatus status = rollout.run(until - simulator_->state().time_s);
      ++k;
      plans[static_cast<size_t>(k)] = Plan(plan.begin() + 1, plan.end());
      if (plans[static_cast<size_t>(k)].empty()) plans[static_cast<size_t>(k)].push_back(plan.back());
      const Posture& reference = shared_.at(k, 0);
      const double off = simulator_->state().q[2] - reference.q[2];
      const Quat a(simulator_->state().q[3], simulator_->state().q[4], simulator_->state().q[5], simulator_->state().q[6]);
      const Quat b(reference.q[3], reference.q[4], reference.q[5], reference.q[6]);
      const bool lost = status != StepStatus::kOk || std::abs(off) > kLostHeight_m || angle_between(a, b) > 1.0;
      if (k > furthest) furthest = k, last_cost_ = cost;
      if (hooks_.progress)
        hooks_.progress({k * options.knot_s, cost, simulator_->state().q[2], reference.q[2], samples_, result.rewinds},
                        [] { return Checkpoint{}; });
      if (!lost) continue;
      if (result.rewinds >= options.max_rewinds) {
        result.lost = "lost at " + std::to_string(k * options.knot_s);
        result.reached_s = k * options.knot_s;
        break;
      }
      ++result.rewinds;
      ++tries;
      k = std::max(0, k - options.rewind - 2 * tries);
      rollout.restore(saved[static_cast<size_t>(k)]);
    }
    if (result.lost.empty()) result.reached_s = task.seconds;
    result.control = control;
    result.samples = samples_;
    return result;
  }

 private:
  // Directions that move feet and hands against the root, each joint giving way as it is free to.
  MatX ways(const VecX& q) const {
    const Character& character = shared_.task.character;
    const int nv = character.nv();
    const Kinematics at = forward_kinematics(character, q);
    std::vector<VecX> out;
    const auto add = [&](VecX way) {
      way.head<6>().setZero();
      way = shared_.noise.cwiseProduct(shared_.noise).cwiseProduct(way);
      const double size = (way.array() / shared_.noise.array().max(1e-3)).matrix().norm();
      if (size > 1e-6) out.push_back(way / size * 1.0);
    };
    for (const Part part : {Part::kLeftFoot, Part::kRightFoot, Part::kLeftHand, Part::kRightHand}) {
      const int body = character.find(part);
      if (body < 0) continue;
      const auto& X = at.X_WB[static_cast<size_t>(body)];
      const Vec3 c = X * character.bodies[static_cast<size_t>(body)].p_BC;
      const Eigen::Matrix3Xd J = point_jacobian(character, at, body, c);
      for (int k = 0; k < 3; ++k) add(J.row(k).transpose());
      // Turning of the end.
      for (int k = 0; k < 3; ++k) {
        const Vec3 axis = Vec3::Unit(k);
        const Vec3 a = Vec3::Unit((k + 1) % 3), b = Vec3::Unit((k + 2) % 3);
        (void)axis;
        const Eigen::Matrix3Xd Ja = point_jacobian(character, at, body, c + a);
        add((Ja.row((k + 2) % 3) - J.row((k + 2) % 3)).transpose());
        (void)b;
      }
    }
    for (const Joint& joint : character.joints)
      if (joint.body > 0 && character.bodies[static_cast<size_t>(joint.body)].parent == 0 &&
          character.bodies[static_cast<size_t>(joint.body)].part == Part::kThorax)
        for (int k = 0; k < joint.v_size(); ++k) add(VecX::Unit(nv, joint.v + k));
    MatX m(nv, static_cast<long>(out.size()));
    for (size_t i = 0; i < out.size(); ++i) m.col(static_cast<long>(i)) = out[i];
    return m;
  }

  std::vector<PropState> props() const {
    std::vector<PropState> out;
    for (size_t i = 0; i < shared_.task.world.props.size(); ++i) out.push_back(simulator_->prop(static_cast<int>(i)));
    return out;
  }

  // Better offsets for the knots after `first`; their cost.
  double improve(int first, int n, Plan& plan, int tries) {
    const ReconstructOptions& options = shared_.options;
    const int nv = shared_.task.character.nv();
    const int free_from = first == 0 ? 0 : 1;
    const State& state = simulator_->state();
    const auto things = props();
    const auto batch = [&](const std::vector<Plan>& candidates) {
      std::vector<Numbers> jobs;
      for (const Plan& candidate : candidates) jobs.push_back(Job::pack(first, n, state, things, candidate));
      std::vector<Numbers> results;
      executor_->run(jobs, results);
      samples_ += static_cast<long>(jobs.size());
      return results;
    };
    const auto clamp = [&](Plan& p) {
      for (VecX& offset : p) offset = offset.cwiseMax(-options.max_offset_rad).cwiseMin(options.max_offset_rad);
    };
    const size_t head = 1 + static_cast<size_t>(n * (nv - 6));
    const auto learn = [&](const Plan& from, const Numbers& result, double rate) {
      Plan out = from;
      for (int k = 1; k <= n; ++k)
        for (int j = 6; j < nv; ++j)
          out[static_cast<size_t>(k)][j] += rate * result[1 + static_cast<size_t>((k - 1) * (nv - 6) + j - 6)];
      if (free_from == 0) out[0] += out[1] - from[1];
      clamp(out);
      return out;
    };

    Numbers mean = batch({plan})[0];
    if (getenv("BREAK")) {
      const int J = nv - 6, S = shared_.tracking.size();
      for (int e = 0; e < n * shared_.per_knot; ++e) {
        const double* r = mean.data() + head + e * S;
        double pose = 0, rate = 0;
        for (int j = 0; j < J; ++j) pose += r[2*j]*r[2*j], rate += r[2*j+1]*r[2*j+1];
        const double* q = r + 2 * J;
        auto sq = [&](int a, int m) { double x = 0; for (int i = a; i < a + m; ++i) x += q[i]*q[i]; return x; };
        fprintf(stderr, "t %.2f pose %.1f rate %.1f root %.1f rr %.1f comxy %.1f comz %.1f v %.1f spin %.1f ends %.1f\n", first*0.1+0.05*(e+1), pose, rate, sq(0,3), sq(3,3), sq(6,2), sq(8,1), sq(9,3), sq(12,3), sq(15, S-2*J-15));
      }
    }
    double sigma = 1;
    for (int g = 0; g < options.generations; ++g) {
      // Samples around the plan, and the one that learns from its errors.
      std::vector<Plan> candidates;
      candidates.push_back(learn(plan, mean, options.learn));
      for (int s = 0; s < options.samples; ++s) {
        Random random(shared_.task.seed, static_cast<uint64_t>(first * 64 + g) + 100000ULL * static_cast<uint64_t>(tries), static_cast<uint64_t>(s));
        Plan candidate = plan;
        VecX push = VecX::Zero(nv);
        VecX along;
        for (int k = free_from; k <= n; ++k) {
          const MatX& W = shared_.ways[static_cast<size_t>(first + k)];
          VecX fresh_way(W.cols());
          for (double& x : fresh_way) x = sigma * options.way * random.normal();
          along = along.size() == 0 ? fresh_way : VecX(options.correlation * along + std::sqrt(1 - options.correlation * options.correlation) * fresh_way);
          candidate[static_cast<size_t>(k)] += W * along;
          for (int j = 6; j < nv; ++j) {
            const double fresh = sigma * options.joint * shared_.noise[j] * random.normal();
            push[j] = k == free_from ? fresh : options.correlation * push[j] + std::sqrt(1 - options.correlation * options.correlation) * fresh;
          }
          candidate[static_cast<size_t>(k)] += push;
        }
        clamp(candidate);
        candidates.push_back(candidate);
      }
      std::vector<Numbers> results = batch(candidates);

      // Gauss-Newton among the samples.
      const auto m = static_cast<long>(results[0].size() - head);
      const auto c = static_cast<long>(results.size());
      const Eigen::Map<const VecX> r0(mean.data() + head, m);
      MatX R(m, c);
      for (long i = 0; i < c; ++i) R.col(i) = Eigen::Map<const VecX>(results[static_cast<size_t>(i)].data() + head, m) - r0;
      const MatX A = R.transpose() * R;
      const VecX b = -R.transpose() * r0;
      std::vector<Plan> steps;
      for (const double damping : {options.damping, 5 * options.damping}) {
        MatX M = A;
        M.diagonal().array() += damping * A.trace() / static_cast<double>(c);
        const VecX w = M.ldlt().solve(b);
        Plan step = plan;
        for (long i = 0; i < c; ++i)
          for (size_t k = 0; k < step.size(); ++k) step[k] += w[i] * (candidates[static_cast<size_t>(i)][k] - plan[k]);
        clamp(step);
        steps.push_back(step);
      }
      std::vector<Numbers> step_results = batch(steps);
      for (size_t i = 0; i < steps.size(); ++i) {
        candidates.push_back(steps[i]);
        results.push_back(step_results[i]);
      }
      size_t best = 0;
      for (size_t i = 1; i < results.size(); ++i)
        if (results[i][0] < results[best][0]) best = i;
      wins_.resize(results.size() + 1);
      if (results[best][0] < mean[0]) {
        ++wins_[best];
        plan = candidates[best];
        mean = results[best];
      } else {
        ++wins_.back();
      }
      sigma *= 0.7;
    }
    return mean[0];
  }

 public:
  std::vector<int> wins_;

 private:
  Shared shared_;
  const SearchHooks& hooks_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Simulator> simulator_;
  long samples_ = 0;
  double last_cost_ = 0;
};

}  // namespace

SearchResult reconstruct(const SearchTask& task, const ReconstructOptions& options, const SearchHooks& hooks) {
  Reconstruction search(task, options, hooks);
  SearchResult r = search.run();
  if (getenv("WINS")) for (int w : search.wins_) fprintf(stderr, "%d ", w);
  return r;
}

}  // namespace sinew
