#include "studio/telling.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "record/pressure.h"
#include "world/library.h"

namespace sinew::studio {

namespace {

static_assert(std::endian::native == std::endian::little, "frames are sent as they lie in memory");

using Json = nlohmann::json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

double rounded(double x) { return std::round(x * 1e5) / 1e5; }

Json list(const Vec3& p) { return {rounded(p.x()), rounded(p.y()), rounded(p.z())}; }

// Positions, and quaternions as three.js has them: x y z w.
Json list(const Pose& X) {
  return {rounded(X.p.x()), rounded(X.p.y()), rounded(X.p.z()), rounded(X.q.x()),
          rounded(X.q.y()), rounded(X.q.z()), rounded(X.q.w())};
}

Json tell_shape(const Shape& shape) {
  static constexpr const char* kTypes[] = {"sphere",   "capsule", "box",  "ellipsoid",
                                           "cylinder", "mesh",    "plane"};
  Json out = {{"body", shape.body},
              {"type", kTypes[static_cast<size_t>(shape.type)]},
              {"size", list(shape.size)},
              {"pose", list(shape.X_BS)},
              {"rgba", {shape.rgba[0], shape.rgba[1], shape.rgba[2], shape.rgba[3]}}};
  for (const Vec3& vertex : shape.vertices) out["vertices"].push_back(list(vertex));
  return out;
}

Json tell_world(const Casting& casting) {
  Json out = {{"name", casting.world.name}, {"shapes", Json::array()}, {"props", Json::array()}};
  for (const WorldShape& shape : casting.world.shapes) {
    Json entry = tell_shape(shape.shape);
    entry["ground"] = shape.ground;
    entry["soft"] = shape.softness_s > 0;
    out["shapes"].push_back(entry);
  }
  for (const Prop& prop : casting.world.props)
    out["props"].push_back({{"name", prop.name}, {"waiting", prop.waiting}, {"pose", list(prop.X_WP)}});
  return out;
}

Json tell_character(const Character& character) {
  Json out = {{"name", character.name},
              {"mass", rounded(character.mass_kg())},
              {"height", rounded(standing_height(character))},
              {"bodies", Json::array()},
              {"shapes", Json::array()},
              {"joints", Json::array()}};
  for (const Body& body : character.bodies)
    out["bodies"].push_back({{"name", body.name}, {"parent", body.parent}, {"com", list(body.p_BC)}});
  for (const Shape& shape : character.shapes) out["shapes"].push_back(tell_shape(shape));
  for (const Joint& joint : character.joints) {
    if (joint.type == JointType::kFree) continue;
    Json limit = Json::array();
    for (int i = 0; i < joint.v_size(); ++i) limit.push_back(rounded(joint.torque_limit[i]));
    out["joints"].push_back({{"name", joint.name}, {"v", joint.v}, {"limit", limit}});
  }
  return out;
}

// The line that is ridden along, a point every half metre.
Json tell_course(const Course& course) {
  Json out = Json::array();
  const auto cm = [](double x) { return std::round(100 * x) / 100; };
  for (double s = 0; s <= course.length_m(); s += 0.5) {
    const Course::Place place = course.at(s);
    out.push_back({cm(place.x), cm(place.y)});
  }
  return out;
}

Json tell_role(const Role& role) {
  return {{"clip", role.clip},
          {"character", role.character},
          {"method", method_name(role.method)},
          {"loop", role.loop},
          {"gain", role.gain},
          {"strength", role.strength},
          {"found", role.control != nullptr || role.run != nullptr}};
}

// Bytes one after another.
class Bytes {
 public:
  template <class T>
  void add(T value) {
    const size_t at = out_.size();
    out_.resize(at + sizeof value);
    std::memcpy(out_.data() + at, &value, sizeof value);
  }
  void number(double x) { add(std::isfinite(x) ? static_cast<float>(x) : 0.0F); }
  void vector(const Vec3& p) {
    for (int i = 0; i < 3; ++i) number(p[i]);
  }
  void pose(const Pose& X) {
    vector(X.p);
    for (const double x : {X.q.x(), X.q.y(), X.q.z(), X.q.w()}) number(x);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// The highest pressure on each body, Pa: what the ground and props do.
std::vector<double> pressures(const Recording& recording, const RecordingFrame& frame) {
  std::vector<double> out(recording.character.bodies.size(), 0.0);
  for (const ContactPatch& patch : contact_patches(recording, frame)) {
    if (patch.world_shape < 0) continue;
    double& most = out[static_cast<size_t>(patch.body)];
    most = std::max(most, patch.size.pressure_Pa);
  }
  return out;
}

// The scene with the body that it had at a moment, where that is not the one it began with.
std::optional<Recording> changed_recording(const Shown& shown) {
  if (!shown.now->way) return {};
  Recording out = shown.performer->stage_recording();
  out.character = shown.now->way->from();
  shown.now->way->body(shown.now->part, out.character);
  return out;
}

void encode_performer(Bytes& out, const Shown& shown) {
  const RecordingFrame& frame = shown.now->frame;
  const std::optional<Recording> changed = changed_recording(shown);
  const Recording& recording = changed ? *changed : shown.performer->stage_recording();
  const Character& character = recording.character;
  const size_t bodies = character.bodies.size(), props = frame.props.size();
  const auto contacts = static_cast<size_t>(std::count_if(
      frame.contacts.begin(), frame.contacts.end(), [](const Contact& c) { return c.world_shape >= 0; }));
  out.add(static_cast<uint16_t>(bodies));
  out.add(static_cast<uint16_t>(props));
  out.add(static_cast<uint16_t>(contacts));
  out.add(static_cast<uint16_t>(character.nv()));
  out.number(shown.now->phase_s);
  out.number(shown.now->plan_ms);
  out.number(shown.now->pose_error_rad);
  out.number(shown.now->height_error_m);
  out.number(changed ? static_cast<double>(character.shapes.size()) : 0);
  for (const Pose& X_WB : body_poses(character, frame.q)) out.pose(X_WB);
  const VecX& q_ghost = frame.q_reference.size() == character.nq() ? frame.q_reference : frame.q;
  for (const Pose& X_WB : body_poses(character, q_ghost)) out.pose(X_WB);
  for (const Pose& X_WP : frame.props) out.pose(X_WP);
  for (const Contact& contact : frame.contacts) {
    if (contact.world_shape < 0) continue;
    out.number(contact.body);
    out.vector(contact.p_W);
    out.vector(contact.force_W);
  }
  for (int i = 0; i < character.nv(); ++i) out.number(i < frame.torque.size() ? frame.torque[i] : 0);
  for (const double pressure : pressures(recording, frame)) out.number(pressure);
  if (!changed) return;
  for (const Shape& shape : character.shapes) {
    out.vector(shape.size);
    out.pose(shape.X_BS);
  }
}

}  // namespace

std::string tell_hello(const Workshop& workshop, const std::string& gallery_json) {
  Json out = {{"type", "hello"},
              {"sinew", SINEW_VERSION},
              {"characters", workshop.characters()},
              {"drops", workshop.drops()},
              {"gallery", Json::parse(gallery_json)},
              {"motions", Json::array()},
              {"behaviours", Json::array()},
              {"runners", workshop.runners()},
              {"worlds", Json::array()},
              {"frame_s", kFrame_s}};
  for (const MotionEntry& entry : workshop.motions())
    out["motions"].push_back({{"name", entry.name}, {"about", entry.description}});
  for (const Behaviour& behaviour : behaviours())
    out["behaviours"].push_back({{"name", behaviour.name}, {"about", behaviour.about}});
  for (const WorldEntry& entry : list_worlds())
    out["worlds"].push_back({{"name", entry.name}, {"about", entry.meaning}});
  return dump(out);
}

std::string tell_scene(unsigned epoch, const std::vector<std::unique_ptr<Performer>>& performers,
                       const Setting& setting, const Pose& X_shift) {
  Json out = {{"type", "scene"},
              {"epoch", epoch},
              {"shift", list(X_shift)},
              {"performers", Json::array()},
              {"setting", {{"world", setting.world}, {"ball", setting.ball_kg}}}};
  if (setting.friction) out["setting"]["friction"] = *setting.friction;
  for (const auto& performer : performers) {
    const Casting& casting = performer->casting();
    out["performers"].push_back({{"role", tell_role(casting.role)},
                                 {"character", tell_character(casting.character)},
                                 {"world", tell_world(casting)},
                                 {"balls", casting.first_ball},
                                 {"cyclic", casting.reference.cyclic},
                                 {"duration", casting.duration_s()},
                                 {"follows", follows_motion(casting.role.method)},
                                 {"notes", casting.notes}});
    if (casting.course) out["performers"].back()["course"] = tell_course(*casting.course);
  }
  return dump(out);
}

std::string encode_frame(unsigned epoch, double clock_s, FrameKind kind, const std::vector<Shown>& shown) {
  Bytes out;
  out.add(static_cast<uint32_t>(0x31574E53));  // "SNW1"
  out.add(static_cast<uint32_t>(epoch));
  out.add(clock_s);
  out.add(static_cast<uint32_t>(shown.size()));
  out.add(static_cast<uint32_t>(kind));
  for (const Shown& one : shown) encode_performer(out, one);
  return out.take();
}

std::string tell_error(const std::string& sentence) { return dump({{"type", "error"}, {"text", sentence}}); }
std::string tell_note(const std::string& sentence) { return dump({{"type", "note"}, {"text", sentence}}); }

}  // namespace sinew::studio
