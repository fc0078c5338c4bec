#include <algorithm>

#include "character/into.h"

namespace sinew {

namespace {

Quat quat_at(const VecX& q, int i) { return Quat(q[i], q[i + 1], q[i + 2], q[i + 3]); }

void set_quat(VecX& q, int i, const Quat& value) {
  q[i] = value.w();
  q.segment<3>(i + 1) = value.vec();
}

// Applies one joint to the pose of its body, as MuJoCo does: turned about the anchor, moved along the axis.
Pose apply(const Joint& joint, const VecX& q, const Pose& X) {
  switch (joint.type) {
    case JointType::kFree:
      return {q.segment<3>(joint.q), quat_at(q, joint.q + 3).normalized()};
    case JointType::kSlide:
      return {X.p + X.q * (joint.axis_B * q[joint.q]), X.q};
    case JointType::kHinge:
    case JointType::kBall: {
      const Quat turn = joint.type == JointType::kBall ? quat_at(q, joint.q).normalized()
                                                       : exp_map(joint.axis_B * q[joint.q]);
      const Quat turned = (X.q * turn).normalized();
      return {X * joint.p_BJ - turned * joint.p_BJ, turned};
    }
  }
  return X;
}

}  // namespace

double Character::mass_kg() const {
  double sum = 0;
  for (const Body& body : bodies) sum += body.mass_kg;
  return sum;
}

int Character::find(Part part) const {
  for (size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].part == part) return static_cast<int>(i);
  return -1;
}

int Character::body_of(Part part) const {
  for (; part != Part::kNone; part = part_parent(part))
    if (const int body = find(part); body >= 0) return body;
  return -1;
}

Pose body_pose(const Character& character, const VecX& q, int body) {
  const Body& link = character.bodies[static_cast<size_t>(body)];
  Pose X = link.parent < 0 ? link.X_PB : body_pose(character, q, link.parent) * link.X_PB;
  for (int j = link.first_joint; j < link.first_joint + link.joint_count; ++j)
    X = apply(character.joints[static_cast<size_t>(j)], q, X);
  return X;
}

Kinematics forward_kinematics(const Character& character, const VecX& q) {
  Kinematics at;
  at.X_WB.resize(character.bodies.size());
  at.q_WJ.resize(character.joints.size());
  at.p_WJ.resize(character.joints.size());
  for (size_t i = 0; i < at.X_WB.size(); ++i) {
    const Body& body = character.bodies[i];
    Pose X = body.parent < 0 ? body.X_PB : at.X_WB[static_cast<size_t>(body.parent)] * body.X_PB;
    for (auto j = static_cast<size_t>(body.first_joint);
         j < static_cast<size_t>(body.first_joint + body.joint_count); ++j) {
      X = apply(character.joints[j], q, X);
      at.q_WJ[j] = X.q;
      at.p_WJ[j] = X * character.joints[j].p_BJ;
    }
    at.X_WB[i] = X;
  }
  return at;
}

std::vector<Pose> body_poses(const Character& character, const VecX& q) {
  return forward_kinematics(character, q).X_WB;
}

VecX integrate(const Character& character, const VecX& q, const VecX& dv) {
  VecX out;
  integrate(character, q, dv, out);
  return out;
}

void integrate(const Character& character, const VecX& q, const VecX& dv, VecX& out) {
  out = q;
  for (const Joint& joint : character.joints) {
    switch (joint.type) {
      case JointType::kFree:
        out.segment<3>(joint.q) += dv.segment<3>(joint.v);
        set_quat(out, joint.q + 3,
                 (quat_at(q, joint.q + 3) * exp_map(dv.segment<3>(joint.v + 3))).normalized());
        break;
      case JointType::kBall:
        set_quat(out, joint.q, (quat_at(q, joint.q) * exp_map(dv.segment<3>(joint.v))).normalized());
        break;
      default:
        out[joint.q] += dv[joint.v];
    }
  }
}

VecX difference(const Character& character, const VecX& q0, const VecX& q1) {
  VecX dv;
  difference(character, q0, q1, dv);
  return dv;
}

void difference(const Character& character, const VecX& q0, const VecX& q1, VecX& dv) {
  dv.resize(character.nv());
  for (const Joint& joint : character.joints) {
    switch (joint.type) {
      case JointType::kFree:
        dv.segment<3>(joint.v) = q1.segment<3>(joint.q) - q0.segment<3>(joint.q);
        dv.segment<3>(joint.v + 3) = log_map(quat_at(q0, joint.q + 3).conjugate() * quat_at(q1, joint.q + 3));
        break;
      case JointType::kBall:
        dv.segment<3>(joint.v) = log_map(quat_at(q0, joint.q).conjugate() * quat_at(q1, joint.q));
        break;
      default:
        dv[joint.v] = q1[joint.q] - q0[joint.q];
    }
  }
}

