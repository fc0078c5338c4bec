#include "record/gl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>

#include <atomic>
#include <vector>

#include "core/error.h"

namespace sinew {

namespace {

// A shared library, open for as long as the process lives: GL drivers do not survive being closed.
void* open_library(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (!library) throw Error(std::string(name) + " is not installed");
  return library;
}

template <typename F>
F* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (!found) throw Error(std::string("a graphics library has no function ") + name);
  return reinterpret_cast<F*>(found);
}

class EglContext : public GlContext {
 public:
  EglContext() {
    void* egl = open_library("libEGL.so.1");
    make_current_ = symbol<decltype(eglMakeCurrent)>(egl, "eglMakeCurrent");
    destroy_ = symbol<decltype(eglDestroyContext)>(egl, "eglDestroyContext");
    open_display(egl);
    create(egl);
  }
  ~EglContext() override {
    make_current_(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    destroy_(display_, context_);
  }
  void make_current() override {
    symbol<decltype(eglBindAPI)>(open_library("libEGL.so.1"), "eglBindAPI")(EGL_OPENGL_API);
    if (!make_current_(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_))
      throw Error("EGL cannot draw without a window here");
  }
  std::string name() const override { return "EGL"; }

 private:
  // Mesa's display without any window system, else the driver's own default.
  void open_display(void* egl) {
    const auto initialize = symbol<decltype(eglInitialize)>(egl, "eglInitialize");
    const auto address = symbol<decltype(eglGetProcAddress)>(egl, "eglGetProcAddress");
    const auto platform =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(address("eglGetPlatformDisplayEXT"));
    if (platform) {
      display_ = platform(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
      if (display_ != EGL_NO_DISPLAY && initialize(display_, nullptr, nullptr)) return;
    }
    display_ = symbol<decltype(eglGetDisplay)>(egl, "eglGetDisplay")(EGL_DEFAULT_DISPLAY);
    if (display_ == EGL_NO_DISPLAY || !initialize(display_, nullptr, nullptr))
      throw Error("EGL has no display here");
  }

  void create(void* egl) {
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                             EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    symbol<decltype(eglBindAPI)>(egl, "eglBindAPI")(EGL_OPENGL_API);
    if (!symbol<decltype(eglChooseConfig)>(egl, "eglChooseConfig")(display_, wanted, &config, 1, &count) ||
        count < 1)
      throw Error("EGL offers no desktop OpenGL");
    context_ = symbol<decltype(eglCreateContext)>(egl, "eglCreateContext")(display_, config, EGL_NO_CONTEXT,
                                                                           nullptr);
    if (context_ == EGL_NO_CONTEXT) throw Error("EGL makes no OpenGL context");
    try {
      make_current();
    } catch (const Error&) {
      destroy_(display_, context_);
      throw;
    }
  }

  decltype(eglMakeCurrent)* make_current_ = nullptr;
  decltype(eglDestroyContext)* destroy_ = nullptr;
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

// OSMesa's few functions, written out so that its header need not be installed.
using OsContext = void*;
using OsCreate = OsContext(unsigned format, int depth, int stencil, int accumulation, OsContext shared);
using OsMakeCurrent = unsigned char(OsContext, void* buffer, unsigned type, int width, int height);
using OsDestroy = void(OsContext);

class OsMesaContext : public GlContext {
 public:
  OsMesaContext() : buffer_(4 * kSide * kSide) {
    void* library = open_library("libOSMesa.so.8");
    constexpr unsigned kRgba = 0x1908;
    make_current_ = symbol<OsMakeCurrent>(library, "OSMesaMakeCurrent");
    destroy_ = symbol<OsDestroy>(library, "OSMesaDestroyContext");
    context_ = symbol<OsCreate>(library, "OSMesaCreateContextExt")(kRgba, 24, 8, 0, nullptr);
    if (!context_) throw Error("OSMesa makes no OpenGL context");
    try {
      make_current();
    } catch (const Error&) {
      destroy_(context_);
      throw;
    }
  }
  ~OsMesaContext() override {
    make_current_(nullptr, nullptr, 0, 0, 0);
    destroy_(context_);
  }
  void make_current() override {
    constexpr unsigned kUnsignedByte = 0x1401;
    if (!make_current_(context_, buffer_.data(), kUnsignedByte, kSide, kSide))
      throw Error("OSMesa cannot make its context current");
  }
  std::string name() const override { return "OSMesa"; }

 private:
  static constexpr int kSide = 16;  // of its own window, which nobody looks at: pictures are drawn offscreen
  std::vector<unsigned char> buffer_;
  OsMakeCurrent* make_current_ = nullptr;
  OsDestroy* destroy_ = nullptr;
  OsContext context_ = nullptr;
};

}  // namespace

namespace {

std::unique_ptr<GlContext> make_any() {
  try {
    return std::make_unique<EglContext>();
  } catch (const Error& egl) {
    try {
      return std::make_unique<OsMesaContext>();
    } catch (const Error& osmesa) {
      throw Error(std::string("no picture can be drawn: ") + egl.what() + "; " + osmesa.what());
    }
  }
}

}  // namespace

std::unique_ptr<GlContext> make_gl_context(RenderBackend backend) {
  // The one that the process has bound its OpenGL functions to; set once.
  static std::atomic<RenderBackend> bound{RenderBackend::kAny};
  if (backend == RenderBackend::kAny) backend = bound;
  if (bound != RenderBackend::kAny && backend != bound)
    throw Error("this process already draws with the other one of EGL and OSMesa");

  std::unique_ptr<GlContext> context;
  if (backend == RenderBackend::kEgl) context = std::make_unique<EglContext>();
  if (backend == RenderBackend::kOsMesa) context = std::make_unique<OsMesaContext>();
  if (!context) context = make_any();
  bound = context->name() == "EGL" ? RenderBackend::kEgl : RenderBackend::kOsMesa;
  return context;
}

}  // namespace sinew
