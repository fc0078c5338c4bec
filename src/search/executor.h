#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace sinew {

// What passes between the one that searches and those that simulate: plain numbers, so that it can be sent.
using Numbers = std::vector<double>;

// One that simulates: makes a result from a job. The result depends on nothing but the job and on what all
// evaluators of a search were built from, so that it does not matter which of them does it.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual void evaluate(const Numbers& job, Numbers& result) = 0;
};
using EvaluatorFactory = std::function<std::unique_ptr<Evaluator>()>;

// Hands jobs to evaluators: threads of this process, or the ranks of an MPI run.
class Executor {
 public:
  virtual ~Executor() = default;
  // How many jobs are done at the same time.
  virtual int width() const = 0;
  // results[i] becomes that of jobs[i]. Throws what an evaluator throws, and Error if a rank is lost.
  virtual void run(const std::vector<Numbers>& jobs, std::vector<Numbers>& results) = 0;
};
using ExecutorFactory = std::function<std::unique_ptr<Executor>(const EvaluatorFactory&)>;

// Threads of this process, the caller being one of them; each has an evaluator of its own. 0: one a core.
ExecutorFactory on_threads(int threads);

}  // namespace sinew
