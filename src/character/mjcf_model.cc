#include "character/mjcf_model.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <mutex>
#include <regex>
#include <stdexcept>

namespace sinew {

namespace {

[[noreturn]] void throw_message(const char* message) { throw std::runtime_error(message); }
void ignore_message(const char*) {}

std::mutex& compiler_mutex() {
  static std::mutex mutex;
  return mutex;
}

void throw_errors() {
  mju_user_error = throw_message;
  mju_user_warning = ignore_message;
}

// While it lives, MuJoCo's errors come as std::runtime_error, and no other thread uses its compiler, which
// keeps the last model in a variable of its own.
class QuietCompiler {
 public:
  QuietCompiler() : lock_(compiler_mutex()), error_(mju_user_error), warning_(mju_user_warning) {
    throw_errors();
  }
  ~QuietCompiler() {
    mju_user_error = error_;
    mju_user_warning = warning_;
  }
  QuietCompiler(const QuietCompiler&) = delete;
  QuietCompiler& operator=(const QuietCompiler&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
  void (*error_)(const char*);
  void (*warning_)(const char*);
};

std::optional<ShapeType> shape_type(int geom_type) {
  switch (geom_type) {
    case mjGEOM_PLANE:
      return ShapeType::kPlane;
    case mjGEOM_SPHERE:
      return ShapeType::kSphere;
    case mjGEOM_CAPSULE:
      return ShapeType::kCapsule;
    case mjGEOM_BOX:
      return ShapeType::kBox;
    case mjGEOM_ELLIPSOID:
      return ShapeType::kEllipsoid;
    case mjGEOM_CYLINDER:
      return ShapeType::kCylinder;
    case mjGEOM_MESH:
      return ShapeType::kMesh;
    default:
      return std::nullopt;
  }
}

// The corners of a mesh's convex hull where MuJoCo made one, else all of its vertices.
std::vector<Vec3> hull_vertices(const mjModel& m, int mesh) {
  const float* vertex = m.mesh_vert + 3 * static_cast<ptrdiff_t>(m.mesh_vertadr[mesh]);
  const auto at = [&](int i) { return Vec3(vertex[3 * i], vertex[3 * i + 1], vertex[3 * i + 2]); };
  std::vector<Vec3> out;
  if (const int graph = m.mesh_graphadr[mesh]; graph >= 0) {
    // numvert, numface, edge addresses, then the hull's vertices by their number in the mesh.
    const int* data = m.mesh_graph + graph;
    for (int i = 0; i < data[0]; ++i) out.push_back(at(data[2 + data[0] + i]));
  } else {
    for (int i = 0; i < m.mesh_vertnum[mesh]; ++i) out.push_back(at(i));
  }
  return out;
}

}  // namespace

void MjModelDeleter::operator()(mjModel* model) const { mj_deleteModel(model); }

void keep_mujoco_quiet() {
  const std::lock_guard<std::mutex> lock(compiler_mutex());
  throw_errors();
}

MjModel compile_mjcf_file(const std::filesystem::path& path) {
  const QuietCompiler quiet;
  std::array<char, 1000> error{};
  try {
    MjModel model(mj_loadXML(path.c_str(), nullptr, error.data(), static_cast<int>(error.size())));
    if (!model) throw std::runtime_error(error.data());
    return model;
  } catch (const std::runtime_error& e) {
    throw mjcf_refusal(path.string(), e.what());
  }
}

MjModel compile_mjcf_text(const std::string& text) {
  const QuietCompiler quiet;
  std::array<char, 1000> error{};
  // The virtual file system is too large for the stack.
  const auto empty = [](mjVFS* vfs) {
    mj_deleteVFS(vfs);
    delete vfs;
  };
  const std::unique_ptr<mjVFS, decltype(empty)> vfs(new mjVFS, empty);
  mj_defaultVFS(vfs.get());
  if (mj_makeEmptyFileVFS(vfs.get(), "model.xml", static_cast<int>(text.size())) != 0)
    throw std::runtime_error("it is too large");
  std::memcpy(vfs->filedata[0], text.data(), text.size());
  MjModel model(mj_loadXML("model.xml", vfs.get(), error.data(), static_cast<int>(error.size())));
  if (!model) throw std::runtime_error(error.data());
  return model;
}

Error mjcf_refusal(const std::string& file, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  int line = 0;
  std::smatch found;
  if (std::regex_search(text, found, std::regex("[Ll]ine(?: number)? ?=? ?([0-9]{1,9})")))
    line = std::stoi(found[1]);
  // "XML parse error 14: Error=XML_ERROR_MISMATCHED_ELEMENT ErrorID=14 (0xe) Line number=1: ..."
  if (std::regex_search(text, found, std::regex("Error=XML_(?:ERROR_)?([A-Z_]+)"))) {
    const std::string what = found[1];
    const bool named = std::regex_search(text, found, std::regex("filename=([^ ']+)"));
    const std::string which = named ? ": " + found[1].str() : "";
    text = "XML " + what;
    std::transform(text.begin() + 4, text.end(), text.begin() + 4,
                   [](char c) { return c == '_' ? ' ' : static_cast<char>(std::tolower(c)); });
    text += which;
  }
  text = std::regex_replace(text, std::regex(" Object name = "), ", in ");
  for (const char* noise : {"^(XML )?Error: ?", ", id = .*$", ", line [0-9]+ *$", ", in *$"})
    text = std::regex_replace(text, std::regex(noise), "");
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return {file, line, "cannot be read as MJCF: " + (text.empty() ? "no reason given" : text)};
}

std::optional<Shape> shape_of(const mjModel& m, int g) {
  const auto type = shape_type(m.geom_type[g]);
  if (!type) return std::nullopt;
  const mjtNum* p = m.geom_pos + 3 * g;
  const mjtNum* q = m.geom_quat + 4 * g;
  const mjtNum* size = m.geom_size + 3 * g;
  Shape shape;
  shape.name = m.names + m.name_geomadr[g];
  shape.type = *type;
  shape.size = Vec3(size[0], size[1], size[2]);
  shape.X_BS = {Vec3(p[0], p[1], p[2]), Quat(q[0], q[1], q[2], q[3]).normalized()};
  shape.collides = m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0;
  shape.friction = m.geom_friction[3 * g];
  const int material = m.geom_matid[g];
  const float* rgba = material >= 0 ? m.mat_rgba + 4 * material : m.geom_rgba + 4 * g;
  shape.rgba = Vec4(rgba[0], rgba[1], rgba[2], rgba[3]);
  if (*type == ShapeType::kMesh) shape.vertices = hull_vertices(m, m.geom_dataid[g]);
  return shape;
}

}  // namespace sinew
