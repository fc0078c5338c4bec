#include "search/look_ahead.h"

#include <cmath>
#include <numeric>

#include "core/random.h"
#include "search/tasks.h"

namespace sinew {
namespace {

// A task and what those who look ahead share, which point at each other.
class Ahead {
 public:
  explicit Ahead(SearchTask task) : task_(std::move(task)), tracking_(task_.character) {
    shared_.task = &task_;
    shared_.tracking = &tracking_;
    shared_.gains = open_loop(task_.character, 4);
    const double look_s = shared_.options.knot_s / shared_.options.looks;
    for (double t = 0; t < task_.seconds + 1e-9; t += look_s)
      shared_.reference.push_back(tracking_.posture(task_.reference, task_.start_s + t));
  }
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  const SearchTask& task() const { return task_; }
  const LookAheadTask& shared() const { return shared_; }
  void count_pushes(double unit_bw) { shared_.options.push_bw = unit_bw; }
  int joints() const { return task_.character.nv() - 6; }

  // The start, with all props as they stand there.
  Outlook start() const {
    Outlook out{0, task_.start, {}};
    for (const Pose& X : prop_poses(task_.world)) out.props.push_back({X, Vec3::Zero(), Vec3::Zero()});
    return out;
  }

  Plan random_plan(int knots, uint64_t seed) const {
    Random random(seed);
    Plan plan(static_cast<size_t>(knots) + 1, VecX::Zero(task_.character.nv()));
    for (VecX& offset : plan)
      for (int i = 6; i < offset.size(); ++i) offset[i] = 0.05 * random.normal();
    return plan;
  }

  Outcome evaluate(Evaluator& evaluator, const Outlook& from, const Plan& plan) const {
    Numbers result;
    evaluator.evaluate(pack(from, plan), result);
    return unpack(result, static_cast<int>(plan.size()) - 1, joints());
  }

  // The postures at all looks after the beginning, by a rollout of an engine.
  std::vector<Posture> simulated(const SimulatorFactory& engine, double step_s, const Outlook& from,
                                 const Plan& plan) const {
    OpenLoop control = shared_.gains;
    for (size_t k = 0; k < plan.size(); ++k) {
      control.time_s.push_back((from.knot + static_cast<double>(k)) * shared_.options.knot_s);
      control.offset.push_back(plan[k]);
    }
    const auto simulator = engine(task_.character, task_.world, {step_s});
    simulator->set_state(from.state);
    for (size_t i = 0; i < from.props.size(); ++i) simulator->set_prop(static_cast<int>(i), from.props[i]);
    OpenLoopController controller(task_.character, task_.reference, control, task_.start_s);
    Rollout rollout(*simulator, controller, {.plan_hz = 1, .record_hz = 0});
    std::vector<Posture> out;
    const int looks = shared_.options.looks;
    for (int i = 1; i <= looks * (static_cast<int>(plan.size()) - 1); ++i) {
      const double until = (from.knot + static_cast<double>(i) / looks) * shared_.options.knot_s;
      rollout.run(until - simulator->state().time_s);
      out.push_back(tracking_.posture(simulator->state().q, simulator->state().v));
    }
    return out;
  }

  // The residuals of tracking alone, without effort.
  std::vector<double> residuals(const std::vector<Posture>& postures, int knot) const {
    std::vector<double> out;
    for (size_t i = 0; i < postures.size(); ++i) {
      const bool last = i + 1 == postures.size();
      tracking_.residuals(postures[i], shared_.at(knot, static_cast<int>(i) + 1),
                          last ? std::sqrt(shared_.options.last_weight) : 1, out);
    }
    return out;
  }

 private:
  SearchTask task_;
  Tracking tracking_;
  LookAheadTask shared_;
};

// `length`: of the steps, in those of the options.
void expect_as_simulated(const Ahead& ahead, const Outlook& from, const Plan& plan, double length = 1) {
  const auto evaluator = look_ahead(ahead.shared())();
  const Outcome outcome = ahead.evaluate(*evaluator, from, plan);
  const double step_s = length * ahead.shared().options.step_s;
  const std::vector<Posture> postures = ahead.simulated(make_mujoco, step_s, from, plan);
  const std::vector<double> expected = ahead.residuals(postures, from.knot);
  ASSERT_GT(outcome.residuals.size(), expected.size()) << "offsets cost something, too";
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), outcome.residuals.begin()));

  // The errors of the joints lead from where they are to where they should be.
  const int looks = ahead.shared().options.looks;
  for (size_t k = 1; k < plan.size(); ++k) {
    const VecX& q = postures[k * static_cast<size_t>(looks) - 1].q;
    const Posture& reference = ahead.shared().at(from.knot + static_cast<int>(k));
    const VecX error = difference(ahead.task().character, q, reference.q).tail(ahead.joints());
    for (int j = 0; j < ahead.joints(); ++j)
      EXPECT_EQ(outcome.errors[(k - 1) * static_cast<size_t>(ahead.joints()) + static_cast<size_t>(j)],
                error[j]);
  }

  // Danger is the largest on the way; the cost is that of all residuals, a knot.
  double danger = 0, cost = 0;
  for (size_t i = 0; i < postures.size(); ++i)
    danger = std::max(danger, ahead.shared().tracking->danger(
                                  postures[i], ahead.shared().at(from.knot, static_cast<int>(i) + 1)));
  EXPECT_EQ(outcome.danger, danger);
  for (const double r : outcome.residuals) cost += r * r;
  EXPECT_NEAR(outcome.cost, cost / (static_cast<double>(plan.size()) - 1), 1e-9 * cost);
}

