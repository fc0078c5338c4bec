#pragma once

#include <map>
#include <string>
#include <string_view>

// Who may speak to the studio: what is checked of a request before anything is done with it.
namespace sinew::studio {

// Whether a Host header names this server. On loopback only its own names count, so that a page of another
// site whose name was made to point here is refused; elsewhere numbers and the name that it was told.
bool host_allowed(std::string_view host, const std::string& bound, int port);

// Whether a page of this origin is our own. Programs that are no browser send none, and need the token.
bool origin_allowed(std::string_view origin, std::string_view host);

// Whether only this machine can reach an address.
bool is_loopback(const std::string& bound);

// "/import?name=a%20b&token=x" taken apart. Broken escapes stay as they are.
struct Target {
  std::string path;
  std::map<std::string, std::string> query;
};
Target read_target(std::string_view target);

}  // namespace sinew::studio
