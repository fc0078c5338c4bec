#include "rollout/control_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "character/library.h"
#include "character/mjcf.h"
#include "character/write_mjcf.h"
#include "core/error.h"
#include "core/files.h"
#include "core/random.h"
#include "rollout/placement.h"
#include "world/library.h"

namespace sinew {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kFolders = {std::string(SINEW_SOURCE_DIR) + "/assets/characters"};

// Random poses, knots and contacts: nothing of it is smooth or round.
ControlFile some_control(const std::string& name = "human50", bool cyclic = false) {
  ControlFile file;
  file.clip = "dance \"7\"";
  file.recipe = "default";
  file.seed = 7;
  file.step_s = 0.002;
  file.character = load_character(name, kFolders);
  file.world = make_world("pebbles:count=5");
  add_throw(file.world, parse_throw("at=0.2"));
  Random random(3);
  Reference& reference = file.reference;
  reference.frame_time_s = 1.0 / 60;
  reference.cyclic = cyclic;
  reference.X_cycle = {Vec3(0.3, 0.1, 0), exp_map(Vec3(0, 0, 0.1))};
  for (int i = 0; i < 20; ++i) {
    VecX dq(file.character.nv());
    for (double& x : dq) x = random.between(-2, 2);
    reference.q.push_back(integrate(file.character, file.character.q_rest, dq));
    reference.point_contact.emplace_back(file.character.contact_points.size(), i / 7 % 2);
    reference.body_contact.emplace_back(file.character.bodies.size(), i / 5 % 2);
  }
  differentiate(file.character, reference);
  file.start_s = 0.1;
  file.seconds = 1.0 / 3;
  file.start = {0, reference.q.front(), reference.v.front()};
  file.control = open_loop(file.character, 1.7);
  for (int i = 1; i < 4; ++i) {
    file.control.time_s.push_back(0.1 * i);
    file.control.offset.push_back(VecX::Zero(file.character.nv()));
    for (double& x : file.control.offset.back().tail(file.character.nv() - 6)) x = on_grid(random.normal());
  }
  return file;
}

void expect_same_bits(const ControlFile& a, const ControlFile& b) {
  EXPECT_TRUE(a.reference.q == b.reference.q);
  EXPECT_TRUE(a.reference.v == b.reference.v);
  EXPECT_TRUE(a.reference.a == b.reference.a);
  EXPECT_TRUE(a.reference.point_contact == b.reference.point_contact);
  EXPECT_TRUE(a.reference.body_contact == b.reference.body_contact);
  EXPECT_TRUE(a.reference.frame_time_s == b.reference.frame_time_s);
  EXPECT_TRUE(a.reference.cyclic == b.reference.cyclic);
  EXPECT_TRUE(a.reference.X_cycle.p == b.reference.X_cycle.p);
  EXPECT_TRUE(a.reference.X_cycle.q.coeffs() == b.reference.X_cycle.q.coeffs());
  EXPECT_TRUE(a.start.q == b.start.q);
  EXPECT_TRUE(a.start.v == b.start.v);
  EXPECT_TRUE(a.control.time_s == b.control.time_s);
  EXPECT_TRUE(a.control.offset == b.control.offset);
  EXPECT_TRUE(a.control.kp == b.control.kp);
  EXPECT_TRUE(a.control.kd == b.control.kd);
  EXPECT_TRUE(a.control.limit == b.control.limit);
  EXPECT_TRUE(a.seconds == b.seconds);
  EXPECT_TRUE(a.step_s == b.step_s);
  EXPECT_EQ(write_mjcf(a.character), write_mjcf(b.character));
  EXPECT_EQ(to_json(a.world), to_json(b.world));
}

TEST(ControlFiles, SayOnceAndForAllWhatIsSimulated) {
  for (const bool cyclic : {false, true}) {
    const ControlFile once = as_written(some_control("human50", cyclic), kFolders);
    const std::string text = encode_control(once);
    const ControlFile twice = decode_control(text, "control.json", kFolders);
    expect_same_bits(once, twice);
    EXPECT_EQ(encode_control(twice), text);
    EXPECT_EQ(twice.fingerprint, fingerprint(once.character));
    EXPECT_EQ(twice.clip, "dance \"7\"");
    EXPECT_EQ(twice.seed, 7);
    EXPECT_EQ(twice.control.between, Between::kLine);
  }
}

TEST(ControlFiles, AreNearWhatWasToBeWritten) {
  const ControlFile meant = some_control("robot35", true);
  const ControlFile written = as_written(meant, kFolders);
  for (size_t i = 0; i < meant.reference.q.size(); ++i)
    EXPECT_LT(difference(meant.character, meant.reference.q[i], written.reference.q[i]).cwiseAbs().maxCoeff(),
              2e-6);
  for (size_t i = 0; i < meant.control.offset.size(); ++i)
    EXPECT_TRUE(meant.control.offset[i] == written.control.offset[i]);
  EXPECT_EQ(meant.start.q, written.start.q);
  EXPECT_EQ(meant.control.kp, written.control.kp);
}

TEST(ControlFiles, TurnsOfNearlyHalfACircleComeBack) {
  ControlFile file = some_control();
  Random random(5);
  for (VecX& q : file.reference.q) {
    const Vec3 axis = Vec3(random.normal(), random.normal(), random.normal()).normalized();
    const Quat turn = exp_map(axis * (kPi + random.between(-2e-6, 2e-6)));
    q.segment<4>(3) << turn.w(), turn.x(), turn.y(), turn.z();
  }
  const ControlFile once = as_written(file, kFolders);
  expect_same_bits(once, as_written(once, kFolders));
  for (size_t i = 0; i < file.reference.q.size(); ++i) {
    const VecX &a = file.reference.q[i], &b = once.reference.q[i];
    EXPECT_LT(angle_between(Quat(a[3], a[4], a[5], a[6]), Quat(b[3], b[4], b[5], b[6])), 1e-5);
  }
}

TEST(ControlFiles, TheGridIsWhatSixDigitsSay) {
  for (const double x : {0.0, 1e-7, -4.9e-7, 0.1234567, -1.9999995, 314.159265358979, 1e-6, -12345.6789012}) {
    EXPECT_NEAR(on_grid(x), x, 0.5000001e-6);
    EXPECT_EQ(on_grid(on_grid(x)), on_grid(x));
    char text[64];
    std::snprintf(text, sizeof text, "%.6f", on_grid(x));
    EXPECT_EQ(std::strtod(text, nullptr), on_grid(x));
  }
  EXPECT_FALSE(std::signbit(on_grid(-1e-9)));
}

TEST(ControlFiles, CarryACharacterThatHasNoName) {
  ControlFile file = some_control();
  Character other = file.character;
  other.bodies[3].mass_kg *= 1.1;
  other.name = "heavy";
  file.character = other;
  file.mjcf = write_mjcf(other);
  const ControlFile once = as_written(file, kFolders);
  EXPECT_EQ(once.character.name, "heavy");
  EXPECT_NEAR(once.character.mass_kg(), other.mass_kg(), 1e-9);
  expect_same_bits(once, decode_control(encode_control(once), "control.json", {}));
}

TEST(ControlFiles, AreSmallAndHaveALineAKnot) {
  const ControlFile file = some_control();
  const std::string text = encode_control(file);
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_LT(lines, file.reference.q.size() + file.control.offset.size() + 50);
  // Eleven letters a number, and what does not grow with the motion.
  EXPECT_LT(text.size(), 11 * 56 * (file.reference.q.size() + file.control.offset.size() + 5) + 20000);
}

TEST(ControlFiles, OfUnlimitedServosStayUnlimited) {
  ControlFile file = some_control();
  file.control.limit[10] = std::numeric_limits<double>::infinity();
  file.control.between = Between::kHold;
  file.control.contact_scale = true;
  const ControlFile read = as_written(file, kFolders);
  EXPECT_EQ(read.control.limit, file.control.limit);
  EXPECT_EQ(read.control.between, Between::kHold);
  EXPECT_TRUE(read.control.contact_scale);
}

std::string refusal(const std::string& text) {
  try {
    decode_control(text, "bad.json", kFolders);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// One thing is changed in a good file.
std::string changed(const std::function<void(Json&)>& change) {
  Json json = Json::parse(encode_control(some_control()));
  change(json);
  return json.dump();
}

TEST(ControlFiles, ThatMakeNoSenseAreRefusedInASentence) {
  struct Bad {
    std::string text, named;
  };
  const std::string good = encode_control(some_control());
  ASSERT_EQ(refusal(good), "");
  const std::vector<Bad> all = {
      {"", "is no control file"},
      {"[]", "is no control file"},
      {"{}", "is no control file"},
      {"dear diary", "is no control file"},
      {good.substr(0, good.size() / 2), "cut short"},
      {good.substr(0, good.size() - 3), "cut short"},
      {changed([](Json& j) { j["sinew_control"] = 2; }), "version 2"},
      {changed([](Json& j) { j["sinew_control"] = "1"; }), "is no control file"},
      {changed([](Json& j) { j.erase("start"); }), "start"},
      {changed([](Json& j) { j["start"]["q"][0] = nullptr; }), "number"},
      {changed([](Json& j) { j["start"]["q"][0] = 1e300; }), "too large"},
      {changed([](Json& j) { j["start"]["q"][3] = 7; }), "unit length"},
      {changed([](Json& j) { j["start"]["q"].push_back(0); }), "numbers"},
      {changed([](Json& j) { j["control"]["kp"][9] = -1; }), "below 0"},
      {changed([](Json& j) { j["control"]["kp"][9] = nullptr; }), "gain"},
      {changed([](Json& j) { j["control"]["limit"][9] = -1; }), "below 0"},
      {changed([](Json& j) { j["control"]["between"] = "jump"; }), "between"},
      {changed([](Json& j) { j["control"]["knots"][1][0] = 0; }), "ascend"},
      {changed([](Json& j) { j["control"]["knots"][1].push_back(0); }), "a knot"},
      {changed([](Json& j) { j["reference"]["frames"] = Json::array(); }), "no frames"},
      {changed([](Json& j) { j["reference"]["frames"][3] = "x"; }), "a frame"},
      {changed([](Json& j) { j["reference"]["frame_time_s"] = 0; }), "frame_time_s"},
      {changed([](Json& j) { j["reference"]["contacts"][0][0] = 1; }), "contacts"},
      {changed([](Json& j) { j["reference"]["contacts"][1][0] = 1e9; }), "contacts"},
      {changed([](Json& j) { j["reference"]["contacts"][1][1] = "01"; }), "contacts"},
      {changed([](Json& j) { j["seconds"] = 1e9; }), "seconds"},
      {changed([](Json& j) { j["step_s"] = -1; }), "step_s"},
      {changed([](Json& j) { j["search"]["seed"] = -1; }), "seed"},
      {changed([](Json& j) { j["world"]["gravity"] = 3; }), "world"},
      {changed([](Json& j) { j["character"]["name"] = "nobody"; }), "nobody"},
      {changed([](Json& j) { j["character"]["name"] = "../../secret.xml"; }), "character"},
      {changed([](Json& j) { j["character"]["mjcf"] = {"<mujoco/>"}; }), "bad.json"},
      {changed([](Json& j) { j["character"]["name"] = "biped18"; }), "numbers"},
  };
  for (const Bad& bad : all) {
    const std::string sentence = refusal(bad.text);
    EXPECT_TRUE(sentence.starts_with("bad.json: ")) << sentence << " for " << bad.named;
    EXPECT_NE(sentence.find(bad.named), std::string::npos) << sentence << " does not say " << bad.named;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  }

  // A number that no double can hold.
  std::string huge = good;
  huge.replace(huge.find("\"seconds\": ") + 11, 3, "1e999");
  EXPECT_TRUE(refusal(huge).starts_with("bad.json: is no control file")) << refusal(huge);

  // Lists within lists: more than a stack holds.
  constexpr size_t kDeep = 500000;
  for (const std::string key : {"\"world\": ", "\"kp\": "}) {
    std::string deep = good;
    deep.insert(deep.find(key) + key.size(), std::string(kDeep, '[') + std::string(kDeep, ']') + ", \"x\": ");
    EXPECT_NE(refusal(deep).find("nested too deeply"), std::string::npos) << refusal(deep);
  }
}

// Damaged anywhere it is read or refused with an Error, quickly.
TEST(ControlFiles, SurviveDamage) {
  const std::string good =
      read_file(std::string(SINEW_SOURCE_DIR) + "/tests/data/corpus/control/biped18.json");
  ASSERT_EQ(refusal(good), "");
  std::mt19937 random(20240502);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  constexpr const char* kWords[] = {"null", "-1", "1e308", "[]", "{}", "\"", "]", "99999999999", "1e-320"};
  size_t refused = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (size_t done = 0; done < 400 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(2);
       ++done) {
    std::string text = good;
    for (size_t edits = 1 + below(3); edits > 0; --edits) {
      const size_t at = below(text.size());
      if (const size_t kind = below(3); kind == 0) {
        text[at] = static_cast<char>(below(256));
      } else if (kind == 1) {
        text.erase(at, 1 + below(40));
      } else {
        const size_t end = text.find_first_of(" \n,]", at);
        text.replace(at, (end == text.npos ? text.size() : end) - at, kWords[below(std::size(kWords))]);
      }
    }
    const std::string sentence = refusal(text);
    if (!sentence.empty()) ++refused;
  }
  EXPECT_GT(refused, 20U);
}

}  // namespace
}  // namespace sinew
