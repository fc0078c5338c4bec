#pragma once

#include <chrono>
#include <ctime>

namespace sinew::cli {

// CPU time of the whole process and time on the wall, in seconds, from when it was made to when it is asked.
class Stopwatch {
 public:
  struct Times {
    double cpu_s = 0, wall_s = 0;
  };
  Times read() const {
    return {cpu_now() - cpu_, std::chrono::duration<double>(Clock::now() - wall_).count()};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double cpu_now() {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }

  double cpu_ = cpu_now();
  Clock::time_point wall_ = Clock::now();
};

}  // namespace sinew::cli
