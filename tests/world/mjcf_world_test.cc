// Worlds that come as MJCF.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "world/library.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

// An MJCF file that is gone with its test.
class WorldFile {
 public:
  explicit WorldFile(const std::string& inside, const std::string& before = "") {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::temp_directory_path() / (std::string("sinew_world_") + test->name() + ".xml");
    std::ofstream(path_) << "<mujoco>" << before << "<worldbody>" << inside << "</worldbody></mujoco>";
  }
  ~WorldFile() { fs::remove(path_); }
  WorldFile(const WorldFile&) = delete;
  WorldFile& operator=(const WorldFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string refusal_of(const std::string& inside, const std::string& before = "") {
  const WorldFile file(inside, before);
  try {
    make_world(file.path());
  } catch (const Error& e) {
    const std::string sentence = e.what();
    EXPECT_TRUE(sentence.starts_with(file.path())) << sentence;
    return sentence.substr(std::min(sentence.size(), file.path().size()));
  }
  return "nothing was refused";
}

TEST(MjcfWorld, StaticShapesBecomeGround) {
  const WorldFile file(
      "<geom name='floor' type='plane' size='5 5 1' friction='0.6 0 0'/>"
      "<body pos='2 0 0' euler='0 0 90'><geom name='step' type='box' size='1 0.5 0.1' pos='0 0 0.1'/>"
      "<geom name='mat' type='box' size='0.2 0.2 0.05' pos='0 3 0' solref='0.05 1'/></body>"
      "<geom name='lamp' type='sphere' size='0.2' pos='0 0 3'/>"
      "<geom type='capsule' size='0.1' fromto='-3 0 0 -3 1 0'/>"
      "<geom type='ellipsoid' size='0.1 0.2 0.3' pos='-4 0 0'/>"
      "<geom type='cylinder' size='0.1 0.2' pos='-5 0 0'/>",
      "<option gravity='0 0 -1.6'/>");
  const World world = make_world(file.path());
  EXPECT_EQ(world.gravity, Vec3(0, 0, -1.6));
  EXPECT_EQ(world.name, file.path());
  ASSERT_EQ(world.shapes.size(), 7u);
  EXPECT_TRUE(world.props.empty());
  EXPECT_EQ(world.shapes[0].friction, 0.6);
  const auto height = [&](double x, double y) { return ground_height(world, {}, x, y); };
  EXPECT_NEAR(height(0, 0), 0, 1e-9) << "a lamp is no ground";
  // The step is turned a quarter: 0.5 to each side along x, 1 along y.
  EXPECT_NEAR(height(2.4, 0.9), 0.2, 1e-6);
  EXPECT_NEAR(height(2.6, 0), 0, 1e-6);
  EXPECT_NEAR(height(-1, 0), 0.05, 1e-6);
  EXPECT_NEAR(height(-3, 0.5), 0.1, 1e-6);
  EXPECT_NEAR(height(-4, 0), 0.3, 1e-6);
  EXPECT_NEAR(height(-5, 0), 0.2, 1e-6);
  for (const WorldShape& surface : world.shapes)
    EXPECT_EQ(surface.softness_s, surface.shape.name == "mat" ? 0.05 : 0) << surface.shape.name;
}

TEST(MjcfWorld, FreeAndHingedBodiesBecomeProps) {
  const WorldFile file(
      "<geom type='plane' size='5 5 1'/>"
      "<body name='box' pos='1 2 0.5'><freejoint/><geom type='box' size='0.1 0.2 0.3' mass='3'/>"
      "<body pos='0 0 0.6'><geom type='sphere' size='0.1' mass='1'/></body></body>"
      "<body name='board' pos='3 0 0.3'><joint type='hinge' axis='0 1 0' pos='0.1 0 0' range='-20 10' "
      "limited='true' stiffness='5' damping='2'/><geom type='box' size='1 0.5 0.02' mass='8'/></body>"
      "<body name='door' pos='5 0 0'><joint type='hinge' axis='0 0 1'/>"
      "<geom type='box' size='0.5 0.02 0.8' pos='0.5 0 0.8' mass='8'/></body>");
  const World world = make_world(file.path());
  ASSERT_EQ(world.props.size(), 3u);
  const Prop& box = world.props[0];
  EXPECT_EQ(box.drive, Drive::kFree);
  EXPECT_EQ(box.name, "box");
  EXPECT_NEAR(box.mass_kg, 4, 1e-9);
  EXPECT_LT((box.p_PC - Vec3(0, 0, 0.15)).norm(), 1e-9);
  // Box and welded ball about their common centre, by the parallel axis theorem.
  const double about_x = 3 / 3.0 * (0.04 + 0.09) + 3 * 0.15 * 0.15 + 0.4 * 0.01 + 0.45 * 0.45;
  EXPECT_NEAR(box.I_C(0, 0), about_x, 1e-9);
  EXPECT_LT((world.shapes[2].shape.X_BS.p - Vec3(0, 0, 0.6)).norm(), 1e-9);
  EXPECT_EQ(world.shapes[2].shape.body, 0);
  EXPECT_FALSE(world.shapes[1].ground);

  const Prop& board = world.props[1];
  EXPECT_EQ(board.drive, Drive::kHinge);
  EXPECT_LT((board.p_PJ - Vec3(0.1, 0, 0)).norm(), 1e-12);
  EXPECT_NEAR(board.lower, radians(-20), 1e-12);
  EXPECT_NEAR(board.upper, radians(10), 1e-12);
  EXPECT_EQ(board.stiffness, 5);
  EXPECT_EQ(board.damping, 2);
  EXPECT_TRUE(world.shapes[3].ground) << "one walks over a seesaw";
  EXPECT_FALSE(world.shapes[4].ground) << "but through a door";
  EXPECT_EQ(to_json(world_from_json(to_json(world), "it")), to_json(world));
}

// A tetrahedron: above its base the height falls from the tip to the edges.
TEST(MjcfWorld, MeshesBecomeHulls) {
  const WorldFile file("<geom type='mesh' mesh='hill'/>",
                       "<asset><mesh name='hill' vertex='1 0 0  -1 1 0  -1 -1 0  0 0 1'/></asset>");
  const World world = make_world(file.path());
  ASSERT_EQ(world.shapes.at(0).shape.type, ShapeType::kMesh);
  EXPECT_NEAR(ground_height(world, {}, 0, 0), 1, 1e-5);
  EXPECT_NEAR(ground_height(world, {}, 0.5, 0), 0.5, 1e-5);
  EXPECT_EQ(ground_height(world, {}, 1.5, 0), 0);
}

TEST(MjcfWorld, RefusesWithASentence) {
  EXPECT_EQ(refusal_of("<body name='lift'><joint type='slide'/><geom size='1'/></body>"),
            ": body lift can neither move freely nor turn about one hinge: a world has no others");
  EXPECT_EQ(refusal_of("<body name='two'><joint/><joint axis='1 0 0'/><geom size='1'/></body>"),
            ": body two can neither move freely nor turn about one hinge: a world has no others");
  EXPECT_EQ(refusal_of("<body name='arm'><freejoint/><geom size='1'/>"
                       "<body name='hand'><joint/><geom size='1'/></body></body>"),
            ": body hand hangs on body arm, which moves: a world can have no chains of bodies");
  EXPECT_EQ(refusal_of("<geom type='hfield' hfield='hills'/>",
                       "<asset><hfield name='hills' nrow='2' ncol='2' size='1 1 1 1'/></asset>"),
            ": has a height field, which is not supported: use boxes or meshes");
  EXPECT_NE(refusal_of("<geom type='cube'/>").find("cannot be read as MJCF"), std::string::npos);
  EXPECT_NE(refusal_of("<geom").find("cannot be read as MJCF"), std::string::npos);
}

}  // namespace
}  // namespace sinew
