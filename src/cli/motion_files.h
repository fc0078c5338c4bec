#pragma once

#include <string>
#include <vector>

#include "cli/output_folder.h"
#include "cli/progress.h"
#include "record/film.h"
#include "record/report.h"

// The files that every command leaves that ends in a motion of a character.
namespace sinew::cli {

// motion.bvh and motion.glb.
void write_motion(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                  const std::string& name, OutputFolder& out);

// strip.png, and motion.mp4 if asked for, which the section takes over; its title and subtitle stand above
// the strip. One step of progress, two with video.
void draw_motion(const Character& character, const Film& film, bool video, ReportSection& section,
                 OutputFolder& out, Progress& progress);

// report.html of one section, which also lists the files that were written so far.
void write_report(const std::string& title, ReportSection section, OutputFolder& out);

}  // namespace sinew::cli
