#pragma once

#include <vector>

#include "character/character.h"

namespace sinew {

// Which frames have a part of the body on the floor, whatever the clip says: all but flights. A flight is a
// time off the floor over which the centre of mass falls on the whole.
std::vector<char> find_grounded(const Character& character, const std::vector<VecX>& q, double frame_time_s);

// Lets down a body that hovers above the floor z = 0: all of it is lowered, smoothly. Capture and other
// proportions leave sitting and lying people above the floor; and mats throw people up from their seats,
// floors do not: a trunk that rises from the floor stays on it until something else can carry the body.
void settle(const Character& character, std::vector<VecX>& q, const std::vector<char>& grounded,
            double frame_time_s);

}  // namespace sinew
