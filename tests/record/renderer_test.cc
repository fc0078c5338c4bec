#include "record/renderer.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/error.h"
#include "record/mannequin.h"

namespace sinew {
namespace {

RenderOptions small() {
  RenderOptions options;
  options.width = 96;
  options.height = 72;
  options.supersample = 1;
  return options;
}

int different(const Image& a, const Image& b, int more_than = 12) {
  int count = 0;
  for (size_t i = 0; i < a.rgb.size(); i += 3) {
    int most = 0;
    for (size_t c = 0; c < 3; ++c) most = std::max(most, std::abs(int(a.rgb[i + c]) - int(b.rgb[i + c])));
    count += most > more_than;
  }
  return count;
}

// A red ball must be seen where `project` says and nowhere else.
void expect_ball_where_projected(Renderer& renderer) {
  Scene scene;
  scene.camera.look_at = Vec3(0, 0, 0.8);
  const Image empty = renderer.draw(scene);
  const Vec3 p(0.4, 0.3, 1.2);
  scene.shapes.push_back(
      {ShapeType::kSphere, Vec3(0.15, 0, 0), Pose{p, Quat::Identity()}, Vec4(1, 0, 0, 1), {}});
  const Image image = renderer.draw(scene);
  const Vec3 seen = project(scene.camera, image.width, image.height, p);
  const Color hit = image.color(static_cast<int>(seen.x()), static_cast<int>(seen.y()));
  EXPECT_GT(hit.r, 120);
  EXPECT_LT(hit.g, 90);

  // Its red pixels have their centre there and about the area of a disc of its size.
  double x = 0, y = 0, count = 0;
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column) {
      const Color c = image.color(column, row);
      if (c.r < 2 * c.g) continue;
      x += column + 0.5;
      y += row + 0.5;
      ++count;
    }
  ASSERT_GT(count, 0);
  EXPECT_NEAR(x / count, seen.x(), 1.5);
  EXPECT_NEAR(y / count, seen.y(), 1.5);
  const double radius = 0.15 * 0.5 * image.height / std::tan(0.5 * radians(scene.camera.fov_deg)) / seen.z();
  EXPECT_NEAR(count, kPi * radius * radius, 0.25 * kPi * radius * radius);
  EXPECT_GT(different(empty, image), count * 0.8);
}

class Backend : public testing::TestWithParam<RenderBackend> {};

// Runs in a process of its own, because a process stays with the back end that it used first.
TEST_P(Backend, DrawsABallWhereItIs) {
  const bool egl = GetParam() == RenderBackend::kEgl;
  if (!dlopen(egl ? "libEGL.so.1" : "libOSMesa.so.8", RTLD_NOW | RTLD_GLOBAL))
    GTEST_SKIP() << (egl ? "EGL" : "OSMesa") << " is not installed";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        RenderOptions options = small();
        options.backend = GetParam();
        {
          Renderer renderer(options);
          EXPECT_EQ(renderer.backend(), egl ? "EGL" : "OSMesa");
          expect_ball_where_projected(renderer);
        }
        options.backend = egl ? RenderBackend::kOsMesa : RenderBackend::kEgl;
        EXPECT_THROW(Renderer{options}, Error);
        std::_Exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

std::string backend_name(const testing::TestParamInfo<RenderBackend>& which) {
  return which.param == RenderBackend::kEgl ? "Egl" : "OsMesa";
}
INSTANTIATE_TEST_SUITE_P(Renderer, Backend, testing::Values(RenderBackend::kEgl, RenderBackend::kOsMesa),
                         backend_name);

TEST(Renderer, DrawsACharacterWithHulls) {
  const Character character = make_mannequin();
  Renderer renderer(small());
  Scene scene;
  const Image empty = renderer.draw(scene);
  add_character(scene, character, body_poses(character, character.q_rest));
  const Image image = renderer.draw(scene);
  EXPECT_GT(different(empty, image), 150);

  // The same scene again, and by another renderer, is the same picture.
  EXPECT_EQ(renderer.draw(scene), image);
  Renderer other(small());
  EXPECT_EQ(other.draw(scene), image);
  EXPECT_EQ(renderer.draw(scene), image);
}

TEST(Renderer, AGhostIsFainterThanASolid) {
  const Character character = make_mannequin();
  Renderer renderer(small());
  Scene empty, solid, ghost;
  const auto X_WB = body_poses(character, character.q_rest);
  add_character(solid, character, X_WB, {1, Vec4(0.1, 0.1, 0.1, 1)});
  add_character(ghost, character, X_WB, {1, Vec4(0.1, 0.1, 0.1, 0.3)});
  const Image none = renderer.draw(empty);
  const int dark = different(none, renderer.draw(solid), 90);
  EXPECT_GT(dark, 100);
  const Image faint = renderer.draw(ghost);
  EXPECT_GT(different(none, faint), 100);
  EXPECT_LT(different(none, faint, 90), dark / 10);
}

TEST(Renderer, FlatMeshesAndZeroLengthsAreNoErrors) {
  Renderer renderer(small());
  Scene scene;
  scene.shapes.push_back({ShapeType::kMesh,
                          Vec3::Zero(),
                          {},
                          Vec4(1, 0, 0, 1),
                          {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0)}});
  scene.shapes.push_back({ShapeType::kMesh, Vec3::Zero(), {}, Vec4(1, 0, 0, 1), {}});
  scene.arrows.push_back({Vec3::Zero(), Vec3::Zero(), 0.1, Vec4(1, 0, 0, 1)});
  add_rod(scene, Vec3::Ones(), Vec3::Ones(), 0.1, Vec4(1, 0, 0, 1));
  scene.labels.push_back({Vec3(0, 0, 1), "here", {}});
  EXPECT_EQ(renderer.draw(scene).width, 96);
}

// The world's plane z = 0 is the floor; a step of the ground hides what is below its top, and no more.
TEST(Renderer, PlanesAndBoxesAreGround) {
  Renderer renderer(small());
  Scene floor, plane;
  plane.floor = false;
  plane.shapes.push_back({ShapeType::kPlane, Vec3::Zero(), Pose(), Vec4::Ones(), {}});
  const Image flat = renderer.draw(floor);
  EXPECT_EQ(renderer.draw(plane), flat);
  Scene step = plane;
  step.shapes.push_back({ShapeType::kBox,
                         Vec3(0.5, 0.5, 0.1),
                         Pose{Vec3(0, 0, 0.1), Quat::Identity()},
                         Vec4(0.5, 0.3, 0.2, 1),
                         {}});
  step.shapes.back().metres = true;
  const int changed = different(renderer.draw(step), flat);
  EXPECT_GT(changed, 100);
  EXPECT_LT(changed, 96 * 72 / 2);
}

TEST(Renderer, AGhostBehindASolidIsHidden) {
  Renderer renderer(small());
  Scene scene;
  scene.camera.look_at = Vec3(0, 0, 0.8);
  const CameraFrame camera = camera_frame(scene.camera);
  scene.shapes.push_back({ShapeType::kSphere,
                          Vec3(0.4, 0, 0),
                          Pose{scene.camera.look_at, Quat::Identity()},
                          Vec4(0.8, 0.3, 0.2, 1),
                          {}});
  const Image alone = renderer.draw(scene);
  scene.shapes.push_back({ShapeType::kSphere,
                          Vec3(0.2, 0, 0),
                          Pose{scene.camera.look_at + 0.5 * camera.forward, Quat::Identity()},
                          Vec4(0.2, 0.3, 0.8, 0.5),
                          {}});
  EXPECT_EQ(different(renderer.draw(scene), alone, 0), 0);
  scene.shapes.back().X_WS.p -= camera.forward;
  EXPECT_GT(different(renderer.draw(scene), alone), 50);
}

TEST(Renderer, RefusesImpossibleSizes) {
  RenderOptions options;
  options.width = 0;
  EXPECT_THROW(Renderer{options}, Error);
  options.width = 100000;
  EXPECT_THROW(Renderer{options}, Error);
}

TEST(Scene, ProjectsThePointLookedAtToTheMiddleAndRightToTheRight) {
  Camera camera;
  camera.look_at = Vec3(1, 2, 3);
  const Vec3 middle = project(camera, 200, 100, camera.look_at);
  EXPECT_NEAR(middle.x(), 100, 1e-9);
  EXPECT_NEAR(middle.y(), 50, 1e-9);
  EXPECT_NEAR(middle.z(), camera.distance_m, 1e-9);
  const CameraFrame frame = camera_frame(camera);
  EXPECT_GT(project(camera, 200, 100, camera.look_at + 0.1 * frame.right).x(), 100);
  EXPECT_LT(project(camera, 200, 100, camera.look_at + Vec3(0, 0, 0.1)).y(), 50);
}

}  // namespace
}  // namespace sinew
