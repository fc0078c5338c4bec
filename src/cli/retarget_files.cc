#include "cli/retarget_files.h"

#include <map>

#include "character/onto_source.h"
#include "cli/interrupt_guard.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "motion/write_bvh.h"
#include "record/clip_export.h"
#include "record/film.h"
#include "record/glb.h"
#include "record/motion_plots.h"
#include "record/report.h"
#include "record/strip.h"
#include "record/video.h"

namespace sinew::cli {

namespace {

// What a page says of the figures; green or red by what planted feet should be.
std::vector<ReportFigure> figures_of(const RetargetWork& work) {
  const RetargetReport& report = work.retargeted.report;
  const auto mark = [](bool good) { return good ? ReportFigure::Mark::kGood : ReportFigure::Mark::kBad; };
  const auto change = [](double before, double after) {
    return fixed(100 * after, 1) + " (was " + fixed(100 * before, 1) + ")";
  };
  return {{"foot slide, cm/s", change(report.before.foot_slide_m_s, report.after.foot_slide_m_s),
           mark(report.after.foot_slide_m_s < 0.03)},
          {"deepest point, cm", change(report.before.max_penetration_m, report.after.max_penetration_m),
           mark(report.after.max_penetration_m < 0.01)},
          {"pose changed by, rad", fixed(report.pose_change_rad, 3)},
          {"size against the performer", fixed(report.scale, 2)},
          {"frames", std::to_string(work.retargeted.reference.q.size())}};
}

// What a file of the folder is, in a few words.
std::string meaning(const std::string& file) {
  static const std::map<std::string, std::string> kMeanings = {
      {"motion.bvh", "on the character's skeleton"},
      {"motion.glb", "with simple meshes, for Blender and three.js"},
      {"frames.csv", "a line a frame: time, root, joint angles"},
      {"source.bvh", "on the clip's own skeleton"},
      {"strip.png", "film strip"},
      {"contacts.svg", "heights of the feet, and when they bear load"},
      {"motion.mp4", "film"}};
  const auto it = kMeanings.find(file);
  return it == kMeanings.end() ? "" : it->second;
}

std::string subtitle_of(const Reference& reference) {
  return fixed(reference.duration_s(), 2) + " s at " + fixed(1 / reference.frame_time_s, 0) + " Hz" +
         (reference.cyclic ? ", looping" : "");
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

void write_motion_files(const RetargetWork& work, bool source_bvh, OutputFolder& out, Progress& progress) {
  progress.step("writing");
  const Reference& reference = work.retargeted.reference;
  const Clip result = clip_from_motion(work.character, reference.q, reference.frame_time_s, work.clip.name);
  write_file(out.add("motion.bvh"), write_bvh(result));
  write_file(out.add("motion.glb"),
             encode_glb(work.character, reference.q, reference.frame_time_s, work.clip.name));
  write_file(out.add("frames.csv"), frames_csv(work.character, reference.q, reference.frame_time_s));
  if (source_bvh)
    write_file(out.add("source.bvh"), write_bvh(onto_source(work.clip, work.character, work.retargeted)));
}

void write_pictures(const RetargetWork& work, const std::string& command, bool video, OutputFolder& out,
                    Progress& progress) {
  const Reference& reference = work.retargeted.reference;
  const Film film = make_film(work.character, reference, work.clip.bones, work.retargeted.source);

  ReportSection section;
  section.title = work.title;
  section.subtitle = subtitle_of(reference);
  section.figures = figures_of(work);
  for (const ImportNote& note : work.import_notes) section.notes.push_back(note.topic + ": " + note.text);
  for (const std::string& note : work.retargeted.report.notes) section.notes.push_back(note);
  section.command = command;

  progress.step("drawing the film strip");
  StripOptions strip;
  strip.title = work.title;
  strip.subtitle = section.subtitle;
  section.strip_png = encode_png(film_strip(work.character, film, strip));
  write_file(out.add("strip.png"), section.strip_png);

  if (video) {
    progress.step("filming");
    write_film(out.add("motion.mp4"), work.character, film, progress);
    section.video_mp4 = read_file(out.path() / "motion.mp4");
  }

  progress.step("plotting");
  for (const Plot& plot : motion_plots(work.character, reference)) {
    section.plots.push_back(svg_plot(plot));
    if (!plot.bands.empty()) write_file(out.add("contacts.svg"), section.plots.back());
  }
  for (const std::string& file : out.files()) section.files.emplace_back(file, meaning(file));
  Report report;
  report.title = "sinew retarget: " + work.title;
  report.sections.push_back(std::move(section));
  write_file(out.add("report.html"), html_report(report));
}

}  // namespace sinew::cli
