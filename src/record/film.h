#pragma once

#include <string>
#include <vector>

#include "character/character.h"
#include "character/reference.h"
#include "motion/clip.h"
#include "record/recording.h"
#include "record/scene.h"

namespace sinew {

// A motion of a character made ready for pictures: where everything is at each frame. Ghosts may be left out.
struct Film {
  double frame_time_s = 0;
  std::vector<std::vector<Pose>> bodies;        // [frame][body]: X_WB
  std::vector<std::vector<Pose>> ghost_bodies;  // the same character in grey: the reference of a simulation
  std::vector<Bone> bones;                      // the source's skeleton
  std::vector<std::vector<Pose>> ghost_bones;   // [frame][bone]: its world poses
  std::vector<std::vector<Vec3>> marks;         // [frame]: points that bear load
  std::vector<std::vector<SceneArrow>> arrows;  // [frame]: forces
  std::vector<WorldShape> world;                // what stands around; empty: the ground z = 0
  std::vector<std::vector<Pose>> props;         // [frame][prop]: X_WP of the world's props
  std::vector<double> ground_m;                 // [frame]: height of the ground under the root; empty: 0

  double duration_s() const {
    return bodies.empty() ? 0 : frame_time_s * (static_cast<double>(bodies.size()) - 1);
  }
};

// The film of a reference, with the points that bear load; `bones` and `source` (Retargeted::source) as
// ghost.
Film make_film(const Character& character, const Reference& reference, const std::vector<Bone>& bones = {},
               const std::vector<std::vector<Pose>>& source = {});

// The film of a simulation, at most 60 frames a second: reference as ghost, on moving ground lifted onto it;
// forces of ground and props as arrows, 1 m for 1500 N, one for each body that they act on; world and props.
Film make_film(const Recording& recording);

struct ViewOptions {
  double azimuth_deg = 35;  // from a pure side view (the motion goes to the right) towards its front
  double elevation_deg = -11;
  double fov_deg = 24;
  bool follow = true;        // the camera goes along with the root; else it stands and sees the whole way
  bool ghost_beside = true;  // the source's skeleton stands beside the character; else in it
  bool marks = true;         // and arrows
};

// How a film is seen: one camera distance and height for all its frames, so that nothing of the character is
// cut off. Ghosts of a reference that went another way, and the world, may be.
struct View {
  Camera camera;  // looks at where the film begins
  bool follow = true;
  bool marks = true;
  std::vector<Vec3> centres;  // [frame]: what the camera follows, smooth
  Vec3 ghost_offset = Vec3::Zero();
  double width_m = 1, height_m = 1;  // of the picture at the distance of the character: its natural aspect
};

// The view of a film that shows all of it in pictures of this aspect (width by height; 0: as the film is).
View frame_film(const Character& character, const Film& film, double aspect, const ViewOptions& options = {});

// One frame of a film as a scene.
Scene film_scene(const Character& character, const Film& film, const View& view, size_t frame);

}  // namespace sinew
