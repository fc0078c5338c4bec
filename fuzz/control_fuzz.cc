// Reads a control file and, if it is accepted, writes it again: whatever the text, the only exception is an Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.h"
#include "rollout/control_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    sinew::encode_control(sinew::decode_control(text, "fuzz.json", {SINEW_CHARACTERS}));
  } catch (const sinew::Error&) {
    // Refused in a sentence: that is what it is for.
  }
  return 0;
}
