#include "rollout/control_file.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "character/library.h"
#include "character/mjcf.h"
#include "character/write_mjcf.h"
#include "core/error.h"
#include "world/library.h"

// The layout of the file is told in docs/control.md.
namespace sinew {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr size_t kMostBytes = size_t{256} << 20;
constexpr size_t kMostLines = 1000000;
constexpr int kMostDepth = 16;
// Coordinates, velocities and offsets beyond this are nobody's.
constexpr double kLarge = 1e6;

// ---- coordinates as nv numbers: positions, and rotation vectors of quaternions

// A rotation vector on the grid that is found again from its quaternion: never half a turn, which could be
// told both ways.
Vec3 rotation_numbers(const Quat& q) {
  const Vec3 turn = log_map(q);
  Vec3 out = turn.unaryExpr(&on_grid);
  if (out.norm() > kPi - 1e-6) out = (turn * ((kPi - 2e-6) / turn.norm())).unaryExpr(&on_grid);
  return out;
}

VecX numbers_of(const Character& character, const VecX& q) {
  VecX out(character.nv());
  for (const Joint& joint : character.joints) {
    const int turn = joint.type == JointType::kFree ? 3 : 0;
    if (joint.type == JointType::kFree) out.segment<3>(joint.v) = q.segment<3>(joint.q).unaryExpr(&on_grid);
    if (joint.q_size() == 1) {
      out[joint.v] = on_grid(q[joint.q]);
    } else {
      const auto wxyz = q.segment<4>(joint.q + turn);
      out.segment<3>(joint.v + turn) = rotation_numbers(Quat(wxyz[0], wxyz[1], wxyz[2], wxyz[3]));
    }
  }
  return out;
}

VecX coordinates_of(const Character& character, const VecX& numbers) {
  VecX q(character.nq());
  for (const Joint& joint : character.joints) {
    const int turn = joint.type == JointType::kFree ? 3 : 0;
    if (joint.type == JointType::kFree) q.segment<3>(joint.q) = numbers.segment<3>(joint.v);
    if (joint.q_size() == 1) {
      q[joint.q] = numbers[joint.v];
    } else {
      const Quat turned = exp_map(numbers.segment<3>(joint.v + turn)).normalized();
      q.segment<4>(joint.q + turn) << turned.w(), turned.x(), turned.y(), turned.z();
    }
  }
  return q;
}

// ---- writing

// With as few digits as read back to the same bits; no number at all is null.
std::string text_of(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), value + 0.0).ptr;
  return {digits.begin(), end};
}

std::string in_quotes(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Numbers>
std::string list_of(const Numbers& numbers) {
  std::string out;
  for (const double value : numbers) out += (out.empty() ? "" : ", ") + text_of(value);
  return "[" + out + "]";
}

// One item a line.
std::string lines_of(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "\n    " : ",\n    ") + item;
  return "[" + out + "]";
}

std::string character_text(const ControlFile& file) {
  std::string out = "{\"name\": " + in_quotes(file.character.name) +
                    ", \"fingerprint\": " + in_quotes(fingerprint(file.character));
  if (!file.mjcf.empty()) {
    std::vector<std::string> lines;
    std::istringstream in(file.mjcf);
    for (std::string line; std::getline(in, line);) lines.push_back(in_quotes(line));
    out += ", \"mjcf\": " + lines_of(lines);
  }
  return out + "}";
}

std::string knots_text(const OpenLoop& control) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < control.time_s.size(); ++i) {
    const VecX& offset = control.offset[i];
    VecX line(offset.size() - 5);
    line << control.time_s[i], offset.tail(offset.size() - 6);
    lines.push_back(list_of(line));
  }
  return lines_of(lines);
}

std::string flags_text(const std::vector<char>& flags) {
  std::string out;
  for (const char flag : flags) out += flag != 0 ? '1' : '0';
  return in_quotes(out);
}

// A line where something touches or lets go: frame, points, bodies.
std::string contacts_text(const Reference& reference) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < reference.q.size(); ++i) {
    const auto &points = reference.point_contact[i], &bodies = reference.body_contact[i];
    if (i > 0 && points == reference.point_contact[i - 1] && bodies == reference.body_contact[i - 1])
      continue;
    lines.push_back("[" + std::to_string(i) + ", " + flags_text(points) + ", " + flags_text(bodies) + "]");
  }
  return lines_of(lines);
}

