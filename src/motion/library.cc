#include "motion/library.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "motion/csv.h"
#include "motion/text_scanner.h"

namespace sinew {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxFiles = 20000;  // a folder with more than this is no motion library

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string ending(const fs::path& file) { return lower(file.extension().string()); }

std::string text_or_nothing(const fs::path& file) {
  try {
    return read_file(file, size_t{64} << 20);
  } catch (const Error&) {
    return {};
  }
}

// glTF 2 has a list of animations, and one of them must turn or move something.
bool is_animated_gltf(const std::string& text) {
  size_t at = text.find("\"animations\"");
  if (at == text.npos || text.find('[', at) != text.find_first_not_of(" \t\r\n:", at + 12)) return false;
  for (at = text.find("\"path\""); at != text.npos; at = text.find("\"path\"", at + 6)) {
    const std::string_view value = std::string_view(text).substr(at + 6, 32);
    if (value.find("\"rotation\"") != value.npos || value.find("\"translation\"") != value.npos) return true;
  }
  return false;
}

// FBX, binary or as text, with keys in it. Binary files whose zeros were lost in transfer are of no use.
bool is_animated_fbx(const std::string& text) {
  const bool spoilt = text.starts_with("Kaydara FBX Binary") && text.substr(0, 23).find('\0') == text.npos;
  return !spoilt && text.find("KeyTime") != text.npos;
}

// Whether a file holds a motion, judged by its ending and, where the ending does not say, by what is in it.
bool holds_motion(const fs::path& file) {
  const std::string end = ending(file);
  if (end == ".bvh" || end == ".amc") return true;
  if (end == ".json" || end == ".txt") {
    const std::string text = text_or_nothing(file);
    return text.find("\"Frames\"") != text.npos || text.find("\"sinew_keyframes\"") != text.npos;
  }
  if (end == ".gltf" || end == ".glb") return is_animated_gltf(text_or_nothing(file));
  if (end == ".fbx") return is_animated_fbx(text_or_nothing(file));
  return false;
}

// Files below a folder in the order of their names; unreadable folders are passed over.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ec;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, ec), end;
  for (; !ec && it != end && files.size() < kMaxFiles; it.increment(ec)) {
    if (it.depth() > 5) it.disable_recursion_pending();
    std::error_code ignored;
    if (it->is_regular_file(ignored)) files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string base_name(const fs::path& folder) {
  const fs::path clean = folder.lexically_normal();
  return (clean.has_filename() ? clean : clean.parent_path()).filename().string();
}

bool is_assimp(const fs::path& folder) { return folder.string().find("assimp/models") != std::string::npos; }

std::string folder_name(const fs::path& folder) { return is_assimp(folder) ? "assimp" : base_name(folder); }

// "07_01" of "cmu/07_01.bvh", without the ending.
std::string name_within(const fs::path& file, const fs::path& folder) {
  return file.lexically_relative(folder).replace_extension().generic_string();
}

std::string description_of(const fs::path& file) {
  const auto json = nlohmann::json::parse(text_or_nothing(file), nullptr, false);
  if (json.is_object() && json.contains("about") && json["about"].is_string())
    return json["about"].get<std::string>();
  return {};
}

void list_own(const fs::path& folder, std::vector<MotionEntry>& out) {
  if (folder.empty()) return;
  for (const fs::path& file : files_below(folder)) {
    if (!holds_motion(file)) continue;
    out.push_back({name_within(file, folder), file, 0, -1, description_of(file), "sinew"});
  }
}

double seconds_in(const std::vector<std::string>& fields, int column, double otherwise,
                  const std::string& file, int line) {
  if (column < 0 || static_cast<size_t>(column) >= fields.size()) return otherwise;
  const std::string& text = fields[static_cast<size_t>(column)];
  if (text.find_first_not_of(" \t") == std::string::npos) return otherwise;
  TextScanner words(text, file);
  double value = 0;
  if (!parse_number(words.word(), value) || !words.at_end())
    throw Error(file, line, "expected a time in seconds, found '" + quotable(text) + "'");
  return value;
}

// The cuts of a clips.csv: name, file, start, end and what it is, in any order of columns.
void list_cuts(const fs::path& folder, std::vector<MotionEntry>& out) {
  const fs::path table = folder / "clips.csv";
  std::error_code ec;
  if (!fs::is_regular_file(table, ec)) return;
  const std::vector<CsvRow> rows = read_csv(read_file(table, size_t{16} << 20), table.string());
  if (rows.empty()) return;
  const auto column = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
      for (size_t i = 0; i < rows[0].fields.size(); ++i)
        if (same_word(rows[0].fields[i], name)) return static_cast<int>(i);
    return -1;
  };
  const int name = column({"name"}), file = column({"file"});
  const int from = column({"start_s", "start", "from"}), to = column({"end_s", "end", "to"});
  const int text = column({"description", "behaviour", "behavior"});
  if (name < 0 || file < 0)
    throw Error(table.string(), rows[0].line, "expected a first line with the columns name and file");
  for (size_t r = 1; r < rows.size(); ++r) {
    const auto& fields = rows[r].fields;
    const auto field = [&](int k) {
      return k >= 0 && static_cast<size_t>(k) < fields.size() ? fields[static_cast<size_t>(k)]
                                                              : std::string();
    };
    if (field(name).empty() || field(file).empty())
      throw Error(table.string(), rows[r].line, "a row needs a name and a file");
    MotionEntry entry{folder_name(folder) + ":" + field(name),
                      folder / field(file),
                      0,
                      -1,
                      field(text),
                      folder_name(folder)};
    entry.from_s = seconds_in(fields, from, 0, table.string(), rows[r].line);
    entry.to_s = seconds_in(fields, to, -1, table.string(), rows[r].line);
    out.push_back(std::move(entry));
  }
}

// Whole files. The sample models are named by their file alone, unless two files are called alike.
void list_files(const fs::path& folder, std::vector<MotionEntry>& out) {
  std::vector<fs::path> files;
  std::map<std::string, int> uses;
  for (const fs::path& file : files_below(folder)) {
    if (!holds_motion(file)) continue;
    files.push_back(file);
    ++uses[file.stem().string()];
  }
  for (const fs::path& file : files) {
    std::string name = name_within(file, folder);
    if (is_assimp(folder)) name = "assimp/" + (uses[file.stem().string()] == 1 ? file.stem().string() : name);
    out.push_back({name, file, 0, -1, "", folder_name(folder)});
  }
}

// Edits that turn one word into the other; small words only.
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

// What comes behind "mocap:" or the last slash.
std::string plain_name(const std::string& name) { return name.substr(name.find_last_of(":/") + 1); }

std::string suggestions(const std::string& asked, const std::vector<MotionEntry>& all) {
  std::vector<std::pair<size_t, std::string>> near;
  const std::string wanted = lower(asked.substr(0, 100));
  for (const MotionEntry& entry : all) {
    const std::string name = lower(entry.name);
    size_t distance = std::min(edit_distance(wanted, name), edit_distance(wanted, plain_name(name)));
    if (wanted.size() >= 3 && name.find(wanted) != name.npos) distance = std::min<size_t>(distance, 1);
    if (distance <= std::max<size_t>(2, wanted.size() / 3)) near.emplace_back(distance, entry.name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.empty()) return "; 'sinew motions' lists what there is";
  std::string out = "; did you mean " + near[0].second;
  for (size_t i = 1; i < std::min<size_t>(near.size(), 3); ++i) out += " or " + near[i].second;
  return out + "?";
}

}  // namespace

MotionFolders standard_motion_folders(const fs::path& own) {
  MotionFolders out{own, {}};
  const char* environment = std::getenv("SINEW_MOTIONS");
  std::string_view rest = environment ? environment : "";
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) out.others.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  out.others.emplace_back("/usr/share/assimp/models");
  return out;
}

