#pragma once

#include "sim/ode/link_joint.h"
#include "sim/ode/motor_row.h"

namespace sinew::ode {

// A ball joint, or one to three hinges with a common anchor. In ODE it is a ball and an angular motor whose
// rows lie along the dual axes, so that each row's rate is the rate of one coordinate and its multiplier the
// force along it; where there are fewer than three hinges, hard rows hold the other directions. Springs,
// dampers and rotors of the joint are rows of their own (the servo's limit and torque do not count them), and
// so are its stops.
class RotaryJoint : public LinkJoint {
 public:
  RotaryJoint(dWorldID world, const Attachment& between, std::vector<Joint> joints);

  void prepare(double h, const VecX& q, const VecX& v, const Command& command) override;
  void collect(VecX& torques) const override;
  void measure(double h, VecX& q, VecX& v) const override;
  double gap() const override;

 private:
  bool ball() const { return joints_.front().type == JointType::kBall; }
  int count() const { return ball() ? 3 : static_cast<int>(joints_.size()); }
  // The joint that coordinate i of v belongs to, and its component there.
  const Joint& joint(int i) const { return ball() ? joints_.front() : joints_[static_cast<size_t>(i)]; }
  int component(int i) const { return ball() ? i : 0; }
  int first_v() const { return joints_.front().v; }

  Quat relative() const;                       // of the child against its rest orientation in the parent
  Vec3 relative_w() const;                     // of the child against the parent, in the child's axes
  Quat turn(const VecX& q) const;              // the relative rotation that q says
  Eigen::Matrix3Xd axes(const VecX& q) const;  // of the coordinates' rates, in the child's axes
  Vec3 errors(const VecX& q, const VecX& q_target) const;

  void prepare_servo(double h, const VecX& q, const Command& command);
  void prepare_locks(double h, const VecX& q);
  void prepare_passive(double h, const VecX& q, const VecX& v);
  void prepare_stops(double h, const VecX& q);

  Attachment between_;
  std::vector<Joint> joints_;
  dJointID motor_ = nullptr;
  dJointID passive_ = nullptr;  // nullptr: nothing passive in it
  dJointID stops_ = nullptr;    // nullptr: no limits
  std::unique_ptr<dJointFeedback> feedback_ = std::make_unique<dJointFeedback>();

  // Of the step that is being made: axes and their duals in W, torques that no row makes.
  Mat3 axes_W_ = Mat3::Identity();
  Mat3 duals_W_ = Mat3::Identity();
  Vec3 direct_ = Vec3::Zero();
};

}  // namespace sinew::ode
