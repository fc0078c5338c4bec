#pragma once

#include <filesystem>
#include <string>

struct aiScene;
namespace Assimp {
class Importer;
}

namespace sinew {

// What assimp makes of a file, which belongs to the importer; `flags` are those of its post-processing.
// Throws Error for a file that is too large or that it cannot read.
const aiScene& open_scene(Assimp::Importer& importer, const std::filesystem::path& path, unsigned flags);

// ".glb" of "My.GLB".
std::string lower_ending(const std::filesystem::path& path);

}  // namespace sinew
