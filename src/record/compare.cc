#include "record/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "record/film.h"
#include "record/pressure.h"
#include "record/renderer.h"

namespace sinew {

namespace {

constexpr Color kPaper = {250, 251, 252};
constexpr Color kInk = {38, 44, 54};
constexpr int kMargin = 16, kGap = 8, kHeader = 44;
constexpr double kAspect = 1.6;  // of one picture
constexpr double kMetrePerNewton = 1.0 / 600, kSmallestForce_N = 5, kLongestArrow_m = 1.0;

size_t frame_at(const Recording& recording, double time_s) {
  const double frame = std::round(time_s / std::max(recording.frame_time_s, 1e-4));
  return static_cast<size_t>(std::clamp(frame, 0.0, static_cast<double>(recording.frames.size()) - 1));
}

Vec4 rgba_of(const std::string& hex) {
  Vec4 rgba(0, 0, 0, 1);
  for (size_t k = 0; k < 3; ++k)
    rgba[static_cast<int>(k)] = std::stoi(hex.substr(1 + 2 * k, 2), nullptr, 16) / 255.0;
  return rgba;
}

// What ground and props do, patch by patch.
std::vector<SceneArrow> pressure_arrows(const Recording& recording, const RecordingFrame& frame,
                                        double scale_Pa) {
  std::vector<SceneArrow> arrows;
  for (const ContactPatch& patch : contact_patches(recording, frame)) {
    const double force = patch.force_W.norm();
    if (patch.other_shape >= 0 || force < kSmallestForce_N) continue;
    const double length = std::min(force * kMetrePerNewton, kLongestArrow_m);
    arrows.push_back({patch.p_W, patch.p_W + length / force * patch.force_W, 0.010,
                      rgba_of(pressure_color(patch.size.pressure_Pa / scale_Pa))});
  }
  return arrows;
}

struct Shot {
  Film film;
  View view;
  size_t film_frame;
};

// The film of a recording without its reference, in which a frame of the film is exactly one of the
// recording.
Shot film_shot(const Recording& recording, const RecordingFrame& frame) {
  Shot shot{make_film(recording), {}, 0};
  shot.film.ghost_bodies.clear();
  const double since_s = frame.time_s - recording.frames.front().time_s;
  shot.film_frame = std::min(static_cast<size_t>(std::lround(since_s / shot.film.frame_time_s)),
                             shot.film.bodies.size() - 1);
  shot.film.bodies[shot.film_frame] = body_poses(recording.character, frame.q);
  shot.film.props[shot.film_frame] = frame.props;
  return shot;
}

// All shots from the same side and equally large.
std::vector<Shot> frame_shots(const std::vector<BodyMapEntry>& entries, double time_s) {
  std::vector<Shot> shots;
  double distance_m = 0;
  for (const BodyMapEntry& entry : entries) {
    const Recording& recording = *entry.recording;
    Shot shot = film_shot(recording, recording.frames[frame_at(recording, time_s)]);
    ViewOptions view;
    view.elevation_deg = -16;
    shot.view = frame_film(recording.character, shot.film, kAspect, view);
    if (!shots.empty()) {
      view.azimuth_deg += shots.front().view.camera.azimuth_deg - shot.view.camera.azimuth_deg;
      shot.view = frame_film(recording.character, shot.film, kAspect, view);
    }
    distance_m = std::max(distance_m, shot.view.camera.distance_m);
    shots.push_back(std::move(shot));
  }
  for (Shot& shot : shots) shot.view.camera.distance_m = distance_m;
  return shots;
}

}  // namespace

double telling_moment_s(const Recording& a, const Recording& b) {
  const double scale_Pa = pressure_scale_Pa({{"", &a}, {"", &b}});
  const std::vector<BodyLoad> loads_a = body_loads(a), loads_b = body_loads(b);
  const double end_s = std::min(a.duration_s(), b.duration_s());
  double best_s = 0, most = 0;
  for (double time_s = 0; time_s <= end_s + 1e-9; time_s += std::max(a.frame_time_s, 1e-3)) {
    double differ = 0;
    for (size_t i = 0; i < a.character.bodies.size(); ++i)
      for (size_t k = 0; k < b.character.bodies.size(); ++k)
        if (a.character.bodies[i].name == b.character.bodies[k].name)
          differ += std::abs(std::min(loads_a[i].pressure_Pa[frame_at(a, time_s)], scale_Pa) -
                             std::min(loads_b[k].pressure_Pa[frame_at(b, time_s)], scale_Pa));
    if (differ <= most) continue;
    most = differ;
    best_s = time_s;
  }
  return best_s;
}

Image moment_picture(const std::vector<BodyMapEntry>& entries, const MomentOptions& options) {
  for (const BodyMapEntry& entry : entries)
    if (entry.recording->frames.empty()) throw Error("a picture of a moment needs at least one frame");
  const double scale_Pa = std::max(pressure_scale_Pa(entries), 1.0);
  const std::vector<Shot> shots = frame_shots(entries, options.time_s);

  // Pictures share the width; each has its title above and its time in the lower left corner.
  const auto count = static_cast<int>(entries.size());
  const int width = (options.width_px - 2 * kMargin - (count - 1) * kGap) / count;
  const auto height = static_cast<int>(std::lround(width / kAspect));
  Image picture(options.width_px, kHeader + height + kMargin, kPaper);
  Renderer renderer(fine_render_options(width, height));
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(i);
    const Recording& recording = *entries[at].recording;
    const RecordingFrame& frame = recording.frames[frame_at(recording, options.time_s)];
    Scene scene = film_scene(recording.character, shots[at].film, shots[at].view, shots[at].film_frame);
    scene.arrows = pressure_arrows(recording, frame, scale_Pa);
    Image shot = renderer.draw(scene);
    char time[32];
    std::snprintf(time, sizeof time, "%.2f s", frame.time_s);
    draw_text(shot, 12, height - 12, time, {13, 0.13, kInk, 0.9});
    const int left = kMargin + i * (width + kGap);
    draw_text(picture, left + 1, kMargin + 15, entries[at].title, {15, 0.15, kInk, 1});
    paste(picture, shot, left, kHeader);
  }
  return picture;
}

}  // namespace sinew
