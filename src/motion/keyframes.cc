// Reads Sinew's own keyframe format (docs/keyframes.md): text -> channels of numbers over time -> frames.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/error.h"
#include "motion/keyframe_human.h"
#include "motion/load.h"

namespace sinew {

namespace {

using Json = nlohmann::json;

constexpr size_t kMaxText = size_t{4} << 20;
constexpr size_t kMaxKeys = 2000;
constexpr size_t kMaxBones = 500;
constexpr double kMaxFrames = 30000;
constexpr int kMaxDepth = 16;
constexpr double kGravity = 9.81;

// ---- Channels: one number over time -------------------------------------------------------------------

struct Channel {
  std::vector<double> t, v, slope;
  std::vector<char> flight;  // the segment from this key to the next is free fall
};

// The layout of all channels in one array.
enum : int {
  kRoot = 0,                                   // x y z of pelvis or centre of mass, m
  kTurn = kRoot + 3,                           // yaw pitch roll twist of the pelvis, degrees
  kAngles = kTurn + 4,                         // three for each joint, degrees
  kLimbs = kAngles + 3 * kKeyframeJointCount,  // four limbs of kLimbSize
  kLimbSize = 10,
  kGround = kLimbs + 4 * kLimbSize,  // 1: the lowest point of the body touches the floor
  kBones  // three for each bone of a file that brings its own: the rotation vector in degrees
};
// Within a limb: at, then yaw pitch roll (degrees), then knee and toes, or the elbow's direction, then
// weight.
enum : int { kAt = 0, kYaw = 3, kPitch = 4, kRoll = 5, kExtra = 6, kWeight = 9 };
constexpr std::array<const char*, 4> kLimbNames = {"left_foot", "right_foot", "left_hand", "right_hand"};

int limb_channel(int limb, int part) { return kLimbs + limb * kLimbSize + part; }

// Targets and the hinges (knees, toes, elbows) may not overshoot their keys: a planted foot must not slip
// and a straight knee must not bend backwards.
bool is_monotone(int channel) {
  if (channel < kAngles || channel >= kBones) return false;
  if (channel >= kLimbs) return true;
  return keyframe_joints()[static_cast<size_t>((channel - kAngles) / 3)].angle_count < 3;
}

// What a file says, before any frame is made.
struct Script {
  std::string file;
  std::string name;
  double fps = 60;
  bool loop = false, mirror = false;
  bool root_is_com = false;
  double period_s = 0, end_s = 0;
  Vec3 travel = Vec3::Zero();  // of one period
  int repeat = 1;
  std::array<bool, 4> flat{};  // whether the file says how a hand lies
  std::vector<Bone> bones;     // of a file that brings its own; else empty, for the keyframe human
  std::vector<Channel> channels = std::vector<Channel>(kBones);

