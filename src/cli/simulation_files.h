#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/output_folder.h"
#include "cli/progress.h"
#include "record/recording.h"
#include "record/report.h"
#include "record/summary.h"

namespace sinew::cli {

struct SimulationFileOptions {
  bool pictures = true;            // strip.png, report.html
  bool video = false;              // motion.mp4; only with pictures
  std::string title;               // "walk on human50"; empty: made of the recording
  std::vector<std::string> notes;  // in words, for the page
  double smooth_hz = 0;            // motion.bvh and motion.glb are smoothed; 0: as simulated
};

// What a page says of a simulation, without pictures: figures with marks, notes, plots, the command.
ReportSection simulation_section(const Recording& recording, const Summary& summary,
                                 const SimulationFileOptions& options = {});

// recording.sinew, motion.bvh, motion.glb, frames.csv, contacts.csv, pressure.svg (where something is
// touched), error.svg (where there is a reference), and with pictures strip.png, motion.mp4 if asked for,
// report.html. The recording has a frame at least. Steps of progress: simulation_file_steps(options).
void write_simulation_files(const Recording& recording, const Summary& summary,
                            const SimulationFileOptions& options, OutputFolder& out, Progress& progress);
// Removes what an earlier command left of these files, and its summary, so that a folder tells of one
// simulation only. Nothing is removed where no summary of ours is, nor `clip` itself.
void remove_old_simulation(const std::filesystem::path& folder, const std::filesystem::path& clip);

int simulation_file_steps(const SimulationFileOptions& options);

}  // namespace sinew::cli