std::string reference_text(const Character& character, const Reference& reference) {
  const Pose& X = reference.X_cycle;
  std::vector<std::string> frames;
  for (const VecX& q : reference.q) frames.push_back(list_of(numbers_of(character, q)));
  std::string out = "{\n  \"frame_time_s\": " + text_of(reference.frame_time_s);
  if (reference.cyclic)
    out += ",\n  \"cycle\": " +
           list_of(std::array{X.p.x(), X.p.y(), X.p.z(), X.q.w(), X.q.x(), X.q.y(), X.q.z()});
  return out + ",\n  \"contacts\": " + contacts_text(reference) + ",\n  \"frames\": " + lines_of(frames) +
         "\n}";
}

// ---- reading; nlohmann's exceptions and these become one sentence in decode_control

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

double number(const Json& from, const char* key, double low, double high) {
  const double value = from.at(key).get<double>();
  if (!(value >= low && value <= high))
    refuse(std::string(key) + " must be between " + text_of(low) + " and " + text_of(high));
  return value;
}

std::string word(const Json& from, const char* key) {
  auto out = from.at(key).get<std::string>();
  if (out.size() > 4096) refuse(std::string(key) + " is too long");
  return out;
}

const Json& list(const Json& from, const char* key) {
  const Json& out = from.at(key);
  if (!out.is_array() || out.size() > kMostLines) refuse(std::string(key) + " must be a list");
  return out;
}

VecX vector(const Json& from, int size, const std::string& what) {
  if (!from.is_array() || from.size() != static_cast<size_t>(size))
    refuse(what + " must have " + std::to_string(size) + " numbers");
  VecX out(size);
  for (int i = 0; i < size; ++i) out[i] = from[static_cast<size_t>(i)].get<double>();
  if (!(out.array().abs() <= kLarge).all()) refuse(what + " has a number that is too large");
  return out;
}

// Gains and limits; null is no limit.
VecX strengths(const Json& from, const char* key, int size) {
  Json numbers = list(from, key);
  for (Json& value : numbers)
    if (value.is_null()) value = -1;
  VecX out = vector(numbers, size, key);
  for (int i = 0; i < size; ++i)
    if (out[i] < 0) {
      if (!from.at(key)[static_cast<size_t>(i)].is_null()) refuse(std::string(key) + " is below 0");
      out[i] = std::numeric_limits<double>::infinity();
    }
  return out;
}

void check_turn(const Eigen::Ref<const VecX>& wxyz, const std::string& what) {
  if (std::abs(wxyz.norm() - 1) > 1e-6) refuse(what + " has a quaternion that is not of unit length");
}

void read_character(const Json& from, ControlFile& file, const std::string& where,
                    const std::vector<std::string>& folders) {
  const std::string name = word(from, "name");
  file.fingerprint = word(from, "fingerprint");
  if (from.contains("mjcf")) {
    for (const Json& line : list(from, "mjcf")) file.mjcf += line.get<std::string>() + "\n";
    file.character = read_mjcf(file.mjcf, where);
    file.character.name = name;
    return;
  }
  if (name.find('/') != std::string::npos || name.ends_with(".xml")) refuse("it names no character");
  try {
    file.character = load_character(name, folders);
  } catch (const Error& error) {
    throw Error(where, 0, error.what());
  }
}

State read_state(const Json& from, const Character& character) {
  State state{0, vector(from.at("q"), character.nq(), "the start's q"),
              vector(from.at("v"), character.nv(), "the start's v")};
  for (const Joint& joint : character.joints)
    if (joint.q_size() > 1) check_turn(state.q.segment<4>(joint.q + joint.q_size() - 4), "the start");
  return state;
}

std::vector<char> read_flags(const Json& from, size_t size) {
  const auto text = from.get<std::string>();
  if (text.size() != size || text.find_first_not_of("01") != std::string::npos)
    refuse("contacts must have " + std::to_string(size) + " letters 0 or 1");
  std::vector<char> flags;
  for (const char c : text) flags.push_back(c == '1' ? 1 : 0);
  return flags;
}

