#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "record/film.h"
#include "record/image.h"

namespace sinew {

// A film file that pictures are added to one by one: MP4 (H.264 where ffmpeg can, else MPEG-4), through
// ffmpeg as a child process. The file appears under its name only when `finish` succeeds.
class VideoWriter {
 public:
  // Throws Error when ffmpeg is not installed. Sides should be even; odd ones are cut by a pixel.
  VideoWriter(std::filesystem::path path, int width, int height, double frames_per_s);
  // Stops ffmpeg and removes what was written unless finished.
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  void add(const Image& image);
  void finish();

 private:
  void start(const std::string& codec);
  std::string wait();  // for ffmpeg; its last words if it failed

  std::filesystem::path path_, beside_, log_;
  int width_, height_;
  double frames_per_s_;
  int pid_ = -1;
  int pipe_ = -1;
};

// Whether a program of this name is found on PATH.
bool program_exists(const std::string& name);

struct VideoOptions {
  int width = 640, height = 480;
  double frames_per_s = 30;
  ViewOptions view;
  std::function<void(double)> progress;  // share done, 0..1; may be empty
};

// The whole film in real time, the camera going along. Throws Error.
void write_video(const std::filesystem::path& path, const Character& character, const Film& film,
                 const VideoOptions& options = {});

}  // namespace sinew
