#include <algorithm>

#include "survive.h"

// The input is a skeleton and a motion with %% between them.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sinew::survive(data, size, [](std::string_view text) {
    const size_t cut = std::min(text.find("%%"), text.size());
    return sinew::read_asf_amc(text.substr(0, cut), "fuzz.asf", text.substr(std::min(cut + 2, text.size())),
                               "fuzz.amc");
  });
  return 0;
}