  int channel_count() const { return static_cast<int>(channels.size()); }
};

void add_key(Channel& c, double t, double v) {
  c.t.push_back(t);
  c.v.push_back(v);
  c.flight.push_back(0);
}

// ---- Text to channels ---------------------------------------------------------------------------------

[[noreturn]] void fail(const Script& s, const std::string& sentence) { throw Error(s.file, 0, sentence); }

std::string key_label(size_t index, double t) {
  std::ostringstream out;
  out << "key " << index + 1 << " (t = " << t << ")";
  return out.str();
}

double number(const Script& s, const Json& j, const std::string& what, double low, double high) {
  if (!j.is_number()) fail(s, what + " must be a number");
  const double x = j.get<double>();
  if (!(x >= low && x <= high)) {
    std::ostringstream out;
    out << what << " is " << x << ", expected " << low << " to " << high;
    fail(s, out.str());
  }
  return x;
}

double number_or(const Script& s, const Json& j, const char* name, double otherwise, double low,
                 double high) {
  return j.contains(name) ? number(s, j[name], std::string("\"") + name + "\"", low, high) : otherwise;
}

bool flag(const Script& s, const Json& j, const char* name) {
  if (!j.contains(name)) return false;
  if (!j[name].is_boolean()) fail(s, std::string("\"") + name + "\" must be true or false");
  return j[name].get<bool>();
}

void only_known(const Script& s, const Json& j, const std::string& where,
                const std::vector<std::string_view>& known) {
  if (!j.is_object()) fail(s, where + " must be an object in braces");
  for (const auto& item : j.items())
    if (std::find(known.begin(), known.end(), item.key()) == known.end())
      fail(s, where + ": unknown word \"" + item.key() + "\"");
}

// A number or a list of up to `count` numbers into consecutive channels; null leaves a channel alone.
void add_numbers(Script& s, int first, int count, double t, const Json& j, const std::string& what,
                 double bound) {
  const bool list = j.is_array();
  if (list && (j.empty() || j.size() > static_cast<size_t>(count)))
    fail(s,
         what + " must hold 1 to " + std::to_string(count) + " numbers, found " + std::to_string(j.size()));
  for (size_t i = 0; i < (list ? j.size() : 1); ++i) {
    const Json& item = list ? j[i] : j;
    if (item.is_null()) continue;
    add_key(s.channels[static_cast<size_t>(first) + i], t, number(s, item, what, -bound, bound));
  }
}

void add_limb(Script& s, int limb, double t, const Json& j, const std::string& where) {
  Channel& weight = s.channels[static_cast<size_t>(limb_channel(limb, kWeight))];
  if (j.is_string() && j.get<std::string>() == "free") return add_key(weight, t, 0);
  const bool foot = limb < 2;
  only_known(s, j, where,
             foot ? std::vector<std::string_view>{"at", "yaw", "pitch", "roll", "knee", "toes", "weight"}
                  : std::vector<std::string_view>{"at", "yaw", "pitch", "roll", "elbow", "weight"});
  const auto add = [&](const char* word, int part, int count, double bound) {
    if (j.contains(word))
      add_numbers(s, limb_channel(limb, part), count, t, j[word], where + " \"" + word + "\"", bound);
  };
  add("at", kAt, 3, 1000);
  add("yaw", kYaw, 1, 3600);
  add("pitch", kPitch, 1, 3600);
  add("roll", kRoll, 1, 3600);
  if (foot) add("knee", kExtra, 1, 180);
  if (foot) add("toes", kExtra + 1, 1, 90);
  if (!foot) add("elbow", kExtra, 3, 1000);
  if (!foot && (j.contains("yaw") || j.contains("pitch"))) s.flat[static_cast<size_t>(limb)] = true;
  add_key(weight, t, number_or(s, j, "weight", 1, 0, 1));
}

int bone_named(const Script& s, const std::string& name) {
  const auto found =
      std::find_if(s.bones.begin(), s.bones.end(), [&](const Bone& bone) { return bone.name == name; });
  return found == s.bones.end() ? -1 : static_cast<int>(found - s.bones.begin());
}

void add_joints(Script& s, double t, const Json& joints, const std::string& where) {
  if (!joints.is_object()) fail(s, where + ": \"joints\" must be an object in braces");
  for (const auto& item : joints.items()) {
    if (!s.bones.empty()) {
      // The root turns by its own word.
      const int bone = bone_named(s, item.key());
      if (bone < 1) fail(s, where + ": unknown joint \"" + item.key() + "\"");
      add_numbers(s, kBones + 3 * bone, 3, t, item.value(), where + " \"" + item.key() + "\"", 720);
      continue;
    }
    const auto& known = keyframe_joints();
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const KeyframeJoint& k) { return k.name == item.key(); });
    if (found == known.end()) fail(s, where + ": unknown joint \"" + item.key() + "\"");
    const int first = kAngles + 3 * static_cast<int>(found - known.begin());
    add_numbers(s, first, found->angle_count, t, item.value(), where + " \"" + item.key() + "\"", 720);
  }
}

