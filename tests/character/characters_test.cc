#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "character/library.h"
#include "character/mjcf.h"
#include "character/mujoco_model.h"
#include "character/transfer.h"
#include "core/files.h"

namespace sinew {
namespace {

const std::string kFolder = std::string(SINEW_SOURCE_DIR) + "/assets/characters";

Character load(const std::string& name) { return load_character(name, {kFolder}); }

const Body& body(const Character& c, const std::string& name) {
  for (const Body& b : c.bodies)
    if (b.name == name) return b;
  throw std::runtime_error("no body " + name);
}

const Joint& joint(const Character& c, const std::string& name) {
  for (const Joint& j : c.joints)
    if (j.name == name) return j;
  throw std::runtime_error("no joint " + name);
}

std::vector<std::string> both_sides(const std::string& name, bool limb) {
  if (!limb) return {name};
  return {"left_" + name, "right_" + name};
}

void expect_near(const Vec3& a, const Vec3& b, const std::string& what) {
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-9) << what << ": " << a.transpose() << " not " << b.transpose();
}

// 004 counts its axes x lateral, y up, z forward; ours are x forward, y left, z up.
Vec3 from_paper(double x, double y, double z) { return Vec3(z, x, y); }

struct MassRow {
  std::string segment;
  bool limb;
  double mass;
  Vec3 inertia;  // in the paper's axes
};

// Liu et al. 2010, Table 1.
TEST(Human50Test, HasTheMassesAndInertiasOfTable1) {
  const Character c = load("human50");
  const std::vector<MassRow> rows = {
      {"head", false, 5.494, {3.441e-2, 2.210e-2, 3.441e-2}},
      {"clavicle", true, 2.399, {5.062e-3, 8.265e-3, 8.265e-3}},
      {"upper_arm", true, 1.814, {2.173e-3, 9.104e-3, 9.104e-3}},
      {"lower_arm", true, 1.526, {1.640e-3, 6.753e-3, 6.753e-3}},
      {"hand", true, 0.4588, {3.766e-4, 1.597e-3, 1.274e-3}},
      {"thorax", false, 14.31, {1.300e-1, 1.601e-1, 2.122e-1}},
      {"pelvis", false, 4.836, {1.620e-2, 4.732e-2, 4.022e-2}},
      {"thigh", true, 6.524, {8.714e-2, 1.709e-2, 8.714e-2}},
      {"shin", true, 4.612, {5.565e-2, 8.931e-3, 5.565e-2}},
      {"foot", true, 1.612, {9.479e-3, 9.706e-3, 1.714e-3}},
  };
  size_t count = 0;
  for (const MassRow& row : rows)
    for (const std::string& name : both_sides(row.segment, row.limb)) {
      ++count;
      EXPECT_NEAR(body(c, name).mass_kg, row.mass, 1e-9) << name;
      const Mat3 expected = from_paper(row.inertia.x(), row.inertia.y(), row.inertia.z()).asDiagonal();
      EXPECT_LT((body(c, name).I_C - expected).cwiseAbs().maxCoeff(), 1e-9) << name;
    }
  EXPECT_EQ(count, c.bodies.size());
  EXPECT_EQ(c.nv(), 50);
  EXPECT_NEAR(c.mass_kg(), 62.5, 0.05);
  EXPECT_NEAR(standing_height(c), 1.7, 1e-6);
}

struct ServoRow {
  std::string joint;
  bool limb;
  double kp, kd;
  Vec3 strength, window;  // in the paper's axes; a hinge has the first
  double contact_scale, limit;
};

void expect_servos(const Character& c, const std::vector<ServoRow>& rows) {
  size_t count = 1;
  for (const ServoRow& row : rows)
    for (const std::string& name : both_sides(row.joint, row.limb)) {
      ++count;
      const Joint& j = joint(c, name);
      const bool ball = j.type == JointType::kBall;
      const auto ours = [&](const Vec3& v) {
        return ball ? from_paper(v.x(), v.y(), v.z()) : Vec3(v.x(), 0, 0);
      };
      expect_near(j.kp, row.kp * ours(row.strength), name + " kp");
      expect_near(j.kd, row.kd * ours(row.strength), name + " kd");
      expect_near(j.window, ours(row.window), name + " window");
      expect_near(j.torque_limit, row.limit * ours(Vec3::Ones()), name + " limit");
      EXPECT_EQ(j.contact_scale, row.contact_scale) << name;
    }
  EXPECT_EQ(count, c.joints.size());
}

// Liu et al. 2010, Table 2. The ankle's contact scale is the upper end of its range, 1 to 5.
TEST(Human50Test, HasTheServosOfTable2) {
  const Vec3 one = Vec3::Ones(), none = Vec3::Zero();
  expect_servos(load("human50"), {{"neck", false, 100, 10, {1, 0.4, 1}, 0.2 * one, 1, 60},
                                  {"sternoclavicular", true, 300, 30, {0.1, 1, 1}, 0.1 * one, 1, 120},
                                  {"shoulder", true, 100, 5, {0.2, 1, 1}, 0.2 * one, 3, 120},
                                  {"elbow", true, 100, 5, {0.2, 1, 1}, none, 3, 80},
                                  {"wrist", true, 20, 1, {0.1, 1, 1}, none, 5, 20},
                                  {"waist", false, 1000, 100, {0.4, 1, 1}, 0.2 * one, 1, 300},
                                  {"hip", true, 300, 30, {1, 0.2, 1}, {0.4, 0.4, 0.1}, 1, 300},
                                  {"knee", true, 300, 30, one, 0.2 * one, 1, 300},
                                  {"ankle", true, 100, 10, {1, 1, 0.5}, {0.4, 0.2, 0.1}, 5, 250}});
}

// Liu et al. 2010, Table 3.
TEST(Robot35Test, HasTheServosOfTable3) {
  const Vec3 one = Vec3::Ones(), none = Vec3::Zero();
  const Character c = load("robot35");
  expect_servos(c, {{"neck", false, 40, 4, one, none, 1, 60},
                    {"shoulder", true, 100, 10, {0.15, 1, 1}, {0.8, 0.8, 0.25}, 3, 120},
                    {"elbow", true, 100, 10, one, 0.2 * one, 3, 80},
                    {"wrist", true, 10, 1, {0.1, 0.4, 1}, none, 3, 20},
                    {"hip", true, 500, 50, {1, 0.2, 1}, {0.8, 0.1, 0.4}, 1, 300},
                    {"knee", true, 300, 30, one, 0.6 * one, 1, 300},
                    {"ankle", true, 200, 20, {1, 1, 0.5}, {0.6, 0.6, 0.05}, 3, 250}});
  EXPECT_EQ(c.nv(), 35);
  EXPECT_NEAR(c.mass_kg(), 49.5, 1e-9);
  EXPECT_NEAR(standing_height(c), 1.2, 1e-6);
}

// The inertia about an axis of all that hangs on a joint, at rest.
double hanging_inertia(const Character& c, size_t j, const Vec3& axis_B) {
  const Kinematics at = forward_kinematics(c, c.q_rest);
  const Vec3 axis = at.q_WJ[j] * axis_B;
  double sum = c.joints[j].armature;
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    int above = static_cast<int>(b);
    while (above > c.joints[j].body) above = c.bodies[static_cast<size_t>(above)].parent;
    if (above != c.joints[j].body) continue;
    const Vec3 axis_b = at.X_WB[b].q.conjugate() * axis;
    const Vec3 arm = at.X_WB[b] * c.bodies[b].p_BC - at.p_WJ[j];
    sum += axis_b.dot(c.bodies[b].I_C * axis_b) + c.bodies[b].mass_kg * axis.cross(arm).squaredNorm();
  }
  return sum;
}

