#include "control/helping_hand.h"

#include <algorithm>
#include <cmath>

#include "character/velocities.h"

namespace sinew {

HelpingHand::HelpingHand(const Character& character, std::function<double(double, double)> ground,
                         double step_s, const HelpingHandOptions& options)
    : character_(character), ground_(std::move(ground)), step_s_(step_s), options_(options) {}

// The pelvis always, a foot as far as its goal is on the ground.
void HelpingHand::find_holds(const Goal& goal) {
  const Kinematics at = forward_kinematics(character_, goal.q);
  const std::vector<BodyVelocity> velocities = body_velocities(character_, at, goal.v);
  const auto hold = [&](int body, int foot, double share) {
    const auto b = static_cast<size_t>(body);
    holds_.push_back({body, foot, share, at.X_WB[b], velocities[b].v_WB, velocities[b].w_WB});
  };
  holds_.clear();
  hold(0, -1, 1);
  for (const int foot : {0, 1}) {
    const int body = character_.find(foot == 0 ? Part::kLeftFoot : Part::kRightFoot);
    const int end = character_.find(foot == 0 ? Part::kLeftToes : Part::kRightToes);
    if (body < 0) continue;
    double height = options_.lifted_m;
    for (const ContactPoint& point : character_.contact_points) {
      if (point.body != body && point.body != end) continue;
      const Vec3 p = at.X_WB[static_cast<size_t>(point.body)] * point.p_BP;
      height = std::min(height, p.z() - point.radius_m - ground_(p.x(), p.y()));
    }
    const double stands =
        std::clamp((options_.lifted_m - height) / (options_.lifted_m - options_.stands_m), 0.0, 1.0);
    if (stands > 0) hold(body, foot, stands * options_.foot_share);
  }
}

// How much of its gains a foot that is led has: it follows how far it has been away, and what struck it.
double HelpingHand::grip(const Hold& hold, double off_m, double time_s) {
  const auto foot = static_cast<size_t>(hold.foot);
  away_m_[foot] += step_s_ / (options_.delay_s + step_s_) * (off_m - away_m_[foot]);
  const double taken = std::clamp((time_s - struck_s_[foot]) / options_.let_go_s - 1, 0.0, 1.0);
  return taken * std::clamp((away_m_[foot] - options_.slack_m) / options_.away_m, options_.low, 1.0);
}

// What the servos do at the present velocity, cut to their limits; and how it changes with it.
VecX HelpingHand::servo_forces(const Observation& now, const Command& command) {
  const VecX error = difference(character_, now.state.q, command.q_target);
  VecX out = VecX::Zero(character_.nv());
  implicit_.setZero(character_.nv());
  for (int i = 6; i < character_.nv(); ++i) {
    const double damping = command.kd[i] + step_s_ * command.kp[i];
    const double torque = command.kp[i] * error[i] + command.kd[i] * command.v_target[i] + command.torque[i] -
                          damping * now.state.v[i];
    out[i] = std::clamp(torque, -command.limit[i], command.limit[i]);
    if (out[i] == torque) implicit_[i] = damping;
  }
  return out;
}

std::span<const ExternalForce> HelpingHand::forces(const Observation& now, const RigidModel& model,
                                                   const Command& command, const Goal& goal,
                                                   std::span<const ExternalForce> lead) {
  find_holds(goal);
  const int nv = character_.nv(), rows = 6 * static_cast<int>(holds_.size());
  RigidModel::Jacobian part(3, nv);

  // All forces on the character but those that are sought.
  VecX force = servo_forces(now, command) - model.bias();
  for (const Contact& contact : now.contacts) {
    if (contact.other_shape >= 0) continue;
    model.point_jacobian(contact.body, contact.p_W, part);
    force += part.transpose() * contact.force_W;
  }

  // Each hold: damping along its six directions, and what it would do at the present velocity.
  const double mass = model.mass_kg(), inertia = model.mass_matrix().diagonal().segment<3>(3).mean();
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> J(rows, nv);
  VecX damping(rows), pull(rows);
  for (size_t i = 0; i < holds_.size(); ++i) {
    const Hold& hold = holds_[i];
    const int at = 6 * static_cast<int>(i);
    const Pose X = model.X_WB(hold.body);
    model.point_jacobian(hold.body, X.p, part);
    J.middleRows(at, 3) = part;
    model.turn_jacobian(hold.body, part);
    J.middleRows(at + 3, 3) = part;
    const Vec3 off = hold.goal.p - X.p, turn = log_map(hold.goal.q * X.q.conjugate());
    const bool led = hold.foot >= 0 && !lead.empty();
    const double held = led ? grip(hold, off.norm(), now.state.time_s) : 1;
    const auto law = [&](int k, double gain, const Vec3& error, const Vec3& wanted, const Vec3& speed) {
      const double ks = gain * options_.ks, kd = gain * options_.kd;
      damping.segment<3>(at + k).setConstant(kd + step_s_ * ks);
      pull.segment<3>(at + k) = ks * error + kd * wanted - (kd + step_s_ * ks) * speed;
    };
    law(0, held * hold.share * mass, off, hold.velocity, model.point_velocity(hold.body, X.p));
    law(3, held * hold.share * inertia, turn, hold.turning, model.angular_velocity(hold.body));
    for (const ExternalForce& other : lead) {
      if (!led || other.body != hold.body) continue;
      pull.segment<3>(at) += other.force_W;
      pull.segment<3>(at + 3) += other.torque_W;
    }
  }

  // (M + h S + h J^T D J) a = forces at the present velocity.
  MatX A = model.mass_matrix();
  A.diagonal() += step_s_ * implicit_;
  const MatX weighted = J.transpose() * (step_s_ * damping).cwiseSqrt().asDiagonal();
  A.selfadjointView<Eigen::Lower>().rankUpdate(weighted);
  force += J.transpose() * pull;
  const VecX a = A.selfadjointView<Eigen::Lower>().llt().solve(force);
  const VecX wrench = pull - step_s_ * damping.cwiseProduct(J * a);

  forces_.clear();
  for (size_t i = 0; i < holds_.size(); ++i) {
    const long at = 6 * static_cast<long>(i);
    forces_.push_back(
        {holds_[i].body, wrench.segment<3>(at), model.X_WB(holds_[i].body).p, wrench.segment<3>(at + 3)});
  }
  return forces_;
}

}  // namespace sinew
