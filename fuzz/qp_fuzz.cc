// Reads a file of quadratic programs and, if it is accepted, writes it again and solves the small ones:
// whatever the text, the only exception is an Error, and a problem that was read reads back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "qp/qp_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto problems = sinew::decode_qps(text, "fuzz.qp");
    const std::string written = sinew::encode_qps(problems);
    if (sinew::encode_qps(sinew::decode_qps(written, "again.qp")) != written) std::abort();
    sinew::QpSolver solver;
    for (const auto& [label, problem] : problems)
      if (problem.variables() + problem.rows() < 30) solver.solve(problem);
  } catch (const sinew::Error&) {
    // Refused in a sentence: that is what it is for.
  }
  return 0;
}
