#include "record/video.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "record/renderer.h"

extern char** environ;

namespace sinew {

namespace fs = std::filesystem;

namespace {

// Starts a program with its input from `in` and its words into `log`; -1 if it cannot be started.
int spawn(const std::vector<std::string>& words, int in, const fs::path& log) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (in >= 0)
    posix_spawn_file_actions_adddup2(&actions, in, 0);
  else
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, words[0].c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed ? -1 : pid;
}

int wait_for(int pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// Whether this ffmpeg can write H.264.
bool has_x264(const fs::path& log) {
  const int pid = spawn({"ffmpeg", "-hide_banner", "-encoders"}, -1, log);
  if (pid < 0 || wait_for(pid) != 0) return false;
  return read_file(log).find("libx264 ") != std::string::npos;
}

// While this lives, writing to a closed pipe is an error and not the end of the process.
class IgnorePipeSignal {
 public:
  IgnorePipeSignal() { old_ = ::signal(SIGPIPE, SIG_IGN); }
  ~IgnorePipeSignal() { ::signal(SIGPIPE, old_); }

 private:
  void (*old_)(int);
};

}  // namespace

bool program_exists(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((fs::path(folder.empty() ? "." : folder) / name).c_str(), X_OK) == 0) return true;
  return false;
}

VideoWriter::VideoWriter(fs::path path, int width, int height, double frames_per_s)
    : path_(std::move(path)), width_(width), height_(height), frames_per_s_(frames_per_s) {
  if (!program_exists("ffmpeg"))
    throw Error(path_.string(), 0, "ffmpeg is not installed, so no film can be written");
  beside_ = path_.string() + ".part" + std::to_string(::getpid()) + ".mp4";
  log_ = path_.string() + ".part" + std::to_string(::getpid()) + ".log";
  start(has_x264(log_) ? "libx264" : "mpeg4");
}

void VideoWriter::start(const std::string& codec) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(path_.string(), 0, "no pipe to ffmpeg can be opened");
  std::ostringstream rate;
  rate << frames_per_s_;
  std::vector<std::string> words = {"ffmpeg",
                                    "-hide_banner",
                                    "-loglevel",
                                    "error",
                                    "-y",
                                    "-f",
                                    "rawvideo",
                                    "-pixel_format",
                                    "rgb24",
                                    "-video_size",
                                    std::to_string(width_) + "x" + std::to_string(height_),
                                    "-framerate",
                                    rate.str(),
                                    "-i",
                                    "-",
                                    "-vf",
                                    "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                                    "-pix_fmt",
                                    "yuv420p",
                                    "-c:v",
                                    codec};
  const std::vector<std::string> quality = codec == "libx264"
                                               ? std::vector<std::string>{"-preset", "veryfast", "-crf", "21"}
                                               : std::vector<std::string>{"-q:v", "4"};
  words.insert(words.end(), quality.begin(), quality.end());
  words.insert(words.end(), {"-movflags", "+faststart", fs::absolute(beside_).string()});
  pid_ = spawn(words, ends[0], log_);
  ::close(ends[0]);
  if (pid_ < 0) {
    ::close(ends[1]);
    throw Error(path_.string(), 0, "ffmpeg cannot be started");
  }
  pipe_ = ends[1];
}

std::string VideoWriter::wait() {
  if (pipe_ >= 0) ::close(pipe_);
  pipe_ = -1;
  const int status = wait_for(pid_);
  pid_ = -1;
  std::string words;
  if (status != 0) {
    std::error_code ec;
    if (fs::exists(log_, ec)) words = read_file(log_).substr(0, 300);
    std::replace(words.begin(), words.end(), '\n', ' ');
    if (words.empty()) words = "ffmpeg stopped with status " + std::to_string(status);
  }
  return words;
}

VideoWriter::~VideoWriter() {
  if (pipe_ >= 0) ::close(pipe_);
  if (pid_ > 0) {
    ::kill(pid_, SIGTERM);
    wait_for(pid_);
  }
  std::error_code ec;
  fs::remove(beside_, ec);
  fs::remove(log_, ec);
}

void VideoWriter::add(const Image& image) {
  if (image.width != width_ || image.height != height_)
    throw Error(path_.string(), 0, "a picture of another size cannot go into this film");
  const IgnorePipeSignal guard;
  for (size_t done = 0; done < image.rgb.size();) {
    const ssize_t n = ::write(pipe_, image.rgb.data() + done, image.rgb.size() - done);
    if (n > 0) done += static_cast<size_t>(n);
    if (n <= 0 && errno != EINTR) throw Error(path_.string(), 0, "the film cannot be written: " + wait());
  }
}

void VideoWriter::finish() {
  const std::string complaint = wait();
  std::error_code ec;
  if (complaint.empty()) fs::rename(beside_, path_, ec);
  if (!complaint.empty() || ec)
    throw Error(path_.string(), 0, "the film cannot be written" + (ec ? "" : ": " + complaint));
}

void write_video(const fs::path& path, const Character& character, const Film& film,
                 const VideoOptions& options) {
  if (film.bodies.empty()) throw Error(path.string(), 0, "a film needs at least one frame");
  VideoWriter writer(path, options.width, options.height, options.frames_per_s);
  RenderOptions render;
  render.width = options.width;
  render.height = options.height;
  Renderer renderer(render);
  const View view =
      frame_film(character, film, static_cast<double>(options.width) / options.height, options.view);
  const int count = 1 + static_cast<int>(film.duration_s() * options.frames_per_s + 1e-6);
  for (int i = 0; i < count; ++i) {
    const double time_s = i / options.frames_per_s;
    const auto frame = static_cast<size_t>(std::lround(time_s / std::max(film.frame_time_s, 1e-9)));
    writer.add(renderer.draw(film_scene(character, film, view, std::min(frame, film.bodies.size() - 1))));
    if (options.progress) options.progress((i + 1.0) / count);
  }
  writer.finish();
}

}  // namespace sinew
