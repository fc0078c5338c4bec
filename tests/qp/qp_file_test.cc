#include "qp/qp_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.h"
#include "qp/problems.h"

namespace sinew {
namespace {

bool same(const QpProblem& a, const QpProblem& b) {
  return a.H == b.H && a.g == b.g && a.A == b.A && a.a_low == b.a_low && a.a_high == b.a_high &&
         a.x_low == b.x_low && a.x_high == b.x_high && a.soft.size() == b.soft.size() &&
         (a.soft.size() == 0 || a.soft == b.soft);
}

// The sentence with which a text is refused.
std::string complaint(const std::string& text) {
  try {
    decode_qps(text, "runs.qp");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const char* const kSmall =
    "sinew-qp 1\n"
    "\n"
    "problem 2 1 at 0.35 s\n"
    "H\n"
    "2 0.5\n"
    "0.5 1\n"
    "g -1 1e-3\n"
    "x_low 0 -inf\n"
    "x_high inf inf\n"
    "A\n"
    "1 -1\n"
    "a_low 0.25\n"
    "a_high 0.25\n"
    "soft 10\n";

TEST(QpFile, WritesWhatTheDocumentationSays) {
  const auto problems = decode_qps(kSmall, "runs.qp");
  ASSERT_EQ(problems.size(), 1u);
  const QpProblem& p = problems[0].problem;
  EXPECT_EQ(problems[0].label, "at 0.35 s");
  EXPECT_EQ(p.H(0, 1), 0.5);
  EXPECT_EQ(p.g[1], 1e-3);
  EXPECT_EQ(p.x_low[1], -qp_problems::kInfinity);
  EXPECT_EQ(p.A(0, 1), -1);
  EXPECT_EQ(p.soft[0], 10);
  EXPECT_EQ(decode_qps(encode_qps(problems), "again").at(0).label, "at 0.35 s");
}

TEST(QpFile, ReadsBackToTheSameBits) {
  Random random(1);
  std::vector<LabelledQp> problems;
  problems.push_back({"tracker", qp_problems::tracker_qp({}, 0.1)});
  problems.push_back({"", qp_problems::random_qp(random, {.variables = 1}).problem});
  problems.push_back({"no rows", qp_problems::random_qp(random, {.variables = 7}).problem});
  problems.back().problem.g << 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e-300, -7;
  problems[0].problem.soft.setConstant(problems[0].problem.rows(), 1e3 / 7);
  const auto path = std::filesystem::temp_directory_path() / "sinew_qp_file_test.qp";
  save_qps(path, problems);
  const auto read = load_qps(path);
  std::filesystem::remove(path);
  ASSERT_EQ(read.size(), problems.size());
  for (size_t k = 0; k < read.size(); ++k) {
    EXPECT_EQ(read[k].label, problems[k].label);
    EXPECT_TRUE(same(read[k].problem, problems[k].problem)) << k;
  }
  EXPECT_EQ(qp_header() + encode_qp(problems[0]) + encode_qp(problems[1]) + encode_qp(problems[2]),
            encode_qps(problems));
}

TEST(QpFile, RefusesBadTextsInASentenceWithTheirLine) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kSmall;
    const size_t at = text.find(from);
    return text.replace(at, from.size(), to);
  };
  EXPECT_EQ(complaint(kSmall), "accepted");
  EXPECT_EQ(complaint(""), "runs.qp: expected 'sinew-qp 1', but the file ends here");
  EXPECT_EQ(complaint("HIERARCHY"),
            "runs.qp:1: expected 'sinew-qp 1' in the first line: this is no file of quadratic programs");
  EXPECT_EQ(complaint(with("0.5 1\n", "0.5 x\n")), "runs.qp:6: expected a number, found 'x'");
  EXPECT_EQ(complaint(with("0.5 1\n", "0.5 nan\n")), "runs.qp:6: expected a number, found 'nan'");
  EXPECT_EQ(complaint(with("0.5 1\n", "0.5\n")), "runs.qp:6: expected a number, found ''");
  EXPECT_EQ(complaint(with("0.5 1\n", "0.5 1 2\n")), "runs.qp:6: expected the end of the line, found '2'");
  EXPECT_EQ(complaint(with("g -1", "h -1")), "runs.qp:7: expected 'g', found 'h'");
  EXPECT_EQ(complaint(with("g -1", "g inf")), "runs.qp:7: expected a number, found 'inf'");
  EXPECT_EQ(complaint(with("soft 10\n", "")), "runs.qp:13: expected 'soft', but the file ends here");
  EXPECT_EQ(complaint(with("a_high 0.25", "a_high 0.5")),
            "runs.qp:14: row 0 is soft, but no equality or its weight is negative");
  EXPECT_EQ(complaint(with("problem 2 1", "problem 0 1")),
            "runs.qp:3: expected the number of variables (1 to 10000), found '0'");
  EXPECT_EQ(
      complaint(with("problem 2 1", "problem 9999 9999")),
      "runs.qp:3: a problem of 9999 variables and 9999 rows does not fit into what is left of the file");
  EXPECT_THROW(load_qps("no/such/file.qp"), Error);
}

}  // namespace
}  // namespace sinew
