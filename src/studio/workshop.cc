#include "studio/workshop.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "character/library.h"
#include "character/numbers.h"
#include "core/error.h"
#include "core/files.h"
#include "motion/load.h"
#include "rollout/placement.h"
#include "rollout/ride_file.h"
#include "rollout/terrain.h"
#include "studio/scratch_folder.h"
#include "world/library.h"

namespace sinew::studio {

namespace fs = std::filesystem;

namespace {

// Balls that can be thrown by hand, one after another.
constexpr int kBalls = 6;
// As for `sinew track`: feet that swing keep so far above the floor.
constexpr double kClearance_m = 0.025;
// A loop on ground that is not flat is laid out for so long, and then again from where it is.
constexpr double kLaidOut_s = 16;
// How long a course is, and how fast it is ridden where it does not say so itself.
constexpr double kCourse_m = 900, kRide_m_s = 5;
// Retargeted motions that are kept.
constexpr size_t kKept = 12;

// What is left of a name that a stranger gave: no folders, no control characters, not too long.
std::string plain_name(const std::string& name) {
  std::string out;
  for (const char c : fs::path(name).filename().string())
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' || c == ' ') out += c;
  return out.size() > 80 ? out.substr(out.size() - 80) : out;
}

// A GLB may say that its numbers lie in another file: one that was dropped may not.
void refuse_other_files(const std::string& bytes, const std::string& name) {
  const auto length = [&](size_t at) {
    return static_cast<uint32_t>(static_cast<unsigned char>(bytes[at])) |
           static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + 1])) << 8 |
           static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + 2])) << 16 |
           static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + 3])) << 24;
  };
  if (bytes.size() < 20 || length(12) > bytes.size() - 20) throw Error(name, 0, "is cut short");
  const auto json = nlohmann::json::parse(bytes.substr(20, length(12)), nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw Error(name, 0, "holds no glTF");
  for (const char* list : {"buffers", "images"}) {
    if (!json.contains(list) || !json[list].is_array()) continue;
    for (const auto& entry : json[list])
      if (entry.is_object() && entry.contains("uri") &&
          (!entry["uri"].is_string() || !entry["uri"].get<std::string>().starts_with("data:")))
        throw Error(name, 0, "refers to other files, which a dropped file cannot; export it as one GLB");
  }
}

// Only files that are what their ending says, so that no importer for another kind is asked.
void check_kind(const std::string& name, const std::string& bytes) {
  std::string ending = fs::path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const auto begins = [&](std::string_view with) { return bytes.compare(0, with.size(), with) == 0; };
  if (ending == ".bvh") return;  // our own reader, which says what it misses
  if (ending == ".glb") {
    if (!begins("glTF")) throw Error(name, 0, "is no GLB: it does not begin like one");
    return refuse_other_files(bytes, name);
  }
  if (ending == ".fbx") {
    if (!begins("Kaydara FBX Binary") &&
        bytes.substr(0, 4096).find("FBXHeaderExtension") == std::string::npos)
      throw Error(name, 0, "is no FBX: it does not begin like one");
    return;
  }
  throw Error(name, 0, "is no motion that can be dropped here: BVH, GLB and FBX can");
}

// The sentence of an error without the folder that the file lay in for a moment.
std::string without_folder(std::string sentence, const fs::path& folder) {
  const std::string prefix = folder.string() + "/";
  for (size_t at; (at = sentence.find(prefix)) != std::string::npos;) sentence.erase(at, prefix.size());
  return sentence;
}

// What a retargeted motion is kept under.
std::string key_of(const Role& role) {
  return role.clip + "\n" + role.character + "\n" + (role.loop ? "loop" : "");
}

World make_setting(const Setting& setting) {
  if (is_world_file(setting.world)) throw Error("there is no world '" + setting.world + "'");
  World world = make_world(setting.world);
  if (setting.friction)
    for (WorldShape& shape : world.shapes)
      if (shape.ground) shape.friction = *setting.friction;
  for (const std::string& text : setting.throws) add_throw(world, parse_throw(text));
  return world;
}

// Balls that wait until a hand throws them: props without a schedule.
void add_balls(World& world, double mass_kg) {
  for (int i = 0; i < kBalls; ++i) {
    Throw ball;
    ball.mass_kg = mass_kg;
    add_throw(world, ball);
    world.throws.pop_back();
  }
}

void strengthen(Character& character, double strength) {
  for (Joint& joint : character.joints) joint.torque_limit *= strength;
}