// One key, on top of the pose that it names.
void add_key_words(Script& s, double t, const Json& key, const std::string& where) {
  // Targets, balance and the floor are known of the human alone.
  only_known(s, key, where,
             s.bones.empty()
                 ? std::vector<std::string_view>{"t", "about", "pose", "pelvis", "com", "turn", "joints",
                                                 "left_foot", "right_foot", "left_hand", "right_hand",
                                                 "ground", "flight"}
                 : std::vector<std::string_view>{"t", "about", "pose", "pelvis", "turn", "joints", "flight"});
  const char* root = s.root_is_com ? "com" : "pelvis";
  if (key.contains(s.root_is_com ? "pelvis" : "com"))
    fail(s, where + ": a file places either \"pelvis\" or \"com\", not both");
  if (key.contains(root)) add_numbers(s, kRoot, 3, t, key[root], where + " \"" + root + "\"", 1000);
  if (key.contains("turn")) add_numbers(s, kTurn, 4, t, key["turn"], where + " \"turn\"", 36000);
  if (key.contains("joints")) add_joints(s, t, key["joints"], where);
  for (int limb = 0; limb < 4; ++limb) {
    const char* name = kLimbNames[static_cast<size_t>(limb)];
    if (key.contains(name)) add_limb(s, limb, t, key[name], where + " \"" + name + "\"");
  }
  if (key.contains("ground")) add_key(s.channels[kGround], t, flag(s, key, "ground") ? 1 : 0);
  // Free fall is a word on all three coordinates of the root.
  if (!flag(s, key, "flight")) return;
  for (size_t i = kRoot; i < kRoot + 3; ++i) {
    Channel& c = s.channels[i];
    if (c.t.empty() || c.t.back() != t)
      fail(s, where + ": \"flight\" needs the place of the root in this key");
    c.flight.back() = 1;
  }
}

// The bones of a file that brings its own, from the places of their joints at rest.
void read_bones(Script& s, const Json& bones) {
  if (!bones.is_array() || bones.empty() || bones.size() > kMaxBones)
    fail(s, "\"bones\" must be a list of 1 to " + std::to_string(kMaxBones) + " bones");
  std::vector<Vec3> at;
  for (const Json& item : bones) {
    const std::string where = "bone " + std::to_string(s.bones.size() + 1);
    only_known(s, item, where, {"name", "parent", "at"});
    if (!item.contains("name") || !item["name"].is_string() || item["name"].get<std::string>().empty())
      fail(s, where + " needs a \"name\"");
    Bone bone;
    bone.name = item["name"].get<std::string>();
    if (bone_named(s, bone.name) >= 0) fail(s, where + ": there are two bones \"" + bone.name + "\"");
    if (item.contains("parent") == s.bones.empty())
      fail(s, where + (s.bones.empty() ? " is the root and has no \"parent\"" : " needs a \"parent\""));
    if (!s.bones.empty()) {
      bone.parent = item["parent"].is_string() ? bone_named(s, item["parent"].get<std::string>()) : -1;
      if (bone.parent < 0) fail(s, where + ": its \"parent\" must be a bone before it");
    }
    const Json place = item.value("at", Json());
    if (!place.is_array() || place.size() != 3) fail(s, where + " needs its place \"at\" as three lengths");
    at.emplace_back();
    for (size_t i = 0; i < 3; ++i)
      at.back()[static_cast<long>(i)] = number(s, place[i], where + " \"at\"", -1000, 1000);
    bone.X_PB.p = bone.parent < 0 ? at.back() : Vec3(at.back() - at[static_cast<size_t>(bone.parent)]);
    s.bones.push_back(std::move(bone));
  }
  s.channels.resize(static_cast<size_t>(kBones) + 3 * s.bones.size());
}

Json with_pose(const Script& s, const Json& key, const Json& poses, const std::string& where) {
  if (!key.contains("pose")) return key;
  const Json& name = key["pose"];
  if (!name.is_string() || !poses.is_object() || !poses.contains(name.get<std::string>()))
    fail(s, where + ": \"pose\" must name one of the file's \"poses\"");
  Json merged = poses[name.get<std::string>()];
  if (!merged.is_object() || merged.contains("pose"))
    fail(s, "pose \"" + name.get<std::string>() + "\" must be an object without a \"pose\" of its own");
  merged.merge_patch(key);
  return merged;
}

void read_keys(Script& s, const Json& root) {
  const Json& keys = root.at("keys");
  if (!keys.is_array() || keys.empty() || keys.size() > kMaxKeys)
    fail(s, "\"keys\" must be a list of 1 to " + std::to_string(kMaxKeys) + " keys");
  const Json poses = root.value("poses", Json::object());
  const auto says_com = [](const Json& k) { return k.is_object() && k.contains("com"); };
  s.root_is_com = std::any_of(keys.begin(), keys.end(), says_com);
  const double end = s.loop ? (s.mirror ? s.period_s / 2 : s.period_s) : 1e5;
  double last = -1;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].is_object() || !keys[i].contains("t"))
      fail(s, "key " + std::to_string(i + 1) + " must be an object with a time \"t\"");
    const double t = number(s, keys[i]["t"], "\"t\" of key " + std::to_string(i + 1), 0, 1e5);
    const std::string where = key_label(i, t);
    if (t <= last) fail(s, where + " is not later than the key before it");
    if (t >= end) fail(s, where + " lies at or after the end of the " + (s.mirror ? "half " : "") + "period");
    last = t;
    add_key_words(s, t, with_pose(s, keys[i], poses, where), where);
  }
  s.end_s = s.loop ? s.period_s * s.repeat : last;
}

