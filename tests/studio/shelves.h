#pragma once

#include <filesystem>

#include "studio/workshop.h"

// The project's own motions and characters.
namespace sinew::studio {

inline Shelves own_shelves() {
  const std::filesystem::path assets = std::filesystem::path(SINEW_SOURCE_DIR) / "assets";
  return {{assets / "motions", {}},
          {(assets / "characters").string()},
          assets / "controls",
          assets / "behaviours"};
}

}  // namespace sinew::studio
