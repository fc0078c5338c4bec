#include <assimp/anim.h>
#include <assimp/config.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <set>
#include <unordered_map>

#include "core/error.h"
#include "motion/assimp_scene.h"
#include "motion/convention.h"
#include "motion/load.h"

namespace sinew {

namespace {

constexpr size_t kMaxBones = 4096;
constexpr double kMaxPoses = 2e7;  // bones times frames: about a gigabyte

using Mat4 = Eigen::Matrix4d;

Mat4 matrix(const aiMatrix4x4& m) {
  Mat4 out;
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned c = 0; c < 4; ++c) out(r, c) = m[r][c];
  return out;
}

// A node that becomes a bone.
struct Node {
  const aiNode* node = nullptr;
  int parent = -1;
  const aiNodeAnim* channel = nullptr;
};

double key_seconds(double time, const aiAnimation& take) {
  return time / (take.mTicksPerSecond > 0 ? take.mTicksPerSecond : 25.0);
}

// The key before `time` and how far it is to the next one.
template <typename Key>
std::pair<unsigned, double> key_at(const Key* keys, unsigned count, double time) {
  const Key* next =
      std::upper_bound(keys, keys + count, time, [](double t, const Key& k) { return t < k.mTime; });
  if (next == keys) return {0, 0.0};
  if (next == keys + count) return {count - 1, 0.0};
  const double span = next->mTime - (next - 1)->mTime;
  return {static_cast<unsigned>(next - keys) - 1, span > 0 ? (time - (next - 1)->mTime) / span : 0.0};
}

Vec3 vector_at(const aiVectorKey* keys, unsigned count, double time) {
  const auto [k, fraction] = key_at(keys, count, time);
  const aiVector3D& a = keys[k].mValue;
  const aiVector3D& b = keys[std::min(k + 1, count - 1)].mValue;
  const Vec3 from(a.x, a.y, a.z), to(b.x, b.y, b.z);
  return from + fraction * (to - from);
}

Quat rotation_at(const aiQuatKey* keys, unsigned count, double time) {
  const auto [k, fraction] = key_at(keys, count, time);
  const aiQuaternion& a = keys[k].mValue;
  const aiQuaternion& b = keys[std::min(k + 1, count - 1)].mValue;
  Quat from(a.w, a.x, a.y, a.z), to(b.w, b.x, b.y, b.z);
  if (!(from.norm() > 1e-6) || !(to.norm() > 1e-6)) return Quat::Identity();
  return from.normalized().slerp(fraction, to.normalized());
}

// A node's transform in its parent at a time in ticks; whatever has no keys stays at rest.
Mat4 local_transform(const Node& n, double time) {
  aiVector3D s, p;
  aiQuaternion r;
  n.node->mTransformation.Decompose(s, r, p);
  const aiNodeAnim* c = n.channel;
  if (!c) return matrix(n.node->mTransformation);
  const Vec3 place =
      c->mNumPositionKeys ? vector_at(c->mPositionKeys, c->mNumPositionKeys, time) : Vec3(p.x, p.y, p.z);
  const Vec3 scale =
      c->mNumScalingKeys ? vector_at(c->mScalingKeys, c->mNumScalingKeys, time) : Vec3(s.x, s.y, s.z);
  const Quat q = c->mNumRotationKeys ? rotation_at(c->mRotationKeys, c->mNumRotationKeys, time)
                                     : Quat(r.w, r.x, r.y, r.z);
  Mat4 out = Mat4::Identity();
  out.topLeftCorner<3, 3>() = q.toRotationMatrix() * scale.asDiagonal();
  out.topRightCorner<3, 1>() = place;
  return out;
}

// The rotation in a transform that may also scale, shear or mirror.
Quat rotation_of(const Mat4& m) {
  const Vec3 x = m.col(0).head<3>(), y = m.col(1).head<3>();
  if (!(x.norm() > 1e-12) || !(y.norm() > 1e-12)) return Quat::Identity();
  Mat3 R;
  R.col(0) = x.normalized();
  R.col(1) = y - R.col(0) * R.col(0).dot(y);
  if (!(R.col(1).norm() > 1e-9 * y.norm())) return Quat::Identity();
  R.col(1).normalize();
  R.col(2) = R.col(0).cross(R.col(1));
  return Quat(R).normalized();
}

class SceneReader {
 public:
  SceneReader(const aiScene& scene, const std::string& file) : scene_(scene), file_(file) {}

