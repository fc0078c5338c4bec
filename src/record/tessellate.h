#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "character/character.h"

namespace sinew {

// Triangles with a normal at each vertex; counter-clockwise seen from outside.
struct TriangleMesh {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;
  std::vector<uint32_t> indices;  // three a triangle
};

// The surface of a shape in its own frame S, round parts with `slices` corners around. Flat faces and hulls
// keep sharp edges. A mesh whose points span no solid gives no triangles.
TriangleMesh tessellate(const Shape& shape, int slices = 20);

// The convex hull of points as triangles of their indices, outside counter-clockwise; empty if they are flat.
std::vector<std::array<int, 3>> convex_hull(const std::vector<Vec3>& points);

// The corners of the convex hull of points in a plane, counter-clockwise; of points on a line its two ends.
using Vec2 = Eigen::Vector2d;
std::vector<Vec2> flat_hull(std::vector<Vec2> points);

}  // namespace sinew
