#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/polyhedron.h"

namespace sinew {

// A surface as a file has it, in the file's units and axes.
struct NamedMesh {
  std::string file;
  std::string name;  // of the object
  Polyhedron surface;
};

// The objects of a file (OBJ, GLB, glTF, PLY, STL, FBX, ...), in their order, each where its transforms put
// it; or of all such files of a folder, in the order of their names, each file one object of its own name.
// Polygons become triangles; points and lines are left out. Throws Error naming the file; also if there is no
// mesh at all.
std::vector<NamedMesh> load_meshes(const std::filesystem::path& file_or_folder);

}  // namespace sinew
