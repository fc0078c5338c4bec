#pragma once

#include "sim/ode/link_joint.h"

namespace sinew::ode {

// One slide: a slider of ODE with its own stops, driven by linear motors (servo and passive apart).
class SlideJoint : public LinkJoint {
 public:
  SlideJoint(dWorldID world, const Attachment& between, Joint joint);

  void prepare(double h, const VecX& q, const VecX& v, const Command& command) override;
  void collect(VecX& torques) const override;
  void measure(double h, VecX& q, VecX& v) const override;
  double gap() const override;

 private:
  Pose base() const;    // of the child's frame if it were at 0
  Vec3 rate_W() const;  // of the child's origin against the base

  Attachment between_;
  Joint joint_;
  dJointID slider_ = nullptr;
  dJointID motor_ = nullptr;
  dJointID passive_ = nullptr;
  std::unique_ptr<dJointFeedback> feedback_ = std::make_unique<dJointFeedback>();
  Vec3 axis_W_ = Vec3::UnitZ();
  double direct_ = 0;
};

}  // namespace sinew::ode
