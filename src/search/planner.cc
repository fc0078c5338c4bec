#include "search/planner.h"

#include <algorithm>
#include <cmath>

#include "rollout/control_file.h"

namespace sinew {

namespace {

// Ways of knots that are farther back than this are forgotten.
constexpr int kRemembered = 50;

// Directions in which it is worth to displace joints: those that move or turn one of the limbs' ends against
// the root, and those of the trunk. Each joint gives way as its noise lets it; columns have unit length in
// units of noise, or are 0 where nothing moves that way or an end is left alone (-1): there are as many at
// every knot.
MatX find_ways(const Character& character, const VecX& q, const std::vector<int>& ends, const VecX& noise) {
  const int nv = character.nv();
  std::vector<VecX> ways;
  const auto add = [&](VecX way) {
    way.head<6>().setZero();
    way = noise.cwiseAbs2().cwiseProduct(way);
    const double size = way.cwiseQuotient(noise.cwiseMax(1e-3)).norm();
    ways.push_back(size > 1e-6 ? VecX(way / size) : VecX(VecX::Zero(nv)));
  };
  const Kinematics at = forward_kinematics(character, q);
  for (const int body : ends) {
    if (body < 0) {
      ways.insert(ways.end(), 6, VecX::Zero(nv));
      continue;
    }
    const auto i = static_cast<size_t>(body);
    const Vec3 c = at.X_WB[i] * character.bodies[i].p_BC;
    const Eigen::Matrix3Xd J = point_jacobian(character, at, body, c);
    for (int k = 0; k < 3; ++k) {
      add(J.row(k).transpose());
      // Turning about k is how a point one metre along the next axis moves along the one after.
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      add((point_jacobian(character, at, body, c + Vec3::Unit(a)) - J).row(b).transpose());
    }
  }
  const int thorax = character.find(Part::kThorax);
  for (const Joint& joint : character.joints) {
    const Body& body = character.bodies[static_cast<size_t>(joint.body)];
    const bool trunk = joint.body == thorax || body.part == Part::kAbdomen;
    for (int k = 0; trunk && k < joint.v_size(); ++k) add(VecX::Unit(nv, joint.v + k));
  }
  MatX out(nv, static_cast<long>(ways.size()));
  for (size_t i = 0; i < ways.size(); ++i) out.col(static_cast<long>(i)) = ways[i];
  return out;
}

}  // namespace

Planner::Planner(const LookAheadTask& shared, const PlannerOptions& options, const ExecutorFactory& executor)
    : shared_(shared), options_(options), noise_(VecX::Zero(shared.task->character.nv())) {
  for (int i = 6; i < noise_.size(); ++i) {
    const double reach = shared.gains.kp[i] > 0 ? shared.gains.limit[i] / shared.gains.kp[i] : 0;
    noise_[i] = std::min(options_.noise * reach, options_.max_noise_rad);
  }
  executor_ = executor(look_ahead(shared_));
}

Outcome Planner::improve(const Outlook& from, Plan& plan, bool first_is_free, const Effort& effort,
                         uint64_t seed, uint64_t round) {
  Outcome best;
  Seen seen;
  double size = effort.size;
  for (int g = 0; g < options_.hard_generations; ++g, size *= options_.shrink) {
    const bool first = g == 0;  // nothing is known of the plan yet
    const bool good = best.cost < options_.good_cost;
    const bool poor = first_is_free && best.cost > options_.poor_cost;
    if (!first && best.danger < options_.in_danger && !poor && (good || g >= effort.generations)) break;

    // The plan itself, or what was learnt from it, and samples about it: one batch, an even number of jobs.
    std::vector<Plan> candidates{first ? plan : learnt(plan, best, first_is_free)};
    for (int s = 0; s < effort.samples; ++s) {
      const uint64_t draw =
          round * static_cast<uint64_t>(options_.hard_generations) + static_cast<uint64_t>(g);
      candidates.push_back(
          sampled(from.knot, plan, first_is_free, size, Random(seed, draw, static_cast<uint64_t>(s))));
    }
    try_out(from, candidates, seen);
    if (first) {
      best = std::move(seen.outcomes.front());
      seen.plans.erase(seen.plans.begin());
      seen.outcomes.erase(seen.outcomes.begin());
    }

    // Steps among all of them; at first also what was learnt, where it is easy in place of the careful one.
    std::vector<Plan> steps = stepped(plan, best, seen);
    if (first && !effort.thorough) steps.pop_back();
    if (first) steps.push_back(learnt(plan, best, first_is_free));
    try_out(from, steps, seen);

    // The best of all; where none is better the plan stays.
    size_t cheapest = 0;
    for (size_t i = 1; i < seen.plans.size(); ++i)
      if (seen.outcomes[i].cost < seen.outcomes[cheapest].cost) cheapest = i;
    if (seen.outcomes[cheapest].cost >= best.cost) continue;
    std::swap(plan, seen.plans[cheapest]);
    std::swap(best, seen.outcomes[cheapest]);
  }
  return best;
}

const MatX& Planner::ways(int knot) {
  ways_.erase(ways_.begin(), ways_.lower_bound(knot - kRemembered));
  const auto found = ways_.find(knot);
  if (found != ways_.end()) return found->second;
  const Character& character = shared_.task->character;
  const Posture& there = shared_.at(knot);
  std::vector<int> ends;
  for (const Part part : {Part::kLeftFoot, Part::kRightFoot, Part::kLeftHand, Part::kRightHand}) {
    const int body = character.find(part);
    const bool hand = part == Part::kLeftHand || part == Part::kRightHand;
    const bool idle = hand && !options_.free_hands && !shared_.tracking->bears(there, body);
    ends.push_back(idle ? -1 : body);
  }
  return ways_[knot] = find_ways(character, there.q, ends, noise_);
}

std::vector<Outcome> Planner::simulate(const Outlook& from, const std::vector<Plan>& plans) {
  std::vector<Numbers> jobs, results;
  for (const Plan& plan : plans) jobs.push_back(pack(from, plan));
  executor_->run(jobs, results);
  samples_ += static_cast<long>(jobs.size());
  std::vector<Outcome> out;
  for (const Numbers& result : results)
    out.push_back(unpack(result, static_cast<int>(plans[0].size()) - 1, shared_.task->character.nv() - 6));
  return out;
}

void Planner::try_out(const Outlook& from, const std::vector<Plan>& candidates, Seen& seen) {
  std::vector<Outcome> outcomes = simulate(from, candidates);
  seen.plans.insert(seen.plans.end(), candidates.begin(), candidates.end());
  std::move(outcomes.begin(), outcomes.end(), std::back_inserter(seen.outcomes));
}

void Planner::bound(Plan& plan) const {
  for (VecX& offset : plan)
    for (double& x : offset) x = on_grid(std::clamp(x, -options_.max_offset_rad, options_.max_offset_rad));
}

// Offsets that take over part of the error that was left.
Plan Planner::learnt(const Plan& plan, const Outcome& outcome, bool first_is_free) const {
  const auto joints = static_cast<size_t>(shared_.task->character.nv() - 6);
  Plan out = plan;
  for (size_t k = 1; k < plan.size(); ++k)
    out[k].tail(static_cast<long>(joints)) +=
        options_.learn *
        Eigen::Map<const VecX>(outcome.errors.data() + (k - 1) * joints, static_cast<long>(joints));
  if (first_is_free) out[0] += out[1] - plan[1];
  bound(out);
  return out;
}

// A plan displaced along the ways of feet and hands, and each joint a little for itself; smooth in time.
Plan Planner::sampled(int knot, const Plan& plan, bool first_is_free, double size, Random random) {
  const double keep = options_.correlation, fresh = std::sqrt(1 - keep * keep);
  const auto go_on = [&](VecX& x, long n, double share) {
    const bool first = x.size() == 0;
    if (first) x = VecX::Zero(n);
    for (double& value : x) value = keep * value + (first ? 1 : fresh) * share * size * random.normal();
  };
  Plan out = plan;
  VecX along, alone;
  for (size_t k = first_is_free ? 0 : 1; k < plan.size(); ++k) {
    const MatX& along_ways = ways(knot + static_cast<int>(k));
    go_on(along, along_ways.cols(), options_.way_share);
    go_on(alone, noise_.size(), options_.joint_share);
    out[k] += along_ways * along + noise_.cwiseProduct(alone);
  }
  bound(out);
  return out;
}

// The combinations of all that was seen that are best if residuals are linear in the offsets: a bold one and
// a careful one.
std::vector<Plan> Planner::stepped(const Plan& plan, const Outcome& outcome, const Seen& seen) const {
  const auto n = static_cast<long>(seen.plans.size()), m = static_cast<long>(outcome.residuals.size());
  const Eigen::Map<const VecX> r0(outcome.residuals.data(), m);
  MatX R(m, n);
  for (long i = 0; i < n; ++i)
    R.col(i) = Eigen::Map<const VecX>(seen.outcomes[static_cast<size_t>(i)].residuals.data(), m) - r0;
  const MatX RtR = R.transpose() * R;
  const VecX Rtr = R.transpose() * r0;
  std::vector<Plan> out;
  for (const double damping : {options_.damping, 5 * options_.damping}) {
    MatX A = RtR;
    A.diagonal().array() += damping * A.trace() / static_cast<double>(n) + 1e-12;
    const VecX w = A.ldlt().solve(-Rtr);
    Plan step = plan;
    for (size_t i = 0; i < seen.plans.size(); ++i)
      for (size_t k = 0; k < plan.size(); ++k)
        step[k] += w[static_cast<long>(i)] * (seen.plans[i][k] - plan[k]);
    bound(step);
    out.push_back(step);
  }
  return out;
}

}  // namespace sinew
