#include "motion/csv.h"

#include "core/error.h"

namespace sinew {

std::vector<CsvRow> read_csv(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<CsvRow> rows;
  CsvRow row{1, {""}};
  int line = 1;
  bool quoted = false;
  const auto finish_row = [&] {
    const bool blank = row.fields.size() == 1 && row.fields[0].find_first_not_of(" \t") == std::string::npos;
    if (!blank) rows.push_back(row);
    row = {line, {""}};
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& field = row.fields.back();
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"' && field.empty()) {
      quoted = true;
    } else if (c == ',') {
      row.fields.emplace_back();
    } else if (c == '\n') {
      finish_row();
    } else if (c != '\r') {
      field += c;
    }
  }
  if (quoted) throw Error(file, row.line, "a quote is opened in this row and never closed");
  finish_row();
  return rows;
}

}  // namespace sinew
