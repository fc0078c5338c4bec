#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "motion/keyframe_human.h"
#include "motion/load.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kMotions = fs::path(SINEW_SOURCE_DIR) / "assets" / "motions";

std::vector<fs::path> shipped() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kMotions))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Those that are written for the keyframe human, not for bones of their own.
std::vector<fs::path> shipped_for_humans() {
  std::vector<fs::path> files = shipped();
  std::erase_if(files, [](const fs::path& file) { return Json::parse(read_file(file)).contains("bones"); });
  return files;
}

// Each file is read once for all tests.
const Clip& load(const fs::path& file) {
  static std::map<fs::path, Clip> clips;
  const auto found = clips.find(file);
  if (found != clips.end()) return found->second;
  return clips[file] = read_keyframes(read_file(file), file.string()).clip;
}
Clip load_text(const std::string& text) { return read_keyframes(text, "test.json").clip; }

// A file with these keys and further words.
std::string with_keys(const std::string& keys, const std::string& words = R"("fps": 60)") {
  return R"({"sinew_keyframes": 1, "name": "x", )" + words + R"(, "keys": [)" + keys + "]}";
}

// Where the balls of flesh are and how high above the floor they end.
struct Body {
  std::vector<Pose> X_WB;
  Vec3 com;
  std::vector<Vec3> centre;
  std::vector<double> height;
  double lowest = 1e9;
};
Body body(const Clip& clip, const Frame& frame) {
  Body b;
  b.X_WB = world_poses(clip, frame);
  b.com = keyframe_centre_of_mass(b.X_WB);
  for (const FleshBall& ball : keyframe_flesh()) {
    b.centre.push_back(b.X_WB[keyframe_bone(ball.part)] * ball.p_B);
    b.height.push_back(b.centre.back().z() - ball.radius_m);
    b.lowest = std::min(b.lowest, b.height.back());
  }
  return b;
}

