#include "cli/beliefs.h"

#include <algorithm>

#include "cli/sources.h"
#include "core/error.h"
#include "world/key_values.h"

namespace sinew::cli {

namespace {

constexpr double kLightest = 0.01, kHeaviest = 100;  // factors of masses
constexpr double kLongest_m = 0.5;                   // by which a foot changes

// Takes a word of an alteration; false if it is none.
bool take(Alteration& out, const std::string& what, const std::string& key, const std::string& value) {
  if (key == "foot_length") {
    out.foot_length_m = number_in(what, key, value, -kLongest_m, kLongest_m);
    return true;
  }
  const std::vector<std::string> groups = body_groups();
  if (std::find(groups.begin(), groups.end(), key) == groups.end()) return false;
  out.masses.push_back({key, number_in(what, key, value, kLightest, kHeaviest)});
  return true;
}

[[noreturn]] void refuse(const std::string& what, const std::string& key, const std::string& further) {
  throw Error(what + " knows no '" + key + "'; there are foot_length, " + further +
              "and masses by part or group: legs, left_leg, upper_body, left_thigh, ...");
}

bool same_joints(const Character& a, const Character& b) {
  const auto alike = [](const Joint& x, const Joint& y) { return x.type == y.type && x.body == y.body; };
  return a.bodies.size() == b.bodies.size() && a.joints.size() == b.joints.size() &&
         a.contact_points.size() == b.contact_points.size() &&
         std::equal(a.joints.begin(), a.joints.end(), b.joints.begin(), alike);
}

}  // namespace

Alteration parse_alteration(const std::string& text) {
  Alteration out;
  if (text.empty()) return out;
  for (const auto& [key, value] : split_key_values(text, "--alter"))
    if (!take(out, "--alter", key, value)) refuse("--alter", key, "");
  return out;
}

Belief parse_belief(const std::string& text) {
  Belief out;
  if (text.empty()) return out;
  if (text.ends_with(".xml")) {
    out.file = text;
    return out;
  }
  for (const auto& [key, value] : split_key_values(text, "--believe")) {
    if (key == "friction")
      out.friction = number_in("--believe", key, value, 0.01, 10);
    else if (key == "softness")
      out.softness_s = number_in("--believe", key, value, 0, 0.2);
    else if (!take(out.alteration, "--believe", key, value))
      refuse("--believe", key, "friction, softness ");
  }
  return out;
}

Character believed(const Character& simulated, const Belief& belief) {
  if (belief.file.empty()) return altered(simulated, belief.alteration);
  Character character = open_character(belief.file);
  if (!same_joints(simulated, character))
    throw Error(
        belief.file, 0,
        "cannot be believed to be " + simulated.name + ": its bodies, joints or contact points differ");
  return character;
}

World believed(World simulated, const Belief& belief) {
  for (WorldShape& shape : simulated.shapes) {
    if (!shape.ground) continue;
    if (belief.friction) shape.friction = belief.friction;
    if (belief.softness_s) shape.softness_s = *belief.softness_s;
  }
  return simulated;
}

}  // namespace sinew::cli
