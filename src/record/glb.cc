#include "record/glb.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "record/tessellate.h"

namespace sinew {

namespace {

using Json = nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "glTF buffers are little endian");

constexpr int kFloat = 5126, kUnsignedInt = 5125, kUnsignedShort = 5123, kUnsignedByte = 5121;
constexpr int kVertexBuffer = 34962, kIndexBuffer = 34963;

// Z up, faces +X -> Y up, faces +Z, as glTF has it.
const Quat kUpright = Quat(0.5, -0.5, -0.5, -0.5);

// The document and its buffer while they grow.
struct Document {
  Json json;
  std::string buffer;

  // Appends numbers as an accessor and returns its index. `width` numbers make one element.
  template <typename T>
  int add(const std::vector<T>& numbers, int component, const char* type, int width, int target = 0) {
    while (buffer.size() % 4) buffer += '\0';
    Json view = {{"buffer", 0}, {"byteOffset", buffer.size()}, {"byteLength", numbers.size() * sizeof(T)}};
    if (target) view["target"] = target;
    buffer.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
    json["bufferViews"].push_back(view);
    json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                 {"componentType", component},
                                 {"count", numbers.size() / static_cast<size_t>(width)},
                                 {"type", type}});
    return static_cast<int>(json["accessors"].size()) - 1;
  }

  // The same with the smallest and largest elements, which positions and times must have.
  int add_bounded(const std::vector<float>& numbers, const char* type, int width, int target = 0) {
    const int accessor = add(numbers, kFloat, type, width, target);
    std::vector<float> low(numbers.begin(), numbers.begin() + width), high = low;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const size_t k = i % static_cast<size_t>(width);
      low[k] = std::min(low[k], numbers[i]);
      high[k] = std::max(high[k], numbers[i]);
    }
    json["accessors"].back()["min"] = low;
    json["accessors"].back()["max"] = high;
    return accessor;
  }
};

Json vector_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json quat_json(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

void append(std::vector<float>& out, const Vec3& v) {
  for (int i = 0; i < 3; ++i) out.push_back(static_cast<float>(v[i]));
}

// glTF colours are linear; ours are as a screen shows them.
double linear(double srgb) { return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4); }

// Vertices of all shapes of one colour.
struct Surface {
  std::vector<float> positions, normals;
  std::vector<uint16_t> joints;
  std::vector<uint8_t> weights;
  std::vector<uint32_t> indices;
};

struct ColorOrder {
  bool operator()(const Vec4& a, const Vec4& b) const {
    return std::lexicographical_compare(a.data(), a.data() + 4, b.data(), b.data() + 4);
  }
};

// Each shape as it stands in the rest stance, bound to its body alone.
std::map<Vec4, Surface, ColorOrder> surfaces_of(const Character& character, const std::vector<Pose>& rest) {
  std::map<Vec4, Surface, ColorOrder> surfaces;
  for (const Shape& shape : character.shapes) {
    if (shape.rgba.w() <= 0) continue;
    const Pose X = Pose{Vec3::Zero(), kUpright} * rest[static_cast<size_t>(shape.body)] * shape.X_BS;
    const TriangleMesh mesh = tessellate(shape);
    Surface& surface = surfaces[shape.rgba];
    const auto first = static_cast<uint32_t>(surface.positions.size() / 3);
    for (size_t i = 0; i < mesh.positions.size(); ++i) {
      append(surface.positions, X * mesh.positions[i]);
      append(surface.normals, X.q * mesh.normals[i]);
      surface.joints.insert(surface.joints.end(), {static_cast<uint16_t>(shape.body), 0, 0, 0});
      surface.weights.insert(surface.weights.end(), {255, 0, 0, 0});
    }
    for (const uint32_t i : mesh.indices) surface.indices.push_back(first + i);
  }
  std::erase_if(surfaces, [](const auto& entry) { return entry.second.indices.empty(); });
  return surfaces;
}

// One primitive and one material a colour. Returns whether there is anything to see.
bool add_mesh(Document& doc, const Character& character, const std::vector<Pose>& rest) {
  Json primitives = Json::array();
  for (const auto& [rgba, surface] : surfaces_of(character, rest)) {
    Json material = {{"pbrMetallicRoughness",
                      {{"baseColorFactor", {linear(rgba.x()), linear(rgba.y()), linear(rgba.z()), rgba.w()}},
                       {"metallicFactor", 0.0},
                       {"roughnessFactor", 0.6}}}};
    if (rgba.w() < 1) material["alphaMode"] = "BLEND";
    doc.json["materials"].push_back(material);
    primitives.push_back(
        {{"attributes",
          {{"POSITION", doc.add_bounded(surface.positions, "VEC3", 3, kVertexBuffer)},
           {"NORMAL", doc.add(surface.normals, kFloat, "VEC3", 3, kVertexBuffer)},
           {"JOINTS_0", doc.add(surface.joints, kUnsignedShort, "VEC4", 4, kVertexBuffer)},
           {"WEIGHTS_0", doc.add(surface.weights, kUnsignedByte, "VEC4", 4, kVertexBuffer)}}},
         {"indices", doc.add(surface.indices, kUnsignedInt, "SCALAR", 1, kIndexBuffer)},
         {"material", doc.json["materials"].size() - 1}});
    doc.json["accessors"][primitives.back()["attributes"]["WEIGHTS_0"].get<size_t>()]["normalized"] = true;
  }
  if (primitives.empty()) return false;
  doc.json["meshes"].push_back({{"name", character.name}, {"primitives", primitives}});
  return true;
}

