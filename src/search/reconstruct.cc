#include "search/reconstruct.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "character/footfalls.h"
#include "character/plants.h"
#include "core/error.h"
#include "record/metrics.h"
#include "rollout/rollout.h"

namespace sinew {

namespace {

// What is nearer to the floor in the rest stance is stood on.
constexpr double kStandsOn_m = 0.01;

// A root that is lower than this share of its height at rest is not of one who stands.
constexpr double kLow = 0.6;

// Ground that is so much lower, so near, is an edge.
constexpr double kEdge_m = 0.05, kBeside_m = 0.15;

// 1 along the axes along which there is one.
Vec2 beside_edge(const GroundHeight& ground, const Vec3& p) {
  const auto falls = [&](const Vec2& way) {
    return ground(p.x(), p.y()) - ground(p.x() + kBeside_m * way.x(), p.y() + kBeside_m * way.y()) > kEdge_m;
  };
  Vec2 out = Vec2::Zero();
  for (int k = 0; k < 2; ++k) out[k] = falls(Vec2::Unit(k)) || falls(-Vec2::Unit(k)) ? 1 : 0;
  return out;
}

class Reconstruction {
 public:
  Reconstruction(const SearchTask& task, const ReconstructOptions& options, const SearchHooks& hooks)
      : task_(task),
        options_(options),
        hooks_(hooks),
        tracking_(task.character, sized(options.units, task.character)),
        footfalls_(task.character, task.reference),
        knots_(static_cast<int>(std::ceil(task.seconds / options.look.knot_s - 1e-9))),
        control_(open_loop(task.character, options.gain)),
        controller_(task.character, task.reference, control_, task.start_s),
        simulator_(task.engine(task.character, task.world, {task.step_s})),
        rollout_(*simulator_, controller_, {.plan_hz = 1, .record_hz = 0}) {
    simulator_->set_state(task.start);
    shared_ = {&task_, &tracking_, control_, {}, options.look, 0};
    read_reference();
    planner_ = std::make_unique<Planner>(shared_, options.plan, hooks.executor);
    saved_.resize(static_cast<size_t>(knots_) + 1);
    plans_.resize(static_cast<size_t>(knots_) + 1);
    dangers_.resize(static_cast<size_t>(knots_) + 1);
    costs_.resize(static_cast<size_t>(knots_) + 1);
    plans_[0] = Plan(1, VecX::Zero(task.character.nv()));
  }

  SearchResult run() {
    if (hooks_.resume) resume(*hooks_.resume);
    while (knot_ < knots_) {
      rollout_.save(saved_[at(knot_)]);
      improve();
      const double danger = commit();
      const double ahead = dangers_[at(knot_ - 1)], cost = costs_[at(knot_ - 1)];
      const SearchReport now = report(cost);
      const bool lost = danger > (knot_ == knots_ ? options_.end_lost : options_.lost);
      const bool hopeless = ahead > options_.hopeless || (is_narrow() && cost > options_.narrow_cost);
      if (lost && tired()) {
        result_.lost = why_lost();
        break;
      }
      if (lost || (hopeless && !tired())) {
        rewind();
      } else if (knot_ > lost_at_ + 2) {
        level_ = 0;
      }
      if (hooks_.progress && !hooks_.progress(now, [this] { return checkpoint(); })) {
        result_.interrupted = true;
        break;
      }
    }
    result_.reached_s = std::min(knot_ * options_.look.knot_s, task_.seconds);
    control_knots(knot_);
    result_.control = control_;
    return result_;
  }

 private:
  static size_t at(int i) { return static_cast<size_t>(i); }

  // Its postures, and where it is hard: where more touches the ground than what the character stands on, or
  // it stands beside an edge; and where it is as low as if (those who sit may hover by centimetres).
  void read_reference() {
    const std::vector<char> stands = standing_bodies(task_.character, kStandsOn_m);
    const auto ground = reference_ground(task_.world);
    const int looks = options_.look.looks;
    for (int i = 0; i <= knots_ * looks; ++i) {
      const ReferenceSample now =
          sample(task_.character, task_.reference, task_.start_s + i * options_.look.knot_s / looks);
      Posture posture = tracking_.posture(now);
      const std::vector<Pose> X_WB = body_poses(task_.character, now.q);
      bool more = false;
      for (size_t b = 0; b < stands.size(); ++b) {
        if (!(*now.body_contact)[b]) continue;
        more = more || !stands[b];
        posture.edge = posture.edge.cwiseMax(beside_edge(ground, X_WB[b].p));
      }
      if (i % looks == 0) {
        const double height = now.q[2] - ground(now.q[0], now.q[1]);
        hard_.push_back(more || !posture.edge.isZero());
        low_.push_back(height < kLow * task_.character.q_rest[2]);
      }
      shared_.reference.push_back(std::move(posture));
    }
  }

