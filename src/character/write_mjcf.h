#pragma once

#include <string>

#include "character/character.h"

namespace sinew {

// A character as MJCF text: what read_mjcf makes a Character of again, with the same numbers. Opens in every
// program that reads MJCF.
std::string write_mjcf(const Character& character);

// Parts of such a text, for those who put a character into a model of their own.
struct MjcfPartOptions {
  bool visible_shapes = true;  // also what does not collide
  bool passive_joints = true;  // damping, stiffness and stops of balls, with which a simulator may have its
                               // own way
};
std::string mjcf_bodies(const Character& character, const MjcfPartOptions& options = {});

// The <geom> of a shape, with `name`, at X in its body; `more` is put into the element as it is.
std::string mjcf_geom(const Shape& shape, const std::string& name, const Pose& X,
                      const std::string& more = "");

// The <mesh> of a shape that is one, for <asset>; empty for others.
std::string mjcf_mesh(const Shape& shape, const std::string& name);

// Numbers with all their digits and blanks between; a text fit to stand in quotes.
std::string mjcf_numbers(const double* begin, int count);
std::string mjcf_word(const std::string& text);

}  // namespace sinew