// da Silva et al. 2008: the damping is critical for the stiffness.
void expect_critical_damping(const Character& c) {
  for (size_t j = 1; j < c.joints.size(); ++j)
    for (int k = 0; k < c.joints[j].v_size(); ++k) {
      const Vec3 axis = c.joints[j].type == JointType::kBall ? Vec3(Vec3::Unit(k)) : c.joints[j].axis_B;
      const double expected = 2 * std::sqrt(c.joints[j].kp[k] * hanging_inertia(c, j, axis));
      EXPECT_NEAR(c.joints[j].kd[k], expected, 1e-9 * expected) << c.joints[j].name;
    }
}

// da Silva et al. 2008, Table 3.
TEST(Human57Test, HasTheMassesAndStiffnessOfTable3) {
  const Character c = load("human57");
  const std::map<std::string, std::pair<double, double>> rows = {
      {"pelvis", {0, 12.92}},           {"left_thigh", {4000, 9.0853}},    {"left_shin", {4000, 3.944}},
      {"left_foot", {1000, 1}},         {"left_toes", {4000, 0.3}},        {"thorax", {3000, 17.155}},
      {"left_clavicle", {4000, 2.535}}, {"left_upper_arm", {4000, 1.435}}, {"left_lower_arm", {3000, 0.575}},
      {"left_hand", {3000, 0.5}}};
  for (const auto& [name, row] : rows)
    for (const std::string& side :
         name.starts_with("left_") ? both_sides(name.substr(5), true) : both_sides(name, false)) {
      const Body& b = body(c, side);
      EXPECT_NEAR(b.mass_kg, row.second, 1e-9) << side;
      for (int j = b.first_joint; j < b.first_joint + b.joint_count && b.parent >= 0; ++j)
        for (int k = 0; k < c.joints[static_cast<size_t>(j)].v_size(); ++k)
          EXPECT_EQ(c.joints[static_cast<size_t>(j)].kp[k], row.first) << side;
    }
  EXPECT_EQ(c.nv(), 57);
  EXPECT_EQ(c.bodies.size(), 18u);
  EXPECT_EQ(c.find(Part::kHead), -1);
  expect_critical_damping(c);
}

