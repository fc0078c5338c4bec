#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "world/check.h"
#include "world/library.h"

namespace sinew {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

constexpr std::array<std::pair<Drive, std::string_view>, 3> kDrives = {
    {{Drive::kFree, "free"}, {Drive::kHinge, "hinge"}, {Drive::kMoved, "moved"}}};
constexpr std::array<std::pair<ShapeType, std::string_view>, 7> kShapeTypes = {
    {{ShapeType::kSphere, "sphere"},
     {ShapeType::kCapsule, "capsule"},
     {ShapeType::kBox, "box"},
     {ShapeType::kEllipsoid, "ellipsoid"},
     {ShapeType::kCylinder, "cylinder"},
     {ShapeType::kMesh, "mesh"},
     {ShapeType::kPlane, "plane"}}};

template <typename Table, typename Value>
std::string word_of(const Table& table, Value value) {
  for (const auto& [known, word] : table)
    if (known == value) return std::string(word);
  return "";
}

template <typename Table>
auto value_of(const Table& table, const std::string& word) {
  for (const auto& [value, known] : table)
    if (known == word) return value;
  throw std::invalid_argument("'" + word.substr(0, 40) + "' is no word for its kind");
}

// ---- writing

template <typename Matrix>
Json numbers(const Eigen::MatrixBase<Matrix>& m) {
  Json out = Json::array();
  for (Eigen::Index r = 0; r < m.rows(); ++r)
    for (Eigen::Index c = 0; c < m.cols(); ++c) out.push_back(m(r, c));
  return out;
}

// x y z, then the quaternion w x y z.
Json numbers(const Pose& X) { return {X.p.x(), X.p.y(), X.p.z(), X.q.w(), X.q.x(), X.q.y(), X.q.z()}; }

Json written(const Prop& prop) {
  Json out = {
      {"name", prop.name},       {"drive", word_of(kDrives, prop.drive)}, {"pose", numbers(prop.X_WP)},
      {"mass_kg", prop.mass_kg}, {"centre", numbers(prop.p_PC)},          {"inertia", numbers(prop.I_C)}};
  if (prop.drive == Drive::kHinge)
    out["hinge"] = {{"anchor", numbers(prop.p_PJ)}, {"axis", numbers(prop.axis_P)},
                    {"lower", prop.lower},          {"upper", prop.upper},
                    {"stiffness", prop.stiffness},  {"damping", prop.damping}};
  if (prop.drive == Drive::kMoved) out["sway"] = {{"by", numbers(prop.sway_m)}, {"period_s", prop.period_s}};
  if (prop.waiting) out["waiting"] = true;
  return out;
}

Json written(const WorldShape& surface) {
  const Shape& shape = surface.shape;
  Json out = {{"name", shape.name},          {"type", word_of(kShapeTypes, shape.type)},
              {"prop", shape.body},          {"size", numbers(shape.size)},
              {"pose", numbers(shape.X_BS)}, {"rgba", numbers(shape.rgba)},
              {"collides", shape.collides},  {"ground", surface.ground}};
  if (surface.friction) out["friction"] = *surface.friction;
  if (surface.softness_s > 0) out["softness_s"] = surface.softness_s;
  if (surface.give_m > 0) out["give_m"] = surface.give_m;
  if (!shape.vertices.empty()) {
    Json vertices = Json::array();
    for (const Vec3& vertex : shape.vertices) vertices.push_back(numbers(vertex));
    out["vertices"] = std::move(vertices);
  }
  return out;
}

Json written(const Throw& thrown) {
  return {{"body", thrown.body},         {"part", part_name(thrown.part)},
          {"mass_kg", thrown.mass_kg},   {"speed_m_s", thrown.speed_m_s},
          {"at_s", thrown.at_s},         {"from", numbers(thrown.from)},
          {"expected", thrown.expected}, {"prop", thrown.prop}};
}

Json written(const Push& push) {
  return {{"body", push.body},       {"part", part_name(push.part)},
          {"force_N", push.force_N}, {"for_s", push.for_s},
          {"at_s", push.at_s},       {"toward", numbers(push.toward)}};
}

template <typename T>
Json written(const std::vector<T>& things) {
  Json out = Json::array();
  for (const T& thing : things) out.push_back(written(thing));
  return out;
}

// ---- reading; nlohmann's exceptions and ours become one sentence in world_from_json

template <int kRows, int kCols = 1>
Eigen::Matrix<double, kRows, kCols> matrix(const Json& from) {
  if (!from.is_array() || from.size() != static_cast<size_t>(kRows * kCols))
    throw std::invalid_argument("expected " + std::to_string(kRows * kCols) + " numbers");
  Eigen::Matrix<double, kRows, kCols> out;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) out(r, c) = from[static_cast<size_t>(r * kCols + c)].get<double>();
  return out;
}

Pose pose(const Json& from) {
  const auto x = matrix<7>(from);
  return {x.head<3>(), Quat(x[3], x[4], x[5], x[6])};
}

