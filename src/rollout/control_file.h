#pragma once

#include <string>
#include <vector>

#include "character/reference.h"
#include "character/state.h"
#include "control/open_loop.h"
#include "world/world.h"

namespace sinew {

// An open-loop control with all that a replay needs: control.json (docs/control.md). A plain value.
struct ControlFile {
  std::string sinew = SINEW_VERSION;  // the version that wrote it
  std::string clip;
  std::string recipe;  // the search that found it: "default", "paper"
  int samples = 0;     // what the search was told to try and to keep; 0: the recipe's own
  int save = 0;
  int seed = 1;
  std::string engine = "mujoco";  // a name or plug-in, as find_engine takes it
  double step_s = 0;              // of the engine
  Character character;
  std::string mjcf;         // its text where it is none of those that have a name; else empty
  std::string fingerprint;  // of the character that the control was found for; set by reading
  World world;
  Reference reference;  // placed in the world
  double start_s = 0;   // time in the reference at the simulation's beginning
  double seconds = 0;   // how long it lasts
  State start;
  OpenLoop control;
};

// As the text of control.json, and back. The reference, as the nv numbers that lead to it from the origin,
// has six digits after the point; all else has all its digits. Characters that have a name are found in the
// folders. Throws Error naming `where` for what is no control file, is cut short, makes no
// sense or is of a later version.
std::string encode_control(const ControlFile& file);
ControlFile decode_control(const std::string& text, const std::string& where,
                           const std::vector<std::string>& character_folders);

// What reading gives once it was written: what is searched and simulated is this, so that a replay is the
// same to the last bit.
ControlFile as_written(const ControlFile& file, const std::vector<std::string>& character_folders);

// A number with six digits after the point. Offsets that are so make a small file.
double on_grid(double value);

// A short word that changes with anything that is simulated of a character.
std::string fingerprint(const Character& character);
// The same of any text: 16 hexadecimal digits.
std::string fingerprint(const std::string& text);

}  // namespace sinew