// da Silva et al. 2008, Table 2; the table's inertia is the one about the axis of the plane, y.
TEST(Biped18Test, HasTheMassesInertiasAndStiffnessOfTable2) {
  const Character c = load("biped18");
  struct Row {
    std::string segment;
    bool limb;
    double stiffness, mass, inertia;
  };
  for (const Row& row : {Row{"head", false, 3000, 3, 0.011}, Row{"upper_arm", true, 4000, 2, 0.022},
                         Row{"lower_arm", true, 3000, 1, 0.009}, Row{"thigh", true, 4000, 7, 0.121},
                         Row{"shin", true, 4000, 5, 0.077}, Row{"foot", true, 4000, 4, 0.019}})
    for (const std::string& name : both_sides(row.segment, row.limb)) {
      const Body& b = body(c, name);
      EXPECT_NEAR(b.mass_kg, row.mass, 1e-9) << name;
      EXPECT_NEAR(b.I_C(1, 1), row.inertia, 1e-9) << name;
      EXPECT_EQ(c.joints[static_cast<size_t>(b.first_joint)].kp[0], row.stiffness) << name;
    }
  // The torso of 10 kg and 0.176 kg m^2 is two bodies.
  const Body &low = body(c, "pelvis"), &high = body(c, "thorax");
  const auto X_WB = body_poses(c, c.q_rest);
  const double apart =
      (X_WB[0] * low.p_BC - X_WB[static_cast<size_t>(c.find(Part::kThorax))] * high.p_BC).norm();
  EXPECT_NEAR(low.mass_kg + high.mass_kg, 10, 1e-9);
  EXPECT_NEAR(low.I_C(1, 1) + high.I_C(1, 1) + low.mass_kg * high.mass_kg / 10 * apart * apart, 0.176, 1e-6);
  EXPECT_EQ(c.nv(), 18);
  EXPECT_NEAR(c.mass_kg(), 51, 1e-9);
  for (size_t j = 1; j < c.joints.size(); ++j)
    expect_near(c.joints[j].axis_B, Vec3::UnitY(), c.joints[j].name);
  expect_critical_damping(c);
}

// Nunes et al. 2008, section 6: 14 bodies, 39 + 6 degrees of freedom, all ball joints, the pelvis is the
// root.
TEST(Human45Test, IsFourteenBodiesOnBallJoints) {
  const Character c = load("human45");
  EXPECT_EQ(c.bodies.size(), 14u);
  EXPECT_EQ(c.nv(), 45);
  EXPECT_EQ(c.bodies[0].part, Part::kPelvis);
  for (size_t j = 1; j < c.joints.size(); ++j) {
    EXPECT_EQ(c.joints[j].type, JointType::kBall);
    EXPECT_GT(c.joints[j].kp.minCoeff(), 0);
    EXPECT_GT(c.joints[j].kd.minCoeff(), 0);
  }
}

class CharactersTest : public testing::TestWithParam<const char*> {
 protected:
  Character c_ = load(GetParam());
  std::string text_ = read_file(kFolder + "/" + GetParam() + ".xml");
};

