#include "survive.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sinew::survive(data, size, [](std::string_view text) { return sinew::read_keyframes(text, "fuzz.json"); });
  return 0;
}
