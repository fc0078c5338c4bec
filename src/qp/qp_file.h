#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "qp/qp.h"

namespace sinew {

// A problem of a file; `label` is one line of text, such as the time at which it arose.
struct LabelledQp {
  std::string label;
  QpProblem problem;
};

// The text of docs/qp.md: numbers are written so that they read back to the same bits.
std::string encode_qps(const std::vector<LabelledQp>& problems);
// One problem alone, for files that grow as a run goes on: a file is qp_header() and then problems.
std::string qp_header();
std::string encode_qp(const LabelledQp& problem);

// Throws Error naming `file` and the line where the text is not of this format.
std::vector<LabelledQp> decode_qps(std::string_view text, const std::string& file);

// A whole file; throws Error if it cannot be read or written.
std::vector<LabelledQp> load_qps(const std::filesystem::path& path);
void save_qps(const std::filesystem::path& path, const std::vector<LabelledQp>& problems);

}  // namespace sinew
