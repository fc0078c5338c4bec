#pragma once

#include <memory>
#include <string>

#include "record/gl_context.h"
#include "record/image.h"
#include "record/scene.h"

namespace sinew {

struct RenderOptions {
  int width = 640, height = 480;
  double supersample = 1;    // pixels drawn for one pixel shown, along each side: 1 to 4
  bool smooth_edges = true;  // after drawing: nearly as good as a supersample of 2, much faster
  int shadow_lights = 1;     // 0: no shadows; 3 or more: soft ones, each light costs a pass
  int shadow_texels = 512;   // side of the shadow map
  RenderBackend backend = RenderBackend::kAny;
};

// The options of still pictures, where quality counts more than speed.
RenderOptions fine_render_options(int width, int height);

// Draws scenes into pictures without a screen. Holds an OpenGL context of the thread that made it: make, use
// and destroy it on one thread. Making one takes about 0.2 s; throws Error when neither EGL nor OSMesa works.
class Renderer {
 public:
  explicit Renderer(const RenderOptions& options = {});
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  Image draw(const Scene& scene);
  const RenderOptions& options() const;
  // "EGL" or "OSMesa".
  std::string backend() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
