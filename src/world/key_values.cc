#include "world/key_values.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/error.h"

namespace sinew {

KeyValues split_key_values(const std::string& text, const std::string& what) {
  KeyValues out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (key.empty()) throw Error(what + ": expected key=value, found '" + word + "'");
    for (const auto& [other, value] : out)
      if (other == key) throw Error(what + ": " + key + " is given twice");
    out.emplace_back(key, equals == std::string::npos ? "" : word.substr(equals + 1));
    begin = end + 1;
  }
  return out;
}

double number_in(const std::string& what, const std::string& key, const std::string& value, double lower,
                 double upper, bool whole) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool read = error == std::errc() && end == value.data() + value.size();
  if (!read || !std::isfinite(number) || number < lower || number > upper ||
      (whole && number != std::floor(number)))
    throw Error(what + ": " + key + " must be a " + (whole ? "whole " : "") + "number from " + brief(lower) +
                " to " + brief(upper) + ", not '" + value + "'");
  return number;
}

std::string brief(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

}  // namespace sinew