Json parse(std::string_view text, const std::string& name) {
  if (text.size() > kMaxText) throw Error(name, 0, "is larger than 4 MiB");
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw Error(name, 0, "is nested deeper than 16 levels");
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), shallow);
  } catch (const Json::parse_error& e) {
    const auto upto = text.substr(0, std::min(text.size(), e.byte));
    const int line = 1 + static_cast<int>(std::count(upto.begin(), upto.end(), '\n'));
    throw Error(name, line, "is not valid JSON here");
  } catch (const Json::exception&) {
    throw Error(name, 0, "holds a number that is out of range");
  }
}

Script read_script(std::string_view text, const std::string& name, const ImportOptions& options) {
  Script s;
  s.file = name;
  const Json root = parse(text, name);
  if (!root.is_object() || !root.contains("sinew_keyframes") || !root.contains("keys"))
    fail(s, "a keyframe file needs \"sinew_keyframes\": 1 and \"keys\"");
  only_known(s, root, "the file",
             {"sinew_keyframes", "name", "about", "fps", "loop", "period", "travel", "mirror", "repeat",
              "poses", "bones", "keys"});
  if (root["sinew_keyframes"] != 1) fail(s, "this version reads \"sinew_keyframes\": 1 only");
  if (root.contains("name") && !root["name"].is_string()) fail(s, "\"name\" must be a text");
  s.name = root.value("name", name);
  s.fps = options.frame_rate_hz.value_or(number_or(s, root, "fps", 60, 1, 1000));
  if (!(s.fps >= 1 && s.fps <= 1000)) fail(s, "a frame rate of 1 to 1000 per second is expected");
  s.loop = flag(s, root, "loop");
  s.mirror = flag(s, root, "mirror");
  s.repeat = static_cast<int>(number_or(s, root, "repeat", 1, 1, 1000));
  if (s.loop && !root.contains("period")) fail(s, "a loop needs its \"period\" in seconds");
  if (!s.loop && (s.mirror || root.contains("period") || root.contains("repeat") || root.contains("travel")))
    fail(s, "\"period\", \"mirror\", \"repeat\" and \"travel\" belong to a file with \"loop\": true");
  s.period_s = number_or(s, root, "period", 0, 0.05, 1e5);
  if (root.contains("travel")) {
    const Json& travel = root["travel"];
    if (!travel.is_array() || travel.size() != 2) fail(s, "\"travel\" must be a list of two lengths");
    for (size_t i = 0; i < 2; ++i)
      s.travel[static_cast<int>(i)] = number(s, travel[i], "\"travel\"", -1000, 1000);
  }
  if (root.contains("bones")) read_bones(s, root["bones"]);
  if (s.mirror && !s.bones.empty())
    fail(s, "\"mirror\" is for the keyframe human, not for \"bones\" of its own");
  read_keys(s, root);
  if (s.end_s * s.fps > kMaxFrames) fail(s, "would become more than 30000 frames");
  return s;
}

// ---- Mirrored halves and periods ----------------------------------------------------------------------

// Which channel of the mirrored body a channel feeds, and whether its sign changes.
struct Mirrored {
  int channel;
  double sign;
};
Mirrored mirrored(int c) {
  if (c < kTurn) return {c, c == kRoot + 1 ? -1.0 : 1.0};
  if (c < kAngles) return {c, c == kTurn + 1 ? 1.0 : -1.0};
  if (c < kLimbs) {
    // Sided joints swap, their words keep their sign; the joints of the middle change bend and turn.
    const int joint = (c - kAngles) / 3, angle = (c - kAngles) % 3;
    const Part part = keyframe_joints()[static_cast<size_t>(joint)].part;
    if (part_mirror(part) == part) return {c, angle == 0 ? 1.0 : -1.0};
    const int other = joint < 12 ? joint + 8 : joint - 8;
    return {kAngles + 3 * other + angle, 1.0};
  }
  if (c == kGround) return {c, 1.0};
  const int limb = (c - kLimbs) / kLimbSize, part = (c - kLimbs) % kLimbSize;
  const bool negative = part == kAt + 1 || part == kYaw || part == kRoll;
  return {limb_channel(limb ^ 1, part), negative ? -1.0 : 1.0};
}

