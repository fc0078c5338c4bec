#include <cmath>
#include <map>
#include <optional>

#include "core/error.h"
#include "world/key_values.h"
#include "world/library.h"

namespace sinew {

namespace {

// A limb is hit in its middle.
const std::map<std::string, Part>& limbs() {
  static const std::map<std::string, Part> kLimbs = {{"left_arm", Part::kLeftLowerArm},
                                                     {"right_arm", Part::kRightLowerArm},
                                                     {"left_leg", Part::kLeftShin},
                                                     {"right_leg", Part::kRightShin}};
  return kLimbs;
}

Part part_of(const std::string& what, const std::string& body) {
  if (const auto part = part_from_name(body)) return *part;
  if (const auto limb = limbs().find(body); limb != limbs().end()) return limb->second;
  std::string known;
  for (int i = 1; i < kPartCount; ++i) known += std::string(part_name(static_cast<Part>(i))) + ", ";
  for (const auto& [name, part] : limbs()) known += name + (name == "right_leg" ? "" : ", ");
  throw Error(what + ": there is no body '" + body + "': there are " + known);
}

std::optional<Vec3> side(const std::string& word) {
  static const std::map<std::string, Vec3> kSides = {{"front", Vec3::UnitX()},  {"back", -Vec3::UnitX()},
                                                     {"left", Vec3::UnitY()},   {"right", -Vec3::UnitY()},
                                                     {"above", Vec3::UnitZ()},  {"up", Vec3::UnitZ()},
                                                     {"below", -Vec3::UnitZ()}, {"down", -Vec3::UnitZ()}};
  const auto at = kSides.find(word);
  return at == kSides.end() ? std::nullopt : std::optional(at->second);
}

// "front", "front-left", "back-above": the sum of sides.
Vec3 direction(const std::string& what, const std::string& key, const std::string& text) {
  Vec3 sum = Vec3::Zero();
  bool good = !text.empty();
  for (size_t begin = 0; good && begin <= text.size();) {
    const size_t end = std::min(text.find('-', begin), text.size());
    const auto one = side(text.substr(begin, end - begin));
    good = one.has_value();
    if (one) sum += *one;
    begin = end + 1;
  }
  if (!good || sum.norm() < 0.5)
    throw Error(what + ": " + key +
                " must be front, back, left, right, above or below, or several with - "
                "between them such as front-left, not '" +
                text + "'");
  return sum.normalized();
}

// 0 in front, 90 to the left.
Vec3 from_angle(double deg) { return {std::cos(radians(deg)), std::sin(radians(deg)), 0}; }

[[noreturn]] void refuse_key(const std::string& what, const std::string& key, const std::string& known) {
  throw Error(what + " has no '" + key + "': it has " + known);
}

void refuse_two(const KeyValues& words, const std::string& what, const std::string& a, const std::string& b) {
  int found = 0;
  for (const auto& [key, value] : words) found += key == a || key == b;
  if (found > 1) throw Error(what + ": " + a + " and " + b + " say the same; give one of them");
}

constexpr double kLongest = 1e4;  // s

}  // namespace

Throw parse_throw(const std::string& text) {
  const std::string what = "throw";
  Throw out;
  const KeyValues words = split_key_values(text, what);
  refuse_two(words, what, "from", "deg");
  for (const auto& [key, value] : words) {
    if (key == "body") {
      out.part = part_of(what, value);
      out.body = value;
    } else if (key == "mass") {
      out.mass_kg = number_in(what, key, value, 0.01, 200);
    } else if (key == "speed") {
      out.speed_m_s = number_in(what, key, value, 0.1, 60);
    } else if (key == "at") {
      out.at_s = number_in(what, key, value, 0, kLongest);
    } else if (key == "from") {
      out.from = direction(what, key, value);
    } else if (key == "deg") {
      out.from = from_angle(number_in(what, key, value, -360, 360));
    } else if (key == "expected" && value.empty()) {
      out.expected = true;
    } else {
      refuse_key(what, key + (key == "expected" ? "=" + value : ""),
                 "body, mass, speed, at, from, deg, expected");
    }
  }
  return out;
}

Push parse_push(const std::string& text) {
  const std::string what = "push";
  Push out;
  const KeyValues words = split_key_values(text, what);
  refuse_two(words, what, "toward", "deg");
  for (const auto& [key, value] : words) {
    if (key == "body") {
      out.part = part_of(what, value);
      out.body = value;
    } else if (key == "force") {
      out.force_N = number_in(what, key, value, 0, 1e5);
    } else if (key == "for") {
      out.for_s = number_in(what, key, value, 1e-4, 60);
    } else if (key == "at") {
      out.at_s = number_in(what, key, value, 0, kLongest);
    } else if (key == "toward") {
      out.toward = direction(what, key, value);
    } else if (key == "deg") {
      out.toward = from_angle(number_in(what, key, value, -360, 360));
    } else {
      refuse_key(what, key, "body, force, for, at, toward, deg");
    }
  }
  return out;
}

}  // namespace sinew