  Clip read(const ImportOptions& options, std::vector<ImportNote>& notes) {
    choose_take(options, notes);
    choose_nodes();
    Clip clip;
    clip.name = std::filesystem::path(file_).stem().string();
    make_bones(clip);
    make_frames(clip, notes);
    return clip;
  }

 private:
  static double seconds(const aiAnimation& take) { return key_seconds(take.mDuration, take); }

  void choose_take(const ImportOptions& options, std::vector<ImportNote>& notes) {
    if (scene_.mNumAnimations == 0) throw Error(file_, 0, "this file has no animation that can be read");
    std::string names;
    for (unsigned i = 0; i < scene_.mNumAnimations; ++i) {
      const aiAnimation* take = scene_.mAnimations[i];
      const std::string name = take->mName.C_Str();
      if (i < 20) names.append(i ? ", '" : "'").append(name).append("'");
      const bool wanted =
          options.take.empty() ? !take_ || seconds(*take) > seconds(*take_) : name == options.take;
      if (wanted) take_ = take;
    }
    if (!take_) throw Error(file_, 0, "there is no animation called '" + options.take + "', only " + names);
    if (take_->mNumChannels == 0)
      throw Error(file_, 0, "its animation moves no node (only shapes or nothing at all)");
    if (scene_.mNumAnimations > 1)
      notes.push_back(
          {"take", std::string(take_->mName.C_Str()) + " of " + names + ", because " +
                       (options.take.empty() ? "it is the longest (--take overrides)" : "you said so")});
    for (unsigned c = 0; c < take_->mNumChannels; ++c)
      if (take_->mChannels[c]) channels_[take_->mChannels[c]->mNodeName.C_Str()] = take_->mChannels[c];
  }

  // Marks the nodes that move or carry skin, and counts them at and below every node.
  void mark_wanted() {
    std::set<std::string> skin;
    for (unsigned m = 0; m < scene_.mNumMeshes; ++m)
      for (unsigned b = 0; b < scene_.mMeshes[m]->mNumBones; ++b)
        skin.insert(scene_.mMeshes[m]->mBones[b]->mName.C_Str());
    wanted_.assign(all_.size(), 0);
    wanted_below_.assign(all_.size(), 0);
    for (size_t i = all_.size(); i-- > 0;) {
      const std::string name = all_[i].node->mName.C_Str();
      wanted_[i] = channels_.contains(name) || skin.contains(name);
      wanted_below_[i] += wanted_[i];
      if (all_[i].parent >= 0) wanted_below_[static_cast<size_t>(all_[i].parent)] += wanted_below_[i];
    }
    if (wanted_below_[0] == 0) throw Error(file_, 0, "its animation moves nodes that are not in the file");
  }

  // Bones are the wanted nodes, all between them, and the tips below them: nodes that hold nothing to see.
  void choose_nodes() {
    list_all_nodes();
    mark_wanted();
    std::vector<int> index(all_.size(), -1);
    for (size_t i = 0; i < all_.size(); ++i) {
      const auto up = static_cast<size_t>(std::max(all_[i].parent, 0));
      const bool in_tree = i > 0 && index[up] >= 0;
      const bool is_root = nodes_.empty() && is_lowest_with_all(i);
      const bool is_tip = all_[i].node->mNumMeshes == 0;
      if (!is_root && !(in_tree && (wanted_below_[i] > 0 || is_tip))) continue;
      index[i] = static_cast<int>(nodes_.size());
      Node node = all_[i];
      node.parent = in_tree ? index[up] : -1;
      const auto channel = channels_.find(node.node->mName.C_Str());
      node.channel = channel == channels_.end() ? nullptr : channel->second;
      nodes_.push_back(node);
    }
    if (nodes_.size() > kMaxBones)
      throw Error(file_, 0, "it has more than " + std::to_string(kMaxBones) + " bones");
    // What stands above the root never moves.
    for (const aiNode* up = nodes_[0].node->mParent; up; up = up->mParent)
      above_ = matrix(up->mTransformation) * above_;
  }

  // Whether all wanted nodes are at or below this one, but not all below one of its children.
  bool is_lowest_with_all(size_t node) const {
    if (wanted_below_[node] != wanted_below_[0]) return false;
    if (wanted_[node]) return true;
    for (size_t i = node + 1; i < all_.size(); ++i)
      if (all_[i].parent == static_cast<int>(node) && wanted_below_[i] == wanted_below_[0]) return false;
    return true;
  }

