#include "studio/role.h"

#include <array>
#include <utility>

namespace sinew::studio {

namespace {

constexpr std::array<std::pair<Method, const char*>, 6> kNames = {{{Method::kPreview, "preview"},
                                                                   {Method::kPaper, "paper"},
                                                                   {Method::kServo, "servo"},
                                                                   {Method::kControl, "control"},
                                                                   {Method::kRun, "run"},
                                                                   {Method::kRide, "ride"}}};

}  // namespace

std::string method_name(Method method) {
  for (const auto& [value, name] : kNames)
    if (value == method) return name;
  return "";
}

std::optional<Method> method_from_name(const std::string& word) {
  for (const auto& [value, name] : kNames)
    if (word == name) return value;
  return {};
}

bool follows_motion(Method method) { return method != Method::kRun && method != Method::kRide; }

const std::vector<Behaviour>& behaviours() {
  static const std::vector<Behaviour> kBehaviours = {
      {"behaviour/run", "runs by itself, whoever it is", Method::kRun},
      {"behaviour/ride straight", "rides a bicycle straight on", Method::kRide},
      {"behaviour/ride slalom", "rides a bicycle around poles", Method::kRide},
      {"behaviour/ride turns", "rides a bicycle along turns at changing speeds", Method::kRide}};
  return kBehaviours;
}

const Behaviour* find_behaviour(const std::string& name) {
  for (const Behaviour& behaviour : behaviours())
    if (behaviour.name == name) return &behaviour;
  return nullptr;
}

}  // namespace sinew::studio