std::vector<MotionEntry> list_motions(const MotionFolders& folders) {
  std::vector<MotionEntry> out;
  list_own(folders.own, out);
  for (const fs::path& folder : folders.others) list_cuts(folder, out);
  for (const fs::path& folder : folders.others) list_files(folder, out);
  return out;
}

MotionEntry find_motion(const std::string& name_or_path, const MotionFolders& folders) {
  // A path with an ending that exists is a path; a bare word is a name even if a file is called so.
  std::error_code ec;
  const fs::path path(name_or_path);
  const bool exists = fs::is_regular_file(path, ec);
  if (exists && path.has_extension())
    return {path.stem().string(), path, 0, -1, "", path.parent_path().string()};

  // The project's own motions, then full names, then plain names of cuts.
  const std::vector<MotionEntry> all = list_motions(folders);
  for (const MotionEntry& entry : all)
    if (entry.origin == "sinew" && entry.name == name_or_path) return entry;
  for (const MotionEntry& entry : all)
    if (entry.name == name_or_path || entry.origin + "/" + entry.name == name_or_path ||
        entry.name + entry.file.extension().string() == name_or_path)
      return entry;
  for (const MotionEntry& entry : all)
    if (entry.name == entry.origin + ":" + name_or_path) return entry;
  if (exists) return {path.filename().string(), path, 0, -1, "", path.parent_path().string()};
  if (fs::exists(path, ec)) throw Error(path.string(), 0, "this is no file that a motion can be read from");
  throw Error("there is no motion or file '" + quotable(name_or_path) + "'" + suggestions(name_or_path, all));
}

}  // namespace sinew
