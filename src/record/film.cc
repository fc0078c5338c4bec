#include "record/film.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

const Vec4 kGhostColor(0.56, 0.66, 0.80, 1);
const Vec4 kReferenceColor(0.45, 0.50, 0.58, 0.55);
const Vec4 kMarkColor(0.93, 0.42, 0.16, 1);

// A reference that is farther from the character than this may leave the picture.
constexpr double kGhostCounts_m = 0.8;

// A ball around something that must be seen.
struct Ball {
  Vec3 p;
  double radius;
};

// Balls around the ends of long shapes fit better than one around the whole.
void add_balls(std::vector<Ball>& out, const Shape& shape, const Pose& X_WB) {
  const Pose X_WS = X_WB * shape.X_BS;
  if (shape.type == ShapeType::kCapsule || shape.type == ShapeType::kCylinder) {
    for (const double side : {-1.0, 1.0})
      out.push_back({X_WS * Vec3(0, 0, side * shape.size.y()), shape.size.x()});
  } else if (shape.type == ShapeType::kMesh) {
    for (const Vec3& v : shape.vertices) out.push_back({X_WS * v, 0});
  } else {
    out.push_back({X_WS.p, bounding_radius(shape)});
  }
}

std::vector<Ball> balls_of(const Character& character, const Film& film, const Vec3& ghost_offset,
                           size_t frame) {
  std::vector<Ball> out;
  const bool ghost =
      frame < film.ghost_bodies.size() && !film.ghost_bodies[frame].empty() &&
      (film.ghost_bodies[frame][0].p - film.bodies[frame][0].p).head<2>().norm() < kGhostCounts_m;
  for (const Shape& shape : character.shapes) {
    const auto body = static_cast<size_t>(shape.body);
    add_balls(out, shape, film.bodies[frame][body]);
    if (ghost) add_balls(out, shape, film.ghost_bodies[frame][body]);
  }
  if (frame < film.ghost_bones.size())
    for (const Pose& X : film.ghost_bones[frame]) out.push_back({X.p + ghost_offset, 0.03});
  return out;
}

// The root's way over the floor, averaged over half a second to each side so that the camera does not shake.
std::vector<Vec3> smooth_way(const Film& film) {
  const auto n = static_cast<int>(film.bodies.size());
  const int reach = std::max(1, static_cast<int>(0.5 / std::max(film.frame_time_s, 1e-3)));
  std::vector<Vec3> sum(static_cast<size_t>(n) + 1, Vec3::Zero()), way;
  for (size_t i = 0; i + 1 < sum.size(); ++i) {
    const Vec3& p = film.bodies[i][0].p;
    sum[i + 1] = sum[i] + Vec3(p.x(), p.y(), i < film.ground_m.size() ? film.ground_m[i] : 0);
  }
  for (int i = 0; i < n; ++i) {
    const int half = std::min({reach, i, n - 1 - i});
    way.push_back((sum[static_cast<size_t>(i + half + 1)] - sum[static_cast<size_t>(i - half)]) /
                  (2.0 * half + 1));
  }
  return way;
}

// Where the motion goes: along its way if it has one, else where the root faces on the whole.
double motion_heading(const Film& film) {
  const Vec3 travel = film.bodies.back()[0].p - film.bodies.front()[0].p;
  if (travel.head<2>().norm() > 1.0) return std::atan2(travel.y(), travel.x());
  Vec3 sum = Vec3::Zero();
  for (const auto& X_WB : film.bodies) {
    const double angle = heading(X_WB[0].q);
    sum += Vec3(std::cos(angle), std::sin(angle), 0);
  }
  return std::atan2(sum.y(), sum.x());
}

// At most about `count` frames, evenly.
std::vector<size_t> some_frames(size_t frames, size_t count) {
  std::vector<size_t> out;
  const size_t step = std::max<size_t>(1, frames / count);
  for (size_t i = 0; i < frames; i += step) out.push_back(i);
  if (out.empty() || out.back() + 1 != frames) out.push_back(frames - 1);
  return out;
}

// How far to the side the ghost must stand so as not to be in the character's way most of the time.
double room_beside(const Character& character, const Film& film, const Vec3& right) {
  std::vector<double> widths;
  for (const size_t i : some_frames(film.bodies.size(), 60)) {
    double low = 1e9, high = -1e9;
    for (const Shape& shape : character.shapes) {
      const double x = (film.bodies[i][static_cast<size_t>(shape.body)] * shape.X_BS.p).dot(right);
      low = std::min(low, x);
      high = std::max(high, x);
    }
    widths.push_back(high - low);
  }
  std::sort(widths.begin(), widths.end());
  return std::clamp(0.2 + 0.8 * widths[widths.size() * 7 / 10], 0.6, 1.5);
}

}  // namespace

