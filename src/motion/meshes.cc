#include "motion/meshes.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>

#include "core/error.h"
#include "motion/assimp_scene.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

constexpr std::array kEndings = {".obj", ".glb", ".gltf", ".ply", ".stl", ".fbx", ".dae", ".off", ".3ds"};

bool is_mesh_file(const fs::path& path) {
  return std::find(kEndings.begin(), kEndings.end(), lower_ending(path)) != kEndings.end();
}

// Appends what hangs on a node itself, carried to where the node is. A mirrored one is turned outside again.
void append(const aiScene& scene, const aiNode& node, const aiMatrix4x4& X, Polyhedron& to) {
  const bool mirrored = X.Determinant() < 0;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[m]];
    const size_t first = to.vertices.size();
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
      const aiVector3D v = X * mesh.mVertices[i];
      to.vertices.emplace_back(v.x, v.y, v.z);
    }
    for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
      const aiFace& face = mesh.mFaces[i];
      if (face.mNumIndices != 3) continue;
      std::array<size_t, 3> corners{first + face.mIndices[0], first + face.mIndices[1],
                                    first + face.mIndices[2]};
      if (mirrored) std::swap(corners[1], corners[2]);
      to.faces.push_back(corners);
    }
  }
}

void collect(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent, const std::string& file,
             std::vector<NamedMesh>& out) {
  const aiMatrix4x4 X = parent * node.mTransformation;
  NamedMesh mesh{file, node.mName.C_Str(), {}};
  append(scene, node, X, mesh.surface);
  if (!mesh.surface.faces.empty()) out.push_back(std::move(mesh));
  for (unsigned i = 0; i < node.mNumChildren; ++i) collect(scene, *node.mChildren[i], X, file, out);
}

std::vector<NamedMesh> objects_of(const fs::path& path) {
  Assimp::Importer importer;
  if (!importer.IsExtensionSupported(lower_ending(path)))
    throw Error(
        path.string(), 0,
        "no format of meshes has the ending '" + lower_ending(path) + "'; known are .obj, .glb and more");
  const aiScene& scene = open_scene(importer, path, aiProcess_Triangulate);
  std::vector<NamedMesh> out;
  collect(scene, *scene.mRootNode, aiMatrix4x4(), path.string(), out);
  if (out.empty()) throw Error(path.string(), 0, "has no mesh");
  return out;
}

// All of a file as one object.
NamedMesh whole_of(const fs::path& path) {
  NamedMesh whole{path.string(), path.stem().string(), {}};
  for (const NamedMesh& object : objects_of(path)) {
    const size_t first = whole.surface.vertices.size();
    whole.surface.vertices.insert(whole.surface.vertices.end(), object.surface.vertices.begin(),
                                  object.surface.vertices.end());
    for (const auto& [a, b, c] : object.surface.faces)
      whole.surface.faces.push_back({first + a, first + b, first + c});
  }
  return whole;
}

}  // namespace

std::vector<NamedMesh> load_meshes(const fs::path& file_or_folder) {
  std::error_code ec;
  if (!fs::exists(file_or_folder, ec))
    throw Error(file_or_folder.string(), 0, "there is no such file or folder");
  if (!fs::is_directory(file_or_folder, ec)) return objects_of(file_or_folder);
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(file_or_folder, ec))
    if (is_mesh_file(entry.path())) files.push_back(entry.path());
  if (files.empty()) throw Error(file_or_folder.string(), 0, "has no file of a mesh (.obj, .glb, ...) in it");
  std::sort(files.begin(), files.end());
  std::vector<NamedMesh> out;
  for (const fs::path& file : files) out.push_back(whole_of(file));
  return out;
}

}  // namespace sinew