std::string failure(const std::string& text) {
  try {
    read_keyframes(text, "test.json");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(KeyframeHuman, IsSymmetricAndAsTallAsItSays) {
  const Clip human = keyframe_human();
  const std::vector<Pose> X = world_poses(human, human.rest);
  EXPECT_NEAR(X[static_cast<size_t>(find_bone(human, "head_end"))].p.z(), 1.70, 0.02);
  for (int i = 1; i < kPartCount; ++i) {
    const Part part = static_cast<Part>(i);
    EXPECT_EQ(human.bones[keyframe_bone(part)].name, part_name(part));
    const Vec3 p = X[keyframe_bone(part)].p, m = X[keyframe_bone(part_mirror(part))].p;
    EXPECT_LT((p - Vec3(m.x(), -m.y(), m.z())).norm(), 1e-12);
  }
  EXPECT_NEAR(body(human, human.rest).lowest, 0, 1e-9);
  // Winter: the centre of mass of a standing person lies at about 0.57 of the height.
  const Clip standing = load_text(with_keys(R"({"t": 0})"));
  EXPECT_NEAR(body(standing, standing.frames[0]).com.z() / 1.70, 0.57, 0.015);
}

TEST(KeyframeHuman, AnglesHaveTheirAnatomicalSigns) {
  const auto at = [](const std::string& joints, const char* bone) {
    const Clip c = load_text(with_keys(R"({"t": 0, "joints": {)" + joints + "}}"));
    return world_poses(c, c.frames[0])[static_cast<size_t>(find_bone(c, bone))].p;
  };
  const Vec3 hip = at("", "left_thigh"), knee = at("", "left_shin"), ankle = at("", "left_foot");
  EXPECT_GT(at(R"("left_hip": [30])", "left_shin").x(), knee.x() + 0.1);
  EXPECT_GT(at(R"("left_hip": [0, 30])", "left_shin").y(), knee.y() + 0.1);
  EXPECT_LT(at(R"("right_hip": [0, 30])", "right_shin").y(), -knee.y() - 0.1);
  EXPECT_LT(at(R"("left_knee": 30)", "left_foot").x(), ankle.x() - 0.1);
  EXPECT_GT(at(R"("left_hip": [0, 0, 40])", "left_toes").y(), hip.y() + 0.05);
  EXPECT_GT(at(R"("left_ankle": 30)", "left_toes").z(), at("", "left_toes").z() + 0.03);
  EXPECT_GT(at(R"("left_toes": 40)", "left_toes_end").z(), at("", "left_toes_end").z() + 0.02);
  // Arms hang at zero; abduction by 90 degrees is the T-pose.
  const Clip human = keyframe_human();
  const Vec3 t_pose = world_poses(human, human.rest)[static_cast<size_t>(find_bone(human, "right_hand"))].p;
  EXPECT_LT((at(R"("right_shoulder": [0, 90, 0], "right_elbow": 0)", "right_hand") - t_pose).norm(), 1e-9);
  EXPECT_GT(at(R"("right_shoulder": [90, 0, 0])", "right_lower_arm").x(), 0.25);
  EXPECT_GT(at(R"("left_shoulder": [0, 0, 0], "left_elbow": 90)", "left_hand").x(), 0.2);
  EXPECT_GT(at(R"("abdomen": [30])", "head").x(), 0.1);
  EXPECT_LT(at(R"("abdomen": [0, 30])", "head").y(), -0.1);
  EXPECT_GT(at(R"("thorax": [0, 0, 30])", "right_upper_arm").x(), 0.05);
}

TEST(Keyframes, FeetReachTheirTargetAndRockOnHeelAndBall) {
  for (const double pitch : {-20.0, 0.0, 35.0}) {
    const std::string foot =
        R"("left_foot": {"at": [0.1, 0.12, 0], "yaw": 10, "pitch": )" + std::to_string(pitch) + "}";
    const Clip c = load_text(with_keys(R"({"t": 0, "pelvis": [0, 0, 0.93], )" + foot + "}"));
    const Body b = body(c, c.frames[0]);
    const Pose X_WF = b.X_WB[keyframe_bone(Part::kLeftFoot)];
    // Heel and toe joint stand on balls of 2 cm; the one that bears load has the place of the flat foot.
    const Vec3 pivot = pitch > 0 ? Vec3(0.13, 0, -0.05) : Vec3(-0.045, 0, -0.05);
    const Vec3 expected = Vec3(0.1, 0.12, 0.07) + Eigen::AngleAxisd(radians(10), Vec3::UnitZ()) * pivot;
    EXPECT_LT((X_WF * pivot - expected).norm(), 1e-9) << pitch;
    EXPECT_NEAR(degrees(std::asin(-(X_WF.q * Vec3::UnitX()).z())), pitch, 1e-6);
  }
}

TEST(Keyframes, HandsReachTheirTarget) {
  const Clip c = load_text(with_keys(R"({"t": 0, "right_hand": {"at": [0.3, -0.2, 1.2]}})"));
  const std::vector<Pose> X = world_poses(c, c.frames[0]);
  EXPECT_LT((X[keyframe_bone(Part::kRightHand)].p - Vec3(0.3, -0.2, 1.2)).norm(), 1e-9);
}

TEST(Keyframes, TheCentreOfMassGoesWhereItIsTold) {
  const Clip c = load_text(
      with_keys(R"({"t": 0, "com": [0.05, 0.02, 0.9], "turn": [20, 10, 5], "joints": {"right_hip": [60]},
                   "left_foot": {"at": [0, 0.1, 0]}})"));
  EXPECT_LT((body(c, c.frames[0]).com - Vec3(0.05, 0.02, 0.9)).norm(), 1e-6);
}

TEST(Keyframes, FreeFallIsAParabola) {
  const Clip c = load_text(with_keys(
      R"({"t": 0, "com": [0, 0, 1.1]}, {"t": 0.2, "com": [0.1, 0, 1.1], "flight": true},
         {"t": 0.6, "com": [0.5, 0, 1.0]}, {"t": 0.8, "com": [0.5, 0, 0.9]})",
      R"("fps": 100)"));
  const auto com = [&](size_t i) { return body(c, c.frames[i]).com; };
  for (size_t i = 22; i < 59; ++i) {
    const Vec3 acceleration = (com(i + 1) - 2 * com(i) + com(i - 1)) * 1e4;
    EXPECT_LT((acceleration - Vec3(0, 0, -9.81)).norm(), 0.02) << i;
  }
}

TEST(Keyframes, HeldKeysStayExactlyStill) {
  const Clip c = load_text(with_keys(
      R"({"t": 0, "pelvis": [0, 0, 0.9], "left_foot": {"at": [0, 0.1, 0]}, "joints": {"left_knee": 0}},
         {"t": 0.5, "pelvis": [0.1, 0.05, 0.85], "left_foot": {"at": [0, 0.1, 0]}},
         {"t": 1, "pelvis": [0.2, 0, 0.9], "left_foot": {"at": [0.4, 0.1, 0]}})"));
  const Vec3 first = world_poses(c, c.frames[0])[keyframe_bone(Part::kLeftFoot)].p;
  for (size_t i = 0; i <= 30; ++i)
    EXPECT_LT((world_poses(c, c.frames[i])[keyframe_bone(Part::kLeftFoot)].p - first).norm(), 1e-9) << i;
}

TEST(Keyframes, HingesNeverOvershootTheirKeys) {
  const Clip c =
      load_text(with_keys(R"({"t": 0, "joints": {"left_knee": 60}}, {"t": 0.2, "joints": {"left_knee": 1}},
                   {"t": 0.9, "joints": {"left_knee": 2}}, {"t": 1, "joints": {"left_knee": 80}})"));
  for (const Frame& frame : c.frames)
    EXPECT_GE(log_map(frame[keyframe_bone(Part::kLeftShin)].q).y(), radians(1) - 1e-9);
}

TEST(Keyframes, OnTheGroundTheLowestPointTouchesTheFloor) {
  const Clip c = load_text(with_keys(
      R"({"t": 0, "pelvis": [0, 0, 2], "turn": [0, -90, 0], "ground": true},
         {"t": 1, "turn": [0, -90, 0, 20], "joints": {"left_hip": [40]}})"));
  for (const Frame& frame : c.frames) EXPECT_NEAR(body(c, frame).lowest, 0, 2e-3);
}

TEST(Keyframes, TheSecondHalfOfAMirroredGaitMirrorsTheFirst) {
  const Clip& c = load(kMotions / "walk.json");
  const size_t half = 66;  // 0.55 s at 120 frames a second
  for (size_t i = 0; i < half; i += 5) {
    const std::vector<Pose> a = world_poses(c, c.frames[i]), b = world_poses(c, c.frames[i + half]);
    for (int p = 1; p < kPartCount; ++p) {
      const Vec3 here = a[keyframe_bone(static_cast<Part>(p))].p;
      const Vec3 there = b[keyframe_bone(part_mirror(static_cast<Part>(p)))].p;
      EXPECT_LT((Vec3(here.x() + 0.715, -here.y(), here.z()) - there).norm(), 1e-6);
    }
  }
}

TEST(Keyframes, PosesAreMergedUnderTheirKeys) {
  const Clip c =
      load_text(with_keys(R"({"t": 0, "pose": "bent", "joints": {"left_knee": 30}})",
                          R"("poses": {"bent": {"joints": {"left_knee": 90, "right_knee": 40}}})"));
  EXPECT_NEAR(log_map(c.frames[0][keyframe_bone(Part::kLeftShin)].q).y(), radians(30), 1e-9);
  EXPECT_NEAR(log_map(c.frames[0][keyframe_bone(Part::kRightShin)].q).y(), radians(40), 1e-9);
}

TEST(Keyframes, BadFilesGetASentence) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is not valid JSON"},
      {"{\n\"sinew_keyframes\": 1,\n oops", "test.json:3: is not valid JSON"},
      {"[1, 2]", "needs \"sinew_keyframes\": 1"},
      {R"({"sinew_keyframes": 2, "keys": []})", "this version reads"},
      {with_keys(""), "1 to 2000 keys"},
      {with_keys(R"({"t": 0, "jionts": {}})"), "unknown word \"jionts\""},
      {with_keys(R"({"t": 0, "joints": {"left_tail": 3}})"), "unknown joint \"left_tail\""},
      {with_keys(R"({"t": 0, "joints": {"left_knee": [1, 2]}})"), "1 to 1 numbers, found 2"},
      {with_keys(R"({"t": 0, "joints": {"left_knee": "bent"}})"), "must be a number"},
      {with_keys(R"({"t": 0, "joints": {"left_knee": 1e999}})"), "out of range"},
      {with_keys(R"({"t": 0, "joints": {"left_knee": NaN}})"), "is not valid JSON"},
      {with_keys(R"({"t": 1}, {"t": 1})"), "not later than the key before"},
      {with_keys(R"({"t": 0, "pelvis": [0, 0, 1]}, {"t": 1, "com": [0, 0, 1]})"), "not both"},
      {with_keys(R"({"t": 0, "flight": true})"), "needs the place of the root"},
      {with_keys(R"({"t": 0, "pose": "nobody"})"), "must name one of the file's"},
      {with_keys(R"({"t": 0}, {"t": 90000})"), "more than 30000 frames"},
      {with_keys(R"({"t": 0})", R"("loop": true)"), "needs its \"period\""},
      {with_keys(R"({"t": 0})", R"("mirror": true)"), "\"loop\": true"},
      {with_keys(R"({"t": 0}, {"t": 2})", R"("loop": true, "period": 1)"), "after the end of the period"},
      {with_keys(R"({"t": 0})", R"("loop": true, "period": 1, "repeat": 1000, "fps": 500)"), "30000 frames"},
      {with_keys(R"({"t": 0})", R"("fps": 0)"), "\"fps\" is 0"},
      {std::string(100000, '['), "deeper than 16"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string said = failure(text);
    EXPECT_NE(said.find(expected), std::string::npos) << said << "\n" << text.substr(0, 200);
    EXPECT_EQ(said.find("test.json"), 0u) << said;
  }
}

// A file with bones of its own: a beam on which a flag turns.
constexpr const char* kFlag =
    R"("bones": [{"name": "mast", "at": [1, 0, 2]}, {"name": "flag", "parent": "mast", "at": [1, 0, 3]},
                 {"name": "tip", "parent": "flag", "at": [2, 0, 3]}])";

TEST(Keyframes, BonesOfTheFilesOwnTurnByRotationVectors) {
  const ImportedClip read = read_keyframes(
      with_keys(R"({"t": 0}, {"t": 1, "pelvis": [0, 0, 2], "turn": [90], "joints": {"flag": [0, 90]}})",
                kFlag),
      "test.json");
  const Clip& c = read.clip;
  ASSERT_EQ(c.bones.size(), 3u);
  EXPECT_EQ(c.bones[2].parent, 1);
  EXPECT_EQ(c.source.format, "keyframes");
  EXPECT_FALSE(c.rest_is_t_pose);
  // At rest everything is where the file says; a word that one key alone has holds throughout.
  EXPECT_LT((world_poses(c, c.rest)[2].p - Vec3(2, 0, 3)).norm(), 1e-12);
  for (const Frame& frame : c.frames) {
    const std::vector<Pose> X = world_poses(c, frame);
    EXPECT_LT((X[1].p - Vec3(0, 0, 3)).norm(), 1e-9);
    EXPECT_LT((X[2].p - Vec3(0, 0, 2)).norm(), 1e-9);
    EXPECT_LT(angle_between(X[1].q, exp_map(Vec3(0, 0, kPi / 2)) * exp_map(Vec3(0, kPi / 2, 0))), 1e-9);
  }
}

TEST(Keyframes, BadBonesGetASentence) {
  const auto with_bones = [](const std::string& bones, const std::string& key = R"({"t": 0})",
                             const std::string& words = "") {
    return with_keys(key, words + R"("bones": )" + bones);
  };
  const std::string root = R"({"name": "a", "at": [0, 0, 1]})";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {with_bones("[]"), "1 to 500 bones"},
      {with_bones("[3]"), "bone 1 must be an object"},
      {with_bones(R"([{"at": [0, 0, 1]}])"), "bone 1 needs a \"name\""},
      {with_bones(R"([{"name": "a"}])"), "three lengths"},
      {with_bones(R"([{"name": "a", "at": [0, 0, "x"]}])"), "must be a number"},
      {with_bones(R"([{"name": "a", "parent": "b", "at": [0, 0, 1]}])"), "is the root and has no"},
      {with_bones("[" + root + R"(, {"name": "b", "at": [0, 0, 1]}])"), "bone 2 needs a \"parent\""},
      {with_bones("[" + root + R"(, {"name": "b", "parent": "c", "at": [0, 0, 1]}])"), "a bone before it"},
      {with_bones("[" + root + R"(, {"name": "a", "parent": "a", "at": [0, 0, 1]}])"), "two bones \"a\""},
      {with_bones("[" + root + "]", R"({"t": 0, "joints": {"left_knee": 3}})"),
       "unknown joint \"left_knee\""},
      {with_bones("[" + root + "]", R"({"t": 0, "joints": {"a": 3}})"), "unknown joint \"a\""},
      {with_bones("[" + root + "]", R"({"t": 0, "com": [0, 0, 1]})"), "\"com\""},
      {with_bones("[" + root + "]", R"({"t": 0, "ground": true})"), "unknown word \"ground\""},
      {with_bones("[" + root + "]", R"({"t": 0})", R"("loop": true, "period": 1, "mirror": true, )"),
       "\"mirror\""},
  };
  for (const auto& [text, expected] : cases) {
    const std::string said = failure(text);
    EXPECT_NE(said.find(expected), std::string::npos) << said << "\n" << text;
    EXPECT_EQ(said.find("test.json"), 0u) << said;
  }
}