// The component of a channel that is a place on the ground (0 or 1), or -1: such channels travel.
int ground_axis(int c) {
  if (c < kRoot + 2) return c - kRoot;
  if (c < kLimbs || c >= kGround) return -1;
  const int part = (c - kLimbs) % kLimbSize;
  return part < kAt + 2 ? part - kAt : -1;
}

void append_shifted(Channel& to, const Channel& from, double dt, double sign, double dv) {
  for (size_t i = 0; i < from.t.size(); ++i) {
    to.t.push_back(from.t[i] + dt);
    to.v.push_back(sign * from.v[i] + dv);
    to.flight.push_back(from.flight[i]);
  }
}

// Writes the second half of a gait from the first, then a period before and two after the one that is played.
void unroll(Script& s) {
  if (s.mirror) {
    const auto half = s.channels;
    for (int c = 0; c < s.channel_count(); ++c) {
      const Mirrored m = mirrored(c);
      const int axis = ground_axis(m.channel);
      const double shift = axis == 0 ? s.travel[axis] / 2 : 0;
      append_shifted(s.channels[static_cast<size_t>(m.channel)], half[static_cast<size_t>(c)], s.period_s / 2,
                     m.sign, shift);
    }
  }
  for (int c = 0; c < s.channel_count(); ++c) {
    const Channel once = s.channels[static_cast<size_t>(c)];
    const int axis = ground_axis(c);
    const double step = axis < 0 ? 0 : s.travel[axis];
    Channel& all = s.channels[static_cast<size_t>(c)] = Channel{};
    for (int k = -2; k <= 2; ++k) append_shifted(all, once, k * s.period_s, 1, k * step);
  }
}

// ---- Interpolation ------------------------------------------------------------------------------------

// The slope at an inner key from the rises d0, d1 of its neighbours of lengths h0, h1. Where the motion
// holds still before or after, the slope is zero. Targets never overshoot (Fritsch and Butland 1984);
// angles follow the parabola through three keys.
double inner_slope(double d0, double d1, double h0, double h1, bool monotone) {
  if (d0 == 0 || d1 == 0) return 0;
  if (!monotone) return (h1 * d0 + h0 * d1) / (h0 + h1);
  if (d0 * d1 < 0) return 0;
  const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / d0 + w1 / d1);
}

void set_slopes(Channel& c, bool monotone, bool vertical) {
  const size_t n = c.t.size();
  c.slope.assign(n, 0);
  const auto rise = [&](size_t i) { return (c.v[i + 1] - c.v[i]) / (c.t[i + 1] - c.t[i]); };
  for (size_t i = 1; i + 1 < n; ++i)
    c.slope[i] = inner_slope(rise(i - 1), rise(i), c.t[i] - c.t[i - 1], c.t[i + 1] - c.t[i], monotone);
  // In free fall both ends have the speed of the parabola, and the cubic is that parabola.
  for (size_t i = 0; i + 1 < n; ++i) {
    if (!c.flight[i]) continue;
    const double fall = vertical ? kGravity * (c.t[i + 1] - c.t[i]) / 2 : 0;
    c.slope[i] = rise(i) + fall;
    c.slope[i + 1] = rise(i) - fall;
  }
}

double value(const Channel& c, double t, double otherwise) {
  if (c.t.empty()) return otherwise;
  if (t <= c.t.front()) return c.v.front();
  if (t >= c.t.back()) return c.v.back();
  const size_t i = static_cast<size_t>(std::upper_bound(c.t.begin(), c.t.end(), t) - c.t.begin()) - 1;
  // Cubic Hermite; a held value stays itself to the last bit.
  const double h = c.t[i + 1] - c.t[i], u = (t - c.t[i]) / h;
  const double rise = c.v[i + 1] - c.v[i], m0 = h * c.slope[i], m1 = h * c.slope[i + 1];
  return c.v[i] + u * (m0 + u * ((3 * rise - 2 * m0 - m1) + u * (m0 + m1 - 2 * rise)));
}

