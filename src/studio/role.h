#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rollout/control_file.h"
#include "rollout/run_behaviour.h"

namespace sinew::studio {

// How a performer is moved: the methods of `sinew track`, a control that was found, or a behaviour that needs
// no motion.
enum class Method { kPreview, kPaper, kServo, kControl, kRun, kRide };

std::string method_name(Method method);  // "preview", "paper", "servo", "control", "run", "ride"
std::optional<Method> method_from_name(const std::string& name);  // empty for another word

// Whether it follows a motion, or does what it does by itself.
bool follows_motion(Method method);

// What can stand where motions do: behaviours of the commands `run` and `ride`.
struct Behaviour {
  std::string name;  // "behaviour/run": the name of no motion
  std::string about;
  Method method;
};
const std::vector<Behaviour>& behaviours();
const Behaviour* find_behaviour(const std::string& name);  // null for the name of a motion

// A run that was found for somebody.
struct FoundRun {
  Character character;
  RunBehaviour behaviour;
};

// What one performer is asked to do: words as a user types them, and the numbers of its sliders.
struct Role {
  std::string clip = "walk";  // a name from `sinew motions`, of a file that was dropped, or of a behaviour
  std::string character = "human50";
  Method method = Method::kPreview;
  bool loop = true;                            // where the motion has a cycle
  double gain = 1;                             // on the servos' stiffness
  double strength = 1;                         // on the torque limits
  std::shared_ptr<const ControlFile> control;  // of kControl
  std::shared_ptr<const FoundRun> run;         // of kRun: one that was tuned; else the shipped one, scaled
  std::string becomes;                         // of kRun: whom it turns into, and back, for ever
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
