#pragma once

#include <string>
#include <vector>

#include "world/world.h"

namespace sinew {

// One parameter of a world that has a name.
struct WorldParameter {
  std::string name;  // "deg"
  double value = 0;  // the default; NaN: left to the character
  double lower = 0, upper = 0;
  std::string meaning;  // "angle of the slope, degrees; negative: downhill"
  bool whole = false;   // a whole number
};

struct WorldEntry {
  std::string name;     // "slope"
  std::string meaning;  // one line
  std::vector<WorldParameter> parameters;
};

// All worlds that have a name, in the order in which one tells of them.
const std::vector<WorldEntry>& list_worlds();

// A world by what a user types: NAME, NAME:key=value,key=value, or a file FILE.xml (MJCF: its shapes and free
// or hinged bodies become ground and props). Throws Error: for an unknown name it lists the known ones, for
// an unknown key those of that world, for a value out of range the range.
World make_world(const std::string& name_or_file);

// Whether what a user types as a world means a file.
bool is_world_file(const std::string& name_or_file);

// "body=head,mass=2,speed=8,at=1.2,from=front[,expected]" and
// "body=pelvis,force=200,for=0.2,at=2,toward=left". Throws Error naming the word that is wrong.
Throw parse_throw(const std::string& text);
Push parse_push(const std::string& text);

// A world as JSON text and back, for files that must stand alone. Throws Error naming `where`.
std::string to_json(const World& world);
World world_from_json(const std::string& text, const std::string& where);

}  // namespace sinew