TEST(Keyframes, TheExampleOfTheDocumentationLoads) {
  const std::string text = read_file(fs::path(SINEW_SOURCE_DIR) / "docs" / "keyframes.md");
  const size_t from = text.find("```json\n") + 8;
  const Clip c = load_text(text.substr(from, text.find("```", from) - from));
  EXPECT_EQ(c.name, "bow");
  EXPECT_EQ(c.frames.size(), 97u);
}

TEST(Keyframes, AFrameRateFromOutsideWins) {
  ImportOptions options;
  options.frame_rate_hz = 25;
  const Clip c = read_keyframes(with_keys(R"({"t": 0}, {"t": 2})"), "x", options).clip;
  EXPECT_EQ(c.frames.size(), 51u);
  EXPECT_DOUBLE_EQ(c.frame_time_s, 0.04);
}

TEST(ShippedMotions, AreAllThere) {
  for (const char* name : {"walk", "run", "march", "jump", "punch", "roll-forward", "roll-sideways", "get-up",
                           "kip-up", "sit", "wave", "kick", "cartwheel", "gallop", "crawl"})
    EXPECT_TRUE(fs::exists(kMotions / (std::string(name) + ".json"))) << name;
}

TEST(ShippedMotions, LoadAndAreSmall) {
  for (const fs::path& file : shipped()) {
    SCOPED_TRACE(file.filename().string());
    EXPECT_LT(fs::file_size(file), 60000u);
    const Clip& c = load(file);
    EXPECT_EQ(c.name, file.stem().string());
    EXPECT_EQ(c.rest_is_t_pose, file.stem() != "gallop");
    EXPECT_EQ(c.source.format, "keyframes");
    EXPECT_GT(c.duration_s(), 1.0);
    for (const Frame& frame : c.frames)
      for (const Pose& X : frame) ASSERT_TRUE(X.p.allFinite() && std::abs(X.q.norm() - 1) < 1e-9);
  }
}

