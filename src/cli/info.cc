#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/error.h"
#include "motion/skeleton_parts.h"
#include "record/metrics.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  std::vector<std::string> files;
  ImportOptions import;
  bool json = false;
};

// ---- clips

// Which bone plays which part; null where no body was found, which is no fault of a clip.
struct FoundParts {
  std::vector<std::pair<std::string, std::string>> matched;  // part, bone
  std::vector<std::string> notes;
};

FoundParts parts_of(const Clip& clip) {
  FoundParts found;
  try {
    const SkeletonParts parts = find_parts(clip);
    for (size_t i = 1; i < parts.bone.size(); ++i)
      if (parts.bone[i] >= 0)
        found.matched.emplace_back(part_name(static_cast<Part>(i)),
                                   clip.bones[static_cast<size_t>(parts.bone[i])].name);
    found.notes = parts.notes;
  } catch (const Error& error) {
    found.notes.push_back(error.what());
  }
  return found;
}

size_t moving_bones(const Clip& clip) {
  size_t n = 0;
  for (const Bone& bone : clip.bones) n += bone.is_end ? 0 : 1;
  return n;
}

// How far the root goes over the floor, and how high the skeleton stands in its rest pose, metres.
double root_path(const Clip& clip) {
  double length = 0;
  for (size_t f = 1; f < clip.frames.size(); ++f)
    length += (clip.frames[f][0].p - clip.frames[f - 1][0].p).head<2>().norm();
  return length;
}

double rest_height(const Clip& clip) {
  double low = 1e300, high = -1e300;
  for (const Pose& X_WB : world_poses(clip, clip.rest)) {
    low = std::min(low, X_WB.p.z());
    high = std::max(high, X_WB.p.z());
  }
  return high - low;
}

Json clip_json(const std::string& file, const ImportedClip& imported) {
  const Clip& clip = imported.clip;
  const FoundParts parts = parts_of(clip);
  Json notes = Json::array();
  for (const ImportNote& note : imported.notes) notes.push_back({{"topic", note.topic}, {"text", note.text}});
  Json matched = Json::object();
  for (const auto& [part, bone] : parts.matched) matched[part] = bone;
  return {{"file", file},
          {"kind", "clip"},
          {"name", clip.name},
          {"format", clip.source.format},
          {"bones", moving_bones(clip)},
          {"frames", clip.frames.size()},
          {"frame_rate_hz", 1 / clip.frame_time_s},
          {"seconds", clip.duration_s()},
          {"unit_m", clip.source.unit_m},
          {"rest_is_t_pose", clip.rest_is_t_pose},
          {"rest_height_m", rest_height(clip)},
          {"root_path_m", root_path(clip)},
          {"conclusions", notes},
          {"parts", matched},
          {"part_notes", parts.notes}};
}

std::string clip_words(const std::string& file, const ImportedClip& imported) {
  const Clip& clip = imported.clip;
  std::string text = file + "\n  A motion of " + fixed(clip.duration_s(), 2) + " s (" +
                     count(clip.frames.size(), "frame") + " at " + fixed(1 / clip.frame_time_s, 1) +
                     " per second) of " + count(moving_bones(clip), "bone") + ", read as " +
                     clip.source.format + ".\n  The skeleton is " + fixed(rest_height(clip), 2) +
                     " m high at rest and its root travels " + fixed(root_path(clip), 2) + " m.\n";
  for (const ImportNote& note : imported.notes) {
    const size_t indent = 4;
    text += "  - " + wrapped(note.topic + ": " + note.text, indent) + "\n";
  }

  // The parts of the body, several a line.
  const FoundParts parts = parts_of(clip);
  if (!parts.matched.empty()) {
    std::string list;
    for (const auto& [part, bone] : parts.matched) list += (list.empty() ? "" : ", ") + part + " = " + bone;
    text += "  - " + wrapped("body: " + list, 4) + "\n";
  }
  for (const std::string& note : parts.notes) text += "  - " + wrapped(note, 4) + "\n";
  return text;
}

// ---- characters

size_t joints_besides_root(const Character& character) { return character.joints.size() - 1; }

Json character_json(const std::string& file, const Character& character) {
  Json bodies = Json::array();
  for (const Body& body : character.bodies)
    bodies.push_back(
        {{"name", body.name}, {"part", std::string(part_name(body.part))}, {"mass_kg", body.mass_kg}});
  return {{"file", file},
          {"kind", "character"},
          {"name", character.name},
          {"dof", character.nv()},
          {"bodies", bodies},
          {"joints", joints_besides_root(character)},
          {"contact_points", character.contact_points.size()},
          {"mass_kg", character.mass_kg()},
          {"height_m", standing_height(character)},
          {"notes", character.notes}};
}

std::string character_words(const std::string& file, const Character& character) {
  std::string text = file + "\n  A character of " + fixed(character.mass_kg(), 1) + " kg and " +
                     fixed(standing_height(character), 2) +
                     " m: " + count(character.bodies.size(), "body part") + ", " +
                     count(joints_besides_root(character), "joint") + ", " + std::to_string(character.nv()) +
                     " degrees of freedom with the root's six, " +
                     count(character.contact_points.size(), "contact point") + ".\n";
  std::string list;
  for (const Body& body : character.bodies) {
    const std::string part(part_name(body.part));
    list += (list.empty() ? "" : ", ") + body.name;
    if (!part.empty() && part != body.name) list += " (" + part + ")";
    list += " " + fixed(body.mass_kg, 2) + " kg";
  }
  text += "  - " + wrapped("bodies: " + list, 4) + "\n";
  for (const std::string& note : character.notes) text += "  - " + wrapped(note, 4) + "\n";
  return text;
}

