#include "studio/role.h"

#include <array>
#include <utility>

namespace sinew::studio {

namespace {

constexpr std::array<std::pair<Method, const char*>, 4> kNames = {{{Method::kPreview, "preview"},
                                                                   {Method::kPaper, "paper"},
                                                                   {Method::kServo, "servo"},
                                                                   {Method::kControl, "control"}}};

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

}  // namespace sinew::studio
