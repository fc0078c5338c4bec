#include <algorithm>
#include <cmath>

#include "record/film.h"

namespace sinew {

namespace {

constexpr double kFramesPerSecond = 60;
constexpr double kMetrePerNewton = 1.0 / 1500, kLongestArrow_m = 1.2, kSmallestForce_N = 15;
const Vec4 kGroundForceColor(0.86, 0.18, 0.14, 1), kPropForceColor(0.62, 0.20, 0.62, 1),
    kPushColor(0.10, 0.45, 0.85, 1);

SceneArrow force_arrow(const Vec3& p, const Vec3& force, const Vec4& color) {
  const double length = std::min(force.norm() * kMetrePerNewton, kLongestArrow_m);
  return {p, p + length * force.normalized(), 0.012, color};
}

// What ground or props do to each body together, at the middle of where they press.
void add_contact_arrows(std::vector<SceneArrow>& out, const Recording& recording, const RecordingFrame& frame,
                        bool ground) {
  struct Sum {
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    double weight = 0;
  };
  std::vector<Sum> sums(recording.character.bodies.size());
  for (const Contact& contact : frame.contacts) {
    if (contact.world_shape < 0) continue;
    const bool of_ground = recording.world.shapes[static_cast<size_t>(contact.world_shape)].ground;
    if (of_ground != ground) continue;
    Sum& sum = sums[static_cast<size_t>(contact.body)];
    sum.force += contact.force_W;
    sum.moment += contact.force_W.norm() * contact.p_W;
    sum.weight += contact.force_W.norm();
  }
  for (const Sum& sum : sums)
    if (sum.force.norm() > kSmallestForce_N)
      out.push_back(
          force_arrow(sum.moment / sum.weight, sum.force, ground ? kGroundForceColor : kPropForceColor));
}

std::vector<SceneArrow> arrows_of(const Recording& recording, const RecordingFrame& frame) {
  std::vector<SceneArrow> arrows;
  add_contact_arrows(arrows, recording, frame, true);
  add_contact_arrows(arrows, recording, frame, false);

  // A push ends where it acts.
  for (const ExternalForce& push : frame.pushes) {
    SceneArrow arrow = force_arrow(push.p_W, push.force_W, kPushColor);
    const Vec3 along = arrow.to - arrow.from;
    arrow.from -= along;
    arrow.to -= along;
    arrows.push_back(arrow);
  }
  return arrows;
}

}  // namespace

Film make_film(const Recording& recording) {
  const auto step = static_cast<size_t>(
      std::max(1L, std::lround(1 / (kFramesPerSecond * std::max(recording.frame_time_s, 1e-4)))));
  Film film;
  film.frame_time_s = recording.frame_time_s * static_cast<double>(step);
  film.world = recording.world.shapes;
  const auto fixed_ground = reference_ground(recording.world);
  for (size_t i = 0; i < recording.frames.size(); i += step) {
    const RecordingFrame& frame = recording.frames[i];
    const auto ground = [&](const VecX& q) {
      return ground_height(recording.world, frame.props, q[0], q[1]);
    };
    film.bodies.push_back(body_poses(recording.character, frame.q));
    film.ground_m.push_back(ground(frame.q));
    film.props.push_back(frame.props);
    film.arrows.push_back(arrows_of(recording, frame));
    film.ghost_bodies.emplace_back();
    if (frame.q_reference.size() == 0) continue;

    // The reference knows only the ground that stays where it is.
    VecX q = frame.q_reference;
    q[2] += ground(q) - fixed_ground(q[0], q[1]);
    film.ghost_bodies.back() = body_poses(recording.character, q);
  }
  return film;
}

}  // namespace sinew
