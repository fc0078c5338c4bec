#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rollout/control_file.h"

namespace sinew::studio {

// How a performer is moved: the methods of `sinew track`, and a control that was found.
enum class Method { kPreview, kPaper, kServo, kControl };

std::string method_name(Method method);                           // "preview", "paper", "servo", "control"
std::optional<Method> method_from_name(const std::string& name);  // empty for another word

// What one performer is asked to do: words as a user types them, and the numbers of its sliders.
struct Role {
  std::string clip = "walk";  // a name from `sinew motions`, or of a file that was dropped
  std::string character = "human50";
  Method method = Method::kPreview;
  bool loop = true;                            // where the motion has a cycle
  double gain = 1;                             // on the servos' stiffness
  double strength = 1;                         // on the torque limits
  std::shared_ptr<const ControlFile> control;  // of kControl
};

// What is around all performers.
struct Setting {
  std::string world = "flat";       // as typed: "slope:deg=-5"
  std::optional<double> friction;   // of all ground; else the world's own
  std::vector<std::string> throws;  // balls of the scene, as `sinew track --throw` takes them
  double ball_kg = 2;               // of those that are thrown by hand
};

// Where a performer is, for another that goes on from there.
struct Moment {
  VecX q, v;
  double phase_s = 0;   // time in the reference
  double ground_m = 0;  // height of the ground under the root
};

}  // namespace sinew::studio
