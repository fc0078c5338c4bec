#include "studio/address.h"

#include <algorithm>
#include <cctype>

namespace sinew::studio {

namespace {

bool is_number_address(std::string_view name) {
  if (name.size() > 2 && name.front() == '[' && name.back() == ']')
    return std::all_of(name.begin() + 1, name.end() - 1,
                       [](unsigned char c) { return std::isxdigit(c) || c == ':' || c == '.'; });
  return !name.empty() && std::count(name.begin(), name.end(), '.') == 3 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
                        std::isxdigit(static_cast<unsigned char>(text[i + 2]));
    if (escape) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

bool is_loopback(const std::string& bound) {
  return bound.starts_with("127.") || bound == "::1" || bound == "localhost";
}

bool host_allowed(std::string_view host, const std::string& bound, int port) {
  const std::string ending = ":" + std::to_string(port);
  if (!host.ends_with(ending)) return false;
  const std::string name(host.substr(0, host.size() - ending.size()));
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]" || name == bound) return true;
  return !is_loopback(bound) && is_number_address(name);
}

bool origin_allowed(std::string_view origin, std::string_view host) {
  return origin.empty() || origin == "http://" + std::string(host);
}

Target read_target(std::string_view target) {
  Target out;
  const size_t mark = std::min(target.find('?'), target.size());
  out.path = target.substr(0, mark);
  std::string_view rest = target.substr(std::min(mark + 1, target.size()));
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    const size_t equals = std::min(pair.find('='), pair.size());
    out.query[unescaped(pair.substr(0, equals))] = unescaped(pair.substr(std::min(equals + 1, pair.size())));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace sinew::studio
