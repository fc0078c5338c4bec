#pragma once

#include <memory>
#include <string>

namespace sinew {

enum class RenderBackend { kAny, kEgl, kOsMesa };

// An OpenGL context without a window, current on the thread that made it until another is made current.
class GlContext {
 public:
  virtual ~GlContext() = default;
  virtual void make_current() = 0;
  virtual std::string name() const = 0;
};

// EGL without a surface, or OSMesa when that fails; the libraries are looked for when this is called. A
// process stays with what it used first, because OpenGL's functions are bound once. Throws Error that says
// what was tried.
std::unique_ptr<GlContext> make_gl_context(RenderBackend backend);

}  // namespace sinew
