#include "cli/interrupt_guard.h"

namespace sinew::cli {

namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

// The signal that came, 0 for none: all that a signal handler may touch.
volatile std::sig_atomic_t came = 0;

volatile std::sig_atomic_t continued = 0;

void note(int signal) { came = signal; }

}  // namespace

InterruptGuard::InterruptGuard() {
  came = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &old_[i]);
    // What the caller of the program ignores stays ignored.
    if (old_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &old_[i], nullptr);
  if (came != 0) ::raise(came);
}

ContinueNote::ContinueNote() {
  continued = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { continued = 1; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGCONT, &action, &old_);
}

ContinueNote::~ContinueNote() { ::sigaction(SIGCONT, &old_, nullptr); }

bool ContinueNote::take() {
  const bool was = continued != 0;
  continued = 0;
  return was;
}

bool InterruptGuard::interrupted() const { return came != 0; }

}  // namespace sinew::cli
