#include "record/glb.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <assimp/Importer.hpp>
#include <map>
#include <set>

#include "core/error.h"
#include "record/mannequin.h"
#include "record/tessellate.h"

namespace sinew {
namespace {

constexpr double kFrameTime = 1 / 30.0;

std::vector<VecX> walking(const Character& character, int frames) {
  std::vector<VecX> q;
  for (int i = 0; i < frames; ++i) q.push_back(mannequin_at(character, i * kFrameTime));
  return q;
}

// World matrices of all nodes at one key of the animation.
void pose_nodes(const aiNode* node, const aiMatrix4x4& parent, const aiAnimation& animation, size_t key,
                std::map<std::string, aiMatrix4x4>& out) {
  aiMatrix4x4 local = node->mTransformation;
  for (unsigned i = 0; i < animation.mNumChannels; ++i) {
    const aiNodeAnim& channel = *animation.mChannels[i];
    if (channel.mNodeName != node->mName) continue;
    const auto at = [&](unsigned keys) { return std::min<size_t>(key, keys - 1); };
    local = aiMatrix4x4(aiVector3D(1, 1, 1), channel.mRotationKeys[at(channel.mNumRotationKeys)].mValue,
                        channel.mPositionKeys[at(channel.mNumPositionKeys)].mValue);
  }
  const aiMatrix4x4 world = parent * local;
  out[node->mName.C_Str()] = world;
  for (unsigned i = 0; i < node->mNumChildren; ++i)
    pose_nodes(node->mChildren[i], world, animation, key, out);
}

class Glb : public testing::Test {
 protected:
  void SetUp() override {
    const std::string bytes = encode_glb(character_, q_, kFrameTime, "walk");
    scene_ = importer_.ReadFileFromMemory(bytes.data(), bytes.size(), aiProcess_ValidateDataStructure, "glb");
    ASSERT_NE(scene_, nullptr) << importer_.GetErrorString();
  }

  Character character_ = make_mannequin();
  std::vector<VecX> q_ = walking(character_, 31);
  Assimp::Importer importer_;
  const aiScene* scene_ = nullptr;
};

TEST_F(Glb, HasANodeForEachBodyUnderItsParent) {
  for (const Body& body : character_.bodies) {
    const aiNode* node = scene_->mRootNode->FindNode(body.name.c_str());
    ASSERT_NE(node, nullptr) << body.name;
    EXPECT_STREQ(
        node->mParent->mName.C_Str(),
        body.parent < 0 ? "sinew" : character_.bodies[static_cast<size_t>(body.parent)].name.c_str());
  }
}

TEST_F(Glb, TheAnimationLastsAsLongAsTheMotion) {
  ASSERT_EQ(scene_->mNumAnimations, 1U);
  const aiAnimation& animation = *scene_->mAnimations[0];
  EXPECT_STREQ(animation.mName.C_Str(), "walk");
  EXPECT_NEAR(animation.mDuration / animation.mTicksPerSecond, 30 * kFrameTime, 1e-4);
  EXPECT_EQ(animation.mNumChannels, character_.bodies.size());
}

TEST_F(Glb, BodiesStandWhereTheMotionPutsThem) {
  for (const size_t key : {0U, 7U, 16U, 30U}) {
    std::map<std::string, aiMatrix4x4> world;
    pose_nodes(scene_->mRootNode, aiMatrix4x4(), *scene_->mAnimations[0], key, world);
    const auto X_WB = body_poses(character_, q_[key]);
    for (size_t b = 0; b < X_WB.size(); ++b) {
      const aiMatrix4x4& m = world.at(character_.bodies[b].name);
      // A point off the body's origin tells of the rotation too. glTF's (x, y, z) is our (y, z, x).
      const aiVector3D seen = m * aiVector3D(0.3F, -0.2F, 0.5F);
      const Vec3 p = X_WB[b] * Vec3(0.3, -0.2, 0.5);
      EXPECT_NEAR(seen.x, p.y(), 1e-4) << character_.bodies[b].name << " key " << key;
      EXPECT_NEAR(seen.y, p.z(), 1e-4) << character_.bodies[b].name << " key " << key;
      EXPECT_NEAR(seen.z, p.x(), 1e-4) << character_.bodies[b].name << " key " << key;
    }
  }
}

TEST_F(Glb, TheMeshStandsUprightAndIsBoundToEveryBody) {
  ASSERT_GT(scene_->mNumMeshes, 0U);
  std::set<std::string> bound;
  float low = 1e9F, high = -1e9F;
  for (unsigned i = 0; i < scene_->mNumMeshes; ++i) {
    const aiMesh& mesh = *scene_->mMeshes[i];
    for (unsigned b = 0; b < mesh.mNumBones; ++b)
      if (mesh.mBones[b]->mNumWeights > 0) bound.insert(mesh.mBones[b]->mName.C_Str());
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      low = std::min(low, mesh.mVertices[v].y);
      high = std::max(high, mesh.mVertices[v].y);
    }
  }
  EXPECT_EQ(bound.size(), character_.bodies.size());
  EXPECT_NEAR(high - low, standing_height(character_), 0.01);
}

TEST(GlbErrors, NoFrameIsAnError) { EXPECT_THROW(encode_glb(make_mannequin(), {}, 0.1, ""), Error); }

// Volume enclosed by outward triangles, by the divergence theorem.
double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (size_t i = 0; i < mesh.indices.size(); i += 3)
    sum += mesh.positions[mesh.indices[i]].dot(
               mesh.positions[mesh.indices[i + 1]].cross(mesh.positions[mesh.indices[i + 2]])) /
           6;
  return sum;
}

