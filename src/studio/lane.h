#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sinew::studio {

// A thread that does one job after another; a few may wait.
class Lane {
 public:
  explicit Lane(size_t most_waiting = 4) : most_(most_waiting), thread_([this] { work(); }) {}
  ~Lane() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      jobs_.clear();
    }
    wake_.notify_all();
    thread_.join();
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // False: too many wait already, and this one is not done. Jobs do not throw.
  bool add(std::function<void()> job) {
    {
      const std::lock_guard lock(mutex_);
      if (ending_ || jobs_.size() >= most_) return false;
      jobs_.push_back(std::move(job));
    }
    wake_.notify_all();
    return true;
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        if (ending_) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace sinew::studio
