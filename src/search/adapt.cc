#include "search/adapt.h"

#include <algorithm>

#include "character/numbers.h"
#include "character/transfer.h"
#include "core/error.h"

namespace sinew {

namespace {

constexpr double kShortestWay = 1.0 / 32;  // between two characters

Numbers values(const RunParameters& parameters) {
  Numbers out;
  for (const ParameterInfo& info : run_parameter_infos()) out.push_back(parameters.*info.member);
  return out;
}

RunTask trial_of(const AdaptTask& task, double part) {
  RunTask trial;
  trial.character = character_at(task, part);
  trial.world = task.world;
  trial.engine = task.engine;
  trial.size = run_size(trial.character);
  trial.step_s = run_step_s(trial.character);
  const RunBehaviour scaled = scaled_part(task, trial.character);
  trial.start = scaled.start;
  trial.scenes = {{.seconds = task.seconds,
                   .speed_m_s = scaled.parameters.speed,
                   .then_speed_m_s = scaled.parameters.speed}};
  return trial;
}

// A job is the part of the way and the parameters; the result cost and seconds until it fell.
class AdaptEvaluator : public Evaluator {
 public:
  explicit AdaptEvaluator(const AdaptTask& task) : task_(task) {}

  void evaluate(const Numbers& job, Numbers& result) override {
    if (!simulator_ || job.at(0) != part_) {
      part_ = job.at(0);
      trial_ = trial_of(task_, part_);
      simulator_ = trial_.engine(trial_.character, trial_.world, {.step_s = trial_.step_s});
    }
    RunParameters parameters;
    size_t i = 1;
    for (const ParameterInfo& info : run_parameter_infos()) parameters.*info.member = job.at(i++);
    const RunScore score = run_scene(trial_, trial_.scenes.front(), parameters, *simulator_);
    result = {score.cost, score.seconds, score.fell ? 1.0 : 0.0};
  }

 private:
  AdaptTask task_;
  double part_ = -1;
  RunTask trial_;
  std::unique_ptr<Simulator> simulator_;
};

// Lets `minimise` think in spreads of the five parameters, in units of the character's size.
class FiveParameters : public Executor {
 public:
  FiveParameters(Executor& inner, double part, const RunParameters& base, double size)
      : inner_(inner), part_(part), base_(base), size_(size) {}

  int width() const override { return inner_.width(); }
  void run(const std::vector<Numbers>& jobs, std::vector<Numbers>& results) override {
    std::vector<Numbers> whole;
    for (const Numbers& job : jobs) {
      Numbers numbers = {part_};
      for (const double value : values(parameters(job))) numbers.push_back(value);
      whole.push_back(std::move(numbers));
    }
    inner_.run(whole, results);
  }
  RunParameters parameters(const Numbers& spreads) const {
    RunParameters out = base_;
    const auto five = tuned_five();
    for (size_t i = 0; i < five.size(); ++i)
      out.*five[i]->member += five[i]->spread * geometric_factor(five[i]->dimension, size_) * spreads[i];
    return out;
  }

 private:
  Executor& inner_;
  double part_;
  RunParameters base_;
  double size_;
};

// Goes from character to character, and keeps what it has found.
class Adapter {
 public:
  Adapter(const AdaptTask& task, const ExecutorFactory& executor,
          const std::function<bool(const AdaptReport&)>& progress)
      : task_(task),
        progress_(progress),
        executor_(executor([task] { return std::make_unique<AdaptEvaluator>(task); })) {}

  AdaptResult adapt() {
    double done = 0;
    RunParameters here = task_.behaviour.parameters;
    Character who = task_.from;
    while (done < 1 && !result_.interrupted) {
      // The farthest character that the run as it is, scaled, carries long enough.
      double part = 1;
      RunParameters next = scaled(here, who, character_at(task_, part), task_.scaling);
      double lasted = seconds_of(part, next);
      if (done == 0) result_.cost_before = cost_;
      while (lasted < task_.enough_s && part - done > kShortestWay) {
        part = 0.5 * (done + part);
        next = scaled(here, who, character_at(task_, part), task_.scaling);
        lasted = seconds_of(part, next);
      }
      here = tune(part, next);
      who = character_at(task_, part);
      done = part;
      if (part < 1) result_.intermediates.push_back(part);
    }
    result_.behaviour = scaled_part(task_, task_.to);
    result_.behaviour.parameters = here;
    return std::move(result_);
  }

 private:
  double seconds_of(double part, const RunParameters& parameters) {
    Numbers job = {part};
    for (const double value : values(parameters)) job.push_back(value);
    std::vector<Numbers> results;
    executor_->run({job}, results);
    ++result_.evaluations;
    cost_ = results[0].at(0);
    return results[0].at(1);
  }

  RunParameters tune(double part, const RunParameters& start) {
    const double size = run_size(character_at(task_, part));
    FiveParameters five(*executor_, part, start, size);
    MinimiseOptions options;
    options.method = task_.method;
    options.evaluations = part < 1 ? task_.evaluations / 2 : task_.evaluations;
    options.population = 8;
    options.step = 0.3;
    options.seed = task_.seed;
    const Minimum found =
        minimise(five, Numbers(5, 0.0), options, [&](const MinimiseReport& report, const auto&) {
          return !progress_ || progress_({part, report, five.parameters(report.x)});
        });
    result_.evaluations += found.evaluations;
    result_.interrupted = found.interrupted;
    result_.cost_after = found.cost;
    result_.found = part >= 1 && found.cost < 100;
    return five.parameters(found.x);
  }

  AdaptTask task_;
  std::function<bool(const AdaptReport&)> progress_;
  std::unique_ptr<Executor> executor_;
  AdaptResult result_;
  double cost_ = 0;
};

}  // namespace

Character character_at(const AdaptTask& task, double part) {
  if (part <= 0) return task.from;
  if (part >= 1) return task.to;
  Character between = blend(task.from, task.to, part);
  between.name = task.to.name;
  return between;
}

RunBehaviour scaled_part(const AdaptTask& task, const Character& character) {
  return scaled(task.behaviour, task.from, character, task.scaling);
}

AdaptResult adapt_run(const AdaptTask& task, const ExecutorFactory& executor,
                      const std::function<bool(const AdaptReport&)>& progress) {
  return Adapter(task, executor, progress).adapt();
}

}  // namespace sinew