  // Depth first, parents before children.
  void list_all_nodes() {
    std::vector<std::pair<const aiNode*, int>> open = {{scene_.mRootNode, -1}};
    while (!open.empty()) {
      const auto [node, parent] = open.back();
      open.pop_back();
      if (!node) continue;
      if (all_.size() > 100'000) throw Error(file_, 0, "it has more than 100000 nodes");
      const int self = static_cast<int>(all_.size());
      all_.push_back({node, parent, nullptr});
      for (unsigned c = node->mNumChildren; c-- > 0;) open.emplace_back(node->mChildren[c], self);
    }
  }

  // Rigid local poses from transforms that may scale: places and rotations in the scene, then differences.
  Frame rigid_frame(const std::vector<Mat4>& local) const {
    std::vector<Mat4> global(nodes_.size());
    std::vector<Pose> X_SB(nodes_.size());
    Frame frame(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const int parent = nodes_[i].parent;
      global[i] = (parent < 0 ? above_ : global[static_cast<size_t>(parent)]) * local[i];
      X_SB[i] = {global[i].topRightCorner<3, 1>(), rotation_of(global[i])};
      frame[i] = parent < 0 ? X_SB[i] : X_SB[static_cast<size_t>(parent)].inverse() * X_SB[i];
      if (!frame[i].p.allFinite() || !frame[i].q.coeffs().allFinite() || frame[i].p.norm() > 1e9)
        throw Error(
            file_, 0,
            "the node '" + std::string(nodes_[i].node->mName.C_Str()) + "' has a value that is not finite");
    }
    return frame;
  }

  void make_bones(Clip& clip) const {
    std::vector<Mat4> local;
    for (const Node& n : nodes_) local.push_back(matrix(n.node->mTransformation));
    clip.rest = rigid_frame(local);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      Bone bone;
      bone.name = nodes_[i].node->mName.C_Str();
      bone.parent = nodes_[i].parent;
      bone.X_PB = clip.rest[i];
      clip.bones.push_back(bone);
    }
    // Tips that never move are end sites.
    std::vector<char> has_child(nodes_.size(), 0);
    for (const Node& n : nodes_)
      if (n.parent >= 0) has_child[static_cast<size_t>(n.parent)] = 1;
    for (size_t i = 1; i < nodes_.size(); ++i) clip.bones[i].is_end = !has_child[i] && !nodes_[i].channel;
  }

  // First and last key, and the distance of neighbouring keys that is most usual.
  void measure_keys() {
    std::vector<double> steps;
    first_ = 1e300;
    last_ = -1e300;
    const auto look_at = [&](const auto* keys, unsigned count) {
      for (unsigned k = 0; k < count; ++k) {
        if (!std::isfinite(keys[k].mTime)) throw Error(file_, 0, "a key has a time that is not finite");
        first_ = std::min(first_, keys[k].mTime);
        last_ = std::max(last_, keys[k].mTime);
        if (k > 0 && keys[k].mTime > keys[k - 1].mTime) steps.push_back(keys[k].mTime - keys[k - 1].mTime);
      }
    };
    for (const auto& [name, channel] : channels_) {
      look_at(channel->mPositionKeys, channel->mNumPositionKeys);
      look_at(channel->mRotationKeys, channel->mNumRotationKeys);
    }
    if (first_ > last_) throw Error(file_, 0, "its animation has no keys");
    if (!steps.empty()) {
      std::nth_element(steps.begin(), steps.begin() + static_cast<long>(steps.size() / 2), steps.end());
      key_step_ = key_seconds(steps[steps.size() / 2], *take_);
    }
  }

  // Evenly spaced frames at the keys' own rate, if that is between 30 and 120 a second.
  void make_frames(Clip& clip, std::vector<ImportNote>& notes) {
    measure_keys();
    const double duration = key_seconds(last_ - first_, *take_);
    const double key_rate = key_step_ > 0 ? 1.0 / key_step_ : 30.0;
    double rate = std::clamp(key_rate, 30.0, 120.0);
    if (std::abs(rate - std::round(rate)) < 0.02 * rate) rate = std::round(rate);
    const double count = std::floor(duration * rate + 0.01) + 1;
    if (!(count * static_cast<double>(nodes_.size()) < kMaxPoses))
      throw Error(file_, 0, "its animation of " + std::to_string(duration) + " s is too long to be read");
    clip.frame_time_s = 1.0 / rate;
    const double ticks = take_->mTicksPerSecond > 0 ? take_->mTicksPerSecond : 25.0;
    std::vector<Mat4> local(nodes_.size());
    for (size_t f = 0; f < static_cast<size_t>(count); ++f) {
      const double time = first_ + static_cast<double>(f) / rate * ticks;
      for (size_t i = 0; i < nodes_.size(); ++i) local[i] = local_transform(nodes_[i], time);
      clip.frames.push_back(rigid_frame(local));
    }
    notes.push_back({"keys", "resampled to " + std::to_string(static_cast<int>(std::round(rate))) +
                                 " frames/s from keys at about " +
                                 std::to_string(static_cast<int>(std::round(key_rate))) + " a second"});
  }

