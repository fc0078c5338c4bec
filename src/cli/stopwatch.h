#pragma once

#include <chrono>
#include <ctime>

namespace sinew::cli {

// CPU time and time on the wall, in seconds, from when it was made to when it is asked. The CPU time is that
// of the whole process, or with CLOCK_THREAD_CPUTIME_ID of the thread that made it and asks it.
class Stopwatch {
 public:
  struct Times {
    double cpu_s = 0, wall_s = 0;
  };
  explicit Stopwatch(clockid_t cpu_clock = CLOCK_PROCESS_CPUTIME_ID) : clock_(cpu_clock) {}
  Times read() const {
    return {cpu_now() - cpu_, std::chrono::duration<double>(Clock::now() - wall_).count()};
  }

 private:
  using Clock = std::chrono::steady_clock;
  double cpu_now() const {
    timespec t{};
    ::clock_gettime(clock_, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }

  clockid_t clock_;
  double cpu_ = cpu_now();
  Clock::time_point wall_ = Clock::now();
};

}  // namespace sinew::cli