// Local pose of each body in its parent.
std::vector<Pose> local_poses(const Character& character, const std::vector<Pose>& X_WB) {
  std::vector<Pose> out;
  for (size_t b = 0; b < X_WB.size(); ++b) {
    const int parent = character.bodies[b].parent;
    out.push_back(parent < 0 ? X_WB[b] : X_WB[static_cast<size_t>(parent)].inverse() * X_WB[b]);
  }
  return out;
}

// Node 0 stands the world upright, node 1 + b is body b.
void add_nodes(Document& doc, const Character& character, const std::vector<Pose>& local) {
  doc.json["nodes"].push_back({{"name", "sinew"}, {"rotation", quat_json(kUpright)}});
  for (size_t b = 0; b < local.size(); ++b)
    doc.json["nodes"].push_back({{"name", character.bodies[b].name},
                                 {"translation", vector_json(local[b].p)},
                                 {"rotation", quat_json(local[b].q)}});
  for (size_t b = 0; b < local.size(); ++b) {
    const auto parent = static_cast<size_t>(character.bodies[b].parent + 1);
    doc.json["nodes"][parent]["children"].push_back(b + 1);
  }
}

// The bodies as the joints of a skin: what undoes the rest stance of each.
void add_skin(Document& doc, const std::vector<Pose>& rest) {
  std::vector<float> inverse;
  Json joints = Json::array();
  for (size_t b = 0; b < rest.size(); ++b) {
    const Pose X = (Pose{Vec3::Zero(), kUpright} * rest[b]).inverse();
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    m.topLeftCorner<3, 3>() = X.q.toRotationMatrix();
    m.topRightCorner<3, 1>() = X.p;
    for (int i = 0; i < 16; ++i) inverse.push_back(static_cast<float>(m.data()[i]));
    joints.push_back(b + 1);
  }
  doc.json["skins"].push_back(
      {{"inverseBindMatrices", doc.add(inverse, kFloat, "MAT4", 16)}, {"skeleton", 1}, {"joints", joints}});
}

void add_channel(Json& animation, size_t node, const char* path, int times, int values) {
  animation["samplers"].push_back({{"input", times}, {"interpolation", "LINEAR"}, {"output", values}});
  animation["channels"].push_back(
      {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
}

// Rotations of all bodies that move; translations of the root and of bodies that are moved against their
// parent.
void add_animation(Document& doc, const Character& character, const std::vector<std::vector<Pose>>& local,
                   double frame_time_s, const std::string& name) {
  std::vector<float> times;
  for (size_t i = 0; i < local.size(); ++i)
    times.push_back(static_cast<float>(static_cast<double>(i) * frame_time_s));
  Json animation = {{"name", name}, {"samplers", Json::array()}, {"channels", Json::array()}};
  const int input = doc.add_bounded(times, "SCALAR", 1);
  for (size_t b = 0; b < character.bodies.size(); ++b) {
    if (character.bodies[b].joint_count == 0) continue;
    std::vector<float> turned, moved;
    std::vector<Quat> rotations;
    double motion = 0;
    for (const auto& poses : local) {
      rotations.push_back(poses[b].q);
      append(moved, poses[b].p);
      motion = std::max(motion, (poses[b].p - local[0][b].p).norm());
    }
    make_continuous(rotations);
    for (const Quat& q : rotations)
      for (int i = 0; i < 4; ++i) turned.push_back(static_cast<float>(q.coeffs()[i]));
    add_channel(animation, b + 1, "rotation", input, doc.add(turned, kFloat, "VEC4", 4));
    if (b == 0 || motion > 1e-6)
      add_channel(animation, b + 1, "translation", input, doc.add(moved, kFloat, "VEC3", 3));
  }
  doc.json["animations"].push_back(animation);
}

void append_word(std::string& out, size_t word) {
  const auto value = static_cast<uint32_t>(word);
  out.append(reinterpret_cast<const char*>(&value), 4);
}

// Header, JSON chunk and binary chunk, each padded to four bytes.
std::string pack(Document& doc) {
  while (doc.buffer.size() % 4) doc.buffer += '\0';
  doc.json["buffers"].push_back({{"byteLength", doc.buffer.size()}});
  std::string text = doc.json.dump(-1, ' ', false, Json::error_handler_t::replace);
  while (text.size() % 4) text += ' ';
  std::string out = "glTF";
  append_word(out, 2);
  append_word(out, 12 + 8 + text.size() + 8 + doc.buffer.size());
  append_word(out, text.size());
  out += "JSON" + text;
  append_word(out, doc.buffer.size());
  out.append("BIN\0", 4);
  return out + doc.buffer;
}

}  // namespace

std::string encode_glb(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                       const std::string& animation_name) {
  if (q.empty()) throw Error("a GLB needs at least one frame");
  Document doc;
  doc.json["asset"] = {{"version", "2.0"}, {"generator", std::string("sinew ") + SINEW_VERSION}};
  const std::vector<Pose> rest = body_poses(character, character.q_rest);
  add_nodes(doc, character, local_poses(character, rest));
  Json roots = Json::array({0});
  if (add_mesh(doc, character, rest)) {
    add_skin(doc, rest);
    doc.json["nodes"].push_back({{"name", character.name + " mesh"}, {"mesh", 0}, {"skin", 0}});
    roots.push_back(doc.json["nodes"].size() - 1);
  }
  doc.json["scene"] = 0;
  doc.json["scenes"].push_back({{"nodes", roots}});

  std::vector<std::vector<Pose>> local;
  for (const VecX& coordinates : q)
    local.push_back(local_poses(character, body_poses(character, coordinates)));
  add_animation(doc, character, local, frame_time_s, animation_name);
  return pack(doc);
}

}  // namespace sinew