Eigen::Matrix3Xd point_jacobian(const Character& character, const Kinematics& at, int body, const Vec3& p_W) {
  Eigen::Matrix3Xd J = Eigen::Matrix3Xd::Zero(3, character.nv());
  for (int b = body; b >= 0; b = character.bodies[static_cast<size_t>(b)].parent) {
    const Body& link = character.bodies[static_cast<size_t>(b)];
    for (int i = link.first_joint; i < link.first_joint + link.joint_count; ++i) {
      const auto j = static_cast<size_t>(i);
      const Joint& joint = character.joints[j];
      const Mat3 R = at.q_WJ[j].toRotationMatrix();
      if (joint.type == JointType::kSlide) {
        J.col(joint.v) = R * joint.axis_B;
      } else if (joint.type == JointType::kHinge) {
        J.col(joint.v) = (R * joint.axis_B).cross(p_W - at.p_WJ[j]);
      } else {
        const int w = joint.type == JointType::kFree ? joint.v + 3 : joint.v;
        const Vec3 arm =
            p_W - (joint.type == JointType::kFree ? at.X_WB[static_cast<size_t>(b)].p : at.p_WJ[j]);
        for (int k = 0; k < 3; ++k) J.col(w + k) = R.col(k).cross(arm);
        if (joint.type == JointType::kFree) J.block<3, 3>(0, joint.v).setIdentity();
      }
    }
  }
  return J;
}

Vec3 support(const Shape& shape, const Pose& X_WB, const Vec3& direction_W) {
  const Pose X_WS = X_WB * shape.X_BS;
  const Vec3 d = (X_WS.q.conjugate() * direction_W).normalized();
  Vec3 p = Vec3::Zero();
  switch (shape.type) {
    case ShapeType::kSphere:
      p = d * shape.size[0];
      break;
    case ShapeType::kCapsule:
      p = d * shape.size[0] + Vec3(0, 0, d.z() < 0 ? -shape.size[1] : shape.size[1]);
      break;
    case ShapeType::kBox:
      for (int k = 0; k < 3; ++k) p[k] = d[k] < 0 ? -shape.size[k] : shape.size[k];
      break;
    case ShapeType::kEllipsoid: {
      const Vec3 scaled = shape.size.cwiseProduct(d);
      p = shape.size.cwiseProduct(scaled) / std::max(scaled.norm(), 1e-12);
      break;
    }
    case ShapeType::kCylinder: {
      const double side = std::max(std::hypot(d.x(), d.y()), 1e-12);
      p = Vec3(d.x() / side * shape.size[0], d.y() / side * shape.size[0],
               d.z() < 0 ? -shape.size[1] : shape.size[1]);
      break;
    }
    case ShapeType::kMesh:
      if (!shape.vertices.empty()) p = shape.vertices.front();
      for (const Vec3& vertex : shape.vertices)
        if (vertex.dot(d) > p.dot(d)) p = vertex;
      break;
    case ShapeType::kPlane:
      break;
  }
  return X_WS * p;
}

double bounding_radius(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::kSphere:
      return shape.size[0];
    case ShapeType::kCapsule:
      return shape.size[0] + shape.size[1];
    case ShapeType::kCylinder:
      return std::hypot(shape.size[0], shape.size[1]);
    case ShapeType::kBox:
      return shape.size.norm();
    case ShapeType::kEllipsoid:
      return shape.size.maxCoeff();
    case ShapeType::kMesh:
    case ShapeType::kPlane:
      break;
  }
  double radius = 0;
  for (const Vec3& v : shape.vertices) radius = std::max(radius, v.norm());
  return radius;
}

double lowest_point(const Character& character, const std::vector<Pose>& X_WB) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Shape& shape : character.shapes)
    if (shape.collides)
      lowest = std::min(lowest, support(shape, X_WB[static_cast<size_t>(shape.body)], -Vec3::UnitZ()).z());
  return lowest;
}

Vec3 centre_of_mass(const Character& character, const std::vector<Pose>& X_WB) {
  Vec3 sum = Vec3::Zero();
  for (size_t i = 0; i < X_WB.size(); ++i)
    sum += character.bodies[i].mass_kg * (X_WB[i] * character.bodies[i].p_BC);
  return sum / character.mass_kg();
}

double standing_height(const Character& character) {
  const auto X_WB = body_poses(character, character.q_rest);
  double top = -std::numeric_limits<double>::infinity();
  for (const Shape& shape : character.shapes)
    top = std::max(top, support(shape, X_WB[static_cast<size_t>(shape.body)], Vec3::UnitZ()).z());
  return top - lowest_point(character, X_WB);
}

}  // namespace sinew
