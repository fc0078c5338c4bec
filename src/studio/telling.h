#pragma once

#include <memory>
#include <string>
#include <vector>

#include "studio/performer.h"
#include "studio/workshop.h"

// What the stage tells a page: scenes as JSON, frames as bytes (docs/studio.md has both formats).
namespace sinew::studio {

// One performer with its moment, for a frame.
struct Shown {
  const Performer* performer = nullptr;
  const TakeFrame* now = nullptr;
};

// What stands around a page's first words.
std::string tell_hello(const Workshop& workshop, const std::string& gallery_json);

// Everything that does not move: bodies, shapes, joints, worlds. `epoch` counts scenes; frames carry it.
std::string tell_scene(unsigned epoch, const std::vector<std::unique_ptr<Performer>>& performers,
                       const Setting& setting, const Pose& X_shift);

// What a frame is: live, of a take that is looked at, or of a performer that waits while its new motion is
// prepared, the ghost of which is to be seen already; or live, and the first that shows what a hand did.
enum class FrameKind { kLive = 0, kStill = 1, kSketch = 3, kTouched = 4 };

// One moment as bytes, little-endian: see docs/studio.md.
std::string encode_frame(unsigned epoch, double clock_s, FrameKind kind, const std::vector<Shown>& shown);

// Sentences for people.
std::string tell_error(const std::string& sentence);
std::string tell_note(const std::string& sentence);

}  // namespace sinew::studio
