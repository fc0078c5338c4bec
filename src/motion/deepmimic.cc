#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "motion/convention.h"
#include "motion/load.h"
#include "motion/resample.h"

namespace sinew {

namespace {

using nlohmann::json;

// The published humanoid3d skeleton: metres, Y up, faces +X, arms hanging. In the order of a frame's numbers,
// so that the hands, which do not move, stand behind their elbows.
struct Joint {
  const char* name;
  int parent;
  std::array<double, 3> offset;
  int numbers;  // 4: a quaternion, w first; 1: an angle about z; 0: fixed
};
constexpr std::array<Joint, 20> kJoints = {{
    {"root", -1, {0, 0, 0}, 4},
    {"chest", 0, {0, 0.236151, 0}, 4},
    {"neck", 1, {0, 0.223894, 0}, 4},
    {"neck_end", 2, {0, 0.2775, 0}, 0},
    {"right_hip", 0, {0, 0, 0.084887}, 4},
    {"right_knee", 4, {0, -0.421546, 0}, 1},
    {"right_ankle", 5, {0, -0.409870, 0}, 4},
    {"right_ankle_end", 6, {0.1398, -0.0501, 0}, 0},
    {"right_shoulder", 1, {-0.02405, 0.24350, 0.18311}, 4},
    {"right_elbow", 8, {0, -0.274788, 0}, 1},
    {"right_wrist", 9, {0, -0.258947, 0}, 0},
    {"right_wrist_end", 10, {0, -0.08, 0}, 0},
    {"left_hip", 0, {0, 0, -0.084887}, 4},
    {"left_knee", 12, {0, -0.421546, 0}, 1},
    {"left_ankle", 13, {0, -0.409870, 0}, 4},
    {"left_ankle_end", 14, {0.1398, -0.0501, 0}, 0},
    {"left_shoulder", 1, {-0.02405, 0.24350, -0.18311}, 4},
    {"left_elbow", 16, {0, -0.274788, 0}, 1},
    {"left_wrist", 17, {0, -0.258947, 0}, 0},
    {"left_wrist_end", 18, {0, -0.08, 0}, 0},
}};
constexpr size_t kNumbersPerFrame = 44;

std::vector<Bone> humanoid3d() {
  std::vector<Bone> bones;
  for (const Joint& joint : kJoints) {
    Bone bone;
    bone.name = joint.name;
    bone.parent = joint.parent;
    bone.X_PB.p = Vec3(joint.offset[0], joint.offset[1], joint.offset[2]);
    bone.is_end = bone.name.ends_with("_end");
    bones.push_back(bone);
  }
  return bones;
}

json parse_json(std::string_view text, const std::string& name) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& e) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<long>(std::min(e.byte, text.size())), '\n');
    throw Error(name, static_cast<int>(line), "the JSON text is broken here");
  } catch (const json::exception&) {
    throw Error(name, 0, "the JSON text holds a number that is too large");
  }
}

[[noreturn]] void fail_frame(const std::string& name, size_t frame, const std::string& sentence) {
  throw Error(name, 0, "frame " + std::to_string(frame) + " " + sentence);
}

std::array<double, kNumbersPerFrame> numbers_of(const json& row, size_t frame, const std::string& name) {
  if (!row.is_array() || row.size() != kNumbersPerFrame)
    fail_frame(name, frame,
               "should be a list of " + std::to_string(kNumbersPerFrame) +
                   " numbers, as for the humanoid3d skeleton");
  std::array<double, kNumbersPerFrame> values{};
  for (size_t k = 0; k < kNumbersPerFrame; ++k) {
    if (!row[k].is_number()) fail_frame(name, frame, "holds something that is no number");
    values[k] = row[k].get<double>();
    if (!std::isfinite(values[k]) || std::abs(values[k]) > 1e6)
      fail_frame(name, frame, "holds an impossible number");
  }
  return values;
}

Frame posed(const std::array<double, kNumbersPerFrame>& values, const std::vector<Bone>& bones, size_t frame,
            const std::string& name, double& worst_norm) {
  Frame out;
  size_t at = 4;
  for (size_t j = 0; j < kJoints.size(); ++j) {
    Pose X = bones[j].X_PB;
    if (j == 0) X.p = Vec3(values[1], values[2], values[3]);
    if (kJoints[j].numbers == 4) {
      X.q = Quat(values[at], values[at + 1], values[at + 2], values[at + 3]);
      // Published files hold rotations that are off by a fifth, which DeepMimic itself normalises silently.
      const double norm = X.q.norm();
      if (norm < 0.5 || norm > 2)
        fail_frame(name, frame,
                   std::string("gives ") + kJoints[j].name + " four numbers that are no rotation");
      worst_norm = std::max(worst_norm, std::abs(norm - 1));
      X.q.normalize();
    } else if (kJoints[j].numbers == 1) {
      X.q = exp_map(Vec3(0, 0, values[at]));
    }
    at += static_cast<size_t>(kJoints[j].numbers);
    out.push_back(X);
  }
  return out;
}

}  // namespace

ImportedClip read_deepmimic(std::string_view text, const std::string& name, const ImportOptions& options) {
  const json file = parse_json(text, name);
  if (!file.is_object() || !file.contains("Frames") || !file["Frames"].is_array() || file["Frames"].empty())
    throw Error(name, 0, "expected an object with a list of Frames, as DeepMimic writes them");

  // Every frame says how long it lasts; the last one lasts until nothing follows.
  Clip clip;
  clip.name = std::filesystem::path(name).stem().string();
  clip.bones = humanoid3d();
  std::vector<double> times;
  double time = 0, worst_norm = 0;
  for (const json& row : file["Frames"]) {
    const auto values = numbers_of(row, clip.frames.size(), name);
    times.push_back(time);
    const bool is_last = clip.frames.size() + 1 == file["Frames"].size();
    if (!(values[0] > 0 || (is_last && values[0] >= 0)) || values[0] > 60)
      fail_frame(name, clip.frames.size(), "lasts " + std::to_string(values[0]) + " s, which cannot be");
    time += values[0];
    if (times.size() == 1) clip.frame_time_s = values[0] > 0 ? values[0] : 1.0 / 30.0;
    clip.frames.push_back(posed(values, clip.bones, clip.frames.size(), name, worst_norm));
  }
  std::vector<ImportNote> notes;
  if (worst_norm > 0.02)
    notes.push_back({"rotations", "some quaternions were not of unit length and were normalised"});
  if (resample_uniformly(clip, times))
    notes.push_back({"frame time", "the frames last differently long; they were resampled evenly"});
  if (file.contains("Loop") && file["Loop"].is_string())
    notes.push_back({"loop", file["Loop"] == "wrap" ? "the file says that the motion is a cycle"
                                                    : "the file says that the motion is no cycle"});
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);

  FileFacts facts;
  facts.format = "deepmimic";
  facts.declared_up = 'y';
  facts.declared_unit_m = 1.0;
  facts.unit_declared_by = "the format";
  return into_world(std::move(clip), facts, options, std::move(notes));
}

}  // namespace sinew