Shape shape_of(ShapeType type, const Vec3& size) {
  Shape shape;
  shape.type = type;
  shape.size = size;
  return shape;
}

TEST(Tessellate, EnclosesTheVolumeOfTheShape) {
  const double r = 0.3, h = 0.5;
  const auto near = [](double value, double truth) { return std::abs(value - truth) < 0.01 * truth; };
  EXPECT_TRUE(
      near(volume(tessellate(shape_of(ShapeType::kSphere, Vec3(r, 0, 0)), 80)), 4 / 3.0 * kPi * r * r * r));
  EXPECT_TRUE(near(volume(tessellate(shape_of(ShapeType::kCapsule, Vec3(r, h, 0)), 80)),
                   4 / 3.0 * kPi * r * r * r + 2 * h * kPi * r * r));
  EXPECT_TRUE(
      near(volume(tessellate(shape_of(ShapeType::kCylinder, Vec3(r, h, 0)), 80)), 2 * h * kPi * r * r));
  EXPECT_TRUE(near(volume(tessellate(shape_of(ShapeType::kEllipsoid, Vec3(0.1, 0.2, 0.3)), 80)),
                   4 / 3.0 * kPi * 0.006));
  EXPECT_NEAR(volume(tessellate(shape_of(ShapeType::kBox, Vec3(0.1, 0.2, 0.3)))), 0.048, 1e-12);
}

TEST(Tessellate, NormalsPointOutwardsAndHaveUnitLength) {
  for (const ShapeType type : {ShapeType::kSphere, ShapeType::kCapsule, ShapeType::kBox,
                               ShapeType::kEllipsoid, ShapeType::kCylinder}) {
    const TriangleMesh mesh = tessellate(shape_of(type, Vec3(0.2, 0.3, 0.4)));
    ASSERT_EQ(mesh.positions.size(), mesh.normals.size());
    for (size_t i = 0; i < mesh.positions.size(); ++i) {
      EXPECT_NEAR(mesh.normals[i].norm(), 1, 1e-9);
      EXPECT_GT(mesh.normals[i].dot(mesh.positions[i]), 0);
    }
  }
}

TEST(ConvexHull, HoldsAllPointsAndIsClosed) {
  std::vector<Vec3> points;
  unsigned state = 1;
  const auto random = [&] {
    state = state * 1664525U + 1013904223U;
    return (state >> 8) / double(1 << 24) - 0.5;
  };
  for (int i = 0; i < 300; ++i) points.push_back(Vec3(random(), 2 * random(), 0.3 * random()));
  // Points on faces and twice the same must do no harm.
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 0.0, 1.0})
      for (const double z : {-1.0, 1.0}) points.insert(points.end(), 2, Vec3(x, y, z));
  const auto faces = convex_hull(points);
  std::map<std::pair<int, int>, int> edges;
  for (const auto& f : faces) {
    const Vec3 a = points[size_t(f[0])], b = points[size_t(f[1])], c = points[size_t(f[2])];
    const Vec3 normal = (b - a).cross(c - a).normalized();
    for (const Vec3& p : points) EXPECT_LT(normal.dot(p - a), 1e-6);
    for (size_t k = 0; k < 3; ++k) ++edges[{f[k], f[(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(edges.contains({edge.second, edge.first}));
  }
  Shape shape = shape_of(ShapeType::kMesh, Vec3::Zero());
  shape.vertices = points;
  EXPECT_NEAR(volume(tessellate(shape)), 8, 1e-9);
}

TEST(ConvexHull, FlatPointsHaveNone) {
  EXPECT_TRUE(
      convex_hull({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0), Vec3(2, 3, 0)}).empty());
  EXPECT_TRUE(convex_hull({Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(1, 1, 1)}).empty());
  EXPECT_TRUE(convex_hull({}).empty());
}

}  // namespace
}  // namespace sinew
