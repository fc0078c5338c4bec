#pragma once

#include <string>
#include <vector>

#include "record/recording.h"

namespace sinew {

// So long after a hit its consequences are looked at.
inline constexpr double kReaction_s = 2;
// A body that follows its reference for so long is back: what comes later is another disturbance.
inline constexpr double kBackFor_s = 0.5;
// The ball itself is another disturbance if it comes again to a body that has followed, untouched, for so
// long.
inline constexpr double kApart_s = 0.2;

// What one thrown ball did to a character.
struct Reaction {
  std::string body;  // that was hit, as it was typed
  bool expected = false;
  double peak_rad = 0;      // most that the hit turned the joint that carries the body
  double back_after_s = 0;  // from the hit until the whole body follows its reference again; kReaction_s at
                            // most
};

// The hits of a recording against the same simulation without them (`calm`, which may end kReaction_s after
// the last), in the order of its throws; those that never came are left out. A joint's turn is the angle
// between it and the same joint there, within a second of the hit. The body follows again once its pose error
// stays within 1.5 times the calm one for kBackFor_s, or for kApart_s until the ball strikes again: that of
// the moment or of the whole run, whichever is larger. The joint that carries a body is its own; of the root,
// that of its children which turns most.
std::vector<Reaction> reactions(const Recording& recording, const Recording& calm);

}  // namespace sinew
