#include "control/swing_hip.h"

#include <algorithm>

#include "character/into.h"

namespace sinew {

namespace {

Quat root_turn(const VecX& q) { return Quat(q[3], q[4], q[5], q[6]); }

}  // namespace

SwingHip::SwingHip(const Character& character, double c_d, double c_v)
    : character_(character), c_d_(c_d), c_v_(c_v) {
  const Part parts[2][3] = {{Part::kLeftThigh, Part::kLeftFoot, Part::kLeftToes},
                            {Part::kRightThigh, Part::kRightFoot, Part::kRightToes}};
  works_ = c_d != 0 || c_v != 0;
  for (size_t side = 0; side < 2; ++side) {
    Leg& leg = legs_[side];
    leg.thigh = character.find(parts[side][0]);
    leg.foot = character.find(parts[side][1]);
    const int toes = character.find(parts[side][2]);
    for (size_t i = 0; i < character.contact_points.size(); ++i) {
      const int body = character.contact_points[i].body;
      if (body == leg.foot || body == toes) leg.points.push_back(i);
    }
    works_ = works_ && leg.thigh >= 0 && leg.foot >= 0 && !leg.points.empty();
  }
}

bool SwingHip::stands(const Leg& leg, const ReferenceSample& motion) const {
  return std::any_of(leg.points.begin(), leg.points.end(),
                     [&](size_t i) { return (*motion.point_contact)[i] != 0; });
}

void SwingHip::update(const State& state, const ReferenceSample& motion) {
  leg_ = -1;
  turn_W_.setZero();
  if (!works_) return;
  const bool left = stands(legs_[0], motion), right = stands(legs_[1], motion);
  if (left == right) return;
  leg_ = left ? 1 : 0;

  // How far and how fast the root is ahead of where the motion has it, seen from the support foot and along
  // each one's own heading.
  const int support = legs_[left ? 0 : 1].foot;
  const auto seen = [&](const VecX& q, const VecX& v) {
    const Quat facing = exp_map(Vec3(0, 0, heading(root_turn(q))));
    const Vec3 d = q.head<3>() - body_pose(character_, q, support).p;
    return Vec3(facing.conjugate() * (c_d_ * d + c_v_ * Vec3(v.head<3>())));
  };
  const Vec3 ahead = seen(state.q, state.v) - seen(motion.q, motion.v);

  // A thigh that hangs down comes forward when it turns against Y, and to the left along X.
  const Quat facing = exp_map(Vec3(0, 0, heading(root_turn(state.q))));
  turn_W_ = facing * Vec3(ahead.y(), -ahead.x(), 0);
}

void SwingHip::apply(const State& state, VecX& q_target) const {
  if (leg_ < 0) return;
  const Body& thigh = character_.bodies[static_cast<size_t>(legs_[static_cast<size_t>(leg_)].thigh)];
  Quat q_WP = root_turn(state.q);
  if (thigh.parent > 0) q_WP = body_pose(character_, state.q, thigh.parent).q;
  const Quat q_WR = q_WP * thigh.X_PB.q;  // the thigh where its joints are at zero
  const Vec3 turn = q_WR.conjugate() * turn_W_;
  for (int j = thigh.first_joint; j < thigh.first_joint + thigh.joint_count; ++j) {
    const Joint& joint = character_.joints[static_cast<size_t>(j)];
    if (joint.type == JointType::kHinge) {
      q_target[joint.q] += joint.axis_B.dot(turn);
    } else if (joint.type == JointType::kBall) {
      const Quat now(q_target[joint.q], q_target[joint.q + 1], q_target[joint.q + 2], q_target[joint.q + 3]);
      const Quat turned = (exp_map(turn) * now).normalized();
      q_target.segment<4>(joint.q) << turned.w(), turned.x(), turned.y(), turned.z();
    }
  }
}

}  // namespace sinew
