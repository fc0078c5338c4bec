#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/math.h"
#include "studio/role.h"

// What a page may ask for. Every number is bounded and every word short once a request was read; what names
// or indices mean is for the stage to judge.
namespace sinew::studio {

struct Pause {
  bool on = true;
};
struct Step {
  int frames = 1;
};
struct Speed {
  double factor = 1;
};                // of real time
struct Reset {};  // all performers to their beginning
struct Seek {
  double clock_s = 0;
};  // show a moment of the take, paused
struct Rewind {
  double clock_s = 0;
};  // go on from a moment of the take
struct Repeat {
  std::optional<bool> motions, falls;
};  // begin again when a motion has ended; after a fall

// Change what is said of a performer; what is left out stays.
struct Choose {
  int performer = 0;
  std::optional<std::string> clip, character;
  std::optional<Method> method;
  std::optional<bool> loop;
  std::optional<double> gain, strength;
};
struct Surround {
  std::optional<std::string> world;
  std::optional<double> slope_deg, friction, ball_kg;
};
struct Add {};  // one more like the last
struct Remove {
  int performer = 0;
};
struct Gallery {
  std::string scene;
};

struct Hold {
  int performer = 0, body = 0;
  Vec3 p_B = Vec3::Zero(), target_W = Vec3::Zero();
};
struct Release {};
struct Shove {
  int performer = 0, body = 0;
  Vec3 force_W = Vec3::Zero();
  double seconds = 0.2;
};
struct Ball {
  int performer = 0;
  Vec3 from_W = Vec3::Zero(), to_W = Vec3::Zero();
  double speed_m_s = 8;
};

struct Export {
  int performer = 0;
  std::string format;
};  // bvh, glb, mp4, control (what was found)
struct Reconstruct {
  int performer = 0;
};
struct Adapt {  // fit the run to another character
  int performer = 0;
  std::string to;
};
struct Cancel {};  // the search
struct Morph {     // become another while it runs
  int performer = 0;
  std::string to;
  double seconds = 5;
};
struct TurnBack {
  int performer = 0;
};  // to who it was before
struct Ping {
  double stamp = 0;
};

using Request =
    std::variant<Pause, Step, Speed, Reset, Seek, Rewind, Repeat, Choose, Surround, Add, Remove, Gallery,
                 Hold, Release, Shove, Ball, Export, Reconstruct, Adapt, Cancel, Morph, TurnBack, Ping>;

// Largest message of a page, and how deep it may nest.
inline constexpr size_t kLargestRequest_bytes = 16384;
inline constexpr int kDeepestRequest = 4;

// Reads {"type": "pause", "on": true} and the like. Throws Error with a sentence for all that it is not.
Request read_request(std::string_view text);

}  // namespace sinew::studio
