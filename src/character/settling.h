#pragma once

#include <vector>

#include "character/character.h"
#include "character/plants.h"

namespace sinew {

// Which frames have a part of the body on the floor, whatever the clip says: all but flights. A flight is a
// time off the floor over which the centre of mass falls on the whole.
std::vector<char> find_grounded(const Character& character, const std::vector<VecX>& q, double frame_time_s);

// Lets down a body that hovers above the floor z = 0: all of it is lowered, smoothly. Capture and other
// proportions leave sitting and lying people above the floor; and mats throw people up from their seats,
// floors do not: a trunk that rises from the floor stays on it until something else can carry the body.
void settle(const Character& character, std::vector<VecX>& q, const std::vector<char>& grounded,
            double frame_time_s);

// How far a body that rolls must be moved along, [frame]: where trunk or head carry it and no foot does, what
// of them touches the floor stays where it is, and all that follows comes along. Other proportions, and necks
// that do not bend, roll other ways than the performer's: without this they would have to slide.
std::vector<Vec3> rolled_way(const Character& character, const std::vector<VecX>& q, const Plants& plants,
                             double frame_time_s);

}  // namespace sinew
