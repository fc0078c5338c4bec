#include "character/dynamics.h"

namespace sinew {

namespace {

// A pair of vectors at the world's origin, in W: of a motion the turning and the velocity of the point there,
// of a force or momentum its moment about the origin and itself.
struct Pair {
  Vec3 turn = Vec3::Zero();
  Vec3 line = Vec3::Zero();

  Pair& operator+=(const Pair& other) {
    turn += other.turn;
    line += other.line;
    return *this;
  }
  Pair operator*(double s) const { return {turn * s, line * s}; }
  double dot(const Pair& other) const { return turn.dot(other.turn) + line.dot(other.line); }
};

// How fast a motion b changes that is fixed to a frame moving with a.
Pair cross(const Pair& a, const Pair& b) {
  return {a.turn.cross(b.turn), a.turn.cross(b.line) + a.line.cross(b.turn)};
}

// The motion that each coordinate of v causes, at one q: the columns of all Jacobians at once.
std::vector<Pair> motions(const Character& character, const Kinematics& at) {
  std::vector<Pair> S(static_cast<size_t>(character.nv()));
  for (size_t j = 0; j < character.joints.size(); ++j) {
    const Joint& joint = character.joints[j];
    auto first = static_cast<size_t>(joint.v);
    const Mat3 R = at.q_WJ[j].toRotationMatrix();
    const auto turning = [](const Vec3& axis, const Vec3& p) { return Pair{axis, p.cross(axis)}; };
    switch (joint.type) {
      case JointType::kSlide:
        S[first] = {Vec3::Zero(), R * joint.axis_B};
        break;
      case JointType::kHinge:
        S[first] = turning(R * joint.axis_B, at.p_WJ[j]);
        break;
      case JointType::kFree:
        for (int k = 0; k < 3; ++k) S[first++] = {Vec3::Zero(), Vec3::Unit(k)};
        [[fallthrough]];
      case JointType::kBall: {
        const Vec3 p =
            joint.type == JointType::kFree ? at.X_WB[static_cast<size_t>(joint.body)].p : at.p_WJ[j];
        for (size_t k = 0; k < 3; ++k) S[first + k] = turning(R.col(static_cast<int>(k)), p);
      }
    }
  }
  return S;
}

// Velocities of all bodies and, if `a` is given, their accelerations.
struct BodyMotions {
  std::vector<Pair> V, A;
};
BodyMotions body_motions(const Character& character, const std::vector<Pair>& S, const VecX& v,
                         const VecX& a) {
  BodyMotions out;
  out.V.resize(character.bodies.size());
  out.A.resize(character.bodies.size());
  for (size_t i = 0; i < character.bodies.size(); ++i) {
    const Body& body = character.bodies[i];
    Pair V, A;
    if (body.parent >= 0) {
      V = out.V[static_cast<size_t>(body.parent)];
      A = out.A[static_cast<size_t>(body.parent)];
    }
    for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j) {
      const Joint& joint = character.joints[static_cast<size_t>(j)];
      Pair motion, acceleration;
      for (int k = joint.v; k < joint.v + joint.v_size(); ++k) {
        motion += S[static_cast<size_t>(k)] * v[k];
        acceleration += S[static_cast<size_t>(k)] * a[k];
      }
      // Axes ride on the frame before the joint; those along which the root travels are fixed in W.
      if (joint.type == JointType::kFree)
        A += Pair{Vec3::Zero(), v.segment<3>(joint.v).cross(motion.turn)};
      else
        A += cross(V, motion);
      V += motion;
      A += acceleration;
    }
    out.V[i] = V;
    out.A[i] = A;
  }
  return out;
}

// A body's mass in the world.
struct Mass {
  double m = 0;
  Vec3 c = Vec3::Zero();  // centre of mass
  Mat3 I = Mat3::Zero();  // about it

  Pair momentum(const Pair& V) const {
    const Vec3 p = m * (V.line + V.turn.cross(c));
    return {I * V.turn + c.cross(p), p};
  }
};
Mass mass_of(const Body& body, const Pose& X_WB) {
  const Mat3 R = X_WB.q.toRotationMatrix();
  return {body.mass_kg, X_WB * body.p_BC, R * body.I_C * R.transpose()};
}

// A rigid body of many: mass, mass times centre, inertia about the world's origin.
struct Composite {
  double m = 0;
  Vec3 mc = Vec3::Zero();
  Mat3 I_O = Mat3::Zero();

  Pair momentum(const Pair& V) const {
    return {I_O * V.turn + mc.cross(V.line), m * V.line + V.turn.cross(mc)};
  }
};

}  // namespace

