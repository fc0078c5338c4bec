#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "cli/paper_table.h"

namespace sinew::cli {

bool wanted(const PaperOptions& options, const std::string& row) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), row) != options.only.end();
}

std::string clip_standing_for(const std::string& clip, const std::string& own,
                              const std::vector<MotionEntry>& motions, std::string& note) {
  if (clip.empty()) return own;
  for (const MotionEntry& motion : motions)
    if (motion.name.ends_with(":" + clip)) return motion.name;
  note = "no clips.csv of SINEW_MOTIONS names a " + clip;
  note += own.empty() ? ", and there is none of our own" : "; our own " + own + " stands for it";
  return own;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

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
