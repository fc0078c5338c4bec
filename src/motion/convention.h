#pragma once

#include <optional>
#include <string>
#include <vector>

#include "motion/clip.h"
#include "motion/load.h"

namespace sinew {

// What an importer knows about its file before anybody looks at the motion.
struct FileFacts {
  std::string format;                     // goes into SourceConvention::format
  char usual_up = 'y';                    // the format's habit, where the motion does not tell
  std::optional<char> declared_up;        // the file or its format says so
  std::optional<double> declared_unit_m;  // the file or its format says so
  std::string unit_declared_by;           // "the format", "the file's UnitScaleFactor", ... for the note
  bool may_begin_with_rest = false;       // frame 0 can be a T-pose that somebody put there by hand
  bool frame_time_is_suspect = false;     // converters of this format write wrong frame times
  std::string frame_time_reason = "as the file says";  // for the note
};

// Takes a clip in its file's axes and units (`rest` = the skeleton's own rest pose) into Sinew's world, and
// says what was concluded on the way: up axis, facing, unit, rest pose, frame time. `notes` are put first.
// Options override conclusions. Throws Error on an impossible option.
ImportedClip into_world(Clip file_clip, const FileFacts& facts, const ImportOptions& options,
                        std::vector<ImportNote> notes = {});

// The height of the person whose bones these are, in the clip's unit: leg length against the proportions of
// adults, because head end sites are unreliable; 0 if there are no legs.
double estimated_stature(const Clip& clip);

}  // namespace sinew
