#include "record/strip.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "record/renderer.h"

namespace sinew {

namespace {

constexpr Color kPaper = {250, 251, 252};
constexpr Color kInk = {38, 44, 54};
constexpr Color kSoftInk = {104, 114, 128};
constexpr int kMargin = 16, kGap = 4, kHeader = 52;

// How many panels, and how many of them in a row.
struct Layout {
  int panels, columns, rows;
};

// Rows of 8 narrow or 6 wide panels, more rows for longer films: about two panels a second.
Layout choose_layout(double duration_s, double aspect, int wanted) {
  const int columns = aspect < 0.8 ? 8 : 6;
  const int rows = aspect < 0.8 && duration_s <= 4.5 ? 1 : duration_s <= 8 ? 2 : duration_s <= 16 ? 3 : 4;
  if (wanted <= 0) return {columns * rows, columns, rows};
  const int needed = (wanted + columns - 1) / columns;
  return {wanted, (wanted + needed - 1) / needed, needed};
}

std::string seconds_text(double time_s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", time_s);
  return text;
}

size_t panel_frame(const Film& film, int panel, int panels) {
  const double share = panels > 1 ? static_cast<double>(panel) / (panels - 1) : 0.0;
  return static_cast<size_t>(std::lround(share * (static_cast<double>(film.bodies.size()) - 1)));
}

// Title and figures on one line, smaller where they would not fit.
void draw_header(Image& strip, const StripOptions& options) {
  TextStyle bold = {18, 0.155, kInk, 1}, soft = {13, 0.12, kSoftInk, 1};
  const double gap = options.title.empty() ? 0 : 22, room = strip.width - 2.0 * kMargin - gap;
  const double width = text_width(options.title, bold) + text_width(options.subtitle, soft);
  const double scale = std::min(1.0, room / std::max(width, 1.0));
  bold.height_px *= scale;
  soft.height_px *= scale;
  draw_text(strip, kMargin + 1, kMargin + 20, options.title, bold);
  draw_text(strip, kMargin + 1 + text_width(options.title, bold) + gap, kMargin + 20, options.subtitle, soft);
}

}  // namespace

Image film_strip(const Character& character, const Film& film, const StripOptions& options) {
  if (film.bodies.empty()) throw Error("a film strip needs at least one frame");

  // Panels share the width; their height follows from what is seen, within reason.
  const View free_view = frame_film(character, film, 0, options.view);
  const double natural = std::clamp(free_view.width_m / free_view.height_m, 0.55, 1.5);
  const Layout layout = choose_layout(film.duration_s(), natural, options.panels);
  const int panel_width = (options.width_px - 2 * kMargin - (layout.columns - 1) * kGap) / layout.columns;
  const int panel_height = std::max(16, static_cast<int>(std::lround(panel_width / natural)));
  const View view =
      frame_film(character, film, static_cast<double>(panel_width) / panel_height, options.view);

  const bool header = !options.title.empty() || !options.subtitle.empty();
  const int top = header ? kHeader : kMargin;
  Image strip(options.width_px, top + layout.rows * (panel_height + kGap) - kGap + kMargin, kPaper);
  if (header) draw_header(strip, options);

  // Each panel with its time in the lower left corner.
  Renderer renderer(fine_render_options(panel_width, panel_height));
  for (int i = 0; i < layout.panels; ++i) {
    const size_t frame = panel_frame(film, i, layout.panels);
    Image panel = renderer.draw(film_scene(character, film, view, frame));
    const double text_px = std::clamp(panel_width / 17.0, 6.0, 12.0);
    draw_text(panel, 0.7 * text_px, panel_height - 0.8 * text_px,
              seconds_text(static_cast<double>(frame) * film.frame_time_s), {text_px, 0.13, kInk, 0.9});
    paste(strip, panel, kMargin + (i % layout.columns) * (panel_width + kGap),
          top + (i / layout.columns) * (panel_height + kGap));
  }
  return strip;
}

Image strobe_picture(const Character& character, const Film& film, int moments, int width_px, int height_px,
                     const ViewOptions& options) {
  if (film.bodies.empty()) throw Error("a picture of a motion needs at least one frame");
  ViewOptions standing = options;
  standing.follow = false;
  standing.azimuth_deg = std::min(options.azimuth_deg, 15.0);
  Film alone = film;
  alone.ghost_bones.clear();
  alone.marks.clear();
  const View view = frame_film(character, alone, static_cast<double>(width_px) / height_px, standing);
  Scene scene = film_scene(character, alone, view, panel_frame(film, 0, moments));
  for (int i = 1; i < moments; ++i) {
    Scene more = film_scene(character, alone, view, panel_frame(film, i, moments));
    scene.shapes.insert(scene.shapes.end(), more.shapes.begin(), more.shapes.end());
  }
  Renderer renderer(fine_render_options(width_px, height_px));
  return renderer.draw(scene);
}

}  // namespace sinew
