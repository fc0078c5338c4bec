#pragma once

#include "character/character.h"
#include "character/retarget.h"
#include "motion/clip.h"

namespace sinew {

// A retargeted motion carried back onto the skeleton it came from: what the character does, with the
// performer's bones, size and floor. Segments turn as the character's do; bones that play no part, or a part
// that the character lacks, keep their own turn against their parent. Same bones, rest pose and source
// convention as `clip`, at the frame rate of the reference. `clip` and `character` are those that
// `retargeted` was made from.
Clip onto_source(const Clip& clip, const Character& character, const Retargeted& retargeted);

}  // namespace sinew
