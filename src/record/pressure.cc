#include "record/pressure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "record/tessellate.h"

namespace sinew {

namespace {

constexpr double kFlat = std::numeric_limits<double>::infinity();
// Edges and corners of boxes, hulls and cylinders count as round with this radius, m.
constexpr double kEdge_m = 0.02;
// A pressure lasts that is there for so long in all, s.
constexpr double kLasting_s = 0.03;
// A patch that is turned away from the viewer by no more than this still shows: the sine of the angle.
constexpr double kAround = 0.25;

// Points of space as seen by one who looks along the direction.
std::vector<Vec2> seen_along(const std::vector<Vec3>& points, const Vec3& direction) {
  const Quat to_plane = shortest_arc(direction, Vec3::UnitZ());
  std::vector<Vec2> seen;
  for (const Vec3& p : points) seen.push_back((to_plane * p).head<2>());
  return seen;
}

double polygon_area(const std::vector<Vec2>& corners) {
  double area = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Vec2 &a = corners[i], &b = corners[(i + 1) % corners.size()];
    area += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  return area;
}

// How far a ball of this radius is wide on both sides where it is cut at a depth; not wider than the ball.
double margin_at(double radius, double depth) {
  const double s = std::min(depth, radius);
  return std::sqrt(s * (2 * radius - s));
}

// The area at a depth: the hull of the points with that margin around it (Steiner's formula).
double area_at(double hull_area, double hull_rim, double radius, double depth) {
  const double w = margin_at(radius, depth);
  return hull_area + hull_rim * w + kPi * w * w;
}

// The area summed over all depths down to one: the volume that is pressed in.
double volume_at(double hull_area, double hull_rim, double radius, double depth) {
  const double s = std::min(depth, radius), over = depth - s, w = margin_at(radius, s);
  const double margin = 0.5 * (radius * radius * std::acos(1 - s / radius) - (radius - s) * w);
  const double disc = kPi * s * s * (radius - s / 3);
  return hull_area * s + hull_rim * margin + disc + over * area_at(hull_area, hull_rim, radius, s);
}

// The radius of a ball that is cut as wide as a shape is, near its farthest point along a direction given in
// its frame: the geometric mean of its two radii of curvature, for long shapes the one across.
double rounding(const Shape& shape, const Vec3& direction_S, double flat_m) {
  const Vec3& size = shape.size;
  switch (shape.type) {
    case ShapeType::kSphere:
    case ShapeType::kCapsule:
      return size.x();
    case ShapeType::kEllipsoid:
      return size.prod() / size.cwiseProduct(direction_S).squaredNorm();
    case ShapeType::kCylinder:
      return std::abs(direction_S.z()) > 0.7 ? flat_m : size.x();
    case ShapeType::kBox:
    case ShapeType::kMesh:
    case ShapeType::kPlane:
      break;
  }
  return flat_m;
}

// The area of a shape's shadow along a direction given in its frame.
double shadow(const Shape& shape, const Vec3& direction_S) {
  const Vec3 &size = shape.size, along = direction_S.cwiseAbs();
  const Vec3 faces(size.y() * size.z(), size.z() * size.x(), size.x() * size.y());
  const double across = along.head<2>().norm(), r = size.x();
  switch (shape.type) {
    case ShapeType::kSphere:
      return kPi * r * r;
    case ShapeType::kCapsule:
      return kPi * r * r + 4 * r * size.y() * across;
    case ShapeType::kCylinder:
      return kPi * r * r * along.z() + 4 * r * size.y() * across;
    case ShapeType::kEllipsoid:
      return kPi * faces.cwiseProduct(along).norm();
    case ShapeType::kBox:
      return 4 * faces.dot(along);
    case ShapeType::kMesh:
      return polygon_area(flat_hull(seen_along(shape.vertices, direction_S)));
    case ShapeType::kPlane:
      break;
  }
  return kFlat;
}

// Two round surfaces touch as one ball and a plane would: their curvatures add up.
double radius_of_touch(const Recording& recording, const RecordingFrame& frame, const ContactPatch& patch,
                       const Vec3& normal_W, const std::vector<Pose>& X_WB) {
  const auto on = [](const Shape& round, const Pose& X, const Vec3& direction_W, double flat_m) {
    return rounding(round, (X * round.X_BS).q.conjugate() * direction_W, flat_m);
  };
  const Character& character = recording.character;
  const Shape& shape = character.shapes[static_cast<size_t>(patch.shape)];
  const double own = on(shape, X_WB[static_cast<size_t>(shape.body)], -normal_W, kEdge_m);
  double touched = kFlat;
  if (patch.other_shape >= 0) {
    const Shape& other = character.shapes[static_cast<size_t>(patch.other_shape)];
    touched = on(other, X_WB[static_cast<size_t>(other.body)], normal_W, kFlat);
  } else if (patch.world_shape >= 0) {
    const Shape& other = recording.world.shapes[static_cast<size_t>(patch.world_shape)].shape;
    const bool moves = other.body >= 0 && static_cast<size_t>(other.body) < frame.props.size();
    touched = on(other, moves ? frame.props[static_cast<size_t>(other.body)] : Pose(), normal_W, kFlat);
  }
  return 1 / (1 / own + 1 / touched);
}

// Fills in what follows from the contacts of a patch.
void measure_patch(const Recording& recording, const RecordingFrame& frame, const std::vector<Pose>& X_WB,
                   ContactPatch& patch) {
  Vec3 normal = Vec3::Zero(), middle = Vec3::Zero(), weighted = Vec3::Zero();
  double depth = 0;
  for (const size_t i : patch.contacts) {
    const Contact& contact = frame.contacts[i];
    const double press = std::max(0.0, contact.force_W.dot(contact.normal_W));
    patch.normal_N += press;
    patch.force_W += contact.force_W;
    normal += (press + 1e-9) * contact.normal_W;
    middle += contact.p_W / static_cast<double>(patch.contacts.size());
    weighted += press * contact.p_W;
    depth += press * std::max(0.0, contact.depth_m);
  }
  normal.normalize();
  patch.p_W = patch.normal_N > 0 ? Vec3(weighted / patch.normal_N) : middle;
  patch.outward_B = X_WB[static_cast<size_t>(patch.body)].q.conjugate() * -normal;
  if (patch.normal_N <= 0) return;

  // The hull of the points, seen along the normal.
  std::vector<Vec3> points;
  for (const size_t i : patch.contacts) points.push_back(frame.contacts[i].p_W - middle);
  const std::vector<Vec2> hull = flat_hull(seen_along(points, normal));
  double rim = 0;
  for (size_t i = 0; i < hull.size(); ++i) rim += (hull[(i + 1) % hull.size()] - hull[i]).norm();
  patch.size = patch_size(patch.normal_N, polygon_area(hull), rim,
                          radius_of_touch(recording, frame, patch, normal, X_WB), depth / patch.normal_N);

  // No patch is larger than the shape that makes it.
  const Shape& shape = recording.character.shapes[static_cast<size_t>(patch.shape)];
  const Vec3 direction_S = (X_WB[static_cast<size_t>(shape.body)] * shape.X_BS).q.conjugate() * normal;
  patch.size.area_m2 = std::min(patch.size.area_m2, shadow(shape, direction_S));
  patch.size.pressure_Pa = patch.normal_N / patch.size.area_m2;
}

// The figures over the whole time.
void summarise(BodyLoad& load, double frame_time_s) {
  for (const Vec3& force_W : load.force_W) {
    load.peak_force_N = std::max(load.peak_force_N, force_W.norm());
    load.impulse_Ns += force_W.norm() * frame_time_s;
  }
  std::vector<double> falling = load.pressure_Pa;
  std::sort(falling.rbegin(), falling.rend());
  if (falling.empty()) return;
  load.peak_pressure_Pa = falling.front();
  const auto lasting = static_cast<size_t>(std::ceil(kLasting_s / std::max(frame_time_s, 1e-4) - 1e-9));
  if (lasting <= falling.size()) load.lasting_pressure_Pa = falling[std::max<size_t>(lasting, 1) - 1];
}

}  // namespace

PatchSize patch_size(double normal_N, double hull_area_m2, double hull_rim_m, double radius_m,
                     double depth_m) {
  if (normal_N <= 0) return {};

  // Layer and ground are springs in series; the overlap of both is `depth + give`, of which the layer takes
  // its share everywhere. So it carries stiffness * share * volume, which grows with `give`.
  const auto carried = [&](double give) {
    const double all = depth_m + give;
    return all > 0 ? kFlesh_Pa_m * give / all * volume_at(hull_area_m2, hull_rim_m, radius_m, all) : 0;
  };
  double low = 0, high = 0.001;
  while (carried(high) < normal_N) high *= 2;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (carried(middle) < normal_N ? low : high) = middle;
  }
  const double area = area_at(hull_area_m2, hull_rim_m, radius_m, depth_m + high);
  return {area, normal_N / area};
}