  // Whether it needs more than a step of a walk does.
  bool is_hard() const {
    const int until = std::min(knot_ + options_.far_horizon, knots_);
    const bool poor = knot_ > 0 && (dangers_[at(knot_ - 1)] > options_.plan.in_danger ||
                                    costs_[at(knot_ - 1)] > options_.hard_cost);
    return level_ > 0 || poor || low_[at(knot_)] ||
           std::any_of(hard_.begin() + knot_, hard_.begin() + until + 1, [](char hard) { return hard != 0; });
  }

  // Whether an edge is near what will bear load.
  bool is_narrow() const {
    const int until = std::min(knot_ + options_.far_horizon, knots_);
    for (int k = knot_; k <= until; ++k)
      if (!shared_.at(k).edge.isZero()) return true;
    return false;
  }

  // The control up to a knot.
  void control_knots(int knot) {
    control_.time_s.clear();
    control_.offset.clear();
    for (int k = 0; k <= knot; ++k) {
      control_.time_s.push_back(k * options_.look.knot_s);
      control_.offset.push_back(plans_[at(k)].front());
    }
  }

  // Simulates up to the next knot; how far the motion is from being lost there.
  double commit() {
    const Plan& plan = plans_[at(knot_)];
    plans_[at(knot_ + 1)] = Plan(plan.begin() + 1, plan.end());
    ++knot_;
    control_knots(knot_);
    const double until = std::min(knot_ * options_.look.knot_s, task_.seconds);
    if (rollout_.run(until - rollout_.time_s()) != StepStatus::kOk) return 1e9;
    const State& state = simulator_->state();
    const Posture reference = tracking_.posture(task_.reference, task_.start_s + until);
    return std::max(tracking_.danger(tracking_.posture(state.q, state.v), reference),
                    pose_error(task_.character, state.q, reference.q) / options_.lost_pose_rad);
  }

  // Back to where the motion was safe, to try harder from there.
  void rewind() {
    lost_at_ = std::max(lost_at_, knot_);
    level_ = std::min(level_ + 1, 3);
    ++result_.rewinds;
    int back = knot_ - 1;
    while (back > 0 && dangers_[at(back)] > 0.5 * options_.plan.in_danger) --back;
    knot_ = std::max(0, std::min(back, knot_ - 4) - 2 * level_);
    rollout_.restore(saved_[at(knot_)]);
  }

  // Whether going back once more is not worth it.
  bool tired() const {
    return result_.rewinds == options_.max_rewinds ||
           static_cast<double>(result_.samples) > options_.max_samples_per_s * task_.seconds;
  }

  SearchReport report(double cost) const {
    return {knot_ * options_.look.knot_s,
            cost,
            simulator_->state().q[2],
            shared_.at(knot_).q[2],
            result_.samples,
            result_.rewinds,
            &control_};
  }

  // ---- one knot's plan

  Outlook outlook() const {
    const double from_s = task_.start_s + knot_ * options_.look.knot_s;
    const double to_s = from_s + options_.far_horizon * options_.look.knot_s;
    const bool brief = footfalls_.shortest_s(from_s, to_s) < options_.brief_s;
    Outlook out{knot_, simulator_->state(), {}};
    if (brief) out.finely = options_.far_horizon;
    for (size_t i = 0; i < task_.world.props.size(); ++i)
      out.props.push_back(simulator_->prop(static_cast<int>(i)));
    return out;
  }

  // Better offsets for the coming knots.
  void improve() {
    const bool hard = is_hard();
    const bool narrow = is_narrow();
    const int harder = std::max(narrow ? 1 : 0, level_ - 1);  // other samples first
    // Who has gone back looks as far as where the motion was lost: what saves it may be long before.
    const int far = level_ == 0 ? options_.far_horizon
                                : std::clamp(lost_at_ + 1 - knot_, options_.far_horizon, options_.back_horizon);
    const int horizon = std::min(hard ? far : options_.horizon, knots_ - knot_);
    Plan plan = plans_[at(knot_)];
    plan.resize(static_cast<size_t>(horizon) + 1, plan.back());

    const Outcome best =
        planner_->improve(outlook(), plan, knot_ == 0,
                          {options_.samples * (1 + harder), options_.generations + harder + (hard ? 1 : 0),
                           narrow ? options_.narrow_size : 1, hard},
                          task_.seed, static_cast<uint64_t>(result_.rewinds * knots_ + knot_));
    result_.samples = simulated_before_ + planner_->samples();
    plans_[at(knot_)] = plan;
    dangers_[at(knot_)] = best.danger;
    costs_[at(knot_)] = best.cost;
  }

