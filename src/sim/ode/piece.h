#pragma once

#include <ode/ode.h>

#include <memory>

#include "character/character.h"
#include "sim/ode/rigid_body.h"

namespace sinew::ode {

// One colliding shape in ODE. ODE knows spheres, capsules, boxes, cylinders and planes. Ellipsoids and meshes
// touch planes exactly (by their farthest points); against all else an ellipsoid counts as the capsule that
// fits it best and a mesh as the box around it.
class Piece {
 public:
  // X_BS: the shape in the frame of `body`, or in the world if body is nullptr (fixed).
  Piece(const Shape& shape, const Pose& X_BS, const RigidBody* body);

  const RigidBody* body() const { return body_; }
  bool plane() const { return shape_.type == ShapeType::kPlane; }
  Pose pose() const { return body_ ? body_->pose() * X_BS_ : X_BS_; }  // X_WS
  double radius() const { return radius_; }                            // of the ball around it

  // A lower bound of the distance between this shape and a ball in the world; may be negative.
  double distance_to_ball(const Vec3& p_W, double radius) const;

  // Where the two overlap, at most `most` places; normals point into `a`.
  friend int touch(const Piece& a, const Piece& b, dContactGeom* out, int most);

 private:
  struct Destroy {
    void operator()(dxGeom* geom) const { dGeomDestroy(geom); }
  };

  bool by_support() const { return shape_.type == ShapeType::kEllipsoid || shape_.type == ShapeType::kMesh; }
  int touch_plane(const Piece& plane, dContactGeom* out, int most) const;

  Shape shape_;
  Pose X_BS_;
  const RigidBody* body_;
  double radius_ = 0;
  std::unique_ptr<dxGeom, Destroy> geom_;
};

}  // namespace sinew::ode
