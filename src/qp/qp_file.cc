#include "qp/qp_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/files.h"

namespace sinew {

namespace {

constexpr std::string_view kMagic = "sinew-qp 1";
constexpr int kLargest = 10000;  // variables or rows

// ---- Writing

void write_number(double value, std::string& out) {
  // The shortest text that reads back to the same bits; infinities are "inf" and "-inf".
  std::array<char, 32> text{};
  const auto [end, failure] = std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), end);
}

template <typename Values>
void write_line(const Values& values, std::string& out) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (i > 0) out += ' ';
    write_number(values[i], out);
  }
  out += '\n';
}

void write_vector(std::string_view name, const VecX& values, std::string& out) {
  out += name;
  out += values.size() > 0 ? " " : "";
  write_line(values, out);
}

void write_matrix(std::string_view name, const MatX& values, std::string& out) {
  out += name;
  out += '\n';
  for (Eigen::Index i = 0; i < values.rows(); ++i) write_line(values.row(i), out);
}

// ---- Reading

// Walks through the text line by line, and through a line word by word.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  // The next line that has words; false at the end of the text.
  bool next_line() {
    while (!rest_.empty()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      line_text_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      trim();
      if (!line_text_.empty()) return true;
    }
    return false;
  }

  void need_line(std::string_view what) {
    if (!next_line()) fail("expected " + std::string(what) + ", but the file ends here");
  }

  std::string_view line() const { return line_text_; }
  size_t bytes_left() const { return rest_.size() + line_text_.size(); }

  // Takes the next word of the line; empty at its end.
  std::string_view word() {
    const size_t end = std::min(line_text_.find_first_of(" \t\r"), line_text_.size());
    const std::string_view found = line_text_.substr(0, end);
    line_text_.remove_prefix(end);
    trim();
    return found;
  }

  void expect(std::string_view name) {
    const std::string_view found = word();
    if (found != name) fail("expected '" + std::string(name) + "', found '" + quoted(found) + "'");
  }

  int count(std::string_view what, int smallest) {
    const std::string_view text = word();
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || value < smallest || value > kLargest)
      fail("expected the number of " + std::string(what) + " (" + std::to_string(smallest) + " to " +
           std::to_string(kLargest) + "), found '" + quoted(text) + "'");
    return value;
  }

  double number(bool may_be_infinite) {
    const std::string_view text = word();
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = !text.empty() && failure == std::errc() && end == text.data() + text.size();
    if (!whole || std::isnan(value) || (std::isinf(value) && !may_be_infinite))
      fail("expected a number, found '" + quoted(text) + "'");
    return value;
  }

  void end_of_line() {
    if (!line_text_.empty()) fail("expected the end of the line, found '" + quoted(line_text_) + "'");
  }

  [[noreturn]] void fail(const std::string& sentence) const { throw Error(file_, line_, sentence); }

 private:
  void trim() {
    while (!line_text_.empty() &&
           std::string_view(" \t\r").find(line_text_.front()) != std::string_view::npos)
      line_text_.remove_prefix(1);
    while (!line_text_.empty() && std::string_view(" \t\r").find(line_text_.back()) != std::string_view::npos)
      line_text_.remove_suffix(1);
  }

  // A word as it may stand in a message.
  static std::string quoted(std::string_view word) {
    std::string out(word.substr(0, 40));
    for (char& c : out)
      if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
    return out;
  }

  std::string_view rest_;
  std::string_view line_text_;
  int line_ = 0;
  std::string file_;
};

void read_vector(Reader& in, std::string_view name, bool may_be_infinite, VecX& out) {
  in.need_line(std::string("'") + std::string(name) + "'");
  in.expect(name);
  for (double& value : out) value = in.number(may_be_infinite);
  in.end_of_line();
}

void read_matrix(Reader& in, std::string_view name, MatX& out) {
  in.need_line(std::string("'") + std::string(name) + "'");
  in.expect(name);
  in.end_of_line();
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    in.need_line("a row of " + std::string(name));
    for (Eigen::Index j = 0; j < out.cols(); ++j) out(i, j) = in.number(false);
    in.end_of_line();
  }
}

// The reader stands on the line "problem VARIABLES ROWS LABEL".
LabelledQp read_problem(Reader& in) {
  in.expect("problem");
  const int n = in.count("variables", 1), m = in.count("rows", 0);
  LabelledQp out;
  out.label = in.line();
  // Every number takes two bytes at least: what the file cannot hold takes no memory.
  const double numbers = static_cast<double>(n) * n + static_cast<double>(m) * n;
  if (2 * numbers > static_cast<double>(in.bytes_left()))
    in.fail("a problem of " + std::to_string(n) + " variables and " + std::to_string(m) +
            " rows does not fit into what is left of the file");
  QpProblem& p = out.problem;
  p = make_qp(n, m);
  read_matrix(in, "H", p.H);
  read_vector(in, "g", false, p.g);
  read_vector(in, "x_low", true, p.x_low);
  read_vector(in, "x_high", true, p.x_high);
  read_matrix(in, "A", p.A);
  read_vector(in, "a_low", true, p.a_low);
  read_vector(in, "a_high", true, p.a_high);
  VecX soft = VecX::Zero(m);
  read_vector(in, "soft", false, soft);
  for (int i = 0; i < m; ++i)
    if (soft[i] != 0 && (soft[i] < 0 || p.a_low[i] != p.a_high[i]))
      in.fail("row " + std::to_string(i) + " is soft, but no equality or its weight is negative");
  if (m > 0 && soft.maxCoeff() > 0) p.soft = soft;
  return out;
}

}  // namespace

std::string qp_header() { return std::string(kMagic) + "\n"; }

std::string encode_qp(const LabelledQp& labelled) {
  const QpProblem& p = labelled.problem;
  std::string out = "\nproblem " + std::to_string(p.variables()) + " " + std::to_string(p.rows()) + " ";
  // A label is one line.
  for (const char c : labelled.label) out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  out += '\n';
  write_matrix("H", p.H, out);
  write_vector("g", p.g, out);
  write_vector("x_low", p.x_low, out);
  write_vector("x_high", p.x_high, out);
  write_matrix("A", p.A, out);
  write_vector("a_low", p.a_low, out);
  write_vector("a_high", p.a_high, out);
  write_vector("soft", p.soft.size() > 0 ? p.soft : VecX(VecX::Zero(p.rows())), out);
  return out;
}

std::string encode_qps(const std::vector<LabelledQp>& problems) {
  std::string out = qp_header();
  for (const LabelledQp& problem : problems) out += encode_qp(problem);
  return out;
}

std::vector<LabelledQp> decode_qps(std::string_view text, const std::string& file) {
  Reader in(text, file);
  in.need_line("'" + std::string(kMagic) + "'");
  if (in.line() != kMagic)
    in.fail("expected '" + std::string(kMagic) +
            "' in the first line: this is no file of quadratic programs");
  std::vector<LabelledQp> problems;
  while (in.next_line()) problems.push_back(read_problem(in));
  return problems;
}

std::vector<LabelledQp> load_qps(const std::filesystem::path& path) {
  return decode_qps(read_file(path), path.string());
}

void save_qps(const std::filesystem::path& path, const std::vector<LabelledQp>& problems) {
  write_file(path, encode_qps(problems));
}

}  // namespace sinew
