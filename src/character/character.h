#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/math.h"
#include "motion/part.h"

namespace sinew {

enum class JointType { kFree, kBall, kHinge, kSlide };

// One joint: how its body moves against the parent. A body has none (welded), one or several, applied in
// order.
struct Joint {
  std::string name;
  JointType type = JointType::kHinge;
  int body = 0;
  Vec3 p_BJ = Vec3::Zero();     // anchor, in the body's frame
  Vec3 axis_B = Vec3::UnitZ();  // unit axis of a hinge or slide, in the body's frame
  int q = 0;                    // first coordinate in q: free 7 (p_WB, quaternion), ball 4, hinge and slide 1
  int v = 0;                    // first coordinate in v: free 6 (v_WB in W, w_WB in B), ball 3 (in B), else 1
  bool limited = false;
  Vec3 lower = Vec3::Zero();  // rad or m; a ball joint's limits bound the components of its rotation vector,
  Vec3 upper = Vec3::Zero();  //   a hinge's or slide's are component 0
  Vec3 kp = Vec3::Zero();     // servo stiffness per axis, N m/rad (strength scale already applied)
  Vec3 kd = Vec3::Zero();     // servo damping per axis, N m s/rad
  Vec3 torque_limit = Vec3::Zero();  // N m per axis; 0: unlimited
  double contact_scale = 1.0;        // gains are multiplied by this while the limb bears load (004, Table 2)
  Vec3 window = Vec3::Zero();        // half-width in rad within which 004 samples displaced targets
  double armature = 0;               // kg m^2, added rotor inertia
  double damping = 0;                // N m s/rad, passive
  double stiffness = 0;              // N m/rad, passive

  int q_size() const { return type == JointType::kFree ? 7 : type == JointType::kBall ? 4 : 1; }
  int v_size() const { return type == JointType::kFree ? 6 : type == JointType::kBall ? 3 : 1; }
};

struct Body {
  std::string name;
  Part part = Part::kNone;  // what it is; kNone for what has no name in `Part`
  int parent = -1;          // index of a body before this one; -1: the world
  Pose X_PB;                // at rest, in the parent's frame (for the root: in the world)
  double mass_kg = 0;
  Vec3 p_BC = Vec3::Zero();  // centre of mass, in the body's frame
  Mat3 I_C = Mat3::Zero();   // inertia about the centre of mass, in the body's axes, kg m^2
  int first_joint = 0;       // its joints are joints[first_joint .. first_joint + joint_count)
  int joint_count = 0;
};

// A plane is the ground of a world; no body of a character has one.
enum class ShapeType { kSphere, kCapsule, kBox, kEllipsoid, kCylinder, kMesh, kPlane };

// A rounded piece of a body for collision and for pictures.
struct Shape {
  std::string name;
  int body = 0;
  ShapeType type = ShapeType::kSphere;
  Vec3 size = Vec3::Zero();  // MuJoCo's meaning: sphere r; capsule, cylinder r, half length; box, ellipsoid
                             // half sizes
  Pose X_BS;                 // capsules and cylinders lie along S's Z
  bool collides = true;
  double friction = 0.8;
  Vec4 rgba = Vec4(0.8, 0.8, 0.8, 1);
  std::vector<Vec3> vertices;  // of a mesh's convex hull, in S; else empty
};

// A point of a foot or hand that can bear load: a small sphere fixed to a body.
struct ContactPoint {
  std::string name;  // "left_foot.0", ...
  int body = 0;
  Vec3 p_BP = Vec3::Zero();
  double radius_m = 0;
};

// A spring and damper that pulls a point of one body and a point of another of the same character together: a
// hand on a grip, a foot on a pedal. What it does to one body it does to the other the other way round.
struct PointSpring {
  std::string name;
  int body_a = 0, body_b = 0;
  Vec3 p_AP = Vec3::Zero(), p_BQ = Vec3::Zero();  // the points, each in its body's frame
  double stiffness = 0;                           // N/m
  double damping = 0;                             // N s/m
};

// A chain without a freewheel between two hinges: the angle of b is held at `ratio` times that of a.
struct Chain {
  std::string name;
  int joint_a = 0, joint_b = 0;
  double ratio = 1;
  double stiffness = 0;  // N m/rad, at b
  double damping = 0;    // N m s/rad, at b
};

// A body that can be simulated: links, joints, inertias, shapes, servos. A plain value; its file is MJCF.
struct Character {
  std::string name;
  std::vector<Body> bodies;   // parents before children, depth first; body 0 is the root with the free joint
  std::vector<Joint> joints;  // in body order; joint 0 is the free joint
  std::vector<Shape> shapes;
  std::vector<ContactPoint> contact_points;  // of feet, toes and hands, derived from their shapes
  std::vector<std::array<int, 2>> excluded;  // pairs of bodies that never touch, as the file says
  std::vector<PointSpring> springs;          // between its own bodies; internal, as the chains are
  std::vector<Chain> chains;
  VecX q_rest;                     // coordinates of the rest stance, standing on z = 0, facing +X
  std::vector<std::string> notes;  // in words: what was derived rather than read

  int nq() const { return static_cast<int>(q_rest.size()); }
  int nv() const { return joints.empty() ? 0 : joints.back().v + joints.back().v_size(); }
  double mass_kg() const;
  // The body that is this part, or the nearest ancestor part that the character has; -1 if not even that.
  int body_of(Part part) const;
  // Exactly this part, or -1.
  int find(Part part) const;
};

// Where everything is at one set of coordinates.
struct Kinematics {
  std::vector<Pose> X_WB;  // of all bodies
  std::vector<Quat>
      q_WJ;  // per joint: the frame its axes are fixed in, turned by itself and the joints before it
  std::vector<Vec3> p_WJ;  // per joint: its anchor
};
Kinematics forward_kinematics(const Character& character, const VecX& q);

// Only the poses X_WB of all bodies.
std::vector<Pose> body_poses(const Character& character, const VecX& q);

// q moved along velocity dv for unit time, and the dv that moves q0 to q1: dv = difference(q0, q1).
VecX integrate(const Character& character, const VecX& q, const VecX& dv);
VecX difference(const Character& character, const VecX& q0, const VecX& q1);

// 3 x nv Jacobian of the world velocity of a point fixed to a body, the point given in the world.
Eigen::Matrix3Xd point_jacobian(const Character& character, const Kinematics& at, int body, const Vec3& p_W);

// The farthest point of a shape along a world direction, in the world. X_WB is the pose of the shape's body.
Vec3 support(const Shape& shape, const Pose& X_WB, const Vec3& direction_W);

// Radius of a ball around a shape's origin that holds all of it; a plane has none, 0.
double bounding_radius(const Shape& shape);

// Height of the lowest point of all colliding shapes.
double lowest_point(const Character& character, const std::vector<Pose>& X_WB);

Vec3 centre_of_mass(const Character& character, const std::vector<Pose>& X_WB);

// Standing height of the rest stance, and the length of the leg from hip to ankle, metres.
double standing_height(const Character& character);

}  // namespace sinew