Film make_film(const Character& character, const Reference& reference, const std::vector<Bone>& bones,
               const std::vector<std::vector<Pose>>& source) {
  Film film;
  film.frame_time_s = reference.frame_time_s;
  film.bones = bones;
  film.ghost_bones = source;
  for (size_t i = 0; i < reference.q.size(); ++i) {
    film.bodies.push_back(body_poses(character, reference.q[i]));
    film.marks.emplace_back();
    if (i >= reference.point_contact.size()) continue;
    for (size_t k = 0; k < character.contact_points.size() && k < reference.point_contact[i].size(); ++k) {
      const ContactPoint& point = character.contact_points[k];
      if (!reference.point_contact[i][k]) continue;
      const Vec3 p = film.bodies.back()[static_cast<size_t>(point.body)] * point.p_BP;
      film.marks.back().push_back({p.x(), p.y(), std::max(0.0, p.z() - point.radius_m)});
    }
  }
  return film;
}

View frame_film(const Character& character, const Film& film, double aspect, const ViewOptions& options) {
  View view;
  view.follow = options.follow;
  view.marks = options.marks;
  view.centres = smooth_way(film);
  view.camera.azimuth_deg = degrees(motion_heading(film)) + 90 + options.azimuth_deg;
  view.camera.elevation_deg = options.elevation_deg;
  view.camera.fov_deg = options.fov_deg;
  view.camera.look_at = view.centres.front();
  const CameraFrame axes = camera_frame(view.camera);
  const Vec3 away = Vec3(axes.forward.x(), axes.forward.y(), 0).normalized();
  if (options.ghost_beside && !film.ghost_bones.empty())
    view.ghost_offset = -room_beside(character, film, axes.right) * axes.right + 0.35 * away;

  // How far everything reaches to the sides and up, seen from the camera about the point that it follows.
  double left = -0.3, right = 0.3, low = 0, high = 0.5;
  for (const size_t i : some_frames(film.bodies.size(), 60))
    for (const Ball& ball : balls_of(character, film, view.ghost_offset, i)) {
      const Vec3 d = ball.p - view.centres[options.follow ? i : 0];
      left = std::min(left, d.dot(axes.right) - ball.radius);
      right = std::max(right, d.dot(axes.right) + ball.radius);
      low = std::min(low, d.dot(axes.up) - ball.radius);
      high = std::max(high, d.dot(axes.up) + ball.radius);
    }

  // A margin all round, more below for labels; then the distance at which the picture is that large.
  const double margin = 0.08 * std::max(right - left, high - low);
  view.width_m = right - left + 2 * margin;
  view.height_m = high - low + 2.6 * margin;
  const Vec3 shift = 0.5 * (left + right) * axes.right + 0.5 * (low + high - 0.6 * margin) * axes.up;
  for (Vec3& centre : view.centres) centre += shift;
  const double height = aspect > 0 ? std::max(view.height_m, view.width_m / aspect) : view.height_m;
  view.camera.distance_m = 0.5 * height / std::tan(0.5 * radians(options.fov_deg)) + 0.3;
  view.camera.look_at = view.centres.front();
  return view;
}

Scene film_scene(const Character& character, const Film& film, const View& view, size_t frame) {
  Scene scene;
  scene.camera = view.camera;
  if (view.follow) scene.camera.look_at = view.centres[frame];
  scene.floor = film.world.empty();
  add_world(scene, film.world, frame < film.props.size() ? film.props[frame] : std::vector<Pose>());
  add_character(scene, character, film.bodies[frame]);
  if (view.marks && frame < film.arrows.size()) scene.arrows = film.arrows[frame];
  if (frame < film.ghost_bodies.size() && !film.ghost_bodies[frame].empty())
    add_character(scene, character, film.ghost_bodies[frame], {1, kReferenceColor});
  if (frame < film.ghost_bones.size()) {
    SkeletonStyle style;
    style.color = kGhostColor;
    style.offset = view.ghost_offset;
    add_skeleton(scene, film.bones, film.ghost_bones[frame], style);
  }

  // What bears load gets a small disc on the floor.
  if (view.marks && frame < film.marks.size())
    for (const Vec3& p : film.marks[frame])
      scene.shapes.push_back({ShapeType::kCylinder,
                              Vec3(0.042, 0.002, 0),
                              Pose{p + Vec3(0, 0, 0.002), Quat::Identity()},
                              kMarkColor,
                              {}});
  return scene;
}

}  // namespace sinew