Momentum momentum(const Character& character, const VecX& q, const VecX& v) {
  const Kinematics at = forward_kinematics(character, q);
  const auto V = body_motions(character, motions(character, at), v, VecX::Zero(v.size())).V;
  Pair sum;
  for (size_t i = 0; i < V.size(); ++i) sum += mass_of(character.bodies[i], at.X_WB[i]).momentum(V[i]);
  return {sum.line, sum.turn};
}

VecX inverse_dynamics(const Character& character, const VecX& q, const VecX& v, const VecX& a,
                      const Vec3& gravity) {
  const Kinematics at = forward_kinematics(character, q);
  const std::vector<Pair> S = motions(character, at);
  const auto [V, A] = body_motions(character, S, v, a);

  // Newton and Euler for each body: the rate of its momentum, less gravity.
  std::vector<Pair> F(character.bodies.size());
  for (size_t i = 0; i < F.size(); ++i) {
    const Mass mass = mass_of(character.bodies[i], at.X_WB[i]);
    const Vec3& w = V[i].turn;
    const Vec3 v_C = V[i].line + w.cross(mass.c);
    const Vec3 a_C = A[i].line + A[i].turn.cross(mass.c) + w.cross(v_C);
    F[i].line = mass.m * (a_C - gravity);
    F[i].turn = mass.I * A[i].turn + w.cross(mass.I * w) + mass.c.cross(F[i].line);
  }

  // Each joint carries all bodies beyond it.
  VecX force(character.nv());
  for (size_t i = F.size(); i-- > 0;) {
    const Body& body = character.bodies[i];
    for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j) {
      const Joint& joint = character.joints[static_cast<size_t>(j)];
      for (int k = joint.v; k < joint.v + joint.v_size(); ++k)
        force[k] = S[static_cast<size_t>(k)].dot(F[i]) + joint.armature * a[k];
    }
    if (body.parent >= 0) F[static_cast<size_t>(body.parent)] += F[i];
  }
  return force;
}

MatX mass_matrix(const Character& character, const VecX& q) {
  const Kinematics at = forward_kinematics(character, q);
  const std::vector<Pair> S = motions(character, at);

  // What hangs on each body, as one rigid body.
  std::vector<Composite> beyond(character.bodies.size());
  for (size_t i = beyond.size(); i-- > 0;) {
    const Mass mass = mass_of(character.bodies[i], at.X_WB[i]);
    Composite& own = beyond[i];
    own.m += mass.m;
    own.mc += mass.m * mass.c;
    own.I_O += mass.I + mass.m * (mass.c.squaredNorm() * Mat3::Identity() - mass.c * mass.c.transpose());
    if (const int parent = character.bodies[i].parent; parent >= 0) {
      Composite& up = beyond[static_cast<size_t>(parent)];
      up.m += own.m;
      up.mc += own.mc;
      up.I_O += own.I_O;
    }
  }

  // A coordinate's motion gives that body a momentum, which all coordinates below it towards the root feel.
  MatX M = MatX::Zero(character.nv(), character.nv());
  for (const Joint& joint : character.joints) {
    for (int k = joint.v; k < joint.v + joint.v_size(); ++k) {
      const Pair h = beyond[static_cast<size_t>(joint.body)].momentum(S[static_cast<size_t>(k)]);
      for (int b = joint.body; b >= 0; b = character.bodies[static_cast<size_t>(b)].parent) {
        const Body& body = character.bodies[static_cast<size_t>(b)];
        if (body.joint_count == 0) continue;
        const int from = character.joints[static_cast<size_t>(body.first_joint)].v;
        const Joint& last = character.joints[static_cast<size_t>(body.first_joint + body.joint_count - 1)];
        const int to = b == joint.body ? k + 1 : last.v + last.v_size();
        for (int i = from; i < to; ++i) M(i, k) = M(k, i) = S[static_cast<size_t>(i)].dot(h);
      }
      M(k, k) += joint.armature;
    }
  }
  return M;
}

double kinetic_energy(const Character& character, const VecX& q, const VecX& v) {
  const Kinematics at = forward_kinematics(character, q);
  const auto V = body_motions(character, motions(character, at), v, VecX::Zero(v.size())).V;
  double twice = 0;
  for (size_t i = 0; i < V.size(); ++i)
    twice += V[i].dot(mass_of(character.bodies[i], at.X_WB[i]).momentum(V[i]));
  for (const Joint& joint : character.joints)
    twice += joint.armature * v.segment(joint.v, joint.v_size()).squaredNorm();
  return twice / 2;
}

double potential_energy(const Character& character, const VecX& q, const Vec3& gravity) {
  return -character.mass_kg() * gravity.dot(centre_of_mass(character, body_poses(character, q)));
}

}  // namespace sinew
