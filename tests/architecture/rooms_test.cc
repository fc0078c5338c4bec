// Holds the tables of docs/architecture.md against the #include lines of src/: which room may see which, and
// which outside headers are seen where.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SINEW_SOURCE_DIR;

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream in(row);
  for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
  return cells;
}

// All `code` words of a table's cell.
std::vector<std::string> code_words(const std::string& cell) {
  static const std::regex kCode("`([^`]+)`");
  std::vector<std::string> words;
  for (std::sregex_iterator it(cell.begin(), cell.end(), kCode), end; it != end; ++it)
    words.push_back((*it)[1]);
  return words;
}

struct Tables {
  std::map<std::string, std::set<std::string>> rooms;         // room -> rooms it may include
  std::map<std::string, std::vector<std::string>> outsiders;  // header folder -> file patterns
};

// Rows "| `src/ROOM` | ... | `core`, `motion` |" and "| `<mujoco/...>` | `src/character/mjcf.cc`, ... |".
Tables read_tables() {
  Tables tables;
  for (const std::string& line : lines_of(kRoot / "docs/architecture.md")) {
    if (!line.starts_with("| `")) continue;
    const auto cells = cells_of(line);
    if (cells.size() < 3) continue;
    const std::string key = code_words(cells[1]).at(0);
    const auto words = code_words(cells.back());
    if (key.starts_with("src/")) tables.rooms[key.substr(4)] = {words.begin(), words.end()};
    if (key.starts_with("<")) tables.outsiders[key.substr(1, key.find_first_of("/>") - 1) + "/"] = words;
  }
  return tables;
}

struct Include {
  fs::path file;  // relative to the root
  std::string header;
  bool quoted = false;
  std::string where;  // file:line
};

std::vector<Include> read_includes() {
  static const std::regex kInclude("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"].*");
  std::vector<Include> includes;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cc") continue;
    const fs::path file = fs::relative(entry.path(), kRoot);
    int number = 0;
    for (const std::string& line : lines_of(entry.path())) {
      ++number;
      std::smatch m;
      if (std::regex_match(line, m, kInclude))
        includes.push_back({file, m[2], m[1] == "\"", file.string() + ":" + std::to_string(number)});
    }
  }
  return includes;
}

std::string room_of(const fs::path& file) { return std::next(file.begin())->string(); }

TEST(Rooms, EveryFolderStandsInTheTable) {
  const Tables tables = read_tables();
  ASSERT_GE(tables.rooms.size(), 5u) << "the table of rooms was not found in docs/architecture.md";
  for (const auto& entry : fs::directory_iterator(kRoot / "src"))
    EXPECT_TRUE(tables.rooms.contains(entry.path().filename())) << entry.path() << " is not in the table";
}

TEST(Rooms, SeeOnlyWhatTheTableAllows) {
  const Tables tables = read_tables();
  int checked = 0;
  for (const Include& include : read_includes()) {
    if (!include.quoted) continue;
    ASSERT_TRUE(fs::exists(kRoot / "src" / include.header))
        << include.where << " includes \"" << include.header << "\", which is no file below src/";
    const std::string from = room_of(include.file);
    const std::string to = fs::path(include.header).begin()->string();
    const auto& allowed = tables.rooms.at(from);
    EXPECT_TRUE(from == to || allowed.contains(to))
        << include.where << ": " << from << " may not include " << to << " (docs/architecture.md)";
    ++checked;
  }
  EXPECT_GT(checked, 20);
}

TEST(Rooms, OutsideHeadersStayWhereTheTableSays) {
  const Tables tables = read_tables();
  ASSERT_TRUE(tables.outsiders.contains("mujoco/"));
  for (const Include& include : read_includes()) {
    for (const auto& [folder, patterns] : tables.outsiders) {
      if (!(include.header + "/").starts_with(folder)) continue;
      bool allowed = false;
      for (const std::string& pattern : patterns)
        allowed |= fnmatch(pattern.c_str(), include.file.c_str(), 0) == 0;
      EXPECT_TRUE(allowed) << include.where << " includes <" << include.header
                           << ">, which docs/architecture.md allows only in other files";
    }
  }
}

}  // namespace
