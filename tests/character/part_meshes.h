#pragma once

#include <string>
#include <vector>

#include "character/character.h"
#include "core/solids.h"
#include "motion/meshes.h"

// Meshes of a body, for tests.
namespace sinew::testing {

// An ellipsoid in the box around each body of a character that stands at rest, with its name; those of the
// arms are turned outwards by so much.
inline std::vector<NamedMesh> part_meshes(const Character& c, double size = 1, double arms_out_rad = 0) {
  const std::vector<Pose> X_WB = body_poses(c, c.q_rest);
  std::vector<NamedMesh> out;
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    Vec3 low = Vec3::Constant(INFINITY), high = -low;
    for (const Shape& shape : c.shapes)
      if (shape.body == static_cast<int>(b))
        for (int i = 0; i < 3; ++i) {
          low[i] = std::min(low[i], support(shape, X_WB[b], -Vec3::Unit(i))[i]);
          high[i] = std::max(high[i], support(shape, X_WB[b], Vec3::Unit(i))[i]);
        }
    const std::string& name = c.bodies[b].name;
    NamedMesh mesh{name + ".obj", name, ellipsoid(0.5 * (high - low), 0.5 * (low + high))};
    const double side = name.starts_with("left_") ? 1 : -1;
    const Vec3 shoulder =
        X_WB[static_cast<size_t>(c.find(side > 0 ? Part::kLeftUpperArm : Part::kRightUpperArm))].p;
    const bool arm = name.ends_with("_arm") || name.ends_with("_hand");
    const Quat turn = exp_map(Vec3(arm ? side * arms_out_rad : 0, 0, 0));
    for (Vec3& v : mesh.surface.vertices) v = size * (shoulder + turn * (v - shoulder));
    out.push_back(std::move(mesh));
  }
  return out;
}

// A mesh as the text of an OBJ file.
inline std::string obj_of(const NamedMesh& mesh) {
  std::string text = "o " + mesh.name + "\n";
  for (const Vec3& v : mesh.surface.vertices)
    text += "v " + std::to_string(v.x()) + " " + std::to_string(v.y()) + " " + std::to_string(v.z()) + "\n";
  for (const auto& [a, b, c] : mesh.surface.faces)
    text += "f " + std::to_string(a + 1) + " " + std::to_string(b + 1) + " " + std::to_string(c + 1) + "\n";
  return text;
}

}  // namespace sinew::testing