// The performer that was there, moved so that its root is where the reference has it now.
State carried_over(const Character& character, const Casting& casting, const Moment& from, Pose& X_shift) {
  const ReferenceSample now = sample(character, casting.reference, casting.start_s);
  const auto facing = [](const VecX& q) { return heading(Quat(q[3], q[4], q[5], q[6])); };
  X_shift.q = exp_map(Vec3(0, 0, facing(now.q) - facing(from.q)));
  X_shift.p = Vec3(now.q[0], now.q[1], 0) - X_shift.q * Vec3(from.q[0], from.q[1], 0);
  State state{0, moved(from.q, X_shift), from.v};
  state.v.head<3>() = X_shift.q * Vec3(from.v.head<3>());
  const double ground_m = ground_height(casting.world, prop_poses(casting.world), state.q[0], state.q[1]);
  state.q[2] += ground_m - from.ground_m;
  X_shift.p.z() = ground_m - from.ground_m;
  const double lift = lift_out(casting.world, character, body_poses(character, state.q));
  if (lift > 0) state.q[2] += lift;
  return state;
}

// What all roles have in common, in a world without anybody yet.
Casting empty_casting(const Role& role, const Character& character, const Setting& setting) {
  Casting casting;
  casting.role = role;
  casting.character = character;
  casting.world = make_setting(setting);
  casting.believed = casting.world;
  casting.first_ball = static_cast<int>(casting.world.props.size());
  add_balls(casting.world, setting.ball_kg);
  return casting;
}

Course course_of(const std::string& behaviour) {
  if (behaviour.ends_with("slalom")) return slalom_course(kCourse_m, kRide_m_s);
  if (behaviour.ends_with("turns")) return turning_course(kCourse_m, 0);
  return straight_course(kCourse_m, kRide_m_s);
}

Casting from_control(const Role& role, const Setting& setting) {
  const ControlFile& file = *role.control;
  Casting casting;
  casting.role = role;
  casting.character = file.character;
  casting.start = file.start;
  casting.world = file.world;
  // Elsewhere than where it was found, it begins on the ground that is there.
  if (setting.world != file.world.name || setting.friction) {
    casting.world = make_setting(setting);
    casting.start.q[2] +=
        lift_out(casting.world, casting.character, body_poses(casting.character, casting.start.q));
  }
  casting.believed = casting.world;
  casting.first_ball = static_cast<int>(casting.world.props.size());
  add_balls(casting.world, setting.ball_kg);
  casting.reference = file.reference;
  casting.start_s = file.start_s;
  return casting;
}

}  // namespace

std::string with_slope(const std::string& world, double deg) {
  const std::string kind = world.substr(0, world.find(':'));
  if (kind != "flat" && kind != "slope") return "";
  if (std::abs(deg) < 0.01) return "flat";
  std::string text = std::to_string(deg);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return "slope:deg=" + text;
}

Workshop::Workshop(Shelves shelves)
    : shelves_(std::move(shelves)),
      motions_(list_motions(shelves_.motions)),
      characters_(character_names(shelves_.characters)) {
  const fs::path file = shelves_.behaviours / "run.json";
  if (shelves_.behaviours.empty() || !fs::exists(file)) return;
  RunBehaviour run = decode_run(read_file(file), file.filename().string());
  const Character whose = load_character(run.character, shelves_.characters);
  for (const std::string& name : characters_)
    if (topology_difference(whose, load_character(name, shelves_.characters)).empty())
      runners_.push_back(name);
  shipped_run_ = FoundRun{whose, std::move(run)};
}

std::vector<std::string> Workshop::drops() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, clip] : drops_) names.push_back(name);
  return names;
}

Clip Workshop::find_clip(const std::string& name) const {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, clip] : drops_)
      if (known == name) return clip;
  }
  for (const MotionEntry& entry : motions_) {
    if (entry.name != name) continue;
    Clip clip = load_clip(entry.file).clip;
    return entry.from_s <= 0 && entry.to_s < 0 ? clip : cut(clip, entry.from_s, entry.to_s);
  }
  throw Error("there is no motion '" + name + "'");
}

Character Workshop::find_character(const std::string& name, double strength) const {
  if (std::find(characters_.begin(), characters_.end(), name) == characters_.end())
    throw Error("there is no character '" + name + "'");
  Character character = load_character(name, shelves_.characters);
  strengthen(character, strength);
  return character;
}

void Workshop::settle(Role& role) const {
  const Behaviour* behaviour = find_behaviour(role.clip);
  if (behaviour == nullptr) {
    if (!follows_motion(role.method)) role.method = Method::kPreview;
    return;
  }
  role.method = behaviour->method;
  const bool able = std::find(runners_.begin(), runners_.end(), role.character) != runners_.end();
  if (!able && shipped_run_) role.character = shipped_run_->character.name;
}

FoundRun Workshop::find_run(const Role& role) const {
  if (role.run) return *role.run;
  if (!shipped_run_) throw Error("there is no run among the assets");
  const Character character = find_character(role.character, role.strength);
  if (character.name == shipped_run_->character.name) return {character, shipped_run_->behaviour};
  return {character, scaled(shipped_run_->behaviour, shipped_run_->character, character, Scaling::kByMass)};
}

