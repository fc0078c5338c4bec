#include "motion/meshes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "cli/run_sinew.h"
#include "core/error.h"
#include "core/solids.h"

namespace sinew::testing {
namespace {

// Half a box, as OBJ with quadrilaterals: they become triangles.
std::string quads(const std::string& name, double x, int first) {
  std::string text = "o " + name + "\n";
  for (int i = 0; i < 8; ++i)
    text += "v " + std::to_string(x + (i & 1)) + " " + std::to_string((i & 2) / 2) + " " +
            std::to_string((i & 4) / 4) + "\n";
  for (const char* face : {"0 2 3 1", "4 5 7 6", "0 1 5 4", "2 6 7 3", "0 4 6 2", "1 3 7 5"}) {
    text += "f";
    for (const char* c = face; *c != '\0'; ++c)
      if (*c != ' ') text += " " + std::to_string(*c - '0' + first);
    text += "\n";
  }
  return text;
}

TEST(LoadMeshesTest, ObjectsOfAnObjFile) {
  const TemporaryFolder folder;
  const auto meshes = load_meshes(folder.write("two.obj", quads("head", 0, 1) + quads("left_thigh", 5, 9)));
  ASSERT_EQ(meshes.size(), 2U);
  EXPECT_EQ(meshes[0].name, "head");
  EXPECT_EQ(meshes[1].name, "left_thigh");
  for (const NamedMesh& mesh : meshes) {
    const Polyhedron solid = welded(mesh.surface);
    EXPECT_EQ(fault_of_surface(solid), "");
    EXPECT_NEAR(solid_properties(solid).volume_m3, 1, 1e-6);
  }
  EXPECT_NEAR(solid_properties(meshes[1].surface).centre.x(), 5.5, 1e-6);
}

TEST(LoadMeshesTest, FilesOfAFolder) {
  const TemporaryFolder folder;
  folder.write("left_foot.obj", quads("anything", 0, 1));
  folder.write("head.obj", quads("Cube", 2, 1) + quads("Cube.001", 5, 9));
  folder.write("notes.txt", "not a mesh");
  const auto meshes = load_meshes(folder.path());
  ASSERT_EQ(meshes.size(), 2U);
  EXPECT_EQ(meshes[0].name, "head");
  EXPECT_NEAR(solid_properties(welded(meshes[0].surface)).volume_m3, 2, 1e-6);
  EXPECT_EQ(meshes[1].name, "left_foot");
}

// A mesh used by two nodes, one of them moved, one mirrored and twice as large.
std::string glb(const Polyhedron& solid) {
  std::string bin;
  const auto put = [&](const auto& x) { bin.append(reinterpret_cast<const char*>(&x), sizeof x); };
  for (const Vec3& v : solid.vertices)
    for (int i = 0; i < 3; ++i) put(static_cast<float>(v[i]));
  const size_t vertices = bin.size();
  for (const auto& face : solid.faces)
    for (const size_t corner : face) put(static_cast<uint16_t>(corner));
  const size_t faces = bin.size() - vertices;
  while (bin.size() % 4 != 0) bin += '\0';
  const auto number = [](size_t n) { return std::to_string(n); };
  std::string json =
      R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],"nodes":[)"
      R"({"name":"head","mesh":0,"translation":[0,3,0]},{"name":"thorax","mesh":0,"scale":[-2,2,2]}],)"
      R"("meshes":[{"name":"Cube","primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"accessors":[)"
      R"({"bufferView":0,"componentType":5126,"type":"VEC3","count":)" +
      number(solid.vertices.size()) +
      R"(,"min":[-9,-9,-9],"max":[9,9,9]},{"bufferView":1,"componentType":5123,)" +
      R"("type":"SCALAR","count":)" + number(3 * solid.faces.size()) +
      R"(}],"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":)" + number(vertices) +
      R"(},{"buffer":0,"byteOffset":)" + number(vertices) + R"(,"byteLength":)" + number(faces) +
      R"(}],"buffers":[{"byteLength":)" + number(bin.size()) + "}]}";
  while (json.size() % 4 != 0) json += ' ';
  std::string out = "glTF";
  const auto word = [&](size_t n) {
    const auto x = static_cast<uint32_t>(n);
    out.append(reinterpret_cast<const char*>(&x), sizeof x);
  };
  word(2), word(12 + 8 + json.size() + 8 + bin.size());
  word(json.size()), word(0x4E4F534A), out += json;
  word(bin.size()), word(0x004E4942), out += bin;
  return out;
}

TEST(LoadMeshesTest, NodesOfAGlbFile) {
  const TemporaryFolder folder;
  const auto meshes = load_meshes(folder.write("body.glb", glb(box(Vec3(0.5, 0.25, 1), Vec3(1, 0, 0)))));
  ASSERT_EQ(meshes.size(), 2U);
  const SolidProperties head = solid_properties(meshes[0].surface),
                        thorax = solid_properties(meshes[1].surface);
  EXPECT_EQ(meshes[0].name, "head");
  EXPECT_NEAR(head.volume_m3, 1, 1e-6);
  EXPECT_LT((head.centre - Vec3(1, 3, 0)).norm(), 1e-6);
  EXPECT_EQ(meshes[1].name, "thorax");
  EXPECT_EQ(fault_of_surface(welded(meshes[1].surface)), "");
  EXPECT_NEAR(thorax.volume_m3, 8, 1e-5);
  EXPECT_LT((thorax.centre - Vec3(-2, 0, 0)).norm(), 1e-6);
}

TEST(LoadMeshesTest, BadFilesGetASentence) {
  const TemporaryFolder folder, empty;
  for (const auto& [file, words] :
       {std::pair(folder.file("missing.obj"), "there is no such file"),
        std::pair(empty.path().string(), "has no file of a mesh"),
        std::pair(folder.write("body.xyz", "1 2 3"), "no format of meshes"),
        std::pair(folder.write("broken.glb", "glTF and nothing"), "cannot be read")}) {
    try {
      load_meshes(file);
      ADD_FAILURE() << file;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace sinew::testing
