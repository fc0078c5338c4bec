#include "control/mcsim.h"

#include <algorithm>
#include <cmath>

#include "character/into.h"
#include "control/desired_acceleration.h"
#include "control/joint_targets.h"

namespace sinew {

namespace {

bool is_foot(Part part) {
  return part == Part::kLeftFoot || part == Part::kRightFoot || part == Part::kLeftToes ||
         part == Part::kRightToes;
}

VecX torque_limits(const Character& character) { return rest_command(character).limit; }

TrackingQpOptions qp_options(const McsimOptions& options) {
  TrackingQpOptions out;
  out.form = options.form;
  out.friction = options.friction;
  return out;
}

}  // namespace

double mcsim_stiffness(const Character& character, const Joint& joint) {
  switch (character.bodies[static_cast<size_t>(joint.body)].part) {
    case Part::kLeftFoot:
    case Part::kRightFoot:
      return joint.type == JointType::kBall ? 1000 : 4000;
    case Part::kHead:
    case Part::kNeck:
    case Part::kThorax:
    case Part::kLeftLowerArm:
    case Part::kRightLowerArm:
    case Part::kLeftHand:
    case Part::kRightHand:
      return 3000;
    default:
      return 4000;
  }
}

Mcsim::Mcsim(const Character& believed, const Reference& reference, const McsimOptions& options)
    : character_(believed),
      reference_(reference),
      options_(options),
      model_(believed),
      qp_(model_, torque_limits(believed), qp_options(options)),
      swing_hip_(believed, options.c_d, options.c_v),
      stiffness_(VecX::Zero(believed.nv())),
      gains_(rest_command(believed)) {
  for (const Body& body : believed.bodies) is_foot_.push_back(is_foot(body.part));
  for (const Joint& joint : believed.joints)
    if (joint.type != JointType::kFree)
      stiffness_.segment(joint.v, joint.v_size()).setConstant(mcsim_stiffness(believed, joint));
}

void Mcsim::find_motion(double time_s) { sample(character_, reference_, options_.start_s + time_s, motion_); }

void Mcsim::plan(const Observation& now) {
  model_.set(now.state.q, now.state.v);
  find_motion(now.state.time_s);
  find_contacts(now);
  swing_hip_.update(now.state, motion_);
  swing_hip_.apply(now.state, motion_.q);
  desired_acceleration(character_, now.state, motion_, options_.k_os, desired_);
  qp_.set_up(contacts_, desired_);
  if (options_.on_problem) options_.on_problem(now.state.time_s, qp_.problem());
  const QpSolution& solution = qp_.solve();

  ++counts_.plans;
  counts_.iterations += solution.iterations;
  counts_.most_variables = std::max(counts_.most_variables, qp_.problem().variables());
  if (solution.status == QpStatus::kRelaxed) ++counts_.relaxed;
  if (solution.ok())
    counts_.worst_residual = std::max(counts_.worst_residual, solution.residuals.largest());
  else
    ++counts_.failed;
  gains_.torque = qp_.torques();
  set_gains();
  planned_ = true;
}

// Where feet touch the world, as the simulator says. Before its first step it says nothing: then the points
// that bear load in the motion.
void Mcsim::find_contacts(const Observation& now) {
  contacts_.clear();
  for (const Contact& contact : now.contacts)
    if (contact.other_shape < 0 && is_foot_[static_cast<size_t>(contact.body)])
      contacts_.push_back({contact.shape, contact.body, contact.p_W, contact.normal_W});
  if (planned_ || !now.contacts.empty()) return;
  for (size_t i = 0; i < character_.contact_points.size(); ++i) {
    const ContactPoint& point = character_.contact_points[i];
    if (!(*motion_.point_contact)[i] || !is_foot_[static_cast<size_t>(point.body)]) continue;
    const Vec3 p_W = model_.X_WB(point.body) * point.p_BP - point.radius_m * Vec3::UnitZ();
    contacts_.push_back({-1 - static_cast<int>(i), point.body, p_W, Vec3::UnitZ()});
  }
}

// Eqs. 8 to 10 for servos that act along the axes of the joints one by one. What hangs on a joint, as one
// rigid body turned about its axes, is in the diagonal of the inertia matrix.
void Mcsim::set_gains() {
  for (const Joint& joint : character_.joints) {
    if (joint.type == JointType::kFree) continue;
    for (int i = joint.v; i < joint.v + joint.v_size(); ++i) {
      const double I = model_.mass_matrix()(i, i);
      gains_.kp[i] = options_.k * stiffness_[i] * (joint.type == JointType::kBall ? I : 1);
      gains_.kd[i] = 2 * std::sqrt(gains_.kp[i] * I);
    }
  }
}

void Mcsim::act(const Observation& now, Command& command) {
  find_motion(now.state.time_s);
  command = gains_;
  command.q_target = motion_.q;
  swing_hip_.apply(now.state, command.q_target);
  command.v_target = motion_.v;
  see_from_joints(character_, now.state.q, command.q_target, command.v_target);
}

void Mcsim::target(double time_s, VecX& q) const {
  q = sample(character_, reference_, options_.start_s + time_s).q;
}

void Mcsim::save(std::vector<double>& into) const {
  into.clear();
  into.push_back(planned_ ? 1 : 0);
  into.push_back(swing_hip_.leg());
  into.insert(into.end(), swing_hip_.turn_W().begin(), swing_hip_.turn_W().end());
  into.insert(into.end(), gains_.kp.begin(), gains_.kp.end());
  into.insert(into.end(), gains_.kd.begin(), gains_.kd.end());
  qp_.save(into);
}

void Mcsim::restore(const std::vector<double>& from) {
  const double* at = from.data();
  planned_ = *at++ != 0;
  const auto leg = static_cast<int>(*at++);
  swing_hip_.set(leg, Vec3(at[0], at[1], at[2]));
  at += 3;
  for (VecX* gain : {&gains_.kp, &gains_.kd})
    for (double& x : *gain) x = *at++;
  qp_.restore(at);
  gains_.torque = qp_.torques();
}

}  // namespace sinew
