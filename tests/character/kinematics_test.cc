#include <gtest/gtest.h>

#include <cmath>

#include "character/character.h"
#include "character/mjcf.h"
#include "character/mujoco_model.h"
#include "core/files.h"

namespace sinew {
namespace {

const std::string kSource = SINEW_SOURCE_DIR;

// All of our kinematics against MuJoCo's, on our characters and on one with several hinges a body.
class KinematicsTest : public testing::TestWithParam<const char*> {
 protected:
  KinematicsTest()
      : c_(load_character_file(kSource + "/" + GetParam())), mujoco_(read_file(kSource + "/" + GetParam())) {}

  void pose_mujoco(const VecX& q) {
    VecX::Map(mujoco_.d->qpos, c_.nq()) = q;
    mj_kinematics(mujoco_.m, mujoco_.d);
    mj_comPos(mujoco_.m, mujoco_.d);
  }

  Character c_;
  MujocoModel mujoco_;
  std::mt19937 random_{7};
};

TEST_P(KinematicsTest, BodyPosesEqualMujocos) {
  ASSERT_EQ(c_.nq(), mujoco_.m->nq);
  ASSERT_EQ(c_.nv(), mujoco_.m->nv);
  for (int trial = 0; trial < 20; ++trial) {
    const VecX q = random_q(c_, random_);
    pose_mujoco(q);
    const auto X_WB = body_poses(c_, q);
    for (size_t b = 0; b < c_.bodies.size(); ++b) {
      const int id = mujoco_.body(c_.bodies[b].name);
      ASSERT_GE(id, 0);
      const Vec3 p = Vec3::Map(mujoco_.d->xpos + 3 * id);
      const mjtNum* r = mujoco_.d->xquat + 4 * id;
      EXPECT_LT((X_WB[b].p - p).norm(), 1e-10) << c_.bodies[b].name;
      EXPECT_LT(angle_between(X_WB[b].q, Quat(r[0], r[1], r[2], r[3])), 1e-7) << c_.bodies[b].name;
    }
  }
}

TEST_P(KinematicsTest, CentreOfMassEqualsMujocos) {
  for (int trial = 0; trial < 10; ++trial) {
    const VecX q = random_q(c_, random_);
    pose_mujoco(q);
    const Vec3 com = Vec3::Map(mujoco_.d->subtree_com + 3 * mujoco_.body(c_.bodies[0].name));
    EXPECT_LT((centre_of_mass(c_, body_poses(c_, q)) - com).norm(), 1e-10);
  }
}

TEST_P(KinematicsTest, InertiaEqualsMujocos) {
  // The root's block of the mass matrix: the inertia of all bodies, frozen in a pose, about the root.
  const VecX q = random_q(c_, random_);
  pose_mujoco(q);
  mj_crb(mujoco_.m, mujoco_.d);
  MatX full(c_.nv(), c_.nv());
  mj_fullM(mujoco_.m, full.data(), mujoco_.d->qM);
  const auto X_WB = body_poses(c_, q);
  Mat3 inertia = Mat3::Zero();
  for (size_t b = 0; b < c_.bodies.size(); ++b) {
    const Mat3 R = X_WB[b].q.toRotationMatrix();
    const Vec3 arm = X_WB[b] * c_.bodies[b].p_BC - X_WB[0].p;
    inertia += R * c_.bodies[b].I_C * R.transpose() +
               c_.bodies[b].mass_kg * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  }
  const Mat3 R = X_WB[0].q.toRotationMatrix();
  const Mat3 in_root = R.transpose() * inertia * R;
  Mat3 expected = full.block<3, 3>(3, 3);
  for (int k = 0; k < 3; ++k) expected(k, k) -= mujoco_.m->dof_armature[3 + k];
  EXPECT_LT((in_root - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_P(KinematicsTest, PointJacobianEqualsMujocosAndDifferences) {
  for (int trial = 0; trial < 4; ++trial) {
    const VecX q = random_q(c_, random_);
    pose_mujoco(q);
    const Kinematics at = forward_kinematics(c_, q);
    for (size_t b = 0; b < c_.bodies.size(); b += 3) {
      const Vec3 p_B(0.1, -0.2, 0.3);
      const Vec3 p_W = at.X_WB[b] * p_B;
      const auto J = point_jacobian(c_, at, static_cast<int>(b), p_W);
      Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> expected(3, c_.nv());
      mj_jac(mujoco_.m, mujoco_.d, expected.data(), nullptr, p_W.data(), mujoco_.body(c_.bodies[b].name));
      EXPECT_LT((J - expected).cwiseAbs().maxCoeff(), 1e-10) << c_.bodies[b].name;

      const VecX v = random_v(c_, random_, 1.0);
      const double h = 1e-6;
      const Vec3 ahead = body_poses(c_, integrate(c_, q, h * v))[b] * p_B;
      const Vec3 behind = body_poses(c_, integrate(c_, q, -h * v))[b] * p_B;
      EXPECT_LT((J * v - (ahead - behind) / (2 * h)).norm(), 1e-6 * (1 + v.norm())) << c_.bodies[b].name;
    }
  }
}

TEST_P(KinematicsTest, IntegrateEqualsMujocosAndDifferenceUndoesIt) {
  for (int trial = 0; trial < 10; ++trial) {
    const VecX q = random_q(c_, random_);
    const VecX v = random_v(c_, random_, 0.8);
    const VecX moved = integrate(c_, q, v);
    VecX expected = q;
    mj_integratePos(mujoco_.m, expected.data(), v.data(), 1.0);
    EXPECT_LT((moved - expected).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((difference(c_, q, moved) - v).cwiseAbs().maxCoeff(), 1e-9);
    VecX mujocos(c_.nv());
    mj_differentiatePos(mujoco_.m, mujocos.data(), 1.0, q.data(), moved.data());
    EXPECT_LT((difference(c_, q, moved) - mujocos).cwiseAbs().maxCoeff(), 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Characters, KinematicsTest,
                         testing::Values("assets/characters/human50.xml", "assets/characters/human57.xml",
                                         "assets/characters/human45.xml", "assets/characters/biped18.xml",
                                         "assets/characters/robot35.xml", "assets/characters/cheetah.xml",
                                         "tests/data/foreign_humanoid.xml"),
                         [](const auto& test) {
                           const std::string path = test.param;
                           const size_t slash = path.rfind('/') + 1;
                           return path.substr(slash, path.rfind('.') - slash);
                         });

// A point of the shape, evenly enough that the farthest of many is nearly the support.
Vec3 random_point(const Shape& shape, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Vec3 unit = Vec3(normal(random), normal(random), normal(random)).normalized();
  switch (shape.type) {
    case ShapeType::kSphere:
      return shape.size[0] * unit;
    case ShapeType::kCapsule:
      return shape.size[0] * unit + Vec3(0, 0, shape.size[1] * (uniform(random) > 0 ? 1 : -1));
    case ShapeType::kBox:
      return shape.size.cwiseProduct(
          Vec3(uniform(random) > 0 ? 1 : -1, uniform(random) > 0 ? 1 : -1, uniform(random) > 0 ? 1 : -1));
    case ShapeType::kEllipsoid:
      return shape.size.cwiseProduct(unit);
    case ShapeType::kCylinder: {
      const double angle = kPi * uniform(random);
      return Vec3(shape.size[0] * std::cos(angle), shape.size[0] * std::sin(angle),
                  shape.size[1] * (uniform(random) > 0 ? 1 : -1));
    }
    case ShapeType::kMesh:
      return shape.vertices[random() % shape.vertices.size()];
    case ShapeType::kPlane:
      break;
  }
  return Vec3::Zero();
}

TEST(SupportTest, IsTheFarthestOfManyPoints) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const ShapeType type : {ShapeType::kSphere, ShapeType::kCapsule, ShapeType::kBox,
                               ShapeType::kEllipsoid, ShapeType::kCylinder, ShapeType::kMesh}) {
    Shape shape;
    shape.type = type;
    shape.size = Vec3(0.3, 0.2, 0.5);
    shape.X_BS = {Vec3(0.1, 0.2, -0.3), exp_map(Vec3(0.4, -1.0, 0.7))};
    for (int i = 0; i < 12; ++i)
      shape.vertices.emplace_back(normal(random), normal(random), 3 + normal(random));
    const Pose X_WB{Vec3(1, 2, 3), exp_map(Vec3(-0.8, 0.1, 2.0))};
    for (int trial = 0; trial < 10; ++trial) {
      const Vec3 d = Vec3(normal(random), normal(random), normal(random)).normalized();
      const Vec3 p = support(shape, X_WB, 2.5 * d);
      double farthest = -1e9;
      for (int i = 0; i < 20000; ++i)
        farthest = std::max(farthest, d.dot(X_WB * (shape.X_BS * random_point(shape, random))));
      EXPECT_GE(d.dot(p), farthest - 1e-12) << static_cast<int>(type);
      EXPECT_LE(d.dot(p), farthest + 2e-3) << static_cast<int>(type);
    }
  }
}

}  // namespace
}  // namespace sinew
