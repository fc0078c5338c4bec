#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/math.h"

// Solids that are given by their surface.
namespace sinew {

// Triangles whose corners, seen from outside, go around counter-clockwise.
struct Polyhedron {
  std::vector<Vec3> vertices;                // m
  std::vector<std::array<size_t, 3>> faces;  // indices of vertices
};

// The same solid with vertices that are nearer to each other than a millionth of its size made one, and
// without the faces that vanish thereby: files often have a vertex once for every face around it.
Polyhedron welded(const Polyhedron& solid);

// Why a surface does not enclose a solid, in words that follow the name of its part ("has a hole: ...");
// empty if it does. Every edge must be shared by two faces that go along it in opposite senses, and every
// piece must look outwards. For welded surfaces.
std::string fault_of_surface(const Polyhedron& solid);

// What a solid of uniform density weighs and where, for a density of 1.
struct SolidProperties {
  double volume_m3 = 0;
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  // about the centre, m^5
};

// Exactly, as integrals over the tetrahedra between the faces and a point. Of a surface without a fault.
SolidProperties solid_properties(const Polyhedron& solid);

}  // namespace sinew
