#pragma once

#include <vector>

#include "motion/clip.h"
#include "motion/load.h"
#include "motion/skeleton_parts.h"

namespace sinew {

// How a body is held, from the places of its joints alone; any axes, any unit.
struct Stance {
  bool is_upright = false;   // trunk and legs in one line, head and feet at its ends
  Vec3 up = Vec3::Zero();    // from the feet to the head, unit length; zero if it cannot be told
  Vec3 legs = Vec3::Zero();  // from the feet to the hips, unit length; zero if it cannot be told
  Vec3 left = Vec3::Zero();  // from the right hip to the left one, unit length; zero if it cannot be told
};
Stance stance_of(const std::vector<Pose>& X, const SkeletonParts& parts);

// Whether frame 0 is a pose put there by hand; if so it becomes `clip.rest` and leaves the motion.
// Works in any axes and units. `parts` may be null.
void take_rest_frame(Clip& clip, const SkeletonParts* parts, const ImportOptions& options,
                     std::vector<ImportNote>& notes);

// In Sinew's world: makes `clip.rest` a stance that faces +X with its lowest point on the ground and its root
// above the origin, building one from an upright frame if the skeleton's own rest pose is none; sets
// `rest_is_t_pose`. `parts` may be null.
void settle_rest(Clip& clip, const SkeletonParts* parts, std::vector<ImportNote>& notes);

}  // namespace sinew
