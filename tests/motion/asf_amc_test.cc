#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "motion/load.h"
#include "motion/skeleton_parts.h"
#include "stick_figure.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using testing::number_text;

// The stick figure as an ASF file: Y up, faces +Z, CMU's unit, every bone with a skewed frame of its own.
constexpr double kUnit = 0.0254 / 0.45;
const Mat3 kR_FW = (Mat3() << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished();

std::string asf_name(Part part) {
  std::string name(part_name(part));
  if (name == "pelvis") return "root";
  for (const auto& [from, to] : {std::pair{"left_", "l"}, std::pair{"right_", "r"}})
    if (name.starts_with(from)) name = to + name.substr(std::string(from).size());
  for (const auto& [from, to] : {std::pair{"thigh", "femur"}, std::pair{"shin", "tibia"},
                                 std::pair{"upper_arm", "humerus"}, std::pair{"lower_arm", "radius"}})
    if (const size_t at = name.find(from); at != name.npos) name.replace(at, std::string(from).size(), to);
  return name;
}

// A bone that has its joint at its beginning has its span to the next joint; siblings of a branch share none,
// so every branch goes through helpers as CMU's skeletons do it (lhipjoint). Here: one helper a child.
struct AsfFigure {
  std::string asf, hierarchy;
  std::vector<std::string> moving;  // bones with three degrees of freedom
};

Vec3 axis_of(size_t bone) {
  const double k = static_cast<double>(bone);
  return {10 * k - 40, 25 - 7 * k, 5 * k};
}

AsfFigure asf_figure() {
  const auto bones = testing::stick_bones(asf_name);
  AsfFigure out;
  out.asf =
      ":version 1.10\n:units\n mass 1\n length 0.45\n angle deg\n:root\n order TX TY TZ RX RY RZ\n axis XYZ\n"
      " position 0 0 0\n orientation 0 0 0\n:bonedata\n";
  out.hierarchy = ":hierarchy\n begin\n";
  const auto add = [&](const std::string& name, const Vec3& span_W, const std::string& more) {
    const Vec3 span = kR_FW * span_W / kUnit;
    const Vec3 d = span.norm() > 0 ? Vec3(span.normalized()) : Vec3(0, 1, 0);
    out.asf += " begin\n id 1\n name " + name + "\n direction " + number_text(d.x()) + " " +
               number_text(d.y()) + " " + number_text(d.z()) + "\n length " + number_text(span.norm()) +
               "\n" + more + " end\n";
  };
  // A helper "to_x" spans from the parent's joint to the joint of x; x itself has no length.
  for (size_t i = 1; i < bones.size(); ++i) {
    const std::string parent = bones[static_cast<size_t>(bones[i].parent)].name;
    const std::string helper = "to_" + bones[i].name;
    const Vec3 a = axis_of(i);
    add(helper, bones[i].X_PB.p, " axis 0 0 0 XYZ\n");
    out.hierarchy += "  " + parent + " " + helper + "\n";
    if (bones[i].is_end) continue;
    add(bones[i].name, Vec3::Zero(),
        " axis " + number_text(a.x()) + " " + number_text(a.y()) + " " + number_text(a.z()) +
            " XYZ\n dof rx ry rz\n limits (-180 180)\n        (-180 180)\n        (-180 180)\n");
    out.hierarchy += "  " + helper + " " + bones[i].name + "\n";
    out.moving.push_back(bones[i].name);
  }
  out.asf += out.hierarchy + " end\n";
  return out;
}

Quat turns_xyz(const Vec3& angles_deg) {
  return Quat(Eigen::AngleAxisd(radians(angles_deg.z()), Vec3::UnitZ()) *
              Eigen::AngleAxisd(radians(angles_deg.y()), Vec3::UnitY()) *
              Eigen::AngleAxisd(radians(angles_deg.x()), Vec3::UnitX()));
}

Vec3 angles_at(size_t frame, size_t bone) {
  const double f = static_cast<double>(frame), b = static_cast<double>(bone);
  return {12 * std::sin(f + b), 9 * std::cos(2 * f + b), 7 * std::sin(3 * f - b)};
}

TEST(AsfAmc, IsTheSameMotionAsItsBvh) {
  const auto bones = testing::stick_bones(asf_name);
  const AsfFigure figure = asf_figure();
  std::string amc = "#!OML\n:FULLY-SPECIFIED\n:DEGREES\n";
  std::vector<testing::BvhFrame> frames(6);
  for (size_t f = 0; f < frames.size(); ++f) {
    frames[f].root_p_W = {0.1 * static_cast<double>(f), 0.02, 0.95};
    const Vec3 p = kR_FW * frames[f].root_p_W / kUnit;
    const Vec3 root = angles_at(f, 99);
    amc += std::to_string(f + 1) + "\nroot";
    for (const double v : {p.x(), p.y(), p.z(), root.x(), root.y(), root.z()}) amc += " " + number_text(v);
    amc += "\n";
    // BVH: R = Rz Ry Rx of the same local rotation, angles taken out by Eigen.
    frames[f].angles.push_back({root.z(), root.y(), root.x()});
    for (size_t i = 1; i < bones.size(); ++i) {
      if (bones[i].is_end) continue;
      const Vec3 a = angles_at(f, i);
      amc += bones[i].name + " " + number_text(a.x()) + " " + number_text(a.y()) + " " + number_text(a.z()) +
             "\n";
      const Quat C = turns_xyz(axis_of(i));
      const Mat3 R = (C * turns_xyz(a) * C.conjugate()).toRotationMatrix();
      const Vec3 zyx = R.eulerAngles(2, 1, 0);
      frames[f].angles.push_back({degrees(zyx[0]), degrees(zyx[1]), degrees(zyx[2])});
    }
  }
  testing::BvhStyle style;
  style.unit_m = kUnit;
  const Clip bvh =
      read_bvh(testing::bvh_text(bones, frames, style), "a.bvh", {.first_frame_is_rest = false}).clip;
  const Clip clip = read_asf_amc(figure.asf, "a.asf", amc, "a.amc").clip;
  ASSERT_EQ(clip.frames.size(), bvh.frames.size());
  EXPECT_NEAR(clip.source.unit_m, kUnit, 1e-9);
  for (size_t f = 0; f < clip.frames.size(); ++f) {
    const auto X_amc = world_poses(clip, clip.frames[f]);
    const auto X_bvh = world_poses(bvh, bvh.frames[f]);
    for (size_t i = 0; i < bones.size(); ++i) {
      if (bones[i].is_end) continue;
      const int other = find_bone(clip, bones[i].name);
      ASSERT_GE(other, 0) << bones[i].name;
      EXPECT_LT((X_amc[static_cast<size_t>(other)].p - X_bvh[i].p).norm(), 1e-5) << bones[i].name;
      EXPECT_LT(angle_between(X_amc[static_cast<size_t>(other)].q, X_bvh[i].q), 1e-6) << bones[i].name;
    }
  }
  // And the parts are found through the helpers.
  EXPECT_EQ(clip.bones[static_cast<size_t>(find_parts(clip)[Part::kLeftShin])].name, "ltibia");
}

const std::string kAsf =
    ":units\n length 0.45\n angle deg\n:root\n order TX TY TZ RX RY RZ\n:bonedata\n begin\n name a\n "
    "direction 0 1 0\n"
    " length 2\n axis 0 0 0 XYZ\n dof rx rz\n end\n:hierarchy\n begin\n root a\n end\n";

std::string complaint(const std::string& asf, const std::string& amc) {
  try {
    read_asf_amc(asf, "s.asf", amc, "m.amc");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(AsfAmc, RadiansAndMissingBonesAreUnderstood) {
  const Clip clip =
      read_asf_amc(kAsf, "s.asf", ":RADIANS\n1\nroot 0 0 0 0.5 0 0\n2\na 0.25 0\n", "m.amc").clip;
  EXPECT_NEAR(log_map(clip.frames[0][0].q).norm(), 0.5, 1e-12);
  EXPECT_NEAR(log_map(clip.frames[1][1].q).norm(), 0.25, 1e-12);
  EXPECT_NEAR(log_map(clip.frames[1][0].q).norm(), 0.0, 1e-12);
}

TEST(AsfAmc, TheHierarchyMayStandBeforeTheBones) {
  const size_t bones = kAsf.find(":bonedata"), hierarchy = kAsf.find(":hierarchy");
  ASSERT_LT(bones, hierarchy);
  const std::string turned = kAsf.substr(hierarchy) + kAsf.substr(0, hierarchy);
  const std::string amc = "1\nroot 1 2 3 10 20 30\na 40 50\n";
  const Clip usual = read_asf_amc(kAsf, "s.asf", amc, "m.amc").clip;
  const Clip other = read_asf_amc(turned, "s.asf", amc, "m.amc").clip;
  ASSERT_EQ(usual.bones.size(), other.bones.size());
  for (size_t i = 0; i < usual.bones.size(); ++i) {
    EXPECT_EQ(usual.bones[i].name, other.bones[i].name);
    EXPECT_EQ(usual.bones[i].parent, other.bones[i].parent);
    EXPECT_NEAR(usual.frames[0][i].q.angularDistance(other.frames[0][i].q), 0, 1e-12);
  }
  EXPECT_EQ(complaint(replaced(turned, "root a", "root b"), amc).find("s.asf:3: "), 0u);
}

TEST(AsfAmc, MistakesAreToldWithFileAndLine) {
  const std::string amc = "1\nroot 0 0 0 0 0 0\na 1 2\n";
  EXPECT_EQ(complaint(kAsf, amc), "");
  EXPECT_EQ(complaint("", amc).find("s.asf:1: "), 0u);
  EXPECT_EQ(complaint(replaced(kAsf, "0 1 0", "0 one 0"), amc).find("s.asf:9: "), 0u);
  EXPECT_EQ(complaint(replaced(kAsf, "XYZ", "XYX"), amc).find("s.asf:11: "), 0u);
  EXPECT_EQ(complaint(replaced(kAsf, "rx rz", "rx rq"), amc).find("s.asf:12: "), 0u);
  EXPECT_EQ(complaint(replaced(kAsf, "root a", "root b"), amc).find("s.asf:16: "), 0u);
  EXPECT_EQ(complaint(replaced(kAsf, "root a", "a a"), amc).find("s.asf:16: "), 0u);
  EXPECT_EQ(complaint(kAsf.substr(0, kAsf.size() - 5), amc).find("s.asf:17: "), 0u);
  EXPECT_EQ(complaint(kAsf, "").find("m.amc:1: "), 0u);
  EXPECT_EQ(complaint(kAsf, "root 0 0 0 0 0 0\n").find("m.amc:1: "), 0u);
  EXPECT_EQ(complaint(kAsf, "1\nroot 0 0 0 0 0\n").find("m.amc:2: "), 0u);
  EXPECT_EQ(complaint(kAsf, "1\nroot 0 0 0 0 0 0\nb 1\n").find("m.amc:3: "), 0u);
  EXPECT_EQ(complaint(kAsf, "1\nroot 0 0 0 0 0 nan\n").find("m.amc:2: "), 0u);
}

TEST(AsfAmc, FindsItsOtherHalfBesideIt) {
  const fs::path folder = fs::temp_directory_path() / ("sinew_asf_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const auto put = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  put("02.asf", kAsf);
  put("02_01.amc", "1\nroot 0 0 0 0 0 0\na 1 2\n");
  EXPECT_EQ(load_clip(folder / "02_01.amc").clip.name, "02_01");
  EXPECT_EQ(load_clip(folder / "02.asf").clip.name, "02_01");
  put("03.asf", kAsf);
  EXPECT_EQ(load_clip(folder / "02_01.amc").clip.frames.size(), 1u);
  put("04_01.amc", "1\nroot 0 0 0 0 0 0\n");
  EXPECT_THROW(load_clip(folder / "04_01.amc"), Error);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace sinew