TEST_P(CharactersTest, StandsFlatOnTheFloorAndFacesX) {
  const auto X_WB = body_poses(c_, c_.q_rest);
  EXPECT_NEAR(lowest_point(c_, X_WB), 0, 1e-9);
  std::map<Part, int> points, flat;
  for (const ContactPoint& point : c_.contact_points) {
    const Part part = c_.bodies[static_cast<size_t>(point.body)].part;
    ++points[part];
    if (point.name.find("hand") != std::string::npos) continue;
    // All stand on the floor but the tip of a shoe, which may be 3 mm above it.
    const double gap = (X_WB[static_cast<size_t>(point.body)] * point.p_BP).z() - point.radius_m;
    EXPECT_GT(gap, -1e-9) << point.name;
    EXPECT_LT(gap, 0.003 + 1e-9) << point.name;
    if (gap < 1e-9) ++flat[part];
    EXPECT_GT(point.radius_m, 0) << point.name;
  }
  EXPECT_GE(flat[Part::kLeftFoot], 4);
  EXPECT_EQ(points[Part::kLeftFoot], points[Part::kRightFoot]);
  // Toes are before heels, the left is left, and body frames are the world's.
  double front = -1, back = 1;
  for (const ContactPoint& point : c_.contact_points)
    if (point.name.starts_with("left_foot")) {
      front = std::max(front, (X_WB[static_cast<size_t>(point.body)] * point.p_BP).x());
      back = std::min(back, (X_WB[static_cast<size_t>(point.body)] * point.p_BP).x());
    }
  EXPECT_GT(front, 0.07);
  EXPECT_LT(back, -0.02);
  const double hip_y = X_WB[static_cast<size_t>(c_.find(Part::kLeftThigh))].p.y();
  if (is_planar(c_))
    EXPECT_EQ(hip_y, 0);
  else
    EXPECT_GT(hip_y, 0.05);
  for (const Pose& X : X_WB) EXPECT_LT(angle_between(X.q, Quat::Identity()), 1e-9);
}

TEST_P(CharactersTest, CentreOfMassIsAboveTheFeet) {
  const auto X_WB = body_poses(c_, c_.q_rest);
  const Vec3 com = centre_of_mass(c_, X_WB);
  EXPECT_NEAR(com.y(), 0, 1e-9);
  EXPECT_GT(com.x(), -0.03);
  EXPECT_LT(com.x(), 0.1);
  // The biped's table gives it heavy legs.
  EXPECT_NEAR(com.z() / standing_height(c_), c_.name == "biped18" ? 0.42 : 0.56, 0.05);
}

// Everything of the left has its mirror image on the right.
TEST_P(CharactersTest, IsItsOwnMirrorImage) {
  const auto X_WB = body_poses(c_, c_.q_rest);
  const Vec3 flip(1, -1, 1);
  for (size_t b = 0; b < c_.bodies.size(); ++b) {
    const Body& left = c_.bodies[b];
    if (!left.name.starts_with("left_")) continue;
    const std::string other = "right_" + left.name.substr(5);
    const Body& right = body(c_, other);
    const auto r = static_cast<size_t>(&right - c_.bodies.data());
    EXPECT_EQ(part_mirror(left.part), right.part);
    EXPECT_EQ(left.mass_kg, right.mass_kg);
    expect_near(X_WB[r].p, flip.cwiseProduct(X_WB[b].p), other);
    expect_near(right.p_BC, flip.cwiseProduct(left.p_BC), other);
    const Mat3 mirrored = flip.asDiagonal() * left.I_C * flip.asDiagonal();
    EXPECT_LT((right.I_C - mirrored).cwiseAbs().maxCoeff(), 1e-12) << other;
  }
  for (const Joint& left : c_.joints) {
    if (!left.name.starts_with("left_")) continue;
    const Joint& right = joint(c_, "right_" + left.name.substr(5));
    expect_near(right.kp, left.kp, right.name);
    if (left.type == JointType::kBall) {
      expect_near(right.lower, Vec3(-left.upper.x(), left.lower.y(), -left.upper.z()), right.name);
      expect_near(right.upper, Vec3(-left.lower.x(), left.upper.y(), -left.lower.z()), right.name);
    } else {
      expect_near(right.axis_B, Vec3(-left.axis_B.x(), left.axis_B.y(), -left.axis_B.z()), right.name);
      expect_near(right.lower, left.lower, right.name);
    }
  }
}

