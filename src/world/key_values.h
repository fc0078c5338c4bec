#pragma once

#include <string>
#include <utility>
#include <vector>

// Options that a user types as one word: "deg=10,at=1".
namespace sinew {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

// In the order typed; a word without '=' has an empty value. `what` begins the sentence of an Error: for an
// empty word or a key that comes twice.
KeyValues split_key_values(const std::string& text, const std::string& what);

// A finite number in [lower, upper], whole if asked. Throws Error: "WHAT: KEY must be ..., not 'VALUE'".
double number_in(const std::string& what, const std::string& key, const std::string& value, double lower,
                 double upper, bool whole = false);

// "0.5", "120": as few digits as say it to six places.
std::string brief(double value);

}  // namespace sinew
