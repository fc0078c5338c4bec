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

// While this lives, notes that the process was told to continue (SIGCONT). One at a time.
class ContinueNote {
 public:
  ContinueNote();
  ~ContinueNote();
  ContinueNote(const ContinueNote&) = delete;
  ContinueNote& operator=(const ContinueNote&) = delete;

  // Whether it was since this was last asked.
  bool take();

 private:
  struct sigaction old_ {};
};

}  // namespace sinew::cli
