#include "studio/take_files.h"

#include <unistd.h>

#include <filesystem>

#include "core/error.h"
#include "core/files.h"
#include "motion/write_bvh.h"
#include "record/clip_export.h"
#include "record/film.h"
#include "record/glb.h"
#include "record/video.h"
#include "studio/scratch_folder.h"

namespace sinew::studio {

namespace {

// A name that every file system takes.
std::string file_name(const std::string& clip, const std::string& character, const std::string& ending) {
  std::string name;
  for (const char c : clip + "-" + character) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return name + ending;
}

std::string film_bytes(const Recording& recording) {
  const ScratchFolder scratch;
  const std::filesystem::path path = scratch.path() / "take.mp4";
  write_video(path, recording.character, make_film(recording));
  return read_file(path);
}

}  // namespace

TakeFile take_file(const Recording& recording, const std::string& format) {
  if (recording.frames.empty()) throw Error("the take is empty");
  TakeFile file{file_name(recording.clip, recording.character.name, "." + format), "", nullptr};
  const auto q = coordinates(recording);
  std::string bytes;
  if (format == "bvh") {
    file.type = "text/plain";
    bytes = write_bvh(clip_from_motion(recording.character, q, recording.frame_time_s, recording.clip));
  } else if (format == "glb") {
    file.type = "model/gltf-binary";
    bytes = encode_glb(recording.character, q, recording.frame_time_s, recording.clip);
  } else {
    file.type = "video/mp4";
    bytes = film_bytes(recording);
  }
  file.bytes = std::make_shared<const std::string>(std::move(bytes));
  return file;
}

TakeFile found_file(const Role& role) {
  const auto bytes = [](std::string text) { return std::make_shared<const std::string>(std::move(text)); };
  if (role.control)
    return {file_name(role.control->clip, role.control->character.name, ".control.json"), "application/json",
            bytes(encode_control(*role.control))};
  return {file_name("run", role.run->character.name, ".behaviour.json"), "application/json",
          bytes(encode_run(role.run->behaviour))};
}

}  // namespace sinew::studio