std::vector<ContactPatch> contact_patches(const Recording& recording, const RecordingFrame& frame) {
  std::vector<ContactPatch> patches;
  if (frame.contacts.empty()) return patches;
  for (size_t i = 0; i < frame.contacts.size(); ++i) {
    const Contact& contact = frame.contacts[i];
    auto patch = std::find_if(patches.begin(), patches.end(), [&](const ContactPatch& p) {
      return p.shape == contact.shape && p.body == contact.body && p.other_shape == contact.other_shape &&
             p.world_shape == contact.world_shape;
    });
    if (patch == patches.end()) {
      patches.emplace_back();
      patch = patches.end() - 1;
      patch->body = contact.body;
      patch->shape = contact.shape;
      patch->other_shape = contact.other_shape;
      patch->world_shape = contact.world_shape;
    }
    patch->contacts.push_back(i);
  }
  const std::vector<Pose> X_WB = body_poses(recording.character, frame.q);
  for (ContactPatch& patch : patches) measure_patch(recording, frame, X_WB, patch);
  return patches;
}

std::vector<BodyLoad> body_loads(const Recording& recording) {
  const size_t frames = recording.frames.size();
  std::vector<BodyLoad> loads(recording.character.bodies.size());
  for (BodyLoad& load : loads) {
    load.force_W.assign(frames, Vec3::Zero());
    load.pressure_Pa.assign(frames, 0);
  }
  for (size_t i = 0; i < frames; ++i)
    for (const ContactPatch& patch : contact_patches(recording, recording.frames[i])) {
      if (patch.other_shape >= 0) continue;
      BodyLoad& load = loads[static_cast<size_t>(patch.body)];
      load.force_W[i] += patch.force_W;
      load.pressure_Pa[i] = std::max(load.pressure_Pa[i], patch.size.pressure_Pa);
    }
  for (BodyLoad& load : loads) summarise(load, recording.frame_time_s);
  return loads;
}

std::vector<double> peak_pressures_facing(const Recording& recording, const Vec3& direction_W) {
  const std::vector<Pose> X_WB = body_poses(recording.character, recording.character.q_rest);
  std::vector<double> peaks(recording.character.bodies.size(), 0);
  for (const RecordingFrame& frame : recording.frames)
    for (const ContactPatch& patch : contact_patches(recording, frame)) {
      const auto body = static_cast<size_t>(patch.body);
      if (patch.other_shape >= 0 || (X_WB[body].q * patch.outward_B).dot(direction_W) < -kAround) continue;
      peaks[body] = std::max(peaks[body], patch.size.pressure_Pa);
    }
  return peaks;
}

}  // namespace sinew