std::string text(const Json& from, const char* key) {
  auto out = from.at(key).get<std::string>();
  if (out.size() > 4096) throw std::invalid_argument(std::string(key) + " is too long");
  return out;
}

Part part(const Json& from) {
  const auto found = part_from_name(text(from, "part"));
  if (!found) throw std::invalid_argument("'" + text(from, "part").substr(0, 40) + "' is no part of a body");
  return *found;
}

void read(const Json& from, Prop& out) {
  out.name = text(from, "name");
  out.drive = value_of(kDrives, text(from, "drive"));
  out.X_WP = pose(from.at("pose"));
  out.mass_kg = from.at("mass_kg").get<double>();
  out.p_PC = matrix<3>(from.at("centre"));
  out.I_C = matrix<3, 3>(from.at("inertia"));
  out.waiting = from.value("waiting", false);
  if (out.drive == Drive::kHinge) {
    const Json& hinge = from.at("hinge");
    out.p_PJ = matrix<3>(hinge.at("anchor"));
    out.axis_P = matrix<3>(hinge.at("axis"));
    out.lower = hinge.at("lower").get<double>();
    out.upper = hinge.at("upper").get<double>();
    out.stiffness = hinge.at("stiffness").get<double>();
    out.damping = hinge.at("damping").get<double>();
  }
  if (out.drive == Drive::kMoved) {
    out.sway_m = matrix<3>(from.at("sway").at("by"));
    out.period_s = from.at("sway").at("period_s").get<double>();
  }
}

void read(const Json& from, WorldShape& out) {
  out.shape.name = text(from, "name");
  out.shape.type = value_of(kShapeTypes, text(from, "type"));
  out.shape.body = from.at("prop").get<int>();
  out.shape.size = matrix<3>(from.at("size"));
  out.shape.X_BS = pose(from.at("pose"));
  out.shape.rgba = matrix<4>(from.at("rgba"));
  out.shape.collides = from.at("collides").get<bool>();
  out.ground = from.at("ground").get<bool>();
  if (from.contains("friction")) out.friction = from.at("friction").get<double>();
  out.softness_s = from.value("softness_s", 0.0);
  out.give_m = from.value("give_m", 0.0);
  if (from.contains("vertices"))
    for (const Json& vertex : from.at("vertices")) out.shape.vertices.push_back(matrix<3>(vertex));
}

void read(const Json& from, Throw& out) {
  out.body = text(from, "body");
  out.part = part(from);
  out.mass_kg = from.at("mass_kg").get<double>();
  out.speed_m_s = from.at("speed_m_s").get<double>();
  out.at_s = from.at("at_s").get<double>();
  out.from = matrix<3>(from.at("from"));
  out.expected = from.at("expected").get<bool>();
  out.prop = from.at("prop").get<int>();
}

void read(const Json& from, Push& out) {
  out.body = text(from, "body");
  out.part = part(from);
  out.force_N = from.at("force_N").get<double>();
  out.for_s = from.at("for_s").get<double>();
  out.at_s = from.at("at_s").get<double>();
  out.toward = matrix<3>(from.at("toward"));
}

template <typename T>
void read(const Json& from, std::vector<T>& out) {
  constexpr size_t kMost = 10000;
  if (!from.is_array() || from.size() > kMost)
    throw std::invalid_argument("expected a list that is not too long");
  for (const Json& thing : from) read(thing, out.emplace_back());
}

}  // namespace

std::string to_json(const World& world) {
  const Json out = {{"sinew_world", kVersion},           {"name", world.name},
                    {"gravity", numbers(world.gravity)}, {"props", written(world.props)},
                    {"shapes", written(world.shapes)},   {"throws", written(world.throws)},
                    {"pushes", written(world.pushes)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

World world_from_json(const std::string& text_of_world, const std::string& where) {
  constexpr size_t kMostBytes = size_t{64} << 20;
  if (text_of_world.size() > kMostBytes) throw Error(where, 0, "is too large to be a world");
  World world;
  try {
    const Json from = Json::parse(text_of_world);
    if (const int version = from.at("sinew_world").get<int>(); version < 1 || version > kVersion)
      throw std::invalid_argument("version " + std::to_string(version) + " is not known here");
    world.name = text(from, "name");
    world.gravity = matrix<3>(from.at("gravity"));
    read(from.at("props"), world.props);
    read(from.at("shapes"), world.shapes);
    read(from.at("throws"), world.throws);
    read(from.at("pushes"), world.pushes);
  } catch (const Json::exception& e) {
    const std::string reason = e.what();
    throw Error(where, 0, "cannot be read as a world: " + reason.substr(reason.find("] ") + 2, 200));
  } catch (const std::invalid_argument& e) {
    throw Error(where, 0, std::string("cannot be read as a world: ") + e.what());
  }
  check_world(world, where);
  return world;
}

}  // namespace sinew
