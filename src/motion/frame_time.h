#pragma once

#include <vector>

#include "motion/clip.h"
#include "motion/convention.h"
#include "motion/load.h"
#include "motion/skeleton_parts.h"

namespace sinew {

// Settles the frame time of a clip in Sinew's world: what the user says, else what the file says unless
// it is suspect and the steps of the performer could not be taken at that rate. `parts` may be null.
void settle_frame_time(Clip& clip, const SkeletonParts* parts, const FileFacts& facts,
                       const ImportOptions& options, std::vector<ImportNote>& notes);

// How long the steps of the clip take, in frames: the times for which a foot travels farther than a third of
// the leg without stopping. One number a step, sorted.
std::vector<double> step_durations(const Clip& clip, const SkeletonParts& parts);

}  // namespace sinew
