#include "control/rigid_model.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <stdexcept>

#include "character/mjcf_model.h"
#include "character/write_mjcf.h"
#include "core/error.h"

namespace sinew {

namespace {

Vec3 vec3(const mjtNum* x) { return Vec3(x[0], x[1], x[2]); }

// MuJoCo counts the world as body 0.
int mj_body(int body) { return body + 1; }

// The bodies and joints alone: nothing that touches, no springs.
std::string model_text(const Character& character, const Vec3& gravity) {
  Character bare = character;
  bare.shapes.clear();
  return "<mujoco>\n  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n  <option gravity=\"" +
         mjcf_numbers(gravity.data(), 3) + "\"/>\n  <worldbody>\n" +
         mjcf_bodies(bare, {.passive_joints = false}) + "  </worldbody>\n</mujoco>\n";
}

MjModel compile(const Character& character, const Vec3& gravity) {
  try {
    return compile_mjcf_text(model_text(character, gravity));
  } catch (const std::runtime_error& e) {
    throw Error(character.name + " has no dynamics to control: " + e.what());
  }
}

}  // namespace

struct RigidModel::Engine {
  struct Deleter {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  MjModel model;
  std::unique_ptr<mjData, Deleter> data;

  // Where MuJoCo's spatial motions of a body are taken: a point of W for each tree of bodies.
  Vec3 origin(int body) const { return vec3(data->subtree_com + 3 * model->body_rootid[body]); }
};

RigidModel::RigidModel(const Character& character, const Vec3& gravity)
    : engine_(std::make_unique<Engine>()) {
  engine_->model = compile(character, gravity);
  engine_->data.reset(mj_makeData(engine_->model.get()));
  const int nv = engine_->model->nv;
  M_.setZero(nv, nv);
  M_inverse_.setZero(nv, nv);
  bias_.setZero(nv);
  bias_motion_.resize(character.bodies.size() + 1);
  set(character.q_rest, VecX::Zero(nv));
}

RigidModel::~RigidModel() = default;

double RigidModel::mass_kg() const { return engine_->model->body_subtreemass[1]; }

void RigidModel::set(const VecX& q, const VecX& v) {
  const mjModel* m = engine_->model.get();
  mjData* d = engine_->data.get();
  std::copy_n(q.data(), m->nq, d->qpos);
  std::copy_n(v.data(), m->nv, d->qvel);

  // Positions and inertia; both matrices are symmetric, so that the order of storage does not matter.
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_crb(m, d);
  mj_factorM(m, d);
  mj_fullM(m, M_.data(), d->qM);
  M_inverse_.setIdentity();
  mj_solveM(m, d, M_inverse_.data(), M_inverse_.data(), m->nv);

  // Velocities and the forces that come of them and of gravity.
  mj_comVel(m, d);
  mj_rne(m, d, 0, bias_.data());
  for (int b = 1; b < m->nbody; ++b) {
    Motion motion = bias_motion_[static_cast<size_t>(m->body_parentid[b])];
    for (int i = m->body_dofadr[b]; i < m->body_dofadr[b] + m->body_dofnum[b]; ++i) {
      motion.turn += vec3(d->cdof_dot + 6 * i) * v[i];
      motion.line += vec3(d->cdof_dot + 6 * i + 3) * v[i];
    }
    bias_motion_[static_cast<size_t>(b)] = motion;
  }
}

Pose RigidModel::X_WB(int body) const {
  const mjtNum* q = engine_->data->xquat + 4 * mj_body(body);
  return {vec3(engine_->data->xpos + 3 * mj_body(body)), Quat(q[0], q[1], q[2], q[3])};
}

void RigidModel::point_jacobian(int body, const Vec3& p_W, Jacobian& J) const {
  mj_jac(engine_->model.get(), engine_->data.get(), J.data(), nullptr, p_W.data(), mj_body(body));
}

Vec3 RigidModel::point_velocity(int body, const Vec3& p_W) const {
  const mjtNum* V = engine_->data->cvel + 6 * mj_body(body);
  return vec3(V + 3) + vec3(V).cross(p_W - engine_->origin(mj_body(body)));
}

// From the motion of what passes a place to that of the point itself, which turns on.
Vec3 RigidModel::point_bias(int body, const Vec3& p_W) const {
  const Motion& A = bias_motion_[static_cast<size_t>(mj_body(body))];
  return A.line + A.turn.cross(p_W - engine_->origin(mj_body(body))) +
         angular_velocity(body).cross(point_velocity(body, p_W));
}

void RigidModel::turn_jacobian(int body, Jacobian& J) const {
  mj_jacBody(engine_->model.get(), engine_->data.get(), nullptr, J.data(), mj_body(body));
}

Vec3 RigidModel::angular_velocity(int body) const { return vec3(engine_->data->cvel + 6 * mj_body(body)); }

Vec3 RigidModel::turn_bias(int body) const { return bias_motion_[static_cast<size_t>(mj_body(body))].turn; }

Vec3 RigidModel::centre_of_mass() const { return vec3(engine_->data->subtree_com + 3); }

// Of the bodies' centres of mass, each as its mass.
Vec3 RigidModel::mean_of_masses(Vec3 (RigidModel::*of)(int, const Vec3&) const) const {
  const mjModel* m = engine_->model.get();
  Vec3 sum = Vec3::Zero();
  for (int b = 1; b < m->nbody; ++b)
    sum += m->body_mass[b] * (this->*of)(b - 1, vec3(engine_->data->xipos + 3 * b));
  return sum / mass_kg();
}

Vec3 RigidModel::com_velocity() const { return mean_of_masses(&RigidModel::point_velocity); }

Vec3 RigidModel::com_bias() const { return mean_of_masses(&RigidModel::point_bias); }

void RigidModel::com_jacobian(Jacobian& J) const {
  mj_jacSubtreeCom(engine_->model.get(), engine_->data.get(), J.data(), 1);
}

Vec3 RigidModel::angular_momentum() const {
  mj_subtreeVel(engine_->model.get(), engine_->data.get());
  return vec3(engine_->data->subtree_angmom + 3);
}

}  // namespace sinew
