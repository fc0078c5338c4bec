#pragma once

#include <string>
#include <vector>

#include "character/character.h"
#include "motion/clip.h"
#include "record/image.h"
#include "world/world.h"

namespace sinew {

// A view: from `distance_m` away at the point it looks at, `azimuth_deg` about Z (0: looking along +X, 90:
// along +Y), `elevation_deg` below the horizon is negative (-10 looks down a little), as in MuJoCo.
struct Camera {
  Vec3 look_at = Vec3(0, 0, 0.9);
  double distance_m = 4;
  double azimuth_deg = 135;
  double elevation_deg = -12;
  double fov_deg = 32;  // vertical angle of view
};

// Where a camera stands and its axes, unit vectors of the world.
struct CameraFrame {
  Vec3 position, forward, right, up;
};
CameraFrame camera_frame(const Camera& camera);

// A solid piece of a picture, in the world.
struct SceneShape {
  ShapeType type = ShapeType::kSphere;
  Vec3 size = Vec3::Zero();  // as in `Shape`
  Pose X_WS;
  Vec4 rgba = Vec4(0.8, 0.8, 0.8, 1);  // a < 1: a ghost; all ghosts of a scene are one even
                                       // layer. Of a plane: a tint, white is the floor as it is
  std::vector<Vec3> vertices;          // of a mesh's convex hull, in S
  bool metres = false;                 // a line each metre, as planes always have
};

// Drawn over everything, as on a diagram: a force is seen although it acts within a leg.
struct SceneArrow {
  Vec3 from = Vec3::Zero(), to = Vec3::UnitZ();
  double radius_m = 0.015;
  Vec4 rgba = Vec4(0.85, 0.3, 0.2, 1);
};

// Text whose baseline begins where a point of the world is seen.
struct SceneLabel {
  Vec3 at = Vec3::Zero();
  std::string text;
  TextStyle style;
};

// What is seen on one picture: a value that knows no engine.
struct Scene {
  Camera camera;
  std::vector<SceneShape> shapes;
  std::vector<SceneArrow> arrows;
  std::vector<SceneLabel> labels;
  bool floor = true;  // the ground z = 0 with a line each metre
};

// Where a point of the world is seen on a picture, in pixels from the top left, and its depth along the view.
Vec3 project(const Camera& camera, int width, int height, const Vec3& p_W);

struct CharacterStyle {
  double tint = 0;                      // 0: the shapes' own colours ... 1: all in `color`
  Vec4 color = Vec4(0.5, 0.5, 0.5, 1);  // its alpha makes a ghost of the whole character, tinted or not
};

// What stands around: `X_WP` are the poses of the props; shapes of props without one are left out. Planes
// reach to the horizon.
void add_world(Scene& scene, const std::vector<WorldShape>& world, const std::vector<Pose>& X_WP);

// A round rod between two points.
void add_rod(Scene& scene, const Vec3& from, const Vec3& to, double radius_m, const Vec4& rgba);

// The shapes of a character at the given poses of its bodies.
void add_character(Scene& scene, const Character& character, const std::vector<Pose>& X_WB,
                   const CharacterStyle& style = {});

struct SkeletonStyle {
  double radius_m = 0.012;
  Vec4 color = Vec4(0.56, 0.66, 0.80, 1);
  Vec3 offset = Vec3::Zero();  // moved by this, to stand beside the character
};

// The bones of a skeleton as thin rods with a ball on each joint; `X_WB` are the world poses of all bones.
void add_skeleton(Scene& scene, const std::vector<Bone>& bones, const std::vector<Pose>& X_WB,
                  const SkeletonStyle& style = {});

}  // namespace sinew