// ---- Channels to frames -------------------------------------------------------------------------------

// Poses the body at one time.
class Poser {
 public:
  Poser(const Script& script, const Clip& human) : s_(script), human_(human) {}

  // The frame, with the root lifted by `lift`.
  Frame frame(double t, double lift) const {
    Frame free = human_.rest;
    if (s_.bones.empty())
      pose_joints(t, free);
    else
      pose_bones(t, free);
    free[0].q = turn(t);
    const Vec3& rest = human_.rest[0].p;
    const Vec3 goal(at(kRoot, t, rest.x()), at(kRoot + 1, t, rest.y()), at(kRoot + 2, t, rest.z()));
    free[0].p = goal + Vec3(0, 0, lift);
    Frame frame = with_limbs(t, free);
    if (!s_.root_is_com) return frame;
    // The root moves until the centre of mass is where it shall be.
    for (int i = 0; i < 20; ++i) {
      const Vec3 com = keyframe_centre_of_mass(world_poses(human_, frame));
      const Vec3 miss = goal + Vec3(0, 0, lift) - com;
      if (miss.norm() < 1e-7) break;
      free[0].p += miss;
      frame = with_limbs(t, free);
    }
    return frame;
  }

  // How far the body must be lifted for its lowest point, targeted limbs apart, to touch the floor.
  double gap(double t, const Frame& frame) const {
    const std::vector<Pose> X_WB = world_poses(human_, frame);
    double lowest = 1e9;
    for (const FleshBall& ball : keyframe_flesh()) {
      const int limb = limb_of(ball.part);
      if (limb >= 0 && at(limb_channel(limb, kWeight), t, 0) > 0.5) continue;
      lowest = std::min(lowest, (X_WB[keyframe_bone(ball.part)] * ball.p_B).z() - ball.radius_m);
    }
    return -lowest;
  }

  double ground(double t) const { return at(kGround, t, 0); }

 private:
  double at(int channel, double t, double otherwise) const {
    return value(s_.channels[static_cast<size_t>(channel)], t, otherwise);
  }

  static int limb_of(Part part) {
    const std::string_view name = part_name(part);
    const int side = name.starts_with("left_") ? 0 : name.starts_with("right_") ? 1 : -1;
    if (side < 0) return -1;
    return (name.ends_with("thigh") || name.ends_with("shin") || name.ends_with("foot") ||
                    name.ends_with("toes")
                ? 0
                : 2) +
           side;
  }

  Quat turn(double t) const {
    const auto about = [&](int i, const Vec3& axis) {
      return Eigen::AngleAxisd(radians(at(kTurn + i, t, 0)), axis);
    };
    return Quat(about(0, Vec3::UnitZ()) * about(1, Vec3::UnitY()) * about(2, Vec3::UnitX()) *
                about(3, Vec3::UnitZ()));
  }

  void pose_joints(double t, Frame& frame) const {
    for (size_t j = 0; j < keyframe_joints().size(); ++j) {
      const KeyframeJoint& joint = keyframe_joints()[j];
      std::array<double, 3> angles{};
      for (size_t i = 0; i < 3; ++i)
        angles[i] = at(kAngles + 3 * static_cast<int>(j) + static_cast<int>(i), t, joint.neutral[i]);
      frame[keyframe_bone(joint.part)].q = joint_rotation(joint, angles);
    }
  }

  void pose_bones(double t, Frame& frame) const {
    for (size_t b = 1; b < frame.size(); ++b) {
      const int first = kBones + 3 * static_cast<int>(b);
      const Vec3 turn(at(first, t, 0), at(first + 1, t, 0), at(first + 2, t, 0));
      frame[b].q = exp_map(turn * radians(1));
    }
  }