// Knees and elbows bend one way only: a turned joint puts the ankle behind the knee, the wrist before the
// elbow.
TEST_P(CharactersTest, KneesAndElbowsDoNotBendBackwards) {
  for (const Joint& j : c_.joints) {
    const bool knee = j.name.ends_with("knee"), elbow = j.name.ends_with("elbow");
    if (!knee && !elbow) continue;
    ASSERT_TRUE(j.limited) << j.name;
    for (int k = 0; k < j.v_size(); ++k)
      for (const double angle : {j.lower[k], j.upper[k]}) {
        VecX dv = VecX::Zero(c_.nv());
        dv[j.v + k] = angle;
        const Vec3 tip = knee ? Vec3(0, 0, -0.1) : Vec3(0, j.name.starts_with("left") ? 0.1 : -0.1, 0);
        const Vec3 limb = c_.name == "biped18" && elbow ? Vec3(0, 0, -0.1) : tip;
        const Vec3 turned =
            body_poses(c_, integrate(c_, c_.q_rest, dv))[static_cast<size_t>(j.body)].q * limb;
        EXPECT_GT(knee ? -turned.x() : turned.x(), -0.1 * std::sin(radians(20))) << j.name << " axis " << k;
      }
    // The flexion itself does not pass the straight limb at all.
    const int flexion = j.type != JointType::kBall ? 0 : knee ? 1 : 2;
    EXPECT_TRUE(j.lower[flexion] == 0 || j.upper[flexion] == 0) << j.name;
    EXPECT_NEAR(j.upper[flexion] - j.lower[flexion], radians(152.5), radians(2.6)) << j.name;
  }
}

TEST_P(CharactersTest, MujocosConeIsNoNarrowerThanTheLimits) {
  const MujocoModel mujoco(text_);
  ASSERT_NE(mujoco.m, nullptr);
  for (const Joint& j : c_.joints) {
    if (j.type == JointType::kFree) continue;
    EXPECT_TRUE(j.limited) << j.name;
    EXPECT_TRUE((j.lower.array() <= 0).all() && (j.upper.array() >= 0).all()) << j.name;
    const int id = mj_name2id(mujoco.m, mjOBJ_JOINT, j.name.c_str());
    if (j.type == JointType::kBall) {
      const double corner = j.lower.cwiseAbs().cwiseMax(j.upper.cwiseAbs()).norm();
      EXPECT_GE(mujoco.m->jnt_range[2 * id + 1], std::min(corner, kPi) - 1e-4) << j.name;
    }
  }
}

// In plain MuJoCo, without servos, it falls down and comes to no harm.
TEST_P(CharactersTest, FallsWithoutHarmInPlainMujoco) {
  std::string xml = text_;
  xml.insert(xml.find("<worldbody>") + 11, "<geom type='plane' size='9 9 1'/>");
  const MujocoModel mujoco(xml);
  ASSERT_NE(mujoco.m, nullptr);
  EXPECT_NEAR(mujoco.m->geom_friction[3], 0.8, 1e-9);
  mj_forward(mujoco.m, mujoco.d);
  // At rest only the soles touch.
  for (int i = 0; i < mujoco.d->ncon; ++i) EXPECT_EQ(mujoco.m->geom_bodyid[mujoco.d->contact[i].geom1], 0);
  mujoco.d->qvel[0] = 0.2;
  while (mujoco.d->time < 1.5) {
    const double before = mujoco.d->time;
    mj_step(mujoco.m, mujoco.d);
    ASSERT_GT(mujoco.d->time, before) << "MuJoCo reset itself";
  }
  for (int w = 0; w < mjNWARNING; ++w) EXPECT_EQ(mujoco.d->warning[w].number, 0) << w;
  const double height = mujoco.d->qpos[2];
  EXPECT_GT(height, 0.03);
  EXPECT_LT(height, 0.75 * c_.q_rest[2]);
}

INSTANTIATE_TEST_SUITE_P(All, CharactersTest,
                         testing::Values("human50", "human57", "human45", "biped18", "robot35"),
                         [](const auto& test) { return std::string(test.param); });

TEST(LibraryTest, NamesAllCharactersAndListsThemForAWrongName) {
  const auto names = character_names({kFolder, "/no/such/folder"});
  EXPECT_EQ(names, (std::vector<std::string>{"biped18", "cheetah", "child", "cyclist", "human45", "human50",
                                             "human57", "man", "robot35", "runner", "woman"}));
  EXPECT_EQ(load_character(kFolder + "/human50.xml", {}).name, "human50");
  try {
    load("human51");
    FAIL() << "an unknown name was accepted";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("human51"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("biped18, cheetah, child, cyclist, human45, human50"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace sinew
