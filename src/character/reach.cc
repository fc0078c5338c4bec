#include "character/reach.h"

#include <algorithm>

namespace sinew {

namespace {

constexpr int kIterations = 60;
constexpr double kDone = 1e-9;        // rad: no step changes more
constexpr double kLargestStep = 0.3;  // rad

}  // namespace

std::vector<int> joints_between(const Character& character, int body, int above) {
  std::vector<int> joints;
  for (int b = body; b > above; b = character.bodies[static_cast<size_t>(b)].parent) {
    const Body& link = character.bodies[static_cast<size_t>(b)];
    for (int j = link.first_joint; j < link.first_joint + link.joint_count; ++j)
      if (const JointType type = character.joints[static_cast<size_t>(j)].type;
          type == JointType::kHinge || type == JointType::kBall)
        joints.push_back(j);
  }
  std::sort(joints.begin(), joints.end());
  return joints;
}

bool hardly_moves(const Joint& joint) {
  return joint.type == JointType::kHinge && joint.limited && joint.upper[0] - joint.lower[0] < radians(30);
}

VecX reach(const Character& character, const VecX& q, const std::vector<int>& joints,
           const std::vector<ReachTarget>& targets, double posture_m) {
  std::vector<int> axes;
  for (const int j : joints) {
    const Joint& joint = character.joints[static_cast<size_t>(j)];
    for (int k = 0; k < joint.v_size(); ++k) axes.push_back(joint.v + k);
  }
  const auto n = static_cast<Eigen::Index>(axes.size());
  const auto rows = 3 * static_cast<Eigen::Index>(targets.size());
  VecX at = q;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    // How far each point is from its target, and each angle from where it began.
    const Kinematics now = forward_kinematics(character, at);
    const VecX back = difference(character, at, q);
    MatX A = MatX::Zero(rows + n, n);
    VecX b(rows + n);
    for (size_t t = 0; t < targets.size(); ++t) {
      const auto row = 3 * static_cast<Eigen::Index>(t);
      const Vec3 p = now.X_WB[static_cast<size_t>(targets[t].body)] * targets[t].p_BP;
      A.middleRows<3>(row) = point_jacobian(character, now, targets[t].body, p)(Eigen::all, axes);
      b.segment<3>(row) = targets[t].p_WP - p;
    }
    for (Eigen::Index k = 0; k < n; ++k) {
      A(rows + k, k) = posture_m;
      b[rows + k] = posture_m * back[axes[static_cast<size_t>(k)]];
    }

    VecX step = A.colPivHouseholderQr().solve(b);
    const double largest = step.cwiseAbs().maxCoeff();
    if (largest > kLargestStep) step *= kLargestStep / largest;
    VecX full = VecX::Zero(character.nv());
    full(axes) = step;
    at = integrate(character, at, full);
    for (const int j : joints)
      if (const Joint& joint = character.joints[static_cast<size_t>(j)];
          joint.limited && joint.type == JointType::kHinge)
        at[joint.q] = std::clamp(at[joint.q], joint.lower[0], joint.upper[0]);
    if (largest < kDone) break;
  }
  return at;
}

}  // namespace sinew
