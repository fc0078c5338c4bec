#include "sim/mujoco/compile.h"

#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "core/error.h"

namespace sinew {

namespace {

// MuJoCo's compiler keeps the last model in a variable of its own.
std::mutex& compiler_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Left to itself MuJoCo ends the process on an error and writes a log into the working directory.
void keep_quiet() {
  mju_user_error = [](const char* message) { throw std::runtime_error(message); };
  mju_user_warning = [](const char*) {};
}

}  // namespace

mjModel* compile_mujoco(const std::string& text, const std::string& name) {
  const std::lock_guard<std::mutex> lock(compiler_mutex());
  keep_quiet();
  std::array<char, 1000> error{};
  // The virtual file system is too large for the stack.
  const auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mjModel* model = nullptr;
  try {
    if (mj_makeEmptyFileVFS(vfs.get(), "model.xml", static_cast<int>(text.size())) != 0)
      throw std::runtime_error("it is too large");
    std::memcpy(vfs->filedata[0], text.data(), text.size());
    model = mj_loadXML("model.xml", vfs.get(), error.data(), static_cast<int>(error.size()));
    if (!model) throw std::runtime_error(error.data());
  } catch (const std::runtime_error& e) {
    mj_deleteVFS(vfs.get());
    throw Error(name + " cannot be simulated by MuJoCo: " + e.what());
  }
  mj_deleteVFS(vfs.get());
  return model;
}

}  // namespace sinew