TEST(ShippedMotions, StayAboveTheFloor) {
  for (const fs::path& file : shipped_for_humans()) {
    const Clip& c = load(file);
    for (size_t i = 0; i < c.frames.size(); ++i) {
      const Body b = body(c, c.frames[i]);
      ASSERT_GT(b.lowest, -0.015) << file.filename() << " at " << static_cast<double>(i) * c.frame_time_s;
    }
  }
}

TEST(ShippedMotions, BendNoKneeOrElbowBackwards) {
  for (const fs::path& file : shipped_for_humans()) {
    const Clip& c = load(file);
    for (size_t i = 0; i < c.frames.size(); ++i) {
      const double t = static_cast<double>(i) * c.frame_time_s;
      for (const Part shin : {Part::kLeftShin, Part::kRightShin}) {
        const Vec3 r = log_map(c.frames[i][keyframe_bone(shin)].q);
        ASSERT_GT(degrees(r.y()), -0.5) << file.filename() << " at " << t;
        ASSERT_LT(std::hypot(r.x(), r.z()), 0.02) << file.filename() << " at " << t;
      }
      // A forearm bends towards the upper arm's +X.
      for (const Part arm : {Part::kLeftLowerArm, Part::kRightLowerArm}) {
        const Vec3 along =
            c.frames[i][keyframe_bone(arm)].q * Vec3(0, arm == Part::kLeftLowerArm ? 1 : -1, 0);
        ASSERT_GT(along.x(), -0.02) << file.filename() << " at " << t;
      }
    }
  }
}

