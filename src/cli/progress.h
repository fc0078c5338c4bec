#pragma once

#include <string>

namespace sinew::cli {

// A bar on standard error that shows how far long work has come. Draws only on a terminal, and not when told
// to be quiet; leaves no trace when it is done.
class Progress {
 public:
  // Work of `steps` equal steps.
  Progress(int steps, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The next step begins; `doing` is what it does, in a few words.
  void step(const std::string& doing);
  // How far the present step is, 0 to 1.
  void within(double fraction);
  // The same with other words for what it does.
  void within(double fraction, const std::string& doing);
  // A line on standard error, the bar or no bar.
  void say(const std::string& line) const;
  // All is done: the bar goes away, so that results can be printed.
  void done();

 private:
  void draw(double fraction) const;

  int steps_;
  int begun_ = 0;
  bool visible_;
  std::string doing_;
};

}  // namespace sinew::cli