  // ---- stopping and going on

  Checkpoint checkpoint() const {
    Checkpoint out;
    for (const long value : {static_cast<long>(knot_), static_cast<long>(level_), static_cast<long>(lost_at_),
                             static_cast<long>(result_.rewinds), result_.samples})
      out.push_back(static_cast<double>(value));
    for (int k = 0; k <= knot_; ++k) {
      out.push_back(dangers_[at(k)]);
      out.push_back(costs_[at(k)]);
      out.push_back(static_cast<double>(plans_[at(k)].size()));
      for (const VecX& offset : plans_[at(k)]) out.insert(out.end(), offset.begin(), offset.end());
    }
    return out;
  }

  // What was committed is simulated again, which is quick and gives the very same states.
  void resume(const Checkpoint& from) {
    size_t next = 0;
    const auto number = [&] {
      if (next >= from.size()) throw Error("the checkpoint ends too early");
      return from[next++];
    };
    const auto whole = [&](double most) {
      const double x = number();
      if (!(x >= 0 && x <= most && x == std::floor(x))) throw Error("the checkpoint is of another search");
      return x;
    };
    const int reached = static_cast<int>(whole(knots_));
    level_ = static_cast<int>(whole(3));
    lost_at_ = static_cast<int>(whole(knots_));
    result_.rewinds = static_cast<int>(whole(options_.max_rewinds));
    result_.samples = simulated_before_ = static_cast<long>(whole(1e15));
    for (int k = 0; k <= reached; ++k) {
      dangers_[at(k)] = number();
      costs_[at(k)] = number();
      plans_[at(k)].assign(static_cast<size_t>(whole(options_.back_horizon + 1)), VecX());
      for (VecX& offset : plans_[at(k)]) {
        offset.resize(task_.character.nv());
        for (double& x : offset) x = number();
      }
    }
    control_knots(reached);
    for (int k = 0; k < reached; ++k) {
      rollout_.save(saved_[at(k)]);
      rollout_.run(std::min((k + 1) * options_.look.knot_s, task_.seconds) - rollout_.time_s());
    }
    knot_ = reached;
  }

  // Where and how the motion was lost, in words.
  std::string why_lost() const {
    const VecX& q = simulator_->state().q;
    const Posture& reference = shared_.at(knot_);
    const VecX off = difference(task_.character, reference.q, q);
    double most = 0;
    std::string part = "root";
    for (const Joint& joint : task_.character.joints) {
      const double angle = off.segment(joint.v, joint.v_size()).norm();
      if (joint.type == JointType::kFree || angle <= most) continue;
      most = angle;
      part = task_.character.bodies[at(joint.body)].name;
    }
    char text[400];
    std::snprintf(
        text, sizeof text,
        "the motion was lost at %.2f s of %.2f: the root is %.2f m too %s and tilted by %.0f degrees, "
        "the %s is farthest off (%.0f degrees); try another --seed, more --samples (now %d), or a cut "
        "that begins earlier",
        knot_ * options_.look.knot_s, task_.seconds, std::abs(off[2]), off[2] < 0 ? "low" : "high",
        degrees(off.segment<3>(3).norm()), part.c_str(), degrees(most), options_.samples);
    return text;
  }

  const SearchTask& task_;
  const ReconstructOptions& options_;
  const SearchHooks& hooks_;
  Tracking tracking_;
  Footfalls footfalls_;
  int knots_;  // the last one is at or after the end
  OpenLoop control_;
  OpenLoopController controller_;
  std::unique_ptr<Simulator> simulator_;
  Rollout rollout_;
  LookAheadTask shared_;
  std::vector<char> hard_, low_;  // per knot: rich in contacts or beside an edge; low
  std::unique_ptr<Planner> planner_;

  int knot_ = 0;   // where the simulation is
  int level_ = 0;  // how hard it tries
  int lost_at_ = 0;
  std::vector<Rollout::Saved> saved_;    // per knot
  std::vector<Plan> plans_;              // per knot: from there on, as found there
  std::vector<double> dangers_, costs_;  // per knot: of its plan
  long simulated_before_ = 0;            // by the search that this one goes on with
  SearchResult result_;
};

}  // namespace

SearchResult reconstruct(const SearchTask& task, const ReconstructOptions& options,
                         const SearchHooks& hooks) {
  return Reconstruction(task, options, hooks).run();
}

}  // namespace sinew
