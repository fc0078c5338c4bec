#pragma once

#include <stdexcept>
#include <string>

namespace sinew {

// The user's mistake, told in one sentence: a bad file, an unknown name, an impossible option.
// Our own mistakes are asserts. `what()` is ready to print: "walk.bvh:12: expected CHANNELS, found '{'".
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence) : std::runtime_error(sentence) {}

  // An error in a file; a line of 0 means that the line is unknown or makes no sense (binary files).
  Error(const std::string& file, int line, const std::string& sentence)
      : std::runtime_error(line > 0 ? file + ":" + std::to_string(line) + ": " + sentence
                                    : file + ": " + sentence) {}
};

}  // namespace sinew
