#include "cli/text.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace sinew::cli {

namespace {

bool is_number(const std::string& cell) {
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return cell.empty() || cell == "-" || *end == '\0';
}

// Letters on the screen: all bytes of UTF-8 but those that continue a letter.
size_t letters(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string fixed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

std::string shortest(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

std::string shell_word(const std::string& word) {
  // Bytes beyond ASCII are letters of some script.
  const auto plain = [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 ||
           std::string_view("_-./:+,@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  const size_t columns = rows.front().size();
  std::vector<size_t> width(columns, 0);
  std::vector<bool> right(columns, rows.size() > 1);
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t c = 0; c < columns; ++c) {
      width[c] = std::max(width[c], letters(rows[r][c]));
      if (r > 0 && !is_number(rows[r][c])) right[c] = false;
    }

  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < columns; ++c) {
      const std::string pad(width[c] - letters(row[c]), ' ');
      line += (c > 0 ? "  " : "") + (right[c] ? pad + row[c] : row[c] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string count(size_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string wrapped(const std::string& text, size_t indent, size_t width) {
  std::istringstream in(text);
  std::string out;
  size_t column = indent;
  for (std::string word; in >> word;) {
    const size_t size = letters(word);
    if (column > indent && column + 1 + size > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += " ";
      ++column;
    }
    out += word;
    column += size;
  }
  return out;
}

std::string short_name(const std::string& clip) {
  const std::string name = std::filesystem::path(clip).filename().string();
  const size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

}  // namespace sinew::cli
