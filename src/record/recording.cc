#include "record/recording.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "character/mjcf.h"
#include "character/write_mjcf.h"
#include "core/error.h"
#include "world/library.h"

// The layout of the file is told in docs/recording.md.
namespace sinew {

static_assert(std::endian::native == std::endian::little, "recordings are written as memory holds them");

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "SINEWREC";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeaderBytes = 8 + 4 + 8;  // magic, version, size of the file
constexpr size_t kChecksumBytes = 4;

// CRC-32 of zip and PNG.
uint32_t crc32(std::string_view bytes) {
  static const auto kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xEDB88320U : value >> 1;
      table[i] = value;
    }
    return table;
  }();
  uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFFU];
  return ~crc;
}

// ---- numbers to bytes

class Writer {
 public:
  void u32(uint32_t value) { raw(&value, sizeof value); }
  void u64(uint64_t value) { raw(&value, sizeof value); }
  void i32(int32_t value) { raw(&value, sizeof value); }
  void count(size_t value) { u32(static_cast<uint32_t>(value)); }
  void f64(double value) { raw(&value, sizeof value); }
  void vec(const Eigen::Ref<const VecX>& values) {
    raw(values.data(), static_cast<size_t>(values.size()) * sizeof(double));
  }
  void pose(const Pose& X) {
    vec(X.p);
    for (const double value : {X.q.w(), X.q.x(), X.q.y(), X.q.z()}) f64(value);
  }
  void text(std::string_view value) {
    count(value.size());
    bytes_ += value;
  }
  void chunk(std::string_view name, std::string_view content) {
    text(name);
    u64(content.size());
    bytes_ += content;
  }
  std::string& bytes() { return bytes_; }

 private:
  void raw(const void* from, size_t size) { bytes_.append(static_cast<const char*>(from), size); }
  std::string bytes_;
};

