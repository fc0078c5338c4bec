#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace sinew::cli {

namespace {

constexpr int kWidth = 24;

// A terminal that can go back to the start of its line.
bool terminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

Progress::Progress(int steps, bool quiet) : steps_(std::max(steps, 1)), visible_(!quiet && terminal()) {}

Progress::~Progress() { done(); }

void Progress::step(const std::string& doing) {
  doing_ = doing;
  ++begun_;
  draw(0);
}

void Progress::within(double fraction) { draw(std::clamp(fraction, 0.0, 1.0)); }

void Progress::within(double fraction, const std::string& doing) {
  doing_ = doing;
  within(fraction);
}

void Progress::draw(double fraction) const {
  if (!visible_) return;
  const double done = std::clamp((begun_ - 1 + fraction) / steps_, 0.0, 1.0);
  const int filled = static_cast<int>(done * kWidth);
  const std::string bar =
      std::string(static_cast<size_t>(filled), '#') + std::string(static_cast<size_t>(kWidth - filled), '.');
  std::fprintf(stderr, "\r\033[K[%s] %3d %%  %s", bar.c_str(), static_cast<int>(100 * done), doing_.c_str());
  std::fflush(stderr);
}

void Progress::say(const std::string& line) const {
  std::fprintf(stderr, "%s%s\n", visible_ ? "\r\033[K" : "", line.c_str());
}

void Progress::done() {
  if (!visible_) return;
  visible_ = false;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace sinew::cli
