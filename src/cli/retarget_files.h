#pragma once

#include <string>
#include <vector>

#include "character/retarget.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "motion/load.h"

namespace sinew::cli {

// One clip put onto one character, with all that its files are made from.
struct RetargetWork {
  std::string title;  // "walk on human50"
  Clip clip;
  std::vector<ImportNote> import_notes;
  Character character;
  Retargeted retargeted;
};

// motion.bvh, motion.glb, frames.csv, and source.bvh if asked for. One step of progress.
void write_motion_files(const RetargetWork& work, bool source_bvh, OutputFolder& out, Progress& progress);

// strip.png, contacts.svg, motion.mp4 if asked for, report.html. `command` makes it all again. Two steps of
// progress, three with video.
void write_pictures(const RetargetWork& work, const std::string& command, bool video, OutputFolder& out,
                    Progress& progress);

}  // namespace sinew::cli
