#pragma once

#include <memory>

#include "character/character.h"
#include "character/state.h"

namespace sinew {

// A controller's own rigid-body dynamics of a character: what it believes, whatever the simulator does. Give
// it another Character than the simulator has, and the controller errs as the papers' do.
//
// With v, a in the coordinates of docs/conventions.md:  M a + bias = torques + sum of J^T f.
// Passive springs, dampers and limits of joints are not in it. `set` comes first; then everything is of that
// state, and valid until the next. Nothing is allocated after construction. Recursive algorithms of MuJoCo.
class RigidModel {
 public:
  // One velocity direction a row, nv columns.
  using Jacobian = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;

  // Throws Error for a character that has no such dynamics: a body that moves and has no mass.
  explicit RigidModel(const Character& character, const Vec3& gravity = Vec3(0, 0, -9.81));
  ~RigidModel();
  RigidModel(const RigidModel&) = delete;
  RigidModel& operator=(const RigidModel&) = delete;

  int nv() const { return static_cast<int>(bias_.size()); }
  double mass_kg() const;

  // Brings everything to these coordinates and velocities.
  void set(const VecX& q, const VecX& v);

  // The nv x nv inertia matrix, rotors counted; and its inverse.
  const MatX& mass_matrix() const { return M_; }
  const MatX& inverse_mass_matrix() const { return M_inverse_; }
  // Coriolis, centrifugal and gravity forces, size nv; as inverse_dynamics(q, v, 0).
  const VecX& bias() const { return bias_; }

  Pose X_WB(int body) const;
  // The velocity of a point fixed to a body, the point given in W, is J v, its acceleration J a + Jdot v. J
  // must have nv columns.
  void point_jacobian(int body, const Vec3& p_W, Jacobian& J) const;
  Vec3 point_velocity(int body, const Vec3& p_W) const;
  Vec3 point_bias(int body, const Vec3& p_W) const;  // Jdot v, m/s^2
  // The same of a body's turning, in W.
  void turn_jacobian(int body, Jacobian& J) const;
  Vec3 angular_velocity(int body) const;
  Vec3 turn_bias(int body) const;  // rad/s^2

  // Of all bodies together.
  Vec3 centre_of_mass() const;
  Vec3 com_velocity() const;
  Vec3 com_bias() const;  // m/s^2: the centre's acceleration is J a + this
  void com_jacobian(Jacobian& J) const;
  Vec3 angular_momentum() const;  // about the centre of mass, in W, kg m^2/s

 private:
  Vec3 mean_of_masses(Vec3 (RigidModel::*of)(int body, const Vec3& p_W) const) const;

  struct Engine;
  std::unique_ptr<Engine> engine_;
  MatX M_, M_inverse_;
  VecX bias_;
  // Per body, in W: how its acceleration differs from J a, as a pair at the frame of `motions`.
  struct Motion {
    Vec3 turn = Vec3::Zero(), line = Vec3::Zero();
  };
  std::vector<Motion> bias_motion_;
};

}  // namespace sinew