void read_contacts(const Json& from, const Character& character, Reference& reference) {
  const size_t frames = reference.q.size();
  for (const Json& line : from) {
    if (!line.is_array() || line.size() != 3) refuse("contacts must have a frame, points and bodies");
    const auto frame = line[0].get<long>();
    const auto begun = static_cast<long>(reference.point_contact.size());
    if (frame < 0 || frame >= static_cast<long>(frames) || (begun == 0 ? frame != 0 : frame < begun))
      refuse("contacts must begin with frame 0 and ascend");

    // Until here all stays as it was.
    while (begun > 0 && static_cast<long>(reference.point_contact.size()) < frame) {
      reference.point_contact.push_back(reference.point_contact.back());
      reference.body_contact.push_back(reference.body_contact.back());
    }
    reference.point_contact.push_back(read_flags(line[1], character.contact_points.size()));
    reference.body_contact.push_back(read_flags(line[2], character.bodies.size()));
  }
  if (reference.point_contact.empty()) refuse("contacts must begin with frame 0 and ascend");
  reference.point_contact.resize(frames, std::vector<char>(reference.point_contact.back()));
  reference.body_contact.resize(frames, std::vector<char>(reference.body_contact.back()));
}

Reference read_reference(const Json& from, const Character& character) {
  Reference reference;
  reference.frame_time_s = number(from, "frame_time_s", 1e-4, 10);
  if (from.contains("cycle")) {
    const VecX x = vector(from.at("cycle"), 7, "the cycle");
    check_turn(x.tail(4), "the cycle");
    reference.cyclic = true;
    reference.X_cycle = {x.head<3>(), Quat(x[3], x[4], x[5], x[6])};
  }
  for (const Json& line : list(from, "frames"))
    reference.q.push_back(coordinates_of(character, vector(line, character.nv(), "a frame")));
  if (reference.q.empty()) refuse("it has no frames");
  read_contacts(list(from, "contacts"), character, reference);
  differentiate(character, reference);
  return reference;
}

OpenLoop read_control(const Json& from, const Character& character) {
  OpenLoop control;
  const std::string between = word(from, "between");
  if (between != "line" && between != "hold") refuse("between must be line or hold");
  control.between = between == "line" ? Between::kLine : Between::kHold;
  control.contact_scale = from.at("contact_scale").get<bool>();
  control.kp = strengths(from, "kp", character.nv());
  control.kd = strengths(from, "kd", character.nv());
  control.limit = strengths(from, "limit", character.nv());
  if (!control.kp.allFinite() || !control.kd.allFinite()) refuse("a gain is missing");
  for (const Json& line : list(from, "knots")) {
    const VecX knot = vector(line, character.nv() - 5, "a knot");
    if (!control.time_s.empty() && knot[0] <= control.time_s.back()) refuse("the knots' times must ascend");
    control.time_s.push_back(knot[0]);
    control.offset.emplace_back(VecX::Zero(character.nv()));
    control.offset.back().tail(character.nv() - 6) = knot.tail(character.nv() - 6);
  }
  return control;
}

ControlFile read_file_of(const Json& from, const std::string& where,
                         const std::vector<std::string>& folders) {
  ControlFile file;
  file.sinew = word(from, "sinew");
  file.clip = word(from, "clip");
  const Json& search = from.at("search");
  file.recipe = word(search, "recipe");
  constexpr double kMostWhole = std::numeric_limits<int>::max();
  file.samples = static_cast<int>(number(search, "samples", 0, kMostWhole));
  file.save = static_cast<int>(number(search, "save", 0, kMostWhole));
  file.seed = static_cast<int>(number(search, "seed", 0, kMostWhole));
  file.engine = word(from, "engine");
  file.step_s = number(from, "step_s", 1e-6, 0.1);
  file.start_s = number(from, "start_s", 0, kLarge);
  file.seconds = number(from, "seconds", 1e-3, 3600);
  read_character(from.at("character"), file, where, folders);
  file.world = world_from_json(from.at("world").dump(), where);
  file.start = read_state(from.at("start"), file.character);
  file.control = read_control(from.at("control"), file.character);
  file.reference = read_reference(from.at("reference"), file.character);
  file.reference.clip = file.clip;
  return file;
}