// ---- bytes to numbers: never reads beyond the end, never believes a count that the bytes cannot hold

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  int32_t i32() { return number<int32_t>(); }
  double f64() { return number<double>(); }
  // A count of things of at least `size` bytes each.
  size_t count(size_t size) {
    const size_t value = u32();
    if (value > bytes_.size() / size) fail();
    return value;
  }
  std::string_view take(uint64_t size) {
    if (size > bytes_.size()) fail();
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  VecX vec(size_t size) {
    const std::string_view from = take(size * sizeof(double));
    VecX values(static_cast<Eigen::Index>(size));
    if (size > 0) std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  Vec3 vec3() { return vec(3); }
  Pose pose() {
    const Vec3 p = vec3();
    const VecX q = vec(4);
    return {p, Quat(q[0], q[1], q[2], q[3])};
  }
  std::string_view text() { return take(count(1)); }
  bool done() const { return bytes_.empty(); }
  [[noreturn]] void fail() const { throw Error(where_, 0, "is a recording whose parts do not fit together"); }

 private:
  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view bytes_;
  const std::string& where_;
};

// ---- what a recording must be

bool finite(const Vec3& v) { return v.allFinite(); }
bool finite(const Pose& X) { return X.p.allFinite() && X.q.coeffs().allFinite(); }

bool finite(const std::vector<ExternalForce>& forces) {
  for (const ExternalForce& force : forces)
    if (!finite(force.force_W) || !finite(force.p_W) || !finite(force.torque_W)) return false;
  return true;
}

bool finite(const RecordingFrame& frame) {
  for (const VecX* values : {&frame.q, &frame.v, &frame.q_reference, &frame.torque})
    if (!values->allFinite()) return false;
  for (const Contact& contact : frame.contacts)
    if (!finite(contact.p_W) || !finite(contact.normal_W) || !finite(contact.force_W) ||
        !std::isfinite(contact.depth_m))
      return false;
  for (const Pose& X : frame.props)
    if (!finite(X)) return false;
  return finite(frame.pushes) && finite(frame.helping) && finite(frame.momentum_rate.linear) &&
         finite(frame.momentum_rate.angular) && std::isfinite(frame.time_s) &&
         std::isfinite(frame.max_depth_m) && std::isfinite(frame.cost);
}

bool unit_rotations(const Character& character, const VecX& q) {
  for (const Joint& joint : character.joints) {
    if (joint.q_size() < 4 || q.size() == 0) continue;
    const int at = joint.type == JointType::kFree ? joint.q + 3 : joint.q;
    if (std::abs(q.segment<4>(at).norm() - 1) > 1e-3) return false;
  }
  return true;
}

bool in_range(int index, size_t size) { return index >= 0 && static_cast<size_t>(index) < size; }

bool indices_fit(const Recording& recording, const RecordingFrame& frame) {
  const Character& character = recording.character;
  for (const Contact& contact : frame.contacts)
    if (!in_range(contact.body, character.bodies.size()) ||
        !in_range(contact.shape, character.shapes.size()) ||
        !in_range(contact.other_shape + 1, character.shapes.size() + 1) ||
        !in_range(contact.world_shape + 1, recording.world.shapes.size() + 1))
      return false;
  for (const auto* forces : {&frame.pushes, &frame.helping})
    for (const ExternalForce& force : *forces)
      if (!in_range(force.body, character.bodies.size())) return false;
  return true;
}

// What is wrong with a frame, in words that follow "at 0.12 s "; empty if it is good.
std::string problem_of(const Recording& recording, const RecordingFrame& frame) {
  const auto nq = recording.character.nq(), nv = recording.character.nv();
  const auto none_or = [](const VecX& values, int size) {
    return values.size() == 0 || values.size() == size;
  };
  if (frame.q.size() != nq || frame.v.size() != nv || !none_or(frame.q_reference, nq) ||
      !none_or(frame.torque, nv))
    return "the coordinates are not those of the character";
  if (frame.props.size() != recording.world.props.size()) return "not every prop of the world has a place";
  if (!finite(frame)) return "a value is not finite";
  if (!unit_rotations(recording.character, frame.q) ||
      !unit_rotations(recording.character, frame.q_reference))
    return "a rotation is not of unit length";
  if (!indices_fit(recording, frame)) return "a contact or force is of a body or shape that is not there";
  return "";
}

// The first thing that is wrong with a recording; empty if it is good.
std::string problem_of(const Recording& recording) {
  for (const double value : {recording.step_s, recording.frame_time_s})
    if (!std::isfinite(value) || value < 0) return "its step or frame time is no length of time";
  if (recording.frames.size() > 1 && recording.frame_time_s <= 0) return "its frame time is 0";
  for (const RecordingFrame& frame : recording.frames)
    if (const std::string problem = problem_of(recording, frame); !problem.empty())
      return "at " + std::to_string(frame.time_s) + " s " + problem;
  for (const RecordingEvent& event : recording.events)
    if (!std::isfinite(event.time_s)) return "an event has no finite time";
  return "";
}

// ---- frames

constexpr size_t kContactBytes = 4 * 4 + 10 * 8;
constexpr size_t kForceBytes = 4 + 9 * 8;

void write_forces(Writer& out, const std::vector<ExternalForce>& forces) {
  out.count(forces.size());
  for (const ExternalForce& force : forces) {
    out.i32(force.body);
    out.vec(force.force_W);
    out.vec(force.p_W);
    out.vec(force.torque_W);
  }
}

std::vector<ExternalForce> read_forces(Reader& in) {
  std::vector<ExternalForce> forces(in.count(kForceBytes));
  for (ExternalForce& force : forces) {
    force.body = in.i32();
    force.force_W = in.vec3();
    force.p_W = in.vec3();
    force.torque_W = in.vec3();
  }
  return forces;
}

void write_frame(Writer& out, const RecordingFrame& frame) {
  out.f64(frame.time_s);
  out.vec(frame.q);
  out.vec(frame.v);
  for (const VecX* maybe : {&frame.q_reference, &frame.torque}) {
    out.count(static_cast<size_t>(maybe->size()));
    out.vec(*maybe);
  }
  out.count(frame.contacts.size());
  for (const Contact& contact : frame.contacts) {
    for (const int index : {contact.body, contact.shape, contact.other_shape, contact.world_shape})
      out.i32(index);
    out.vec(contact.p_W);
    out.vec(contact.normal_W);
    out.vec(contact.force_W);
    out.f64(contact.depth_m);
  }
  write_forces(out, frame.pushes);
  write_forces(out, frame.helping);
  out.vec(frame.momentum_rate.linear);
  out.vec(frame.momentum_rate.angular);
  for (const Pose& X : frame.props) out.pose(X);
  out.f64(frame.max_depth_m);
  out.f64(frame.cost);
}

RecordingFrame read_frame(Reader& in, size_t nq, size_t nv, size_t props) {
  RecordingFrame frame;
  frame.time_s = in.f64();
  frame.q = in.vec(nq);
  frame.v = in.vec(nv);
  for (VecX* maybe : {&frame.q_reference, &frame.torque}) *maybe = in.vec(in.count(sizeof(double)));
  frame.contacts.resize(in.count(kContactBytes));
  for (Contact& contact : frame.contacts) {
    for (int* index : {&contact.body, &contact.shape, &contact.other_shape, &contact.world_shape})
      *index = in.i32();
    contact.p_W = in.vec3();
    contact.normal_W = in.vec3();
    contact.force_W = in.vec3();
    contact.depth_m = in.f64();
  }
  frame.pushes = read_forces(in);
  frame.helping = read_forces(in);
  frame.momentum_rate.linear = in.vec3();
  frame.momentum_rate.angular = in.vec3();
  for (size_t i = 0; i < props; ++i) frame.props.push_back(in.pose());
  frame.max_depth_m = in.f64();
  frame.cost = in.f64();
  return frame;
}

std::string frames_bytes(const Recording& recording) {
  Writer out;
  out.count(static_cast<size_t>(recording.character.nq()));
  out.count(static_cast<size_t>(recording.character.nv()));
  out.count(recording.world.props.size());
  out.u64(recording.frames.size());
  for (const RecordingFrame& frame : recording.frames) write_frame(out, frame);
  return std::move(out.bytes());
}

void read_frames(Recording& recording, Reader in) {
  const size_t nq = in.u32(), nv = in.u32(), props = in.u32();
  if (nq != static_cast<size_t>(recording.character.nq()) ||
      nv != static_cast<size_t>(recording.character.nv()) || props != recording.world.props.size())
    in.fail();
  for (uint64_t left = in.u64(); left > 0; --left) recording.frames.push_back(read_frame(in, nq, nv, props));
  if (!in.done()) in.fail();
}

// ---- the other chunks

std::string meta_text(const Recording& recording) {
  const Json meta = {{"sinew", SINEW_VERSION},
                     {"command", recording.command},
                     {"clip", recording.clip},
                     {"engine", recording.engine},
                     {"seed", recording.seed},
                     {"step_s", recording.step_s},
                     {"frame_time_s", recording.frame_time_s},
                     {"diverged", recording.diverged}};
  return meta.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void read_meta(Recording& recording, std::string_view text, const std::string& where) {
  try {
    const Json meta = Json::parse(text);
    recording.command = meta.at("command").get<std::string>();
    recording.clip = meta.at("clip").get<std::string>();
    recording.engine = meta.at("engine").get<std::string>();
    recording.seed = meta.at("seed").get<int>();
    recording.step_s = meta.at("step_s").get<double>();
    recording.frame_time_s = meta.at("frame_time_s").get<double>();
    recording.diverged = meta.at("diverged").get<bool>();
  } catch (const Json::exception&) {
    throw Error(where, 0, "is a recording that does not say how it was made");
  }
}

std::string character_bytes(const Character& character) {
  Writer out;
  out.text(character.name);
  out.text(write_mjcf(character));
  return std::move(out.bytes());
}

Character read_character(Reader in, const std::string& where) {
  const std::string name(in.text());
  Character character = read_mjcf(std::string(in.text()), where);
  character.name = name;
  return character;
}

std::string events_bytes(const std::vector<RecordingEvent>& events) {
  Writer out;
  out.count(events.size());
  for (const RecordingEvent& event : events) {
    out.f64(event.time_s);
    out.text(event.what);
  }
  return std::move(out.bytes());
}

std::vector<RecordingEvent> read_events(Reader in) {
  std::vector<RecordingEvent> events(in.count(sizeof(double) + 4));
  for (RecordingEvent& event : events) {
    event.time_s = in.f64();
    event.what = in.text();
  }
  return events;
}

// The chunks of a file that is whole and undamaged.
struct Chunks {
  int version = 0;
  std::string_view meta, character, world, frames, events;
};

Chunks open_chunks(std::string_view bytes, const std::string& where) {
  if (!bytes.starts_with(kMagic)) throw Error(where, 0, "is no recording of sinew");
  const std::string cut = "is a recording that was cut short";
  if (bytes.size() < kHeaderBytes + kChecksumBytes) throw Error(where, 0, cut);
  Reader header(bytes.substr(kMagic.size(), kHeaderBytes - kMagic.size()), where);
  const uint32_t version = header.u32();
  if (version > kVersion || version == 0)
    throw Error(where, 0,
                "is a recording of version " + std::to_string(version) + "; this sinew reads up to version " +
                    std::to_string(kVersion));
  if (bytes.size() < header.u64()) throw Error(where, 0, cut);
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (Reader(bytes.substr(body.size()), where).u32() != crc32(body))
    throw Error(where, 0, "is a recording that was damaged: its checksum is not right");

  // Chunks of names that are not known are of a later sinew, which could do without our reading them.
  Chunks chunks;
  chunks.version = static_cast<int>(version);
  Reader in(body.substr(kHeaderBytes), where);
  while (!in.done()) {
    const std::string_view name = in.text();
    const std::string_view content = in.take(in.u64());
    if (name == "meta") chunks.meta = content;
    if (name == "character") chunks.character = content;
    if (name == "world") chunks.world = content;
    if (name == "frames") chunks.frames = content;
    if (name == "events") chunks.events = content;
  }
  return chunks;
}

}  // namespace

std::string encode_recording(const Recording& recording) {
  if (const std::string problem = problem_of(recording); !problem.empty())
    throw Error("the recording cannot be written: " + problem);
  Writer out;
  out.bytes() = kMagic;
  out.u32(kVersion);
  out.u64(0);
  out.chunk("meta", meta_text(recording));
  out.chunk("character", character_bytes(recording.character));
  out.chunk("world", to_json(recording.world));
  out.chunk("frames", frames_bytes(recording));
  out.chunk("events", events_bytes(recording.events));

  // The size and the checksum, now that all is there.
  const uint64_t size = out.bytes().size() + kChecksumBytes;
  std::memcpy(out.bytes().data() + kHeaderBytes - sizeof size, &size, sizeof size);
  out.u32(crc32(out.bytes()));
  return std::move(out.bytes());
}

Recording decode_recording(const std::string& bytes, const std::string& where) {
  const Chunks chunks = open_chunks(bytes, where);
  Recording recording;
  recording.version = chunks.version;
  read_meta(recording, chunks.meta, where);
  recording.character = read_character(Reader(chunks.character, where), where);
  recording.world = world_from_json(std::string(chunks.world), where);
  read_frames(recording, Reader(chunks.frames, where));
  recording.events = read_events(Reader(chunks.events, where));
  if (const std::string problem = problem_of(recording); !problem.empty())
    throw Error(where, 0, "is a recording that makes no sense: " + problem);
  return recording;
}

bool is_recording(const std::string& bytes) { return bytes.starts_with(kMagic); }

std::vector<VecX> coordinates(const Recording& recording) {
  std::vector<VecX> q;
  for (const RecordingFrame& frame : recording.frames) q.push_back(frame.q);
  return q;
}

}  // namespace sinew
