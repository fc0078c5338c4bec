#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

// Runs the built program as a user would and looks at what it says.
namespace sinew::testing {

struct Outcome {
  int status = -1;  // exit status; 128 + n if signal n ended it
  std::string out, err;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of its own for a test, removed afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sinew-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ec;
    std::filesystem::remove_all(path_, ec);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

inline Outcome run_shell(const std::string& command) {
  const TemporaryFolder folder;
  const int raw = std::system(
      ("( " + command + "\n) >" + folder.file("out") + " 2>" + folder.file("err") + " </dev/null").c_str());
  Outcome outcome;
  outcome.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  outcome.out = slurp(folder.file("out"));
  outcome.err = slurp(folder.file("err"));
  return outcome;
}

inline Outcome run_sinew(const std::vector<std::string>& words) {
  std::string command = quoted(SINEW_BINARY);
  for (const std::string& word : words) command += " " + quoted(word);
  return run_shell(command);
}

}  // namespace sinew::testing
