// The quadruped and its gallop: what a character on all fours must be, and whether its motion obeys
// mechanics.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "character/dynamics.h"
#include "character/library.h"
#include "character/mujoco_model.h"
#include "character/plants.h"
#include "character/retarget.h"
#include "core/error.h"
#include "core/files.h"
#include "motion/load.h"

namespace sinew {
namespace {

const std::vector<std::string> kFolders = {SINEW_SOURCE_DIR "/assets/characters"};
const Vec3 kGravity(0, 0, -9.81);
constexpr size_t kStride = 24;  // frames of 1/60 s

const Character& cheetah() {
  static const Character character = load_character("cheetah", kFolders);
  return character;
}

Clip motion(const std::string& name) {
  return load_clip(SINEW_SOURCE_DIR "/assets/motions/" + name + ".json").clip;
}

const Retargeted& gallop() {
  static const Retargeted result = retarget(motion("gallop"), cheetah());
  return result;
}

// Which paws bear load at a frame.
std::set<Part> standing(size_t frame) {
  std::set<Part> paws;
  for (size_t k = 0; k < cheetah().contact_points.size(); ++k)
    if (gallop().reference.point_contact[frame][k])
      paws.insert(cheetah().bodies[static_cast<size_t>(cheetah().contact_points[k].body)].part);
  return paws;
}

TEST(Cheetah, StandsOnFourPawsWithAllItsParts) {
  const Character& c = cheetah();
  EXPECT_NEAR(c.mass_kg(), 45, 0.1);
  EXPECT_TRUE(stands_on_all_fours(c));
  EXPECT_FALSE(stands_on_all_fours(load_character("human50", kFolders)));
  for (int p = 1; p < kPartCount; ++p)
    EXPECT_GE(c.find(static_cast<Part>(p)), 0) << part_name(static_cast<Part>(p));

  // Three points of every paw on the floor, the centre of mass between them, all that is left mirrored.
  const auto X_WB = body_poses(c, c.q_rest);
  std::map<Part, int> points;
  double front = -1, back = 1;
  for (const ContactPoint& point : c.contact_points) {
    const Vec3 p_W = X_WB[static_cast<size_t>(point.body)] * point.p_BP;
    EXPECT_NEAR(p_W.z(), point.radius_m, 1e-9) << point.name;
    ++points[c.bodies[static_cast<size_t>(point.body)].part];
    front = std::max(front, p_W.x()), back = std::min(back, p_W.x());
  }
  for (const Part paw : {Part::kLeftHand, Part::kRightHand, Part::kLeftToes, Part::kRightToes})
    EXPECT_EQ(points[paw], 3);
  const Vec3 com = centre_of_mass(c, X_WB);
  EXPECT_NEAR(com.y(), 0, 1e-9);
  EXPECT_GT(com.x(), back + 0.3 * (front - back));
  EXPECT_LT(com.x(), back + 0.7 * (front - back));
  EXPECT_NEAR(X_WB[static_cast<size_t>(c.find(Part::kLeftClavicle))].p.z(), 0.75, 0.03);
}

TEST(Cheetah, LimitsAndGainsAreWhole) {
  for (size_t j = 1; j < cheetah().joints.size(); ++j) {
    const Joint& joint = cheetah().joints[j];
    EXPECT_TRUE(joint.limited) << joint.name;
    for (int k = 0; k < joint.v_size(); ++k) {
      EXPECT_LT(joint.lower[k], 0) << joint.name;
      EXPECT_GT(joint.upper[k], 0) << joint.name;
      EXPECT_GT(joint.kp[k], 0) << joint.name;
      EXPECT_GT(joint.kd[k], 0) << joint.name;
      EXPECT_GT(joint.torque_limit[k], 0) << joint.name;
    }
  }
}

TEST(Gallop, PawsStandAndNothingSinks) {
  const Retargeted& r = gallop();
  EXPECT_LT(r.report.after.foot_slide_m_s, 0.01);
  EXPECT_LT(r.report.after.max_penetration_m, 0.005);
  EXPECT_LT(r.report.pose_change_rad, 0.05);
  for (const VecX& q : r.reference.q)
    for (const Joint& joint : cheetah().joints)
      if (joint.type == JointType::kHinge) {
        EXPECT_GE(q[joint.q], joint.lower[0] - 1e-9) << joint.name;
        EXPECT_LE(q[joint.q], joint.upper[0] + 1e-9) << joint.name;
      }
}

// Rotary: right hind, left hind, a flight, left fore, right fore, a flight.
TEST(Gallop, FootfallsGoRoundWithTwoFlights) {
  const Reference& reference = gallop().reference;
  const double way = reference.q[3 * kStride][0] - reference.q[kStride][0];
  EXPECT_NEAR(way / (2 * kStride * reference.frame_time_s), 6.5, 0.05);
  std::vector<Part> order;
  int flights = 0;
  for (size_t f = kStride; f < 2 * kStride; ++f) {
    const std::set<Part> before = standing(f - 1), now = standing(f);
    for (const Part paw : now)
      if (!before.contains(paw)) order.push_back(paw);
    flights += now.empty() && !before.empty();
  }
  EXPECT_EQ(order, (std::vector<Part>{Part::kRightToes, Part::kLeftToes, Part::kLeftHand, Part::kRightHand}));
  EXPECT_EQ(flights, 2);
}

// The tail is no part that a person has; it is carried over by its name.
TEST(Gallop, TheTailBeats) {
  const Joint& tail = *std::find_if(cheetah().joints.begin(), cheetah().joints.end(),
                                    [](const Joint& joint) { return joint.name == "tail_base"; });
  double low = 1e9, high = -1e9;
  for (const VecX& q : gallop().reference.q) {
    const double y = log_map(Quat(q[tail.q], q[tail.q + 1], q[tail.q + 2], q[tail.q + 3])).y();
    low = std::min(low, y), high = std::max(high, y);
  }
  EXPECT_GT(high - low, 0.5);
}

TEST(Gallop, BipedsAndQuadrupedsDoNotTradeMotions) {
  const auto refusal = [](const std::string& clip, const std::string& character) -> std::string {
    try {
      retarget(motion(clip), load_character(character, kFolders));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(refusal("gallop", "human50"),
            "human50: stands on two feet, so a quadruped's motion cannot be put onto it");
  EXPECT_EQ(refusal("walk", "cheetah"),
            "cheetah: stands on all fours, so a biped's motion cannot be put onto it");
}

TEST(Gallop, LimbsDoNotPassThroughEachOther) {
  const MujocoModel mujoco(read_file(kFolders[0] + "/cheetah.xml"));
  ASSERT_NE(mujoco.m, nullptr);
  for (size_t f = 0; f <= kStride; ++f) {
    const VecX& q = gallop().reference.q[f];
    VecX::Map(mujoco.d->qpos, q.size()) = q;
    mj_forward(mujoco.m, mujoco.d);
    for (int i = 0; i < mujoco.d->ncon; ++i) {
      const mjContact& contact = mujoco.d->contact[i];
      EXPECT_GT(contact.dist, -0.001)
          << mj_id2name(mujoco.m, mjOBJ_BODY, mujoco.m->geom_bodyid[contact.geom1]) << " and "
          << mj_id2name(mujoco.m, mjOBJ_BODY, mujoco.m->geom_bodyid[contact.geom2]) << " at frame " << f;
    }
  }
}

// The force on the root that the motion asks for is what the ground must give: in the mean the weight, in
// flight nothing, and never a pull.
TEST(Gallop, TheGroundCanGiveWhatItAsksFor) {
  const Reference& r = gallop().reference;
  const double weight = 9.81 * cheetah().mass_kg();
  Vec3 mean = Vec3::Zero();
  for (size_t f = kStride; f < 4 * kStride; ++f) {
    const Vec3 force = inverse_dynamics(cheetah(), r.q[f], r.v[f], r.a[f], kGravity).head<3>();
    mean += force / (3.0 * kStride);
    EXPECT_GT(force.z(), -0.1 * weight) << f;
    EXPECT_LT(force.z(), 3.5 * weight) << f;
    if (standing(f - 1).empty() && standing(f).empty() && standing(f + 1).empty())
      EXPECT_LT(force.norm(), 0.1 * weight) << f;
    else
      EXPECT_LT(force.head<2>().norm(), 0.6 * std::max(force.z(), 0.2 * weight)) << f;
  }
  EXPECT_NEAR(mean.z(), weight, 0.1 * weight);
  EXPECT_LT(mean.head<2>().norm(), 0.05 * weight);
}

// The forces of the standing points that come nearest to a wrench on the root, by damped least squares; a
// point that would pull is left out.
MatX ground_forces(const VecX& wrench, const std::vector<Eigen::Matrix3Xd>& J) {
  std::vector<char> used(J.size(), 1);
  MatX forces = MatX::Zero(3, static_cast<long>(J.size()));
  for (int attempt = 0; attempt < 4; ++attempt) {
    MatX A = MatX::Zero(6, 3 * static_cast<long>(J.size()));
    for (size_t k = 0; k < J.size(); ++k)
      if (used[k]) A.middleCols<3>(3 * static_cast<long>(k)) = J[k].leftCols<6>().transpose();
    // A newton metre weighs as much as 3 N.
    VecX scale(6);
    scale << 1, 1, 1, 3, 3, 3;
    A = scale.asDiagonal() * A;
    const MatX normal = A.transpose() * A + 0.01 * MatX::Identity(A.cols(), A.cols());
    const VecX f = normal.ldlt().solve(A.transpose() * scale.cwiseProduct(wrench));
    forces = f.reshaped(3, static_cast<long>(J.size()));
    bool pulls = false;
    for (size_t k = 0; k < J.size(); ++k)
      if (used[k] && forces(2, static_cast<long>(k)) < 0) used[k] = 0, pulls = true;
    if (!pulls) break;
  }
  return forces;
}

TEST(Gallop, MusclesAreStrongEnough) {
  const Character& c = cheetah();
  const Reference& r = gallop().reference;
  size_t within = 0, frames = 0;
  double most = 0;
  for (size_t f = kStride; f < 4 * kStride; ++f, ++frames) {
    VecX torque = inverse_dynamics(c, r.q[f], r.v[f], r.a[f], kGravity);
    const Kinematics at = forward_kinematics(c, r.q[f]);
    std::vector<Eigen::Matrix3Xd> J;
    for (size_t k = 0; k < c.contact_points.size(); ++k)
      if (r.point_contact[f][k]) {
        const ContactPoint& point = c.contact_points[k];
        const Vec3 p_W = at.X_WB[static_cast<size_t>(point.body)] * point.p_BP - Vec3(0, 0, point.radius_m);
        J.push_back(point_jacobian(c, at, point.body, p_W));
      }
    const MatX forces = ground_forces(torque.head<6>(), J);
    for (size_t k = 0; k < J.size(); ++k) torque -= J[k].transpose() * forces.col(static_cast<long>(k));
    double share = 0;
    for (size_t j = 1; j < c.joints.size(); ++j)
      for (int i = 0; i < c.joints[j].v_size(); ++i)
        share = std::max(share, std::abs(torque[c.joints[j].v + i]) / c.joints[j].torque_limit[i]);
    within += share <= 1;
    most = std::max(most, share);
  }
  EXPECT_GE(static_cast<double>(within), 0.95 * static_cast<double>(frames));
  // As docs/characters.md says.
  EXPECT_LT(most, 0.7);
}

}  // namespace
}  // namespace sinew