TEST(LookAhead, AJobIsPlainNumbersAndAResultReadsBack) {
  const Ahead ahead(tasks::make(0.5, {.world = "blocks"}));
  ASSERT_FALSE(ahead.task().world.props.empty());
  Outlook from = ahead.start();
  from.knot = 2;
  from.state.time_s = 0.2;
  const Plan plan = ahead.random_plan(3, 1);
  const Numbers job = pack(from, plan);
  const Character& character = ahead.task().character;
  const size_t props = 13 * from.props.size(), offsets = plan.size() * static_cast<size_t>(ahead.joints());
  EXPECT_EQ(job.size(), 5 + static_cast<size_t>(character.nq() + character.nv()) + props + offsets);
  EXPECT_EQ(job[4], 0.2);

  Numbers result(2 + 3 * 2 + 5);
  std::iota(result.begin(), result.end(), 0.0);
  const Outcome outcome = unpack(result, 3, 2);
  EXPECT_EQ(outcome.cost, 0);
  EXPECT_EQ(outcome.danger, 1);
  EXPECT_EQ(outcome.errors, (std::vector<double>{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(outcome.residuals, (std::vector<double>{8, 9, 10, 11, 12}));
}

TEST(LookAhead, SeesWhatARolloutOfTheSameModelDoes) {
  const Ahead ahead(tasks::make(1.0));
  expect_as_simulated(ahead, ahead.start(), ahead.random_plan(4, 2));

  // In the middle of the motion, too, from where a simulation may be.
  Outlook later{3, {}, {}};
  const ReferenceSample at = sample(ahead.task().character, ahead.task().reference, 0.3);
  later.state = perturbed(ahead.task().character, {0.3, at.q, at.v}, 5);
  expect_as_simulated(ahead, later, ahead.random_plan(3, 4));
}

TEST(LookAhead, ThingsOfTheWorldAreWhereTheJobSays) {
  // A block under the feet, and one that comes flying.
  const Ahead ahead(tasks::make(0.5, {.world = "blocks"}));
  Outlook from = ahead.start();
  const Plan plan = ahead.random_plan(3, 2);
  expect_as_simulated(ahead, from, plan);
  const auto evaluator = look_ahead(ahead.shared())();
  const Outcome calm = ahead.evaluate(*evaluator, from, plan);
  from.props[0].X_WP.p = from.state.q.head<3>() + Vec3(0.7, 0, 0.2);
  from.props[0].X_WP.q = exp_map(Vec3(0.3, -0.4, 0.5));
  from.props[0].v_WP = Vec3(-8, 0, 0);
  from.props[0].w_WP = Vec3(1, 2, 3);
  expect_as_simulated(ahead, from, plan);
  EXPECT_GT(ahead.evaluate(*evaluator, from, plan).cost, calm.cost);
}

TEST(LookAhead, NothingIsLeftOfEarlierJobs) {
  const Ahead ahead(tasks::make(0.6, {.world = "blocks"}));
  const Outlook from = ahead.start();
  Outlook later = from;
  later.knot = 2;
  later.state.time_s = 0.2;
  const auto evaluator = look_ahead(ahead.shared())();
  Numbers first, between, again;
  evaluator->evaluate(pack(from, ahead.random_plan(3, 1)), first);
  evaluator->evaluate(pack(later, ahead.random_plan(4, 2)), between);
  evaluator->evaluate(pack(from, ahead.random_plan(3, 1)), again);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, between);
}

TEST(LookAhead, OffsetsAndTheirChangesCost) {
  // Effort is what the residuals hold beyond tracking: nothing without offsets, the more the more they are.
  const Ahead ahead(tasks::make(0.4));
  const auto evaluator = look_ahead(ahead.shared())();
  const auto effort = [&](const Plan& plan) {
    const Outcome outcome = ahead.evaluate(*evaluator, ahead.start(), plan);
    const size_t knots = plan.size() - 1;
    const size_t tracked =
        knots * static_cast<size_t>(ahead.shared().options.looks * ahead.shared().tracking->size());
    double sum = 0;
    for (size_t i = tracked; i < outcome.residuals.size(); ++i) sum += std::pow(outcome.residuals[i], 2);
    return sum;
  };
  const VecX none = VecX::Zero(ahead.task().character.nv());
  VecX all = none;
  all.tail(ahead.joints()).setConstant(ahead.shared().options.offset_rad);
  EXPECT_EQ(effort({none, none, none}), 0);
  EXPECT_NEAR(effort({all, all, all}), 2, 1e-9) << "one a knot for offsets of a unit";
  EXPECT_GT(effort({none, all, none}), effort({all, all, all}) - 1) << "changes cost beside";
  EXPECT_NEAR(effort({0.5 * all, 0.5 * all}), 0.25, 1e-9);
}

TEST(LookAhead, PushesBeyondTheMotionsOwnCost) {
  // Who falls onto his feet is pushed by more than his weight; one who stands only settles.
  const Ahead plain(tasks::make(0.4, {.motion = "wave"}));
  Ahead counting(tasks::make(0.4, {.motion = "wave"}));
  counting.count_pushes(0.2);
  const Plan plan(4, VecX::Zero(plain.task().character.nv()));
  const auto cost_of_pushes = [&](double down_m_s) {
    Outlook from = plain.start();
    from.state.v[2] -= down_m_s;
    const double with = counting.evaluate(*look_ahead(counting.shared())(), from, plan).cost;
    return with - plain.evaluate(*look_ahead(plain.shared())(), from, plan).cost;
  };
  EXPECT_LT(cost_of_pushes(0), 10);
  EXPECT_GT(cost_of_pushes(1), 40);
}

// One leg against the other, in the air, where nothing else pushes.
TEST(LookAhead, LegsThatHitEachOtherCost) {
  Ahead plain(tasks::make(0.5)), counting(tasks::make(0.5));
  counting.count_pushes(0.2);
  const Character& character = plain.task().character;
  const Plan plan(4, VecX::Zero(character.nv()));
  const auto cost_of_hits = [&](double inwards_rad_s) {
    Outlook from = plain.start();
    from.state.q = character.q_rest;
    from.state.q[2] += 1;
    from.state.v.setZero();
    for (const Joint& joint : character.joints) {
      const Part part = character.bodies[static_cast<size_t>(joint.body)].part;
      if (part == Part::kLeftThigh) from.state.v[joint.v] = -inwards_rad_s;
      if (part == Part::kRightThigh) from.state.v[joint.v] = inwards_rad_s;
    }
    const double with = counting.evaluate(*look_ahead(counting.shared())(), from, plan).cost;
    return with - plain.evaluate(*look_ahead(plain.shared())(), from, plan).cost;
  };
  EXPECT_NEAR(cost_of_hits(0), 0, 1e-9);
  EXPECT_GT(cost_of_hits(10), 1);
}

TEST(LookAhead, WhatDivergesIsDangerousAndHasACost) {
  Ahead ahead(tasks::make(0.4));
  ahead.count_pushes(0.2);
  Outlook from = ahead.start();
  from.state.v.setConstant(1e9);
  const auto evaluator = look_ahead(ahead.shared())();
  const Plan plan = ahead.random_plan(3, 2);
  const Outcome outcome = ahead.evaluate(*evaluator, from, plan);
  EXPECT_GT(outcome.danger, 1);
  EXPECT_TRUE(std::isfinite(outcome.cost));
  const Outcome good = ahead.evaluate(*evaluator, ahead.start(), plan);
  EXPECT_GT(outcome.cost, good.cost);
  ASSERT_EQ(outcome.residuals.size(), good.residuals.size());
  for (const double r : outcome.residuals) EXPECT_TRUE(std::isfinite(r));
  for (const double e : outcome.errors) EXPECT_TRUE(std::isfinite(e));
}

TEST(LookAhead, StepsAreAsLongAsTheJobSays) {
  const Ahead ahead(tasks::make(0.5));
  Outlook from = ahead.start();
  from.steps = Steps::kLong;
  expect_as_simulated(ahead, from, ahead.random_plan(3, 4), 2);
  // With a plan that leaves torque limits alone, where rough simulations are the same as others.
  from.finely = 3;
  expect_as_simulated(ahead, from, ahead.random_plan(3, 5), 0.5);
}

TEST(LookAhead, WhatIsLookedAtFinelyAtFirstGoesOnFromThere) {
  const Ahead ahead(tasks::make(0.5, {.world = "blocks"}));
  const auto evaluator = look_ahead(ahead.shared())();
  const Plan plan = ahead.random_plan(3, 5);
  Outlook from = ahead.start();
  from.finely = 1;
  const Outcome first = ahead.evaluate(*evaluator, from, plan);
  from.finely = 3;
  const Outcome all = ahead.evaluate(*evaluator, from, plan);
  const size_t joints = static_cast<size_t>(ahead.joints());
  ASSERT_EQ(first.errors.size(), 3 * joints);
  for (size_t i = 0; i < joints; ++i) EXPECT_EQ(first.errors[i], all.errors[i]);
  EXPECT_NE(first.errors, all.errors);
  for (size_t i = joints; i < 3 * joints; ++i) EXPECT_NEAR(first.errors[i], all.errors[i], 0.03);
}

TEST(LookAhead, BeyondTheEndTheReferenceStandsStill) {
  const Ahead ahead(tasks::make(0.3));
  EXPECT_EQ(&ahead.shared().at(3), &ahead.shared().at(9));
  EXPECT_EQ(&ahead.shared().at(1, ahead.shared().options.looks), &ahead.shared().at(2));
}

}  // namespace
}  // namespace sinew
