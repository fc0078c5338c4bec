#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/executor.h"
#include "search/search.h"

// Searches over a few dozen numbers for the least cost, where a cost takes a simulation: the samples of a
// generation are the jobs of an executor. Random numbers are keyed by seed, generation and sample, so that
// the result is the same at any number of threads or ranks.
namespace sinew {

enum class Method {
  kCma,  // covariance matrix adaptation (Hansen 2016): samples a Gaussian that learns the valley's shape
  kAnnealing,  // simulated annealing: steps from where it is, worse ones taken while it is hot
};

struct MinimiseOptions {
  Method method = Method::kCma;
  int evaluations = 200;  // at most, rounded up to whole generations
  int population = 0;     // samples a generation; 0: 4 + 3 ln n for kCma, 4 for kAnnealing
  double step = 1;        // first deviation of every number
  double heat = 0.3;      // kAnnealing: first temperature as a share of the first cost
  uint64_t seed = 1;
};

struct MinimiseReport {
  int evaluations = 0;
  double best = 0;  // least cost so far
  double step = 0;  // deviation now
};

struct Minimum {
  std::vector<double> x;  // where the least cost was seen
  double cost = 0;
  double first_cost = 0;  // at the start
  int evaluations = 0;
  std::vector<double> history;  // least cost after each evaluation
  bool interrupted = false;
};

// From `start`, whose numbers should all matter about equally per unit. The first result of an evaluator is
// the cost; a job is the numbers. `progress` is called after every generation: `save` makes a checkpoint with
// which `resume` goes on to the same end; false stops.
Minimum minimise(
    Executor& executor, const std::vector<double>& start, const MinimiseOptions& options,
    const std::function<bool(const MinimiseReport&, const std::function<Checkpoint()>& save)>& progress = {},
    const std::optional<Checkpoint>& resume = {});

}  // namespace sinew
