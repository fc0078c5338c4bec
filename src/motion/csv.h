#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

// One row of a table in a text file and the line on which it begins.
struct CsvRow {
  int line = 0;
  std::vector<std::string> fields;
};

// Rows of comma-separated fields. Fields may stand in double quotes, with doubled quotes and line breaks
// inside; blank lines are left out. Throws Error with file and line on an unclosed quote.
std::vector<CsvRow> read_csv(std::string_view text, const std::string& file);

}  // namespace sinew