  Frame with_limbs(double t, Frame frame) const {
    for (int limb = 0; limb < 4; ++limb) {
      const auto channel = [&](int part, double otherwise) {
        return at(limb_channel(limb, part), t, otherwise);
      };
      const double weight = channel(kWeight, 0);
      if (weight <= 0) continue;
      const Vec3 place(channel(kAt, 0), channel(kAt + 1, 0), channel(kAt + 2, 0));
      const double yaw = radians(channel(kYaw, 0)), pitch = radians(channel(kPitch, 0)),
                   roll = radians(channel(kRoll, 0));
      if (limb < 2) {
        const double knee = radians(channel(kExtra, 0)), toes = radians(channel(kExtra + 1, 0));
        reach_with_foot(human_, limb == 0, {place, yaw, pitch, roll, knee, toes}, weight, frame);
      } else {
        const Vec3 elbow(channel(kExtra, -0.5), channel(kExtra + 1, 0.5), channel(kExtra + 2, -1));
        reach_with_hand(human_, limb == 2,
                        {place, elbow, s_.flat[static_cast<size_t>(limb)], yaw, pitch, roll}, weight, frame);
      }
    }
    return frame;
  }

  const Script& s_;
  const Clip& human_;
};

// Weighted mean over about 50 ms, so that the body does not jerk when another point takes the load.
std::vector<double> smoothed(const std::vector<double>& x, double fps) {
  const double sigma = 0.025 * fps;
  const int reach = static_cast<int>(std::ceil(3 * sigma)), n = static_cast<int>(x.size());
  std::vector<double> out(x.size());
  for (int i = 0; i < n; ++i) {
    double sum = 0, weights = 0;
    for (int k = -reach; k <= reach; ++k) {
      const double w = std::exp(-0.5 * k * k / (sigma * sigma));
      sum += w * x[static_cast<size_t>(std::clamp(i + k, 0, n - 1))];
      weights += w;
    }
    out[static_cast<size_t>(i)] = sum / weights;
  }
  return out;
}

void make_frames(const Script& s, Clip& clip) {
  const Clip human = clip;
  const Poser poser(s, human);
  const size_t count = static_cast<size_t>(std::floor(s.end_s * s.fps + 1e-6)) + 1;
  const auto phase = [&](size_t i) {
    const double t = static_cast<double>(i) / s.fps;
    return s.loop ? t - s.period_s * std::floor(t / s.period_s + 1e-9) : t;
  };

  // First find how much the body has to be lifted where it rests on the ground.
  std::vector<double> lift(count, 0.0);
  if (!s.channels[kGround].t.empty()) {
    for (size_t i = 0; i < count; ++i) {
      const double t = phase(i), ground = poser.ground(t);
      for (int k = 0; k < 4 && ground > 0; ++k) lift[i] += poser.gap(t, poser.frame(t, lift[i]));
      lift[i] *= ground;
    }
    lift = smoothed(lift, s.fps);
  }

  // Then pose every frame, each period further along the way.
  for (size_t i = 0; i < count; ++i) {
    Frame frame = poser.frame(phase(i), lift[i]);
    if (s.loop) frame[0].p += std::round((static_cast<double>(i) / s.fps - phase(i)) / s.period_s) * s.travel;
    clip.frames.push_back(std::move(frame));
  }
}

// The bones of the file, standing as it says, without frames.
Clip own_skeleton(const Script& s) {
  Clip clip;
  clip.bones = s.bones;
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);
  clip.source.format = "keyframes";
  return clip;
}

}  // namespace

ImportedClip read_keyframes(std::string_view text, const std::string& name, const ImportOptions& options) {
  Script s = read_script(text, name, options);
  if (s.loop) unroll(s);
  for (int c = 0; c < s.channel_count(); ++c)
    set_slopes(s.channels[static_cast<size_t>(c)], is_monotone(c), c == kRoot + 2);

  ImportedClip out;
  const bool human = s.bones.empty();
  out.clip = human ? keyframe_human() : own_skeleton(s);
  out.clip.name = s.name;
  out.clip.frame_time_s = 1 / s.fps;
  make_frames(s, out.clip);
  out.notes.push_back({"format", std::string("Sinew's own keyframes, on ") +
                                     (human ? "a human of 1.70 m" : "bones of the file's own") +
                                     ": metres, Z up, facing +X"});
  out.notes.push_back({"rest pose", human ? "T-pose of the keyframe human" : "as the file's bones stand"});
  if (s.loop) {
    std::ostringstream period;
    period << "a cycle of " << s.period_s << " s, written " << s.repeat << " times";
    out.notes.push_back({"loop", period.str()});
  }
  return out;
}

}  // namespace sinew
