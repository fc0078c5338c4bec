#pragma once

#include <string>

#include "world/world.h"

// The few words in which worlds are told: shapes at places, with colours.
namespace sinew {

namespace colours {
inline const Vec4 kFloor(0.83, 0.81, 0.77, 1);
inline const Vec4 kStone(0.66, 0.63, 0.58, 1);
inline const Vec4 kWood(0.72, 0.54, 0.35, 1);
inline const Vec4 kDarkWood(0.50, 0.35, 0.22, 1);
inline const Vec4 kIce(0.80, 0.90, 0.96, 1);
inline const Vec4 kMat(0.45, 0.58, 0.62, 1);
inline const Vec4 kSlab(0.62, 0.66, 0.64, 1);
}  // namespace colours

// Shapes in the world, or of a prop when `body` is one.
WorldShape make_plane(const Pose& X, const Vec4& rgba);
WorldShape make_box(const std::string& name, const Vec3& half, const Pose& X, const Vec4& rgba,
                    int body = -1);
WorldShape make_capsule(const std::string& name, const Vec3& from, const Vec3& to, double radius,
                        const Vec4& rgba, int body = -1);
WorldShape make_sphere(const std::string& name, const Vec3& p, double radius, const Vec4& rgba,
                       int body = -1);

// One stands on it.
WorldShape ground(WorldShape surface);

// Mass, centre and inertia of a prop whose boxes and spheres have this density, kg/m^3; what is of another
// kind weighs nothing.
void weigh(Prop& prop, const std::vector<WorldShape>& shapes, int body, double density);

}  // namespace sinew