TEST(ShippedMotions, PlantedFeetDoNotSlide) {
  for (const fs::path& file : shipped_for_humans()) {
    if (file.stem() == "roll-sideways") continue;  // the heels of one who lies bear no load
    const Clip& c = load(file);
    double slid = 0, time = 0;
    Body before = body(c, c.frames[0]);
    for (size_t i = 1; i < c.frames.size(); ++i) {
      const Body now = body(c, c.frames[i]);
      for (size_t k = 0; k < keyframe_flesh().size(); ++k) {
        const Part part = keyframe_flesh()[k].part;
        if (part != Part::kLeftFoot && part != Part::kRightFoot) continue;
        if (before.height[k] > 0.001 || now.height[k] > 0.001) continue;
        slid += (now.centre[k] - before.centre[k]).head<2>().norm();
        time += c.frame_time_s;
      }
      before = now;
    }
    EXPECT_LT(slid, 0.01 * time + 1e-9) << file.filename();
  }
}

TEST(ShippedMotions, LoopsCloseInPoseAndVelocity) {
  int loops = 0;
  for (const fs::path& file : shipped()) {
    const Json json = Json::parse(read_file(file));
    if (!json.value("loop", false)) continue;
    SCOPED_TRACE(file.filename().string());
    ++loops;
    const Clip& c = load(file);
    const double period = json["period"].get<double>() / c.frame_time_s;
    const size_t n = static_cast<size_t>(std::lround(period));
    ASSERT_NEAR(period, static_cast<double>(n), 1e-6);
    const Vec3 travel(json["travel"][0].get<double>(), json["travel"][1].get<double>(), 0);
    // One period later everything is the same, further along.
    for (size_t i = 0; i + n < c.frames.size(); ++i) {
      EXPECT_LT((c.frames[i][0].p + travel - c.frames[i + n][0].p).norm(), 1e-6);
      for (size_t b = 0; b < c.frames[i].size(); ++b)
        ASSERT_LT(angle_between(c.frames[i][b].q, c.frames[i + n][b].q), 1e-5);
    }
    // Over the seam the speed of no joint jumps: below the change that 500 rad/s^2 make in a frame.
    for (size_t b = 0; b < c.bones.size(); ++b) {
      const Vec3 v0 = log_map(c.frames[n - 1][b].q.conjugate() * c.frames[n][b].q) / c.frame_time_s;
      const Vec3 v1 = log_map(c.frames[n][b].q.conjugate() * c.frames[n + 1][b].q) / c.frame_time_s;
      EXPECT_LT((v1 - v0).norm(), 500 * c.frame_time_s) << c.bones[b].name;
    }
  }
  EXPECT_GE(loops, 3);
}

TEST(ShippedMotions, FlyFreely) {
  for (const char* name : {"run", "jump", "kip-up"}) {
    const Clip& c = load(kMotions / (std::string(name) + ".json"));
    const double rate = 1 / c.frame_time_s;
    int flying = 0;
    for (size_t i = 1; i + 1 < c.frames.size(); ++i) {
      const Body a = body(c, c.frames[i - 1]), b = body(c, c.frames[i]), d = body(c, c.frames[i + 1]);
      if (std::min({a.lowest, b.lowest, d.lowest}) < 0.02) continue;
      const Vec3 acceleration = (a.com - 2 * b.com + d.com) * rate * rate;
      EXPECT_NEAR(acceleration.z(), -9.81, 0.3) << name << " at " << static_cast<double>(i) / rate;
      EXPECT_LT(acceleration.head<2>().norm(), 0.3) << name << " at " << static_cast<double>(i) / rate;
      ++flying;
    }
    EXPECT_GT(flying, 10) << name;
  }
}

}  // namespace
}  // namespace sinew
