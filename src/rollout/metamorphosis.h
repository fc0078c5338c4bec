#pragma once

#include <vector>

#include "control/run_parameters.h"

namespace sinew {

// One body that becomes another while it runs: who it is and how that one runs at every part of the way, from
// 0 to 1. All numbers of the character lie on straight lines; parameters are scaled by mass for eleven
// characters on the way, and lie on lines between those.
class Metamorphosis {
 public:
  // `parameters` are the run of `from`. Throws Error if the two have not the same bodies and joints.
  Metamorphosis(const RunParameters& parameters, const Character& from, const Character& to);

  const Character& from() const { return from_; }
  const Character& to() const { return to_; }
  // `into` is `from` or was made by this.
  void body(double part, Character& into) const;
  RunParameters parameters(double part) const;

 private:
  Character from_, to_;
  std::vector<RunParameters> knots_;
};

}  // namespace sinew
