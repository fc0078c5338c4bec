#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "character/character.h"
#include "core/error.h"

struct mjModel_;

// What it takes to read MJCF, whatever it is read for.
namespace sinew {

struct MjModelDeleter {
  void operator()(mjModel_* model) const;
};
using MjModel = std::unique_ptr<mjModel_, MjModelDeleter>;

// While it lives, MuJoCo neither ends the process nor writes a log: its errors come as std::runtime_error.
// And no other thread uses its compiler, which keeps the last model in a variable of its own.
class QuietCompiler {
 public:
  QuietCompiler();
  ~QuietCompiler();
  QuietCompiler(const QuietCompiler&) = delete;
  QuietCompiler& operator=(const QuietCompiler&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
  void (*error_)(const char*);
  void (*warning_)(const char*);
};

// The model of a text. Throws std::runtime_error with MuJoCo's own words.
MjModel compile_mjcf_text(const std::string& text);

// MuJoCo's complaint as a sentence of ours, with the line that it speaks of.
Error mjcf_refusal(const std::string& file, std::string text);

// A geom as a shape in the frame of its MuJoCo body; `body` is left 0, an unnamed one keeps no name. Nothing
// for a height field.
std::optional<Shape> shape_of(const mjModel_& model, int geom);

}  // namespace sinew
