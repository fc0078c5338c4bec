#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/error.h"
#include "motion/load.h"
#include "motion/write_bvh.h"

namespace sinew {

// Reads an input and, if it is accepted, writes it again: whatever the text, the only exception is an Error.
template <typename Reader>
void survive(const uint8_t* data, size_t size, const Reader& read) {
  try {
    const ImportedClip imported = read(std::string_view(reinterpret_cast<const char*>(data), size));
    // A small clip is enough to try the writer on.
    if (imported.clip.frames.size() * imported.clip.bones.size() < 1000) write_bvh(imported.clip);
  } catch (const Error&) {
    // Refused in a sentence: that is what it is for.
  }
}

}  // namespace sinew