  const aiScene& scene_;
  std::string file_;
  const aiAnimation* take_ = nullptr;
  std::unordered_map<std::string, const aiNodeAnim*> channels_;
  std::vector<Node> all_, nodes_;
  std::vector<char> wanted_;       // by node of `all_`
  std::vector<int> wanted_below_;  // by node of `all_`, itself included
  Mat4 above_ = Mat4::Identity();
  double first_ = 0, last_ = 0, key_step_ = 0;  // ticks, ticks, seconds
};

// FBX says how many centimetres a unit has, as one of several types of number.
std::optional<double> fbx_number(const aiScene& scene, const char* key) {
  if (!scene.mMetaData) return std::nullopt;
  double d = 0;
  float f = 0;
  int32_t i = 0;
  if (scene.mMetaData->Get(key, d)) return d;
  if (scene.mMetaData->Get(key, f)) return f;
  if (scene.mMetaData->Get(key, i)) return i;
  return std::nullopt;
}

FileFacts facts_of(const aiScene& scene, const std::string& ending) {
  FileFacts facts;
  facts.format = ending == ".fbx"                        ? "fbx"
                 : ending == ".gltf" || ending == ".glb" ? "gltf"
                 : ending.empty()                        ? "scene"
                                                         : ending.substr(1);
  if (facts.format == "gltf") {
    facts.declared_up = 'y';
    facts.declared_unit_m = 1.0;
    facts.unit_declared_by = "glTF";
  }
  if (facts.format == "fbx") {
    if (const auto up = fbx_number(scene, "UpAxis"); up && *up >= 0 && *up <= 2)
      facts.usual_up = static_cast<char>('x' + static_cast<int>(*up));
    if (const auto factor = fbx_number(scene, "UnitScaleFactor"); factor && *factor > 1e-6 && *factor < 1e6) {
      facts.declared_unit_m = 0.01 * *factor;
      facts.unit_declared_by = "the file's UnitScaleFactor";
    }
  }
  return facts;
}

}  // namespace

std::string lower_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

const aiScene& open_scene(Assimp::Importer& importer, const std::filesystem::path& path, unsigned flags) {
  const std::string file = path.string();
  std::error_code ec;
  const auto size = std::filesystem::file_size(path, ec);
  if (ec) throw Error(file, 0, "cannot be read");
  if (size > (std::uintmax_t{1} << 29)) throw Error(file, 0, "is larger than 512 MiB");
  const aiScene* scene = nullptr;
  std::string complaint;
  try {
    scene = importer.ReadFile(file, flags);
    complaint = importer.GetErrorString();
  } catch (const std::exception& e) {
    complaint = e.what();
  }
  if (!scene || !scene->mRootNode) {
    std::replace(complaint.begin(), complaint.end(), '\n', ' ');
    throw Error(file, 0, "cannot be read: " + complaint);
  }
  return *scene;
}

ImportedClip read_scene(const std::filesystem::path& path, const ImportOptions& options) {
  const std::string file = path.string(), ending = lower_ending(path);
  Assimp::Importer importer;
  if (!importer.IsExtensionSupported(ending))
    throw Error(file, 0,
                "no motion format has the ending '" + ending +
                    "'; known are .bvh, .amc with .asf, .glb, .gltf, .fbx, and DeepMimic's or Sinew's own "
                    ".txt or .json");
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  const aiScene& scene = open_scene(importer, path, 0);
  std::vector<ImportNote> notes;
  Clip clip = SceneReader(scene, file).read(options, notes);
  FileFacts facts = facts_of(scene, ending);
  facts.frame_time_reason = "as its keys were resampled";
  return into_world(std::move(clip), facts, options, std::move(notes));
}

}  // namespace sinew