Casting Workshop::cast_run(const Role& role, const Setting& setting) const {
  const FoundRun run = find_run(role);
  Casting casting = empty_casting(role, run.character, setting);
  casting.run = run.behaviour;
  casting.start = run.behaviour.start;
  // It begins in the air over flat ground.
  const double ground_m = ground_height(casting.world, prop_poses(casting.world), 0, 0);
  casting.start.q[2] += ground_m;
  const double lift = lift_out(casting.world, run.character, body_poses(run.character, casting.start.q));
  if (lift > 0) casting.start.q[2] += lift;
  if (!role.becomes.empty()) casting.becomes = find_character(role.becomes, role.strength);
  return casting;
}

Casting Workshop::cast_ride(const Role& role, const Setting& setting) const {
  const RideFile file = read_ride_file((shelves_.behaviours / "ride.json").string());
  const Character rider = find_character(role.character, role.strength);
  Casting casting = empty_casting(role, mounted(rider, file), setting);
  casting.ride = file.parameters;
  casting.course = std::make_shared<const Course>(course_of(role.clip));
  return casting;
}

std::optional<Sketch> Workshop::sketch(const Role& role) const {
  if (role.method == Method::kControl || !follows_motion(role.method)) return {};
  {
    const std::lock_guard lock(mutex_);
    if (retargeted_.contains(key_of(role))) return {};
  }
  RetargetOptions options;
  options.plant_feet = false;
  const Reference reference =
      retarget(find_clip(role.clip), find_character(role.character, role.strength), options).reference;
  return Sketch{role.character, reference.q, reference.frame_time_s};
}

Retargeted Workshop::retargeted(const Role& role, const Character& character,
                                std::vector<std::string>& notes) const {
  const std::string key = key_of(role);
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = retargeted_.find(key); at != retargeted_.end()) return at->second;
  }
  const Clip clip = find_clip(role.clip);
  RetargetOptions options;
  options.clearance_m = kClearance_m;
  options.loop_or_whole = role.loop;
  const Retargeted result = retarget(clip, character, options);
  for (const std::string& note : result.report.notes) notes.push_back(note);
  const std::lock_guard lock(mutex_);
  if (retargeted_.size() >= kKept) retargeted_.erase(retargeted_.begin());
  return retargeted_[key] = result;
}

Casting Workshop::cast(const Role& role, const Setting& setting, const std::optional<Moment>& from) const {
  if (role.method == Method::kControl) {
    if (!role.control) throw Error("no control was found yet: `Find control` finds one");
    return from_control(role, setting);
  }
  if (role.method == Method::kRun) return cast_run(role, setting);
  if (role.method == Method::kRide) return cast_ride(role, setting);
  Casting casting;
  casting.role = role;
  casting.character = find_character(role.character, role.strength);
  casting.world = make_setting(setting);
  Reference reference = retargeted(role, casting.character, casting.notes).reference;
  casting.start_s = from ? from->phase_s : 0;
  // Cycles are alike: the phase is what counts.
  if (reference.cyclic && from) casting.start_s = std::fmod(from->phase_s, reference.duration_s());
  if (!reference.cyclic) casting.start_s = std::min(casting.start_s, reference.duration_s());
  casting.fresh = !from;
  casting.laid_out = reference.cyclic;
  reference = at_origin(casting.character, std::move(reference), casting.world, casting.start_s);
  casting.reference =
      onto_world(casting.character, std::move(reference), casting.world, casting.start_s, kLaidOut_s);
  casting.laid_out = casting.laid_out && !casting.reference.cyclic;
  const bool same = from && from->q.size() == casting.character.nq();
  casting.start = same ? carried_over(casting.character, casting, *from, casting.X_shift)
                       : start_state(casting.character, casting.reference, casting.world, casting.start_s);
  casting.believed = casting.world;
  casting.first_ball = static_cast<int>(casting.world.props.size());
  add_balls(casting.world, setting.ball_kg);
  return casting;
}

std::shared_ptr<const ControlFile> Workshop::control(const std::string& name) const {
  const fs::path file = shelves_.controls / (name + ".json");
  return std::make_shared<const ControlFile>(
      decode_control(read_file(file), file.filename().string(), shelves_.characters));
}

std::string Workshop::drop(const std::string& file_name, const std::string& bytes) {
  const std::string plain = plain_name(file_name);
  if (plain.empty()) throw Error("the dropped file has no name");
  if (bytes.empty()) throw Error(plain, 0, "is empty");
  check_kind(plain, bytes);
  const ScratchFolder scratch;
  Clip clip;
  try {
    write_file(scratch.path() / plain, bytes);
    clip = load_clip(scratch.path() / plain).clip;
  } catch (const Error& error) {
    throw Error(without_folder(error.what(), scratch.path()));
  }

  // The newest takes the place of one of the same name, or of the oldest.
  const std::string name = "dropped/" + fs::path(plain).stem().string();
  const std::lock_guard lock(mutex_);
  std::erase_if(drops_, [&](const auto& kept) { return kept.first == name; });
  std::erase_if(retargeted_, [&](const auto& kept) { return kept.first.starts_with(name + "\n"); });
  if (drops_.size() >= kMostDrops) drops_.erase(drops_.begin());
  drops_.emplace_back(name, std::move(clip));
  return name;
}

}  // namespace sinew::studio
