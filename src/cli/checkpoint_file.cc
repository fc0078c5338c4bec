#include "cli/checkpoint_file.h"

#include <array>
#include <cstring>

#include "core/error.h"
#include "core/files.h"
#include "rollout/control_file.h"

namespace sinew::cli {

namespace fs = std::filesystem;

namespace {

// One line of text, then the numbers as memory holds them, then a fingerprint of all before it. Only the
// very program that wrote it reads it, on the same kind of machine.
const std::string kHead = "sinew checkpoint 1, sinew " SINEW_VERSION "\n";
constexpr size_t kWord = 16;  // a fingerprint

}  // namespace

void write_checkpoint(const fs::path& path, const SavedSearch& saved) {
  const std::array<double, 3> times = {saved.reached, saved.spent.cpu_s, saved.spent.wall_s};
  std::string bytes = kHead + saved.inputs;
  bytes.append(reinterpret_cast<const char*>(times.data()), sizeof times);
  bytes.append(reinterpret_cast<const char*>(saved.checkpoint.data()),
               saved.checkpoint.size() * sizeof(double));
  write_file(path, bytes + fingerprint(bytes));
}

SavedSearch read_checkpoint(const fs::path& path, const std::string& inputs) {
  std::error_code ec;
  if (!fs::exists(path, ec)) throw Error(path.string(), 0, "there is no such search to go on with");
  const std::string bytes = read_file(path);
  if (!bytes.starts_with("sinew checkpoint")) throw Error(path.string(), 0, "is no checkpoint of a search");
  if (!bytes.starts_with(kHead))
    throw Error(path.string(), 0,
                "was left by another version of Sinew than " SINEW_VERSION "; search anew without --resume");

  // What stands between the head and the last fingerprint.
  std::array<double, 3> times{};
  const size_t fixed_size = kHead.size() + kWord + sizeof times + kWord;
  if (bytes.size() < fixed_size || (bytes.size() - fixed_size) % sizeof(double) != 0 ||
      fingerprint(bytes.substr(0, bytes.size() - kWord)) != bytes.substr(bytes.size() - kWord))
    throw Error(path.string(), 0, "was damaged or cut short; search anew without --resume");
  SavedSearch saved;
  saved.inputs = bytes.substr(kHead.size(), kWord);
  if (saved.inputs != inputs)
    throw Error(path.string(), 0,
                "is of another search: all that it was given, and the seed, must be the same");
  std::memcpy(times.data(), bytes.data() + kHead.size() + kWord, sizeof times);
  saved.reached = times[0];
  saved.spent = {times[1], times[2]};
  saved.checkpoint.resize((bytes.size() - fixed_size) / sizeof(double));
  std::memcpy(saved.checkpoint.data(), bytes.data() + fixed_size - kWord,
              saved.checkpoint.size() * sizeof(double));
  return saved;
}

}  // namespace sinew::cli