// ---- recordings

Json recording_json(const std::string& file, const Recording& recording) {
  const Metrics metrics = measure(recording);
  Json events = Json::array();
  for (const RecordingEvent& event : recording.events)
    events.push_back({{"time_s", event.time_s}, {"what", event.what}});
  return {{"file", file},
          {"kind", "recording"},
          {"version", recording.version},
          {"command", recording.command},
          {"clip", recording.clip},
          {"character", recording.character.name},
          {"engine", recording.engine},
          {"world", recording.world.name},
          {"seed", recording.seed},
          {"frames", recording.frames.size()},
          {"seconds", recording.duration_s()},
          {"step_s", recording.step_s},
          {"frame_time_s", recording.frame_time_s},
          {"completed", metrics.completed},
          {"diverged", recording.diverged},
          {"events", events}};
}

std::string recording_words(const std::string& file, const Recording& recording) {
  const Metrics metrics = measure(recording);
  std::string text = file + "\n  A recording (version " + std::to_string(recording.version) + ") of " +
                     recording.clip + " on " + recording.character.name + " in the world " +
                     recording.world.name + ", simulated by " + recording.engine + " in steps of " +
                     shortest(1000 * recording.step_s) + " ms: " + fixed(recording.duration_s(), 2) + " s, " +
                     count(recording.frames.size(), "frame") + ".\n";
  text += metrics.completed
              ? "  It was completed.\n"
              : "  It was not completed: it failed at " + fixed(metrics.failed_at_s.value_or(0), 2) + " s" +
                    (recording.diverged ? ", and the engine diverged" : "") + ".\n";
  for (const RecordingEvent& event : recording.events)
    text += "  - " + fixed(event.time_s, 2) + " s: " + wrapped(event.what, 4) + "\n";
  if (!recording.command.empty()) text += "  - made by: " + wrapped(recording.command, 4) + "\n";
  return text;
}

// ---- controls

Json control_json(const std::string& file, const ControlFile& control) {
  return {{"file", file},
          {"kind", "control"},
          {"sinew", control.sinew},
          {"clip", control.clip},
          {"recipe", control.recipe},
          {"character", control.character.name},
          {"engine", control.engine},
          {"world", control.world.name},
          {"seed", control.seed},
          {"knots", control.control.time_s.size()},
          {"seconds", control.seconds},
          {"step_s", control.step_s}};
}

std::string control_words(const std::string& file, const ControlFile& control) {
  return file + "\n  An open-loop control of " + control.clip + " on " + control.character.name +
         " in the world " + control.world.name + ": " + count(control.control.time_s.size(), "knot") +
         " over " + fixed(control.seconds, 2) + " s, found by the recipe '" + control.recipe +
         "' with seed " + std::to_string(control.seed) + " on " + control.engine + " in steps of " +
         shortest(1000 * control.step_s) + " ms.\n  `sinew replay` simulates it.\n";
}

// ---- the command

Json describe_json(const std::string& file, const InfoOptions& options) {
  if (means_character(file)) return character_json(file, open_character(file));
  if (const auto recording = open_recording(file)) return recording_json(file, *recording);
  if (const auto control = open_control(file)) return control_json(file, *control);
  return clip_json(file, open_clip(file, options.import));
}

std::string describe_words(const std::string& file, const InfoOptions& options) {
  if (means_character(file)) return character_words(file, open_character(file));
  if (const auto recording = open_recording(file)) return recording_words(file, *recording);
  if (const auto control = open_control(file)) return control_words(file, *control);
  return clip_words(file, open_clip(file, options.import));
}

// One bad file does not keep the others from being told about.
int info(const InfoOptions& options) {
  int status = kOk;
  Json files = Json::array();
  for (const std::string& file : options.files) {
    try {
      if (options.json) {
        files.push_back(describe_json(file, options));
      } else {
        std::cout << describe_words(file, options);
      }
    } catch (const Error& error) {
      std::cerr << "sinew: " << error.what() << "\n";
      status = kBadInput;
    }
  }
  if (options.json)
    std::cout << Json{{"sinew", SINEW_VERSION}, {"files", files}}.dump(2, ' ', false,
                                                                       Json::error_handler_t::replace)
              << "\n";
  return status;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("info", "tell in words what a motion file, recording, control or character is");
  auto options = std::make_shared<InfoOptions>();
  command->add_option("FILE", options->files, "motion files, recordings, controls, MJCF characters, or names")
      ->required()
      ->type_name("FILE");
  command->add_flag("--json", options->json, "the same as JSON on standard output");
  add_import_options(*command, options->import);
  command->footer(
      examples("  sinew info walk                              one of the project's own motions\n"
               "  sinew info dance.bvh fight.fbx               files from elsewhere\n"
               "  sinew info dance.bvh --up z --unit cm        the file is in centimetres, Z up\n"
               "  sinew info human50 --json                    a character, for a script"));
  command->callback([&action, options] { action = [options] { return info(*options); }; });
}

}  // namespace sinew::cli
