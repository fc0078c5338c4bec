#include "cli/simulation_files.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/motion_files.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "record/body_map.h"
#include "record/clip_export.h"
#include "record/film.h"
#include "record/sim_plots.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;
using Mark = ReportFigure::Mark;

Mark good_if(bool good) { return good ? Mark::kGood : Mark::kBad; }

// A figure in the unit that people read it in, green below `limit` and red above; 0: no mark.
void add_figure(std::vector<ReportFigure>& out, const char* name, const std::optional<double>& value,
                double unit, int digits, double limit = 0) {
  if (!value) return;
  out.push_back({name, fixed(*value * unit, digits), limit > 0 ? good_if(*value < limit) : Mark::kNone});
}

std::vector<ReportFigure> figures_of(const Summary& summary) {
  std::vector<ReportFigure> figures;
  figures.push_back({"completed",
                     summary.completed     ? "yes"
                     : summary.failed_at_s ? "no: failed at " + fixed(*summary.failed_at_s, 2) + " s"
                                           : "no",
                     good_if(summary.completed)});
  add_figure(figures, "pose error, degrees", summary.pose_error_rad, degrees(1), 1);
  add_figure(figures, "height error of the root, cm", summary.root_height_error_m, 100, 1, 0.15);
  add_figure(figures, "tilt error of the root, degrees", summary.root_tilt_error_rad, degrees(1), 1,
             radians(30));
  add_figure(figures, "drift at the end, cm", summary.root_drift_m, 100, 0);
  add_figure(figures, "foot slide, cm/s", summary.foot_slide_m_s, 100, 1);
  add_figure(figures, "deepest point, cm", summary.max_penetration_m, 100, 2, 0.02);
  add_figure(figures, "torque, rms, N m", summary.torque_rms_Nm, 1, 1);
  add_figure(figures, "largest torque, % of its limit", summary.torque_peak_share, 100, 0);
  add_figure(figures, "torque rate, rms, N m/s", summary.torque_rate_Nm_s, 1, 0);
  add_figure(figures, "landing impact, body weights", summary.impact_bw, 1, 2);
  add_figure(figures, "landing impact by the motion's own", summary.impact_ratio, 1, 2, 1.5);
  add_figure(figures, "joint jerk by the motion's own", summary.jerk_ratio, 1, 2, 2);
  add_figure(figures, "force from nowhere, N or N m", summary.root_residual_N, 1, 1, 5);
  add_figure(figures, "times real time", summary.realtime_factor, 1, 1);
  return figures;
}

std::string title_of(const Recording& recording, const SimulationFileOptions& options) {
  return options.title.empty() ? short_name(recording.clip) + " on " + recording.character.name
                               : options.title;
}

std::string subtitle_of(const Recording& recording, const Summary& summary) {
  return fixed(recording.duration_s(), 2) + " s in the world " + recording.world.name + ", " +
         recording.engine + ", steps of " + shortest(1000 * recording.step_s) + " ms, " +
         (summary.completed ? "completed" : "not completed");
}

std::vector<VecX> torques_of(const Recording& recording) {
  std::vector<VecX> torques;
  for (const RecordingFrame& frame : recording.frames)
    torques.push_back(frame.torque.size() > 0 ? frame.torque : VecX::Zero(recording.character.nv()));
  return torques;
}

}  // namespace

ReportSection simulation_section(const Recording& recording, const Summary& summary,
                                 const SimulationFileOptions& options) {
  ReportSection section;
  section.title = title_of(recording, options);
  section.subtitle = subtitle_of(recording, summary);
  section.figures = figures_of(summary);
  section.notes = options.notes;
  for (const RecordingEvent& event : recording.events)
    section.notes.push_back("at " + fixed(event.time_s, 2) + " s: " + event.what);
  if (recording.diverged)
    section.notes.push_back("the engine diverged after " + fixed(recording.duration_s(), 2) + " s");
  if (std::string map = svg_body_map({{"", &recording}}); !map.empty())
    section.maps.push_back(std::move(map));
  for (const Plot& plot : error_plots(recording)) section.plots.push_back(svg_plot(plot));
  for (const Plot& plot : effort_plots(recording)) section.plots.push_back(svg_plot(plot));
  section.command = recording.command;
  return section;
}

void remove_old_simulation(const fs::path& folder, const fs::path& clip) {
  std::error_code ec;
  if (!fs::is_regular_file(folder / "summary.json", ec)) return;
  const auto summary = nlohmann::json::parse(read_file(folder / "summary.json"), nullptr, false);
  if (!summary.is_object() || !summary.contains("sinew")) return;

  // The summary first: where it is, all is.
  for (const char* file : {"summary.json", "recording.sinew", "motion.bvh", "motion.glb", "frames.csv",
                           "contacts.csv", "pressure.svg", "error.svg", "strip.png", "motion.mp4",
                           "report.html", "control.json", "variations.svg"})
    if (!fs::equivalent(folder / file, clip, ec)) fs::remove(folder / file, ec);
}

int simulation_file_steps(const SimulationFileOptions& options) {
  return !options.pictures ? 1 : options.video ? 3 : 2;
}

void write_simulation_files(const Recording& recording, const Summary& summary,
                            const SimulationFileOptions& options, OutputFolder& out, Progress& progress) {
  if (recording.frames.empty()) throw Error("the simulation ended before its first frame");
  progress.step("writing");
  const double frame_time_s = recording.frame_time_s > 0 ? recording.frame_time_s : 0.01;
  write_file(out.add("recording.sinew"), encode_recording(recording));
  const std::vector<VecX> q = coordinates(recording);
  write_motion(recording.character, smoothed(recording.character, q, frame_time_s, options.smooth_hz),
               frame_time_s, short_name(recording.clip), out);
  write_file(out.add("frames.csv"), frames_csv(recording.character, q, frame_time_s, torques_of(recording)));
  write_file(out.add("contacts.csv"), contacts_csv(recording));
  if (const std::string map = svg_body_map({{"", &recording}}); !map.empty())
    write_file(out.add("pressure.svg"), map);
  if (const std::vector<Plot> plots = error_plots(recording); !plots.empty())
    write_file(out.add("error.svg"), svg_plots(plots));
  if (!options.pictures) return;

  // A machine on which nothing can be drawn can do all the rest.
  ReportSection section = simulation_section(recording, summary, options);
  try {
    draw_motion(recording.character, make_film(recording), options.video, section, out, progress);
  } catch (const Error& error) {
    throw Error(std::string(error.what()) + " (--no-pictures does without pictures)");
  }
  const std::string title = "sinew " + summary.command + ": " + section.title;
  write_report(title, std::move(section), out);
}

}  // namespace sinew::cli
