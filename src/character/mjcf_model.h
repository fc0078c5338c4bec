#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "character/character.h"
#include "core/error.h"

struct mjModel_;

// What it takes to read MJCF, whatever it is read for.
namespace sinew {

struct MjModelDeleter {
  void operator()(mjModel_* model) const;
};
using MjModel = std::unique_ptr<mjModel_, MjModelDeleter>;

// The model of a file. Throws Error naming the file and, where MuJoCo says so, the line.
MjModel compile_mjcf_file(const std::filesystem::path& path);
// The model of a text. Throws std::runtime_error with MuJoCo's own words.
MjModel compile_mjcf_text(const std::string& text);

// From now on MuJoCo neither ends the process nor writes a log: its errors come as std::runtime_error, out of
// any of its functions.
void keep_mujoco_quiet();

// MuJoCo's complaint as a sentence of ours, with the line that it speaks of.
Error mjcf_refusal(const std::string& file, std::string text);

// A geom as a shape in the frame of its MuJoCo body; `body` is left 0, an unnamed one keeps no name. Nothing
// for a height field.
std::optional<Shape> shape_of(const mjModel_& model, int geom);

}  // namespace sinew
