#pragma once

#include <string>
#include <string_view>

namespace sinew::studio {

// 32 hexadecimal digits that nobody can guess, from the system's own source. Throws Error if it has none.
std::string random_token();

// Whether two words are the same, in a time that does not tell how much of them is.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace sinew::studio
