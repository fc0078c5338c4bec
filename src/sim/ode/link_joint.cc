#include "sim/ode/link_joint.h"

#include "core/error.h"
#include "sim/ode/rotary_joint.h"
#include "sim/ode/slide_joint.h"

namespace sinew::ode {

std::unique_ptr<LinkJoint> make_link_joint(dWorldID world, const Attachment& between,
                                           const std::vector<Joint>& joints, const std::string& body) {
  if (joints.size() == 1 && joints.front().type == JointType::kSlide)
    return std::make_unique<SlideJoint>(world, between, joints.front());
  if (joints.size() == 1 && joints.front().type == JointType::kBall)
    return std::make_unique<RotaryJoint>(world, between, joints);

  // Several joints on one body: hinges that turn about one point.
  bool hinges = joints.size() <= 3;
  for (const Joint& joint : joints)
    hinges = hinges && joint.type == JointType::kHinge && (joint.p_BJ - joints.front().p_BJ).norm() <= 1e-3;
  if (!hinges)
    throw Error("the joints of the body '" + body +
                "' are not hinges about one point, which ODE cannot simulate; use --engine mujoco");
  return std::make_unique<RotaryJoint>(world, between, joints);
}

}  // namespace sinew::ode
