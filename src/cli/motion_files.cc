#include "cli/motion_files.h"

#include <map>

#include "cli/interrupt_guard.h"
#include "core/error.h"
#include "core/files.h"
#include "motion/write_bvh.h"
#include "record/clip_export.h"
#include "record/glb.h"
#include "record/strip.h"
#include "record/video.h"

namespace sinew::cli {

namespace {

// What a file of the folder is, in a few words.
std::string meaning(const std::string& file) {
  static const std::map<std::string, std::string> kMeanings = {
      {"control.json", "the control that was found; sinew replay simulates it again"},
      {"recording.sinew", "all that happened; sinew reads it as a clip"},
      {"motion.bvh", "on the character's skeleton"},
      {"motion.glb", "with simple meshes, for Blender and three.js"},
      {"frames.csv", "a line a frame: time, root, joint angles, torques of a simulation"},
      {"contacts.csv", "a line a contact: time, body, point, force, area, pressure"},
      {"pressure.svg", "where the body was pressed, and when"},
      {"source.bvh", "on the clip's own skeleton"},
      {"strip.png", "film strip"},
      {"contacts.svg", "heights of the feet, and when they bear load"},
      {"error.svg", "how far from the reference"},
      {"motion.mp4", "film"}};
  const auto it = kMeanings.find(file);
  return it == kMeanings.end() ? "" : it->second;
}

// Filming takes long: an interrupted film leaves nothing half-written.
void write_film(const std::filesystem::path& path, const Character& character, const Film& film,
                Progress& progress) {
  const InterruptGuard guard;
  VideoOptions options;
  options.progress = [&](double share) {
    if (guard.interrupted()) throw Error(path.string(), 0, "the film was interrupted");
    progress.within(share);
  };
  try {
    write_video(path, character, film, options);
  } catch (const Error&) {
    // The signal that came ends the program as soon as the guard is gone.
    if (!guard.interrupted()) throw;
  }
}

}  // namespace

void write_motion(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                  const std::string& name, OutputFolder& out) {
  write_file(out.add("motion.bvh"), write_bvh(clip_from_motion(character, q, frame_time_s, name)));
  write_file(out.add("motion.glb"), encode_glb(character, q, frame_time_s, name));
}

void draw_motion(const Character& character, const Film& film, bool video, ReportSection& section,
                 OutputFolder& out, Progress& progress) {
  progress.step("drawing the film strip");
  StripOptions strip;
  strip.title = section.title;
  strip.subtitle = section.subtitle;
  section.strip_png = encode_png(film_strip(character, film, strip));
  write_file(out.add("strip.png"), section.strip_png);
  if (!video) return;

  progress.step("filming");
  write_film(out.add("motion.mp4"), character, film, progress);
  section.video_mp4 = read_file(out.path() / "motion.mp4");
}

void write_report(const std::string& title, ReportSection section, OutputFolder& out) {
  for (const std::string& file : out.files()) section.files.emplace_back(file, meaning(file));
  Report report;
  report.title = title;
  report.sections.push_back(std::move(section));
  write_file(out.add("report.html"), html_report(report));
}

}  // namespace sinew::cli
