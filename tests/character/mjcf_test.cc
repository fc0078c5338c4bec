#include "character/mjcf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <regex>

#include "character/servo_text.h"
#include "character/write_mjcf.h"
#include "core/error.h"
#include "core/files.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

const std::string kSource = SINEW_SOURCE_DIR;

const Joint& joint(const Character& c, const std::string& name) {
  for (const Joint& j : c.joints)
    if (j.name == name) return j;
  throw std::runtime_error("no joint " + name);
}

bool noted(const Character& c, const std::string& words) {
  for (const std::string& note : c.notes)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

std::string part_of(const Character& c, const std::string& body) {
  for (const Body& b : c.bodies)
    if (b.name == body) return std::string(part_name(b.part));
  return "no such body";
}

// The sentence that a text is refused with.
std::string refusal(const std::string& xml) {
  try {
    read_mjcf(xml, "some.xml");
  } catch (const Error& e) {
    return e.what();
  }
  return "it was accepted";
}

void expect_refused(const std::string& xml, const std::string& words) {
  const std::string sentence = refusal(xml);
  EXPECT_TRUE(sentence.starts_with("some.xml:")) << sentence;
  EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
}

// A folder of its own for files that a test writes.
class Scratch {
 public:
  explicit Scratch(const std::string& name)
      : path_(fs::temp_directory_path() / ("sinew-" + name + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ec;
    fs::remove_all(path_, ec);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// A pelvis with two legs; `shin_end` is put inside each shin, `extra` at the end of the file.
std::string legs(const std::string& shin_end, const std::string& extra = "", const std::string& mass = "1") {
  std::string out =
      "<mujoco><worldbody><body name='pelvis' pos='0 0 1'><freejoint name='root'/>"
      "<geom size='.1' mass='" +
      mass + "'/>";
  for (const std::string side : {"left", "right"}) {
    const std::string y = side == "left" ? "0.1" : "-0.1";
    out += "<body name='" + side + "_thigh' pos='0 " + y + " 0'><joint name='" + side +
           "_hip' type='ball'/><geom type='capsule' size='.05' fromto='0 0 0 0 0 -.4'/>"
           "<body name='" +
           side + "_shin' pos='0 0 -.4'><joint name='" + side +
           "_knee' axis='0 1 0'/><geom type='capsule' size='.04' fromto='0 0 0 0 0 -.4'/>" + shin_end +
           "</body></body>";
  }
  return out + "</body></worldbody>" + extra + "</mujoco>";
}

const std::string kBoxFoot =
    "<body pos='0 0 -.4'><joint axis='0 1 0'/><geom type='box' size='.12 .04 .02' pos='.06 0 -.05'/></body>";

TEST(MjcfTest, ReadsAForeignHumanoid) {
  const Character c = load_character_file(kSource + "/tests/data/foreign_humanoid.xml");
  EXPECT_EQ(c.name, "foreign_humanoid");
  EXPECT_EQ(c.nv(), 27);
  EXPECT_EQ(part_of(c, "torso"), "thorax");
  EXPECT_EQ(part_of(c, "skull"), "head");
  EXPECT_EQ(part_of(c, "lwaist"), "abdomen");
  EXPECT_EQ(part_of(c, "pelvis"), "pelvis");
  EXPECT_EQ(part_of(c, "Thigh.L"), "left_thigh");
  EXPECT_EQ(part_of(c, "Shin.R"), "right_shin");
  EXPECT_EQ(part_of(c, "Foot.L"), "left_foot");
  EXPECT_EQ(part_of(c, "UpperArm.R"), "right_upper_arm");
  EXPECT_EQ(part_of(c, "LowerArm.L"), "left_lower_arm");
  EXPECT_TRUE(noted(c, "post"));
  EXPECT_TRUE(noted(c, "floor"));
  EXPECT_TRUE(noted(c, "stiffness and damping derived"));

  // It was drawn facing -Y, in the air; it stands facing +X, and the crouch is not its rest.
  EXPECT_TRUE(noted(c, "turned by 90 degrees"));
  const auto X_WB = body_poses(c, c.q_rest);
  EXPECT_NEAR(lowest_point(c, X_WB), 0, 1e-12);
  const Vec3 across = X_WB[static_cast<size_t>(c.find(Part::kLeftThigh))].p -
                      X_WB[static_cast<size_t>(c.find(Part::kRightThigh))].p;
  EXPECT_NEAR(across.y(), across.norm(), 1e-9);
  EXPECT_GT(X_WB[static_cast<size_t>(c.find(Part::kThorax))].p.z(), 1.2);

  // Two capsules a foot, one round hand an arm.
  EXPECT_EQ(c.contact_points.size(), 10u);
  for (const ContactPoint& point : c.contact_points)
    if (point.name.find("foot") != std::string::npos) {
      EXPECT_NEAR((X_WB[static_cast<size_t>(point.body)] * point.p_BP).z(), point.radius_m, 1e-9);
    }
}

TEST(MjcfTest, DerivesServosOfAForeignHumanoid) {
  const Character c = load_character_file(kSource + "/tests/data/foreign_humanoid.xml");
  for (const Joint& j : c.joints) {
    if (j.type == JointType::kFree) continue;
    EXPECT_GT(j.kp[0], 1) << j.name;
    EXPECT_GT(j.kd[0], 0.05 * j.kp[0]) << j.name;
    EXPECT_GT(j.torque_limit[0], 0) << j.name;
    EXPECT_TRUE(j.limited);
  }
  // Motors: gear 200 at full control, gear 120 at half; the rest by part.
  EXPECT_NEAR(joint(c, "knee_l").torque_limit[0], 200, 1e-9);
  EXPECT_NEAR(joint(c, "hip_x_r").torque_limit[0], 60, 1e-9);
  EXPECT_NEAR(joint(c, "ankle_y_l").torque_limit[0], 250, 1e-9);
  EXPECT_NEAR(joint(c, "knee_l").armature, 0.01, 1e-12);
  EXPECT_NEAR(joint(c, "abdomen_z").damping, 8, 1e-12);
  EXPECT_NEAR(joint(c, "abdomen_z").stiffness, 10, 1e-12);
  // An ankle must hold half of the body, whose centre is about 0.85 m above it.
  EXPECT_GT(joint(c, "ankle_y_l").kp[0], 0.5 * 40 * 9.81 * 0.8);
  for (const Joint& j : c.joints)
    if (j.name.ends_with("_l")) {
      EXPECT_NEAR(joint(c, j.name.substr(0, j.name.size() - 1) + "r").kp[0], j.kp[0], 1e-9) << j.name;
    }
}

TEST(MjcfTest, FindsPartsWithoutNames) {
  // The names of a character of ours are taken away, and it is turned around: limbs are found all the same.
  std::string xml = read_file(kSource + "/assets/characters/human50.xml");
  const Character named = read_mjcf(xml, "named");
  for (size_t b = 0; b < named.bodies.size(); ++b)
    xml = std::regex_replace(xml, std::regex("\"" + named.bodies[b].name + "\""),
                             "\"link" + std::to_string(b) + "\"");
  xml = std::regex_replace(xml, std::regex(R"re(pos="0 0 0.9">)re"), "pos=\"0 0 0.9\" euler=\"0 0 180\">");
  const Character bare = read_mjcf(xml, "bare");
  ASSERT_EQ(bare.bodies.size(), named.bodies.size());
  EXPECT_EQ(bare.bodies[1].name, "link1");
  for (size_t b = 0; b < bare.bodies.size(); ++b)
    EXPECT_EQ(part_name(bare.bodies[b].part), part_name(named.bodies[b].part)) << named.bodies[b].name;
  EXPECT_TRUE(noted(bare, "legs found by where bodies hang"));
  EXPECT_TRUE(noted(bare, "180 degrees"));
  EXPECT_LT(angle_between(body_poses(bare, bare.q_rest)[0].q, Quat::Identity()), 1e-9);
}

TEST(MjcfTest, KnowsManyWaysToNameALimb) {
  const std::vector<std::array<std::string, 4>> ways = {
      {"left_thigh", "left_shin", "left_foot", "left_toes"},
      {"LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"},
      {"lfemur", "ltibia", "lfoot", "ltoes"},
      {"L_Hip", "L_Knee", "L_Ankle", "L_Toe"},
      {"thigh_l", "calf_l", "foot_l", "ball_l_toe"},
      {"leg_left_upper_leg", "l_shank", "l_ankle", "l_toe"}};
  for (const auto& way : ways) {
    std::string xml = "<mujoco><worldbody><body name='base' pos='0 0 1'><freejoint/><geom size='.1'/>";
    for (const bool left : {true, false}) {
      std::string end;
      double y = left ? 0.1 : -0.1;
      for (std::string name : way) {
        if (!left) {
          for (const auto& [from, to] : {std::pair{"left", "right"}, std::pair{"Left", "Right"},
                                         std::pair{"L_", "R_"}, std::pair{"_l_", "_r_"}})
            name = std::regex_replace(name, std::regex(from), to);
          if (name.ends_with("_l")) name.back() = 'r';
          if (name.starts_with("l") && !name.starts_with("leg")) name.front() = 'r';
        }
        xml += "<body name='" + name + "' pos='0 " + std::to_string(y) +
               " -.3'><joint type='ball'/><geom type='capsule' size='.03' fromto='0 0 0 0 0 -.2'/>";
        end += "</body>";
        y = 0;
      }
      xml += end;
    }
    const Character c = read_mjcf(xml + "</body></worldbody></mujoco>", "ways");
    const std::array expected = {"left_thigh", "left_shin", "left_foot", "left_toes"};
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(part_of(c, way[i]), expected[i]) << way[i];
    EXPECT_EQ(c.bodies[0].part, Part::kPelvis);
    EXPECT_FALSE(noted(c, "found by where")) << way[0];
  }
}

TEST(MjcfTest, TakesTheOutermostOfSeveralBodiesAtOneJoint) {
  // As robots are drawn: one body a hinge. The chest carries two shoulders of two bodies.
  std::string xml = "<mujoco><worldbody><body name='pelvis_link' pos='0 0 1'><freejoint/><geom size='.1'/>";
  const auto chain = [&](const std::vector<std::string>& names, const std::string& at) {
    std::string end, pos = at;
    for (const std::string& name : names) {
      xml += "<body name='" + name + "' pos='" + pos + "'><joint axis='0 1 0'/><geom size='.03'/>";
      end += "</body>";
      pos = name.find("yaw") != std::string::npos ? "0 0 -.01" : "0 0 -.3";
    }
    xml += end;
  };
  for (const std::string side : {"left", "right"})
    chain({side + "_hip_yaw_link", side + "_hip_pitch_link", side + "_knee_link", side + "_ankle_link"},
          side == "left" ? "0 .1 0" : "0 -.1 0");
  xml += "<body name='torso_link' pos='0 0 .1'><joint axis='0 0 1'/><geom size='.1'/>";
  for (const std::string side : {"left", "right"})
    chain({side + "_shoulder_yaw_link", side + "_shoulder_roll_link", side + "_elbow_link"},
          side == "left" ? "0 .2 .3" : "0 -.2 .3");
  const Character c = read_mjcf(xml + "</body></body></worldbody></mujoco>", "robot");
  EXPECT_EQ(part_of(c, "left_hip_yaw_link"), "");
  EXPECT_EQ(part_of(c, "left_hip_pitch_link"), "left_thigh");
  EXPECT_EQ(part_of(c, "right_knee_link"), "right_shin");
  EXPECT_EQ(part_of(c, "right_ankle_link"), "right_foot");
  EXPECT_EQ(part_of(c, "torso_link"), "thorax");
  EXPECT_EQ(part_of(c, "left_shoulder_yaw_link"), "");
  EXPECT_EQ(part_of(c, "left_shoulder_roll_link"), "left_upper_arm");
  EXPECT_EQ(part_of(c, "right_elbow_link"), "right_lower_arm");
}

TEST(MjcfTest, BoxFeetStandOnTheirFourLowestCorners) {
  const Character c = read_mjcf(legs(kBoxFoot), "box");
  ASSERT_EQ(c.contact_points.size(), 8u);
  const auto X_WB = body_poses(c, c.q_rest);
  for (const ContactPoint& point : c.contact_points) {
    EXPECT_EQ(point.radius_m, 0);
    EXPECT_NEAR((X_WB[static_cast<size_t>(point.body)] * point.p_BP).z(), 0, 1e-9);
  }
}

TEST(MjcfTest, CountsHingesFromTheDrawnPose) {
  const std::string foot =
      "<body pos='0 0 -.4'><joint axis='0 1 0' ref='30' limited='true' range='10 50'/><geom "
      "size='.05'/></body>";
  const Character c = read_mjcf(legs(foot), "ref");
  const Joint& ankle = c.joints[3];
  EXPECT_NEAR(ankle.lower[0], radians(-20), 1e-9);
  EXPECT_NEAR(ankle.upper[0], radians(20), 1e-9);
  EXPECT_EQ(c.q_rest[ankle.q], 0);
  EXPECT_TRUE(noted(c, "not from ref"));
}

TEST(MjcfTest, ServoTextServesBothSidesAndIsMirrored) {
  const std::string text =
      "<custom><text name='servo:hip' data='kp=300 kd=30 strength=1,0.5,0.2 limit=250 window=0.1,0.2,0.3 "
      "contact_scale=4 lower=-20,-30,-40 upper=50,60,70'/><text name='servo:right_knee' "
      "data='kp=7'/></custom>";
  const Character c = read_mjcf(legs(kBoxFoot, text), "servo");
  const Joint &left = joint(c, "left_hip"), &right = joint(c, "right_hip");
  for (const Joint* hip : {&left, &right}) {
    EXPECT_LT((hip->kp - Vec3(300, 150, 60)).norm(), 1e-9);
    EXPECT_LT((hip->kd - Vec3(30, 15, 6)).norm(), 1e-9);
    EXPECT_LT((hip->torque_limit - Vec3(250, 250, 250)).norm(), 1e-9);
    EXPECT_LT((hip->window - Vec3(0.1, 0.2, 0.3)).norm(), 1e-9);
    EXPECT_EQ(hip->contact_scale, 4);
    EXPECT_TRUE(hip->limited);
  }
  const double d = radians(1);
  EXPECT_LT((left.lower - d * Vec3(-20, -30, -40)).norm(), 1e-9);
  EXPECT_LT((left.upper - d * Vec3(50, 60, 70)).norm(), 1e-9);
  EXPECT_LT((right.lower - d * Vec3(-50, -30, -70)).norm(), 1e-9);
  EXPECT_LT((right.upper - d * Vec3(20, 60, 40)).norm(), 1e-9);
  EXPECT_EQ(joint(c, "right_knee").kp[0], 7);
  EXPECT_NE(joint(c, "left_knee").kp[0], 7);
}

TEST(MjcfTest, ReadsMeshesAndIncludes) {
  const Scratch scratch("mjcf");
  fs::create_directories(scratch.path() / "parts");
  // A foot as a mesh of eight corners, the sole of which is 0.07 below the ankle.
  std::string corners;
  for (int i = 0; i < 8; ++i)
    corners += std::string("v ") + (i & 1 ? "0.16" : "-0.06") + (i & 2 ? " 0.04 " : " -0.04 ") +
               (i & 4 ? "-0.01\n" : "-0.07\n");
  write_file(scratch.path() / "parts" / "foot.obj",
             corners +
                 "f 1 2 4\nf 1 4 3\nf 5 8 6\nf 5 7 8\nf 1 6 2\nf 1 5 6\nf 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 5\n"
                 "f 2 8 4\nf 2 6 8\n");
  std::string xml = legs("<body pos='0 0 -.4'><joint axis='0 1 0'/><geom type='mesh' mesh='foot'/></body>");
  xml.insert(8, "<include file='assets.xml'/>");
  write_file(scratch.path() / "mesh.xml", xml);
  write_file(scratch.path() / "assets.xml",
             "<mujocoinclude><compiler meshdir='parts'/><asset><mesh name='foot' file='foot.obj'/></asset>"
             "</mujocoinclude>");
  const Character c = load_character_file(scratch.path() / "mesh.xml");
  const auto X_WB = body_poses(c, c.q_rest);
  EXPECT_NEAR(X_WB[3].p.z(), 0.07, 1e-6);
  ASSERT_EQ(c.contact_points.size(), 8u);
  for (const ContactPoint& point : c.contact_points)
    EXPECT_NEAR((X_WB[static_cast<size_t>(point.body)] * point.p_BP).z(), 0, 1e-6);
  // Its text needs no other file.
  const Character again = read_mjcf(write_mjcf(c), "again");
  EXPECT_EQ(again.nv(), c.nv());
  EXPECT_NEAR(again.mass_kg(), c.mass_kg(), 1e-6);
  EXPECT_LT((again.q_rest - c.q_rest).norm(), 1e-4);
}

TEST(MjcfTest, TextAndFileGiveTheSameCharacter) {
  const fs::path path = kSource + "/assets/characters/human57.xml";
  const Character a = load_character_file(path), b = read_mjcf(read_file(path), "human57");
  EXPECT_EQ(write_mjcf(a), write_mjcf(b));
  EXPECT_EQ(a.q_rest, b.q_rest);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.shapes.size(), b.shapes.size());
}

TEST(MjcfTest, RefusesWhatIsNoCharacter) {
  expect_refused("", "is empty");
  expect_refused(" \n\t ", "is empty");
  expect_refused("<mujoco><worldbody>", "cannot be read as MJCF");
  EXPECT_EQ(refusal("<mujoco>\n<worldbody>\n<body>\n</worldbody>\n</mujoco>"),
            "some.xml:3: cannot be read as MJCF: XML mismatched element");
  expect_refused(legs("<joint type='bell'/>"), "'bell'");
  expect_refused("no xml at all", "cannot be read as MJCF");
  expect_refused(std::string("\0\xff\xfe<mujoco>", 11), "cannot be read as MJCF");
  expect_refused("<robot name='urdf'/>", "");
  expect_refused("<mujoco/>", "has no free joint at its root");
  expect_refused("<mujoco><worldbody><body><joint type='hinge'/><geom size='1'/></body></worldbody></mujoco>",
                 "has no free joint at its root");
  expect_refused("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>",
                 "no two legs");
  expect_refused(
      "<mujoco><worldbody><body><freejoint/><geom size='1'/></body><body><freejoint/><geom size='1'/>"
      "</body></worldbody></mujoco>",
      "several free joints");
  expect_refused(legs(""), "a character without feet");
  expect_refused(legs(kBoxFoot, "", "-1"), "mass");
  expect_refused(legs(kBoxFoot, "", "1e30"), "too large");
  expect_refused(legs(kBoxFoot, "<custom><text name='servo:hip' data='strenth=1'/></custom>"),
                 "unknown key 'strenth'");
  expect_refused(legs(kBoxFoot, "<custom><text name='servo:tail' data='kp=1'/></custom>"),
                 "servo:tail names no joint");
  expect_refused(legs(kBoxFoot, "<custom><text name='servo:hip' data='kp=1,2'/></custom>"),
                 "one number or three");
  expect_refused(legs(kBoxFoot, "<custom><text name='servo:hip' data='kp=nan'/></custom>"),
                 "one number or three");
  expect_refused(legs(kBoxFoot, "<custom><text name='servo:hip' data='kp'/></custom>"),
                 "one number or three");
  expect_refused(legs(kBoxFoot, "<custom><text name='servo:hip' data='lower=1'/></custom>"),
                 "only one of lower");
}

TEST(MjcfTest, RefusalsOfFilesNameTheFileAndLeaveNoLog) {
  const Scratch scratch("refused");
  const fs::path here = fs::current_path();
  fs::current_path(scratch.path());
  write_file(scratch.path() / "broken.xml", "<mujoco><worldbody><body><geom size='1'/></worldbody></mujoco>");
  for (const char* name : {"broken.xml", "missing.xml", "."}) {
    try {
      load_character_file(name);
      ADD_FAILURE() << name << " was accepted";
    } catch (const Error& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with(name)) << e.what();
    }
  }
  EXPECT_FALSE(fs::exists("MUJOCO_LOG.TXT"));
  fs::current_path(here);
}

}  // namespace
}  // namespace sinew
