#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "search/executor.h"

namespace sinew {

namespace {

// A few threads that wait for a batch, take jobs from it one by one, and wait again.
class Threads : public Executor {
 public:
  Threads(int count, const EvaluatorFactory& make) {
    for (int i = 0; i < count; ++i) evaluators_.push_back(make());
    for (int i = 1; i < count; ++i)
      threads_.emplace_back([this, i] { wait_and_work(static_cast<size_t>(i)); });
  }

  ~Threads() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  int width() const override { return static_cast<int>(evaluators_.size()); }

  void run(const std::vector<Numbers>& jobs, std::vector<Numbers>& results) override {
    results.resize(jobs.size());
    {
      const std::lock_guard lock(mutex_);
      jobs_ = &jobs;
      results_ = &results;
      next_ = 0;
      busy_ = threads_.size();
      error_ = nullptr;
      ++batch_;
    }
    wake_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void wait_and_work(size_t worker) {
    long seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return ending_ || batch_ != seen; });
        if (ending_) return;
        seen = batch_;
      }
      work(worker);
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  void work(size_t worker) {
    for (size_t i = next_++; i < jobs_->size(); i = next_++) {
      try {
        evaluators_[worker]->evaluate((*jobs_)[i], (*results_)[i]);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
      }
    }
  }

  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::vector<Numbers>* jobs_ = nullptr;
  std::vector<Numbers>* results_ = nullptr;
  std::atomic<size_t> next_ = 0;
  size_t busy_ = 0;
  long batch_ = 0;
  bool ending_ = false;
  std::exception_ptr error_;
};

}  // namespace

ExecutorFactory on_threads(int threads) {
  const int count =
      threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return [count](const EvaluatorFactory& make) { return std::make_unique<Threads>(count, make); };
}

}  // namespace sinew
