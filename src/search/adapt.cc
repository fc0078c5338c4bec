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

using AdaptProgress = std::function<bool(const AdaptReport&, const std::function<Checkpoint()>& save)>;

// Goes from character to character, and keeps what it has found.
class Adapter {
 public:
  Adapter(const AdaptTask& task, const ExecutorFactory& executor, const AdaptProgress& progress)
      : task_(task),
        progress_(progress),
        executor_(executor([task] { return std::make_unique<AdaptEvaluator>(task); })) {}

  AdaptResult adapt(const std::optional<Checkpoint>& resume) {
    double done = 0;
    RunParameters here = task_.behaviour.parameters;
    std::optional<Checkpoint> tuning;
    if (resume) tuning = restore(*resume);
    while (done < 1 && !result_.interrupted) {
      if (!tuning) choose_stage(done, here);
      here = tune(tuning);
      tuning.reset();
      done = stage_.part;
      if (done < 1) result_.intermediates.push_back(done);
    }
    result_.behaviour = scaled_part(task_, task_.to);
    result_.behaviour.parameters = here;
    return std::move(result_);
  }

 private:
  // The character that is tuned now, and the parameters from which on.
  struct Stage {
    double part = 1;
    RunParameters start;
  };

  // The farthest character that the run as it is, scaled, carries long enough.
  void choose_stage(double done, const RunParameters& here) {
    const Character who = character_at(task_, done);
    const auto try_part = [&](double part) {
      stage_ = {part, scaled(here, who, character_at(task_, part), task_.scaling)};
      return seconds_of(stage_);
    };
    double lasted = try_part(1);
    if (done == 0) result_.cost_before = cost_;
    while (lasted < task_.enough_s && stage_.part - done > kShortestWay)
      lasted = try_part(0.5 * (done + stage_.part));
  }

  double seconds_of(const Stage& stage) {
    Numbers job = {stage.part};
    for (const double value : values(stage.start)) job.push_back(value);
    std::vector<Numbers> results;
    executor_->run({job}, results);
    ++result_.evaluations;
    cost_ = results[0].at(0);
    return results[0].at(1);
  }

  RunParameters tune(const std::optional<Checkpoint>& resume) {
    const double part = stage_.part, size = run_size(character_at(task_, part));
    FiveParameters five(*executor_, part, stage_.start, size);
    MinimiseOptions options;
    options.method = task_.method;
    options.evaluations = part < 1 ? task_.evaluations / 2 : task_.evaluations;
    options.population = 8;
    options.step = 0.3;
    options.seed = task_.seed;
    const auto progress = [&](const MinimiseReport& report, const std::function<Checkpoint()>& save) {
      return !progress_ ||
             progress_({part, result_.evaluations + report.evaluations, report, five.parameters(report.x)},
                       [&] { return saved(save()); });
    };
    const Minimum found = minimise(five, Numbers(5, 0.0), options, progress, resume);
    result_.evaluations += found.evaluations;
    result_.interrupted = found.interrupted;
    result_.cost_after = found.cost;
    result_.found = part >= 1 && found.cost < 100;
    return five.parameters(found.x);
  }

  // What was done before this stage, the stage, and how far its tuning has come.
  Checkpoint saved(const Checkpoint& tuning) const {
    Checkpoint out = {static_cast<double>(result_.evaluations), result_.cost_before, stage_.part};
    for (const double value : values(stage_.start)) out.push_back(value);
    out.push_back(static_cast<double>(result_.intermediates.size()));
    out.insert(out.end(), result_.intermediates.begin(), result_.intermediates.end());
    out.insert(out.end(), tuning.begin(), tuning.end());
    return out;
  }

  Checkpoint restore(const Checkpoint& from) {
    size_t at = 0;
    const auto next = [&] {
      if (at >= from.size()) throw Error("this checkpoint is cut short or belongs to another search");
      return from[at++];
    };
    result_.evaluations = static_cast<int>(next());
    result_.cost_before = next();
    stage_.part = next();
    for (const ParameterInfo& info : run_parameter_infos()) stage_.start.*info.member = next();
    for (double left = next(); left > 0; --left) result_.intermediates.push_back(next());
    return {from.begin() + static_cast<ptrdiff_t>(at), from.end()};
  }

  AdaptTask task_;
  AdaptProgress progress_;
  std::unique_ptr<Executor> executor_;
  AdaptResult result_;
  Stage stage_;
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

AdaptResult adapt_run(
    const AdaptTask& task, const ExecutorFactory& executor,
    const std::function<bool(const AdaptReport&, const std::function<Checkpoint()>&)>& progress,
    const std::optional<Checkpoint>& resume) {
  return Adapter(task, executor, progress).adapt(resume);
}

}  // namespace sinew
