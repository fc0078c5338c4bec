#include "core/polyhedron.h"

#include <gtest/gtest.h>

#include "core/solids.h"

namespace sinew::testing {
namespace {

Polyhedron moved(Polyhedron solid, const Pose& X) {
  for (Vec3& v : solid.vertices) v = X * v;
  return solid;
}

void expect_same(const SolidProperties& a, const SolidProperties& b, double share) {
  EXPECT_NEAR(a.volume_m3, b.volume_m3, share * b.volume_m3);
  EXPECT_LT((a.centre - b.centre).norm(), share * std::max(1.0, b.centre.norm()));
  EXPECT_LT((a.inertia - b.inertia).norm(), share * b.inertia.norm());
}

SolidProperties of_box(const Vec3& half, const Vec3& centre) {
  const Vec3 squares = half.cwiseProduct(half);
  SolidProperties out;
  out.volume_m3 = 8 * half.prod();
  out.centre = centre;
  out.inertia = out.volume_m3 / 3 * (squares.sum() * Vec3::Ones() - squares).asDiagonal();
  return out;
}

TEST(SolidPropertiesTest, OfABox) {
  const Vec3 half(0.1, 0.2, 0.35), centre(1, -2, 0.5);
  expect_same(solid_properties(box(half, centre)), of_box(half, centre), 1e-12);
}

// The right tetrahedron with corners 0, a, b, c on the axes: V = abc/6, centre a/4 and so on, and
// Ixx = V (b^2 + c^2) 3/80, Ixy = V ab/80 about the centre.
TEST(SolidPropertiesTest, OfATetrahedron) {
  const double a = 0.3, b = 0.5, c = 0.7, V = a * b * c / 6;
  const Polyhedron solid{{Vec3::Zero(), a * Vec3::UnitX(), b * Vec3::UnitY(), c * Vec3::UnitZ()},
                         {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  ASSERT_EQ(fault_of_surface(solid), "");
  SolidProperties exact;
  exact.volume_m3 = V;
  exact.centre = Vec3(a, b, c) / 4;
  exact.inertia << 3 * (b * b + c * c), a * b, a * c,  //
      a * b, 3 * (a * a + c * c), b * c,               //
      a * c, b * c, 3 * (a * a + b * b);
  exact.inertia *= V / 80;
  expect_same(solid_properties(solid), exact, 1e-12);
}

// Finer and finer globes: the error falls with the square of the edge.
TEST(SolidPropertiesTest, OfAnEllipsoidInTheLimit) {
  const Vec3 half(0.1, 0.15, 0.4), squares = half.cwiseProduct(half);
  SolidProperties exact;
  exact.volume_m3 = 4.0 / 3 * kPi * half.prod();
  exact.inertia = exact.volume_m3 / 5 * (squares.sum() * Vec3::Ones() - squares).asDiagonal();
  double before = 0;
  for (const size_t rings : {16, 32, 64}) {
    const SolidProperties ours = solid_properties(welded(ellipsoid(half, Vec3::Zero(), rings)));
    const double error = std::abs(ours.volume_m3 / exact.volume_m3 - 1) +
                         (ours.inertia - exact.inertia).norm() / exact.inertia.norm();
    if (before > 0) {
      EXPECT_NEAR(before / error, 4, 0.1);
    }
    before = error;
  }
  EXPECT_LT(before, 0.01);
}

TEST(SolidPropertiesTest, MovesAndTurnsWithTheSolid) {
  const Pose X{Vec3(30, -20, 10), exp_map(Vec3(0.4, -1.1, 0.7))};
  const Mat3 R = X.q.toRotationMatrix();
  SolidProperties exact = of_box(Vec3(0.1, 0.2, 0.35), Vec3(0.3, 0, 0));
  exact.centre = X * exact.centre;
  exact.inertia = R * exact.inertia * R.transpose();
  expect_same(solid_properties(moved(box(Vec3(0.1, 0.2, 0.35), Vec3(0.3, 0, 0)), X)), exact, 1e-9);
}

TEST(SurfaceTest, VerticesThatFilesRepeatAreOne) {
  const Polyhedron globe = ellipsoid(Vec3(1, 2, 3));
  EXPECT_NE(fault_of_surface(globe), "");
  const Polyhedron whole = welded(globe);
  EXPECT_EQ(fault_of_surface(whole), "");
  EXPECT_EQ(whole.vertices.size(), 23U * 48U + 2U);
}

TEST(SurfaceTest, HolesAndFlippedFacesAreSeen) {
  const Polyhedron good = box(Vec3(1, 1, 1));
  ASSERT_EQ(fault_of_surface(good), "");
  Polyhedron bad = good;
  bad.faces.pop_back();
  EXPECT_EQ(fault_of_surface(bad), "has a hole: 3 edges of it belong to one face only");
  bad = good;
  std::swap(bad.faces[4][0], bad.faces[4][1]);
  EXPECT_EQ(fault_of_surface(bad), "has flipped faces: along 3 edges two faces disagree on what is outside");
  bad = good;
  for (auto& face : bad.faces) std::swap(face[0], face[1]);
  EXPECT_EQ(fault_of_surface(bad), "has flipped faces: all of them look inwards");
  bad = good;
  bad.faces.push_back(bad.faces.front());
  EXPECT_EQ(fault_of_surface(bad), "is no solid: 3 edges of it belong to more than two faces");
  EXPECT_EQ(fault_of_surface({}), "has no faces");
}

// Beside a larger one that is right, the volume of both is still positive.
TEST(SurfaceTest, APieceThatIsInsideOutIsSeen) {
  Polyhedron two = box(Vec3(1, 1, 1));
  const Polyhedron small = box(Vec3(0.1, 0.1, 0.1), Vec3(3, 0, 0));
  for (const Vec3& v : small.vertices) two.vertices.push_back(v);
  for (const auto& [a, b, c] : small.faces) two.faces.push_back({a + 8, c + 8, b + 8});
  EXPECT_EQ(fault_of_surface(two), "has flipped faces: all of one of its pieces look inwards");
}

}  // namespace
}  // namespace sinew::testing
