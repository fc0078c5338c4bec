#include "record/scene.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace sinew {

namespace {

// The directions of a camera: forward, right, up.
Mat3 camera_axes(const Camera& camera) {
  const double azimuth = radians(camera.azimuth_deg), elevation = radians(camera.elevation_deg);
  const Vec3 forward(std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
                     std::sin(elevation));
  const Vec3 right(std::sin(azimuth), -std::cos(azimuth), 0);
  Mat3 axes;
  axes << forward, right, right.cross(forward);
  return axes;
}

}  // namespace

CameraFrame camera_frame(const Camera& camera) {
  const Mat3 axes = camera_axes(camera);
  return {camera.look_at - camera.distance_m * axes.col(0), axes.col(0), axes.col(1), axes.col(2)};
}

Vec3 project(const Camera& camera, int width, int height, const Vec3& p_W) {
  const CameraFrame frame = camera_frame(camera);
  const Vec3 d = p_W - frame.position;
  const double depth = d.dot(frame.forward);
  const double pixels = 0.5 * height / std::tan(0.5 * radians(camera.fov_deg)) / depth;
  return {0.5 * width + pixels * d.dot(frame.right), 0.5 * height - pixels * d.dot(frame.up), depth};
}

void add_character(Scene& scene, const Character& character, const std::vector<Pose>& X_WB,
                   const CharacterStyle& style) {
  for (const Shape& shape : character.shapes) {
    // Shapes that are there for contacts only are not shown.
    if (shape.rgba.w() <= 0) continue;
    SceneShape out{shape.type, shape.size, X_WB[static_cast<size_t>(shape.body)] * shape.X_BS, shape.rgba,
                   shape.vertices};
    out.rgba.head<3>() += style.tint * (style.color.head<3>() - shape.rgba.head<3>());
    out.rgba.w() *= style.color.w();
    scene.shapes.push_back(std::move(out));
  }
}

void add_world(Scene& scene, const std::vector<WorldShape>& world, const std::vector<Pose>& X_WP) {
  for (const WorldShape& each : world) {
    const Shape& shape = each.shape;
    if (shape.rgba.w() <= 0 || shape.body >= static_cast<int>(X_WP.size())) continue;
    const Pose X_WS = shape.body < 0 ? shape.X_BS : X_WP[static_cast<size_t>(shape.body)] * shape.X_BS;
    SceneShape out{shape.type, shape.size, X_WS, shape.rgba, shape.vertices};
    out.rgba.w() = 1;
    // All hard floors look alike; soft ones have a touch of their own colour.
    if (shape.type == ShapeType::kPlane)
      out.rgba = each.softness_s > 0 ? Vec4(0.5 * (out.rgba + Vec4::Ones())) : Vec4::Ones();
    // Metre lines where one walks; small things are plain.
    out.metres = shape.type == ShapeType::kPlane ||
                 (each.ground && shape.type == ShapeType::kBox && shape.size.head<2>().minCoeff() > 0.4);
    scene.shapes.push_back(std::move(out));
  }
}

void add_rod(Scene& scene, const Vec3& from, const Vec3& to, double radius_m, const Vec4& rgba) {
  const Vec3 along = to - from;
  if (along.norm() < 1e-6) return;
  scene.shapes.push_back({ShapeType::kCapsule,
                          Vec3(radius_m, 0.5 * along.norm(), 0),
                          Pose{0.5 * (from + to), shortest_arc(Vec3::UnitZ(), along)},
                          rgba,
                          {}});
}

namespace {

// Whether a bone is the end of a head, which a larger ball then marks: one sees which way up the body is.
bool ends_head(const std::vector<Bone>& bones, size_t i) {
  if (!bones[i].is_end || bones[i].parent < 0) return false;
  std::string name = bones[static_cast<size_t>(bones[i].parent)].name;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.ends_with("head");
}

}  // namespace

void add_skeleton(Scene& scene, const std::vector<Bone>& bones, const std::vector<Pose>& X_WB,
                  const SkeletonStyle& style) {
  for (size_t i = 0; i < bones.size(); ++i) {
    const Vec3 p = X_WB[i].p + style.offset;
    // A ball on each joint that moves.
    if (!bones[i].is_end)
      scene.shapes.push_back(
          {ShapeType::kSphere, Vec3(1.6 * style.radius_m, 0, 0), Pose{p, Quat::Identity()}, style.color, {}});
    // A rod from the parent.
    if (bones[i].parent >= 0)
      add_rod(scene, X_WB[static_cast<size_t>(bones[i].parent)].p + style.offset, p, style.radius_m,
              style.color);
    if (ends_head(bones, i)) {
      const Vec3 neck = X_WB[static_cast<size_t>(bones[i].parent)].p + style.offset;
      scene.shapes.push_back({ShapeType::kSphere,
                              Vec3(5 * style.radius_m, 0, 0),
                              Pose{0.4 * neck + 0.6 * p, Quat::Identity()},
                              style.color,
                              {}});
    }
  }
}

}  // namespace sinew
