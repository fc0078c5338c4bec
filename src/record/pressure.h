#pragma once

#include <vector>

#include "record/recording.h"

namespace sinew {

// The engines' bodies are rigid: what they touch, they touch in points. To say how large a touch is, each
// shape is taken to wear a springy layer of this stiffness, in Pa per metre of compression: 1 cm of flesh
// that gives by its thickness at 100 kPa. docs/recording.md tells the rest.
inline constexpr double kFlesh_Pa_m = 1e7;

// How large a touch is and how hard it presses.
struct PatchSize {
  double area_m2 = 0;
  double pressure_Pa = 0;  // normal force by area: the mean over the patch
};

// The patch under points of touch in a plane that span `hull_area_m2` with a rim of `hull_rim_m` (a segment's
// rim is twice its length), on a surface that is round with `radius_m` beyond them. What is touched has given
// way by `depth_m` already; the layer gives way by as much as carries `normal_N`.
PatchSize patch_size(double normal_N, double hull_area_m2, double hull_rim_m, double radius_m,
                     double depth_m);

// All points at which one shape of the character touches one thing, at one moment.
struct ContactPatch {
  int body = 0, shape = 0;                 // of the character
  int other_shape = -1, world_shape = -1;  // what is touched, as in Contact
  std::vector<size_t> contacts;            // RecordingFrame::contacts
  Vec3 p_W = Vec3::Zero();                 // its middle, weighted by force
  Vec3 force_W = Vec3::Zero();             // on the character's body, N, friction included
  Vec3 outward_B = Vec3::UnitZ();          // out of the body's surface, in the body's frame
  double normal_N = 0;                     // the part of the force that presses
  PatchSize size;
};
std::vector<ContactPatch> contact_patches(const Recording& recording, const RecordingFrame& frame);

// What the world did to one body over time: ground and props, not the character's own limbs.
struct BodyLoad {
  std::vector<Vec3> force_W;        // a value a frame: the sum of the contact forces, N
  std::vector<double> pressure_Pa;  // a value a frame: that of its most pressed patch
  double peak_force_N = 0, peak_pressure_Pa = 0;
  double lasting_pressure_Pa = 0;  // reached for 0.03 s in all: knocks of a moment left out
  double impulse_Ns = 0;           // size of the force, summed over time

  bool touched() const { return peak_force_N > 0; }
};
// A load a body.
std::vector<BodyLoad> body_loads(const Recording& recording);

// The highest pressure on a body where its surface faces a direction of the rest stance, or stands at right
// angles to it: what a viewer sees who looks the other way. A value a body, Pa.
std::vector<double> peak_pressures_facing(const Recording& recording, const Vec3& direction_W);

}  // namespace sinew