// The JSON of a text that says it is ours, and of a version that is known here.
Json open_json(const std::string& text, const std::string& where) {
  if (text.size() > kMostBytes) throw Error(where, 0, "is too large to be a control file");
  // To copy or write what is nested very deeply would exhaust the stack.
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMostDepth) throw Error(where, 0, "is no control file: it is nested too deeply");
    return true;
  };
  Json from;
  try {
    from = Json::parse(text, shallow);
  } catch (const Json::parse_error& error) {
    throw Error(where, 0,
                "is no control file, or was damaged or cut short: it makes no sense after " +
                    std::to_string(error.byte) + " bytes");
  } catch (const Json::exception&) {
    throw Error(where, 0, "is no control file, or was damaged: a number in it is too large");
  }
  if (!from.is_object() || !from.contains("sinew_control") || !from["sinew_control"].is_number_integer())
    throw Error(where, 0, "is no control file: it does not say \"sinew_control\"");
  if (const auto version = from["sinew_control"].get<long>(); version < 1 || version > kVersion)
    throw Error(where, 0,
                "is a control file of version " + std::to_string(version) +
                    "; Sinew " SINEW_VERSION " reads version " + std::to_string(kVersion));
  return from;
}

}  // namespace

double on_grid(double value) { return std::round(value * 1e6) / 1e6 + 0.0; }

std::string fingerprint(const std::string& text) {
  // FNV-1a.
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[hash >> shift & 15U];
  return out;
}

std::string fingerprint(const Character& character) { return fingerprint(write_mjcf(character)); }

std::string encode_control(const ControlFile& file) {
  const OpenLoop& control = file.control;
  std::string out = "{\n\"sinew_control\": " + std::to_string(kVersion);
  const auto add = [&](const char* key, const std::string& text) {
    out += std::string(",\n\"") + key + "\": " + text;
  };
  add("sinew", in_quotes(file.sinew));
  add("clip", in_quotes(file.clip));
  add("search", "{\"recipe\": " + in_quotes(file.recipe) + ", \"samples\": " + std::to_string(file.samples) +
                    ", \"save\": " + std::to_string(file.save) + ", \"seed\": " + std::to_string(file.seed) +
                    "}");
  add("engine", in_quotes(file.engine));
  add("step_s", text_of(file.step_s));
  add("start_s", text_of(file.start_s));
  add("seconds", text_of(file.seconds));
  add("character", character_text(file));
  add("world", to_json(file.world));
  add("start", "{\n  \"q\": " + list_of(file.start.q) + ",\n  \"v\": " + list_of(file.start.v) + "\n}");
  add("control",
      std::string("{\n  \"between\": ") + (control.between == Between::kLine ? "\"line\"" : "\"hold\"") +
          ",\n  \"contact_scale\": " + (control.contact_scale ? "true" : "false") +
          ",\n  \"kp\": " + list_of(control.kp) + ",\n  \"kd\": " + list_of(control.kd) +
          ",\n  \"limit\": " + list_of(control.limit) + ",\n  \"knots\": " + knots_text(control) + "\n}");
  add("reference", reference_text(file.character, file.reference));
  return out + "\n}\n";
}

ControlFile decode_control(const std::string& text, const std::string& where,
                           const std::vector<std::string>& character_folders) {
  const Json from = open_json(text, where);
  try {
    return read_file_of(from, where, character_folders);
  } catch (const Json::exception& error) {
    const std::string reason = error.what();
    throw Error(where, 0, "cannot be read as a control file: " + reason.substr(reason.find("] ") + 2, 200));
  } catch (const std::invalid_argument& error) {
    throw Error(where, 0, std::string("cannot be read as a control file: ") + error.what());
  }
}

ControlFile as_written(const ControlFile& file, const std::vector<std::string>& character_folders) {
  return decode_control(encode_control(file), "control.json", character_folders);
}

}  // namespace sinew
