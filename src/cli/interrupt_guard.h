#pragma once

#include <array>
#include <csignal>

namespace sinew::cli {

// While this lives, Ctrl-C, a hang-up or a request to end is only noted, so that unfinished files can be
// cleared away; when it goes, the signal that came takes its usual effect. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Whether one of the signals came.
  bool interrupted() const;

 private:
  std::array<struct sigaction, 3> old_{};
};

}  // namespace sinew::cli
