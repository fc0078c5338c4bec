#include "cli/retarget_files.h"

#include "character/onto_source.h"
#include "cli/motion_files.h"
#include "cli/text.h"
#include "core/files.h"
#include "motion/write_bvh.h"
#include "record/clip_export.h"
#include "record/film.h"
#include "record/motion_plots.h"
#include "record/report.h"

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

std::string subtitle_of(const Reference& reference) {
  return fixed(reference.duration_s(), 2) + " s at " + fixed(1 / reference.frame_time_s, 0) + " Hz" +
         (reference.cyclic ? ", looping" : "");
}

}  // namespace

void write_motion_files(const RetargetWork& work, bool source_bvh, OutputFolder& out, Progress& progress) {
  progress.step("writing");
  const Reference& reference = work.retargeted.reference;
  write_motion(work.character, reference.q, reference.frame_time_s, work.clip.name, out);
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

  draw_motion(work.character, film, video, section, out, progress);
  progress.step("plotting");
  for (const Plot& plot : motion_plots(work.character, reference)) {
    section.plots.push_back(svg_plot(plot));
    if (!plot.bands.empty()) write_file(out.add("contacts.svg"), section.plots.back());
  }
  write_report("sinew retarget: " + work.title, std::move(section), out);
}

}  // namespace sinew::cli
