#include "search/preview.h"

#include <algorithm>
#include <cmath>

#include "character/dynamics.h"

namespace sinew {

namespace {

// What of a world is known before it happens.
World without_surprises(World world) {
  world.throws.clear();
  world.pushes.clear();
  return world;
}

// Servos of its own, as stiff as the joints are strong, critically damped for what hangs on them at rest.
OpenLoop servos(const Character& character, double full_torque_rad) {
  OpenLoop out = open_loop(character);
  const MatX M = mass_matrix(character, character.q_rest);
  for (int i = 6; i < character.nv(); ++i) {
    if (!std::isfinite(out.limit[i])) continue;
    out.kp[i] = out.limit[i] / full_torque_rad;
    out.kd[i] = 2 * std::sqrt(out.kp[i] * M(i, i));
  }
  return out;
}

std::unique_ptr<const Feedforward> motion_torques(const SearchTask& task) {
  return std::make_unique<Feedforward>(
      task.character, task.reference,
      FeedforwardOptions{task.world.gravity, ground_friction(task.character, task.world)});
}

}  // namespace

PreviewTracker::PreviewTracker(const Character& believed, const World& world, const Reference& reference,
                               const PreviewOptions& options)
    : options_(options),
      task_{believed, without_surprises(world), reference, options.start_s, 0, {}, {}, 0, options.seed},
      tracking_(task_.character, options.units),
      footfalls_(task_.character, task_.reference),
      feedforward_(options.feedforward ? motion_torques(task_) : nullptr),
      shared_{&task_, &tracking_,        servos(task_.character, options.full_torque_rad), {}, options.look,
              0,      feedforward_.get()},
      planner_(std::make_unique<Planner>(shared_, options.plan, options.executor)),
      control_(shared_.gains),
      servo_(task_.character, task_.reference, control_, options.start_s, feedforward_.get()),
      ground_(reference_ground(task_.world)) {}

PreviewTracker::~PreviewTracker() = default;

void PreviewTracker::plan(const Observation& now) {
  const double knot_s = options_.look.knot_s;
  const int knot = static_cast<int>(std::lround(now.state.time_s / knot_s));
  follow(now.state);
  Outlook here{knot, now.state, seen(now)};
  preview_reference(knot, here.props);

  // The plan goes on from what was planned for this knot.
  Plan& plan = control_.offset;
  const bool first = plan.empty();
  if (first)
    plan.push_back(VecX::Zero(task_.character.nv()));
  else
    plan.erase(plan.begin());
  plan.resize(static_cast<size_t>(options_.horizon) + 1, plan.back());
  const bool hard = cost_ > options_.hard_cost;
  const double from_s = options_.start_s + now.state.time_s;
  const bool brief = footfalls_.shortest_s(from_s, from_s + options_.horizon * knot_s) < options_.brief_s;
  here.steps = hard ? Steps::kUsual : Steps::kLong;
  if (brief) here.finely = options_.fine_knots;
  const Effort& effort = hard ? options_.hard : options_.easy;
  cost_ = planner_->improve(here, plan, first, effort, options_.seed, static_cast<uint64_t>(knot)).cost;

  control_.time_s.clear();
  for (size_t k = 0; k < plan.size(); ++k)
    control_.time_s.push_back((knot + static_cast<double>(k)) * knot_s);
}

// Where the world's things are; a thrown ball is a surprise, and not seen afterwards either.
std::vector<PropState> PreviewTracker::seen(const Observation& now) const {
  std::vector<PropState> out;
  for (size_t i = 0; i < task_.world.props.size(); ++i) {
    const Prop& prop = task_.world.props[i];
    const PropState at_first{prop.X_WP, Vec3::Zero(), Vec3::Zero()};
    out.push_back(prop.waiting || i >= now.props.size() ? at_first : now.props[i]);
  }
  return out;
}

// Moves the reference after a character that is too far from it.
void PreviewTracker::follow(const State& state) {
  const ReferenceSample motion = sample(task_.character, task_.reference, options_.start_s + state.time_s);
  const auto turned = [](const VecX& q) { return heading(Quat(q[3], q[4], q[5], q[6])); };
  const auto beyond = [](double x, double slack) { return x - std::clamp(x, -slack, slack); };

  // About the character, then along.
  VecX q = moved(motion.q, X_astray_);
  const double turn = std::remainder(turned(state.q) - turned(q), 2 * kPi);
  const Quat about = exp_map(Vec3(0, 0, beyond(turn, options_.astray_rad)));
  const Vec3 here(state.q[0], state.q[1], 0);
  X_astray_ = Pose{here - about * here, about} * X_astray_;
  q = moved(motion.q, X_astray_);
  const Vec3 off = here - Vec3(q[0], q[1], 0);
  if (off.norm() > options_.astray_m) X_astray_.p += (1 - options_.astray_m / off.norm()) * off;
}

// Where the reference will be, moved after the character and onto the ground that is there.
void PreviewTracker::preview_reference(int knot, const std::vector<PropState>& props) {
  std::vector<Pose> X_WP;
  for (const PropState& prop : props) X_WP.push_back(prop.X_WP);
  shared_.first = knot;
  shared_.reference.clear();
  for (int i = 0; i <= options_.horizon * options_.look.looks; ++i) {
    const double time_s =
        options_.start_s + (knot + static_cast<double>(i) / options_.look.looks) * options_.look.knot_s;
    ReferenceSample at = sample(task_.character, task_.reference, time_s);
    const double under = ground_(at.q[0], at.q[1]);
    at.q = moved(at.q, X_astray_);
    at.q[2] += ground_height(task_.world, X_WP, at.q[0], at.q[1]) - under;
    at.v.head<3>() = X_astray_.q * at.v.head<3>();
    shared_.reference.push_back(tracking_.posture(at));
  }
}

void PreviewTracker::act(const Observation& now, Command& command) { servo_.act(now, command); }

void PreviewTracker::target(double time_s, VecX& q) const { servo_.target(time_s, q); }

void PreviewTracker::save(std::vector<double>& into) const {
  into.assign(X_astray_.p.begin(), X_astray_.p.end());
  into.insert(into.end(), {X_astray_.q.w(), X_astray_.q.x(), X_astray_.q.y(), X_astray_.q.z(), cost_});
  into.insert(into.end(), control_.time_s.begin(), control_.time_s.end());
  for (const VecX& offset : control_.offset) into.insert(into.end(), offset.begin(), offset.end());
}

void PreviewTracker::restore(const std::vector<double>& from) {
  constexpr size_t kHead = 8;  // numbers before the plan
  X_astray_ = {Vec3(from[0], from[1], from[2]), Quat(from[3], from[4], from[5], from[6])};
  cost_ = from[7];
  const auto nv = static_cast<size_t>(task_.character.nv());
  const size_t knots = (from.size() - kHead) / (nv + 1);
  const double* plan = from.data() + kHead;
  control_.time_s.assign(plan, plan + knots);
  control_.offset.clear();
  for (size_t k = 0; k < knots; ++k)
    control_.offset.push_back(Eigen::Map<const VecX>(plan + knots + k * nv, static_cast<long>(nv)));
}

}  // namespace sinew
