#include "character/from_meshes.h"

#include <gtest/gtest.h>

#include "character/library.h"
#include "character/mjcf.h"
#include "character/numbers.h"
#include "character/part_meshes.h"
#include "character/write_mjcf.h"
#include "core/error.h"

namespace sinew::testing {
namespace {

Character man() { return load_character("man", {SINEW_SOURCE_DIR "/assets/characters"}); }

void expect_error(const std::vector<NamedMesh>& meshes, const std::string& words, double unit_m = 1) {
  try {
    character_from_meshes(meshes, man(), "hero", "parts", unit_m);
    ADD_FAILURE() << "no error: " << words;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

void expect_same_body(const Character& a, const Character& b, double tolerance) {
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (size_t i = 0; i < a.bodies.size(); ++i) {
    const Body &x = a.bodies[i], &y = b.bodies[i];
    EXPECT_LT((x.X_PB.p - y.X_PB.p).norm(), tolerance) << x.name;
    EXPECT_NEAR(x.mass_kg, y.mass_kg, tolerance * y.mass_kg) << x.name;
    EXPECT_LT((x.p_BC - y.p_BC).norm(), tolerance) << x.name;
    EXPECT_LT((x.I_C - y.I_C).norm(), tolerance * y.I_C.norm()) << x.name;
  }
}

// Dempster 1955, kg/l, as Yeadon 1990 has them.
TEST(FromMeshesTest, DensitiesAreThoseOfTheLiterature) {
  using enum Part;
  const std::vector<std::pair<Part, double>> table = {
      {kHead, 1.11},          {kLeftClavicle, 1.04}, {kThorax, 0.92},    {kPelvis, 1.01},
      {kRightUpperArm, 1.07}, {kLeftLowerArm, 1.13}, {kRightHand, 1.16}, {kLeftThigh, 1.05},
      {kRightShin, 1.09},     {kLeftFoot, 1.10}};
  for (const auto& [part, density] : table) EXPECT_EQ(part_density(part), 1000 * density) << part_name(part);
}

// In the boxes of the man all joints and shapes are the man's; what they weigh is ellipsoids of flesh.
TEST(FromMeshesTest, FillsTheBoxesOfItsTemplate) {
  const Character like = man();
  const std::vector<NamedMesh> meshes = part_meshes(like);
  const MeshCharacter made = character_from_meshes(meshes, like, "hero", "parts");
  const Character& c = made.character;
  EXPECT_EQ(topology_difference(like, c), "");
  EXPECT_LT((c.q_rest - like.q_rest).norm(), 1e-9);
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    EXPECT_LT((c.bodies[b].X_PB.p - like.bodies[b].X_PB.p).norm(), 1e-9) << c.bodies[b].name;
    const SolidProperties exact = solid_properties(welded(meshes[b].surface));
    EXPECT_NEAR(c.bodies[b].mass_kg, part_density(c.bodies[b].part) * exact.volume_m3, 1e-9);
    EXPECT_NEAR(made.bodies[b].volume_m3, exact.volume_m3, 1e-12);
    EXPECT_LT((c.bodies[b].I_C - part_density(c.bodies[b].part) * exact.inertia).norm(), 1e-9);
    EXPECT_GT(c.bodies[b].I_C.determinant(), 0);
  }
  for (size_t i = 0; i < c.shapes.size(); ++i)
    EXPECT_LT(
        (c.shapes[i].size - like.shapes[i].size).norm() + (c.shapes[i].X_BS.p - like.shapes[i].X_BS.p).norm(),
        1e-9);
  EXPECT_GT(c.mass_kg(), 50);
  EXPECT_LT(c.mass_kg(), 100);
}

// Half the size: lengths by 2, masses by 8, inertias by 32, limits of torque by 16.
TEST(FromMeshesTest, ScalesWithTheMeshes) {
  const Character like = man();
  const Character whole = character_from_meshes(part_meshes(like), like, "hero", "parts").character;
  const Character half = character_from_meshes(part_meshes(like, 0.5), like, "hero", "parts").character;
  EXPECT_NEAR(standing_height(half), 0.5 * standing_height(whole), 1e-9);
  EXPECT_NEAR(half.mass_kg(), whole.mass_kg() / 8, 1e-9);
  EXPECT_LT((32 * half.bodies[3].I_C - whole.bodies[3].I_C).norm(), 1e-9);
  for (size_t j = 1; j < half.joints.size(); ++j) {
    EXPECT_NEAR(half.joints[j].torque_limit[0], whole.joints[j].torque_limit[0] / 16, 1e-9);
    EXPECT_NEAR(half.joints[j].kp[0], whole.joints[j].kp[0] / 16, 1e-6 * whole.joints[j].kp[0]);
  }
}

// As many modelling programs have it: Y up, Z ahead, centimetres, arms straight out.
TEST(FromMeshesTest, StandsUpAndLetsItsArmsHang) {
  const Character like = man();
  const Character plain = character_from_meshes(part_meshes(like), like, "hero", "parts").character;
  std::vector<NamedMesh> meshes = part_meshes(like, 100, kPi / 2);
  Mat3 R;
  R << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  for (NamedMesh& mesh : meshes)
    for (Vec3& v : mesh.surface.vertices) v = R * v;
  const MeshCharacter made = character_from_meshes(meshes, like, "hero", "parts", 0.01);
  expect_same_body(made.character, plain, 0.02);  // thumbs keep an arm's line from being its axis
  EXPECT_EQ(made.character.notes.size(), 3U);     // turned, and both arms
}

// A neck and a belly, which the man does not have, are part of thorax and pelvis, each of its own density.
TEST(FromMeshesTest, SeveralPartsMakeOneBody) {
  const Character like = man();
  std::vector<NamedMesh> meshes = part_meshes(like);
  const MeshCharacter before = character_from_meshes(meshes, like, "hero", "parts");
  meshes.push_back({"neck.obj", "neck", box(Vec3(0.05, 0.05, 0.05), Vec3(0, 0, 1.4))});
  const MeshCharacter after = character_from_meshes(meshes, like, "hero", "parts");
  EXPECT_NEAR(after.bodies[1].mass_kg - before.bodies[1].mass_kg, 1110 * 0.001, 1e-9);
  EXPECT_GT(after.character.bodies[1].p_BC.z(), before.character.bodies[1].p_BC.z());
}

TEST(FromMeshesTest, IsTheSameFromItsFile) {
  const Character like = man();
  const Character made = character_from_meshes(part_meshes(like, 0.8), like, "hero", "parts").character;
  const Character read = read_mjcf(write_mjcf(made), "hero");
  EXPECT_EQ(topology_difference(like, read), "");
  expect_same_body(read, made, 1e-9);
}

TEST(FromMeshesTest, BadMeshesGetASentence) {
  const std::vector<NamedMesh> good = part_meshes(man());
  std::vector<NamedMesh> bad = good;
  bad[3].surface.faces.erase(bad[3].surface.faces.begin() + 500);
  expect_error(bad, bad[3].file + ": '" + bad[3].name + "' has a hole: 3 edges");
  bad = good;
  std::swap(bad[5].surface.faces[500][0], bad[5].surface.faces[500][1]);
  expect_error(bad, bad[5].file + ": '" + bad[5].name + "' has flipped faces");
  bad = good;
  bad[2].name = "hat";
  expect_error(bad, bad[2].file + ": 'hat' is no part of a body");
  bad = good;
  bad.erase(bad.begin() + 2);
  expect_error(bad, "parts: there is no mesh for head");
  expect_error(good, "m tall; --unit", 100);
}

}  // namespace
}  // namespace sinew::testing
