// Eqs. 1 and 2 of Nunes et al. 2008.
#include "control/inertial_servo.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "character/dynamics.h"
#include "sim/scenes.h"

namespace sinew {
namespace {

TEST(InertialServo, StiffensWithTheErrorBetweenLambdaAndM) {
  const InertialGains gains{.ks = 1, .kd = 1, .lambda_rad = 0.1, .stiffest = 5};
  EXPECT_EQ(stiffening(gains, 0), 1);
  EXPECT_EQ(stiffening(gains, 0.1), 1);
  EXPECT_NEAR(stiffening(gains, 0.25), 2.5, 1e-12);
  EXPECT_NEAR(stiffening(gains, -0.25), 2.5, 1e-12);
  EXPECT_NEAR(stiffening(gains, 0.5), 5, 1e-12);
  EXPECT_EQ(stiffening(gains, 3), 5);
}

TEST(InertialServo, GainsGoWithTheInertiaOfWhatHangsOnAJoint) {
  const Character character = scenes::shipped("human45");
  const VecX outboard = mass_matrix(character, character.q_rest).diagonal();
  Command command = rest_command(character);
  const InertialGains gains{.ks = 300, .kd = 20};
  VecX away = VecX::Zero(character.nv());
  const Joint& knee = *std::find_if(character.joints.begin(), character.joints.end(),
                                    [](const Joint& joint) { return joint.name == "left_knee"; });
  away.segment<3>(knee.v) = Vec3(0, 0.3, 0);
  command.q_target = integrate(character, character.q_rest, away);
  set_gains(character, gains, outboard, character.q_rest, command);
  for (int i = 6; i < character.nv(); ++i) {
    const bool off = i >= knee.v && i < knee.v + 3;
    EXPECT_NEAR(command.kp[i], (off ? 3 : 1) * 300 * outboard[i], 1e-9 * outboard[i]);
    EXPECT_NEAR(command.kd[i], 20 * outboard[i], 1e-12);
  }

  // A folded arm is easier to swing than a straight one.
  const Joint& shoulder = *std::find_if(character.joints.begin(), character.joints.end(),
                                        [](const Joint& joint) { return joint.name == "left_shoulder"; });
  VecX bent = VecX::Zero(character.nv());
  const Joint& elbow = *(&shoulder + 1);
  ASSERT_EQ(elbow.name, "left_elbow");
  bent.segment<3>(elbow.v) = Vec3(0, 0, -2);
  const VecX folded = mass_matrix(character, integrate(character, character.q_rest, bent)).diagonal();
  EXPECT_LT(folded.segment<3>(shoulder.v).maxCoeff(), outboard.segment<3>(shoulder.v).maxCoeff());
}

}  // namespace
}  // namespace sinew
