#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "cli/paper_table.h"

namespace sinew::cli {

void run_jobs(size_t n, int threads, PaperWatch& watch, const std::function<std::string(size_t)>& job) {
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    while (watch.go_on() && !failed) {
      const size_t i = next++;
      if (i >= n) return;
      try {
        const std::string what = job(i);
        const std::lock_guard lock(mutex);
        if (watch.go_on()) watch.done(what, n);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failed.exchange(true)) error = std::current_exception();
      }
    }
  };

  // The caller only waits: all jobs see the same kind of thread.
  const size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const size_t count = std::min(threads > 0 ? static_cast<size_t>(threads) : cores, n);
  std::vector<std::thread> workers;
  for (size_t i = 0; i < count; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace sinew::cli
