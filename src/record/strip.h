#pragma once

#include <string>
#include <vector>

#include "record/film.h"
#include "record/image.h"

namespace sinew {

struct StripOptions {
  int width_px = 1600;
  int panels = 0;        // 0: as many as the duration asks for
  std::string title;     // bold, above the panels: clip and character
  std::string subtitle;  // beside it: figures
  ViewOptions view;
};

// A film strip: panels at even times in rows, each with its time, the camera going along with the root.
// Throws Error when the film has no frame or nothing can be drawn.
Image film_strip(const Character& character, const Film& film, const StripOptions& options = {});

// One wide picture with several moments of the motion in it, for motions that travel: the camera stands
// still.
Image strobe_picture(const Character& character, const Film& film, int moments, int width_px, int height_px,
                     const ViewOptions& view = {});

}  // namespace sinew
