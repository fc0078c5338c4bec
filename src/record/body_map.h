#pragma once

#include <string>
#include <vector>

#include "record/recording.h"

namespace sinew {

// One simulation on a body map.
struct BodyMapEntry {
  std::string title;  // above it; empty: a general one
  const Recording* recording = nullptr;
};

// Where the world pressed on the character, how hard and when, as one SVG element: the outline of the body
// from both sides in its rest stance, each part in the colour of its highest pressure there, and a line of
// time for each part that was touched. Several entries stand side by side with one scale and the same lines.
// Empty if nothing was touched. The page's CSS variables are those of record/plot.h.
std::string svg_body_map(const std::vector<BodyMapEntry>& entries);

// The pressure at which the scale of such a map ends: a round number above all that lasted for 0.03 s, so
// that a knock of a moment does not make all the rest pale. 0 if nothing was touched.
double pressure_scale_Pa(const std::vector<BodyMapEntry>& entries);

// The colour "#rrggbb" of a share of the scale, 0 to 1: darker the higher; what is beyond is as its end.
std::string pressure_color(double share);

}  // namespace sinew
